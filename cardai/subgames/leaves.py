"""What a subgame that stops early is worth where it stops."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.cards.poker import combos
from cardai.cards.poker.equity import river_strengths
from cardai.core.arrays import Float64s
from cardai.core.progress import tell
from cardai.subgames.tree import Node


class CheckedDown:
    """Both players check to the end: every pair of hands is worth its expected showdown, exactly.

    Args:
        board: the three or four cards at the leaves. hands: (n,) the hands' numbers, in order of the vectors.
    """

    def __init__(self, board: Sequence[int], hands: npt.NDArray[np.int64]) -> None:
        cards = combos.pairs()[hands].astype(np.int64)
        shared = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        wins = np.zeros(shared.shape, np.float32)
        rest = [card for card in range(52) if card not in board]
        runouts = list(itertools.combinations(rest, 5 - len(board)))
        for done, added in enumerate(runouts):
            strengths = river_strengths([*board, *added])[hands]
            alive = (strengths >= 0).astype(np.float32)
            wins += np.sign(strengths[:, None] - strengths[None, :]) * (alive[:, None] * alive[None, :])
            if done % 50 == 0:
                tell("weighing what can come", done, len(runouts))
        tell("weighing what can come", 1, 1)
        count = len(rest) - 4
        each = count * (count - 1) // 2 if len(board) == 3 else count
        self._wins = np.where(shared, 0.0, wins / each).astype(np.float32)
        """(n, n): how often the row's hand wins, less how often it loses."""

    def evaluate(self, player: int, reach: npt.NDArray[Any], nodes: Sequence[Node]) -> Float64s:
        """Return (C, n) the values of each hand of ``player`` (see :class:`~cardai.subgames.solver.LeafEvaluator`)."""
        stakes = np.array([min(node.spent) for node in nodes], np.float64)
        return np.asarray(stakes[:, None] * (reach[1 - player] @ self._wins.T), np.float64)
