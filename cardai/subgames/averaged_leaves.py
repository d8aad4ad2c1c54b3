"""Leaves whose worth depends on how the play goes on behind them: averaged over the iterations, as the strategies are.

Values at an equilibrium jump where the ranges make a hand indifferent, which is where an iteration leads to. What the average
strategies are worth is therefore not the values at the average ranges but the average of the values that each iteration saw
(DeepStack's release averages the outputs of its network so, Moravcik et al. 2017).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.subgames.tree import Node


class AveragedLeaves(ABC):
    """Values chance nodes, and knows their average over the iterations of one solution.

    Args:
        hands: (n,) the hands' numbers, in order of the vectors. count: how many hands there are at all.
        cards: the cards that can come, in order of the boards. each: how many of them can come to a pair of hands.
    """

    def __init__(self, hands: Int64s, count: int, cards: Sequence[int], each: int) -> None:
        self.hands, self.count, self.cards, self.each = np.asarray(hands, np.int64), count, tuple(cards), each
        self._sums: list[Any] = [None, None]
        self._weights = [0.0, 0.0]

    @abstractmethod
    def boards(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, B, n) what each hand of ``player`` is worth on each board, in net chips, times the opponent's reach there.

        Args:
            reach: (2, C, n) both players' reach at the C chance nodes ``nodes``.
        """

    def learn(self, player: int, reach: Any, nodes: Sequence[Node], keep: float) -> Float64s:
        """Return (C, n) the values of one iteration, and add them to the average, of which ``keep`` is kept."""
        found = self.boards(player, reach, nodes)
        before = self._sums[player]
        self._sums[player] = found if before is None else keep * before + found
        self._weights[player] = keep * self._weights[player] + 1.0
        return np.asarray(found.sum(axis=1) / self.each)

    def forget(self) -> None:
        """Begin the averages anew."""
        self._sums, self._weights = [None, None], [0.0, 0.0]

    def evaluate(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) the average values; before the first iteration those of ``reach``."""
        return np.asarray(self._average(player, reach, nodes).sum(axis=1) / self.each)

    def dealt(self, player: int, reach: Any, nodes: Sequence[Node], number: int, card: int) -> Float64s:
        """Return (K,) what each hand of ``player`` is worth behind node ``number`` of ``nodes`` once ``card`` has come."""
        out = np.zeros(self.count)
        out[self.hands] = self._average(player, reach, nodes)[number, self.cards.index(card)]
        return out

    def _average(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        if self._sums[player] is None:
            return self.boards(player, reach, nodes)
        return np.asarray(self._sums[player] / self._weights[player])
