"""Boards by what everybody sees of them: buckets of hands times classes of boards.

A board's texture is how its suits fall, which of its ranks are alike, and how high its highest card is. Buckets of the
strength that a hand will have do not know it, and both seats do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.arrays import Int64s
from cardai.poker.buckets.tables import PREFLOP, Buckets
from cardai.poker.hands._lookup_kernels import find_classes
from cardai.poker.hands.boards import BOARD_SIZES, boards

HIGH = (7, 9, 11)
"""Ranks (2 is 0) from which a board's highest card counts as middling (9), high (J) and an ace or a king."""


@cache
def textures(size: int, high: bool) -> tuple[Int64s, int]:
    """Return the texture of each class of boards of ``size`` cards, from 0, and how many there are.

    ``high``: the highest card counts too.
    """
    if size == 0:
        return np.zeros(1, np.int64), 1
    suits, ranks = np.divmod(boards(size).cards.astype(np.int64), 13)
    parts = [-np.sort(-np.stack([(one == k).sum(axis=1) for k in range(13)], axis=1), axis=1) for one in (suits, ranks)]
    parts.append(np.searchsorted(HIGH, ranks.max(axis=1), side="right")[:, None] if high else suits[:, :0])
    known, found = np.unique(np.concatenate(parts, axis=1), axis=0, return_inverse=True)
    return found.reshape(-1).astype(np.int64), len(known)


@frozen
class Textured:
    """Buckets of hands, each once for every texture of the flop and of the turn."""

    buckets: Buckets
    high: bool = False
    """Whether the highest card counts."""

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many buckets each street has; the river's are left as they are."""
        flop, turn = (self.buckets.counts[k] * textures(BOARD_SIZES[k], self.high)[1] for k in (1, 2))
        return PREFLOP, flop, turn, self.buckets.counts[3]

    def of(self, board: Sequence[int], hands: npt.ArrayLike) -> Int64s:
        """Return the buckets (n,) of ``hands`` (n,) on a board of 0, 3 or 4 cards."""
        return self._times(
            self.buckets.of(board, hands), boards(len(board)).find(board)[0] if len(board) else 0, len(board)
        )

    def of_hands(self, hole: npt.NDArray[np.int8], board: npt.NDArray[np.int8]) -> Int64s:
        """Return the buckets (n,) of ``hole`` (n, 2) on ``board`` (n, 5), cards in dealt order, -1 where not dealt."""
        out, dealt = self.buckets.of_hands(hole, board), (board >= 0).sum(axis=1)
        for size in (3, 4):
            rows = np.flatnonzero(dealt == size)
            number = np.empty(len(rows), np.int64)
            find_classes(boards(size).class_of, np.ascontiguousarray(board[rows], np.int8), size, number)
            out[rows] = self._times(out[rows], number, size)
        return out

    def _times(self, found: Int64s, number: Int64s | int, size: int) -> Int64s:
        classes, count = textures(size, self.high)
        return np.asarray(found * count + classes[number], np.int64)
