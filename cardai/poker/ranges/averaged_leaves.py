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
from cardai.poker.ranges.public_tree import Node


class AveragedLeaves(ABC):
    """Values chance nodes, and knows their average over the iterations of one solution.

    A node is *closed* when a player is all-in: nothing is decided behind it, and it is valued exactly.

    Args:
        hands: (n,) the hands' numbers, in order of the vectors. count: how many hands there are at all.
        cards: the B cards that can come. each: how many of them can come to a pair of hands (of boards with weights: their share).
            stack: a player's chips.
    """

    def __init__(self, hands: Int64s, count: int, cards: Sequence[int], each: float, stack: int) -> None:
        self.hands, self.count, self.cards, self.each = np.asarray(hands, np.int64), count, tuple(cards), each
        self.stack = stack
        self._sums: list[Any] = [None, None]
        self._weights = np.zeros((2, len(self.cards)))

    @abstractmethod
    def boards(self, player: int, reach: Any, nodes: Sequence[Node], cards: Int64s) -> Float64s:
        """Return (C, b, n) what each hand of ``player`` is worth once a card has come, in net chips, times the reach it meets.

        Args:
            reach: (2, C, n) both players' reach at the C chance nodes ``nodes``, none closed.
            cards: (b,) which of ``self.cards``, by place.
        """

    @abstractmethod
    def closed(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) what each hand is worth at nodes that are closed, over all cards."""

    def sample(self, player: int) -> Int64s:
        """Return the places of the cards that an iteration looks at, what they say standing for all. Unless told: all."""
        return np.arange(len(self.cards))

    def learn(self, player: int, reach: Any, nodes: Sequence[Node], keep: float) -> Float64s:
        """Return (C, n) the values of one iteration, and add them to the average, of which ``keep`` is kept."""
        open_, cards = self._open(nodes), self.sample(player)
        found = self._boards(player, reach, nodes, cards)
        if self._sums[player] is None:
            self._sums[player] = np.zeros((len(open_), len(self.cards), len(self.hands)))
        self._sums[player] *= keep
        self._sums[player][:, cards] += found
        self._weights[player] *= keep
        self._weights[player, cards] += 1.0
        return self._whole(player, reach, nodes, found)

    def forget(self) -> None:
        """Begin the averages anew."""
        self._sums = [None, None]
        self._weights[:] = 0.0

    def evaluate(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) the average values; before the first iteration those of ``reach``."""
        return self._whole(player, reach, nodes, self._average(player, reach, nodes))

    def dealt(self, player: int, reach: Any, nodes: Sequence[Node], number: int, card: int) -> Float64s:
        """Return (K,) what each hand of ``player`` is worth on average behind node ``number`` once ``card`` has come."""
        found, place = self._average(player, reach, nodes), self.cards.index(card)
        out = np.zeros(self.count)
        out[self.hands] = found[self._open(nodes).index(number), place]
        return out

    def _open(self, nodes: Sequence[Node]) -> list[int]:
        return [k for k, node in enumerate(nodes) if min(node.spent) < self.stack]

    def _boards(self, player: int, reach: Any, nodes: Sequence[Node], cards: Int64s) -> Float64s:
        """Return :meth:`boards` of the nodes that are open."""
        open_ = self._open(nodes)
        if not open_:
            return np.zeros((0, len(cards), len(self.hands)))
        return self.boards(player, reach[:, open_], [nodes[k] for k in open_], cards)

    def _whole(self, player: int, reach: Any, nodes: Sequence[Node], found: Float64s) -> Float64s:
        """Return (C, n) the values over all cards, of (open, b, n) those of some."""
        open_ = self._open(nodes)
        shut = [k for k in range(len(nodes)) if k not in open_]
        out = np.zeros((len(nodes), len(self.hands)))
        if open_:
            out[open_] = found.sum(axis=1) * (len(self.cards) / (found.shape[1] * self.each))
        if shut:
            out[shut] = self.closed(player, reach[:, shut], [nodes[k] for k in shut])
        return out

    def _average(self, player: int, reach: Any, nodes: Sequence[Node]) -> Float64s:
        """Return (open, B, n) the average; cards that no iteration has looked at have that of the others."""
        seen = self._weights[player] > 0
        if not seen.any():
            return self._boards(player, reach, nodes, np.arange(len(self.cards)))
        out = self._sums[player] / np.where(seen, self._weights[player], 1.0)[:, None]
        if not seen.all():
            out[:, ~seen] = out[:, seen].mean(axis=1, keepdims=True)
        return np.asarray(out)
