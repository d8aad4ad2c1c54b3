"""Rows of the tables as boards come: who plays or is measured needs a few boards of them, not a minute of work before."""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Int64s
from cardai.poker.buckets import _kernels as kernels
from cardai.poker.buckets._kmeans import Centres
from cardai.poker.hands.boards import BOARD_SIZES, boards, hand_maps
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables

MOST = {1: 400, 2: 4_000, 3: 50_000}
"""By street: where more rows than these are asked for, the whole table is made, which takes about as long as they did
(``python benchmarks/buckets.py --whole``)."""
Table = npt.NDArray[np.uint16]


def _zeros(rows: int) -> Table:
    """Return (rows, 1326) zeros of which only the rows that are written take memory.

    numpy asks for huge pages for arrays of this size: the system would clear 2 MiB for each row of 2,652 bytes.
    """
    room = mmap.mmap(-1, rows * COUNT * np.dtype(np.uint16).itemsize)
    return np.ndarray((rows, COUNT), np.uint16, buffer=room)


class Strengths:
    """The strengths of all hands on representatives of boards of five, worked out when they are asked for."""

    def __init__(self) -> None:
        self.table = _zeros(len(boards(5).cards))
        """(134459, 1326), as in :func:`cardai.poker.buckets.tables.all_river_strengths` where it is filled."""
        self._known = np.zeros(len(self.table), bool)

    def fill(self, classes: Int64s) -> None:
        """Fill the rows of ``classes`` (n,)."""
        missing = np.unique(classes[~self._known[classes]])
        found = np.empty((len(missing), COUNT), np.uint16)
        kernels.strengths(boards(5).cards[missing], pairs(), batch_tables(7), found)
        self.table[missing] = found
        self._known[missing] = True


class Rows:
    """A street's table of which a board's row is filled when it is asked for; it equals the whole table there."""

    def __init__(
        self, street: int, clusters: npt.NDArray[np.generic], strengths: Strengths, whole: Callable[[], Table]
    ) -> None:
        self.street, self.strengths, self._whole = street, strengths, whole
        self.size = BOARD_SIZES[street]
        self.table = _zeros(len(boards(self.size).cards))
        """(m, 1326): 0 where it is not filled."""
        self._known = np.zeros(len(self.table), bool)
        self._bucket_of = clusters
        self._centres = Centres(clusters.astype(np.int64)) if street < 3 else None
        self._room = np.empty((COUNT, kernels.BINS), np.int64)

    def fill(self, classes: Int64s) -> None:
        """Fill the rows of ``classes`` (n,) of boards; the whole table where they become many."""
        missing = np.unique(classes[~self._known[classes]])
        if not len(missing):
            return
        if self._known.sum() + len(missing) > MOST[self.street]:
            self.table[:] = self._whole()
            self._known[:] = True
        else:
            for number in missing.tolist():
                self.table[number] = self._row(number)
            self._known[missing] = True

    def _row(self, number: int) -> Table:
        river, cards = boards(5), boards(self.size).cards[number].astype(np.int64)
        if self._centres is None:
            self.strengths.fill(np.array([number]))
            out = self.strengths.table[[number]]
            kernels.replace_strengths(out, self._bucket_of)
            return np.asarray(out[0], np.uint16)
        rest = np.setdiff1d(np.arange(52), cards)
        ends = itertools.combinations(rest.tolist(), 5 - self.size)
        self.strengths.fill(np.array([river.find([*cards.tolist(), *more])[0] for more in ends]))
        points = np.empty((COUNT, kernels.BINS - 1), np.int16)
        known = (river.class_of, river.renaming_of), self.strengths.table, hand_maps()
        kernels.distributions(cards, *known, self._room, points)
        return np.asarray(self._centres.nearest(points), np.uint16)
