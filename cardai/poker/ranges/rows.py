"""Many small subgames with one tree on one board, side by side: CFR whose vectors run over subgames, for a few hands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s
from cardai.poker.ranges import _rows_kernels as kernels
from cardai.poker.ranges._walk_kernels import EXPECT, RESPOND
from cardai.poker.ranges.cfr import RangeCfr, Variant
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.leaves import apart
from cardai.poker.ranges.public_tree import SHOWDOWN

T = np.float32


class RowSolver(RangeCfr):
    """CFR in M subgames that differ in ranges alone; vectors are in order of the hands' numbers.

    Hands of one strength are one where no range tells them apart and they block nothing but each other, as the two suits of
    Leduc do.

    Args:
        layout: of one street and one board, a whole one. ranges: (M, 2, K) weights of all hands, by seat.
    """

    def __init__(self, layout: TreeLayout, ranges: npt.NDArray[np.floating], *, variant: Variant = "dcfr") -> None:  # type: ignore[type-arg]
        (boards,), (forest,), street = layout.boards, layout.tree.streets, layout.streets[0]
        self.hands = np.sort(boards.hands[0])
        """The numbers of the hands, in order of the vectors."""
        own = np.asarray(ranges[:, :, self.hands])
        super().__init__(layout.hands, np.tile(self.hands, (len(own), 1)), np.asarray(own, np.float64), variant)
        strengths = layout.hands.strengths(boards.boards[0])[self.hands]
        self._group = _groups(layout, own, strengths)
        held = np.bincount(self._group).astype(T)
        _, first = np.unique(self._group, return_index=True)
        self._meets = np.asarray(1 - np.diag(1 / held), T)  # a hand meets all of another group, but not itself
        if len(first) == len(self.hands):
            self._meets = apart(layout.hands)[np.ix_(self.hands, self.hands)]
        self._wins = np.sign(strengths[first, None] - strengths[None, first]).astype(T) * self._meets
        shown, won = forest.kind == SHOWDOWN, forest.won.astype(T)
        self._tree = (street.actor, street.first_slot, street.num_actions, shown, won)
        shape = (len(first), len(own))
        slots = [np.zeros((forest.num_slots, *shape), T) for _ in range(3)]
        reach = np.zeros((2, len(forest.numbers), *shape), T)
        self._reach(reach, own)
        self._work = (*slots, reach, np.zeros((len(forest.numbers), *shape), T), np.zeros(len(own), T))

    def iterate(self, count: int) -> None:
        kernels.iterate(self._tree, self._wins, self._meets, self.iterations, count, self.rule, self._work)

    def _reach(self, reach: npt.NDArray[np.float32], own: npt.NDArray[np.floating]) -> None:  # type: ignore[type-arg]
        """Write ranges (M, 2, n) of the hands as weights of their groups at the root."""
        reach[:, 0] = 0.0
        for k in range(len(self.hands)):
            reach[:, 0, self._group[k]] += own[:, :, k].T

    def meet(self, ranges: Float64s) -> None:
        """Let other ranges (M, 2, K), weights of all hands by seat, come to the root: what is asked for then is what the average
        strategies win there. No iteration may follow; hands that were one must be as likely as one another."""
        own = np.asarray(ranges[:, :, self.hands], np.float64)
        self._met(own)
        self._reach(self._work[3], own)

    def forget_average(self) -> None:
        self._work[1][:] = 0.0

    def root_values(self, player: int, mode: int = EXPECT) -> Float64s:
        kernels.evaluate(self._tree, self._wins, self._meets, player, mode == RESPOND, self._work)
        return np.asarray(self._work[4][0, self._group].T, np.float64)


def _groups(
    layout: TreeLayout, ranges: npt.NDArray[np.floating], strengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:  # type: ignore[type-arg]
    """Return (n,) which hands are one, by a number: those of one strength, or each its own."""
    every = np.arange(len(strengths))
    if layout.hands.held > 1:
        return every
    _, first, level = np.unique(strengths, return_index=True, return_inverse=True)
    if not (ranges == ranges[:, :, first[level]]).all():
        return every
    return np.asarray(np.unique(first[level], return_inverse=True)[1], np.int64)
