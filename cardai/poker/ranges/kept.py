"""A solution as it is kept small: without its last street, which is solved again for the board that is looked at.

What is kept are the average strategies of the streets before (in steps), and what every hand expects at their ends, on every
board: so all decisions there are as they were, to the rounding, and a board of the last street is a subgame between the ranges
that come to it, whose solution takes some hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.ranges import _walk_kernels as kernels
from cardai.poker.ranges.cfr import Measured, meetings
from cardai.poker.ranges.hands import deal_boards
from cardai.poker.ranges.layout import TreeLayout, shares
from cardai.poker.ranges.locks import Locked, from_the_most_general
from cardai.poker.ranges.public_tree import Node, PublicTree
from cardai.poker.ranges.solver import Solver

STEPS = 255
"""The root of a frequency is kept as a whole number of these: what is rarely done matters to the range that does it."""
WORTH_STEPS = 2000
"""What a hand expects is kept in this part of the pot there."""
Arrays = dict[str, npt.NDArray[Any]]


def kept_arrays(solver: Solver) -> Arrays:
    """Return what is kept of a solver: ``often_k`` (rows, H) uint8 of each street but the last, and ``worth`` (2, B, C, H)
    int16 (int32 where that is many pots), what the hands of both seats expect at the ends of the street before the last."""
    layout, last = solver.layout, len(solver.layout.boards) - 1
    found: Arrays = {}
    for street in range(last):
        forest, boards = layout.tree.streets[street], layout.boards[street]
        rows = np.zeros((len(boards) * forest.num_slots, boards.width), np.uint8)
        for board, path in enumerate(_paths(layout, street)):
            for node in (node for node in forest.nodes if node.actions):
                played = solver.average(path, node)[1]
                first = board * forest.num_slots + int(forest.first_slot[node.index])
                rows[first : first + len(played), : played.shape[1]] = np.rint(STEPS * np.sqrt(played))
        found[f"often_{street}"] = rows
    boards, chance = layout.boards[last - 1], layout.tree.streets[last - 1].chance
    worth = np.zeros((2, len(boards), len(chance), boards.width), np.int32)
    for seat in range(2):
        for board, work in solver.boards(seat) if last > 1 else [(0, solver.look((), seat))]:
            met = _met(layout, work, last - 1, board, seat)
            for i, node in enumerate(chance):
                value = work.values[node.index, : met.shape[1]]
                each = np.divide(value, met[i], out=np.zeros(met.shape[1]), where=met[i] > 0)
                unit = WORTH_STEPS / sum(node.spent)
                most = min(np.iinfo(np.int32).max, unit * max(layout.tree.stacks))
                worth[seat, board, i, : met.shape[1]] = np.rint(each * unit).clip(-most, most)
    fits = int(np.abs(worth).max(initial=0)) <= np.iinfo(np.int16).max
    found["worth"] = worth.astype(np.int16) if fits else worth
    return found


def _paths(layout: TreeLayout, street: int) -> list[tuple[int, ...]]:
    """Return the numbers, on each street after the first, that lead to each board of a street."""
    paths: list[tuple[int, ...]] = [()]
    for before, after in zip(layout.boards[:street], layout.boards[1 : street + 1], strict=True):
        following: list[tuple[int, ...]] = [()] * len(after)
        for board, path in enumerate(paths):
            for child in range(before.first_child[board], before.first_child[board] + before.num_children[board]):
                following[child] = (*path, child)
        paths = following
    return paths


def _met(layout: TreeLayout, work: kernels.WalkBuffers, street: int, board: int, seat: int) -> Float64s:
    """Return (C, n) the opponent's reach that each hand of ``seat`` can meet at the chance nodes of a board."""
    numbers, static = layout.boards[street].hands[board], layout.streets[street]
    cards = layout.hands.cards[numbers]
    rows = [work.reach[static.row_of[1 - seat, place], : len(numbers)].astype(np.float64) for place in static.chance]
    return np.array([meetings(cards, row, layout.hands.places) for row in rows])


class KeptSolver(Solver):
    """A solver that was kept small: the streets before the last can be looked at, nothing can be solved further.

    Args:
        layout: all streets but the last. ranges: (2, K). arrays: as :func:`kept_arrays` returns them.
    """

    def __init__(self, layout: TreeLayout, ranges: Float64s, iterations: int, arrays: Arrays) -> None:
        self.layout, self.iterations, self.leaves, self.packed, self.threads = layout, iterations, None, False, 1
        self.hands = layout.boards[0].hands[0]
        self.ranges = np.array(ranges[:, self.hands], np.float64)
        self._works = tuple(work._replace(sums=work.regrets) for work in layout.works(np.float32))
        for street in range(len(layout.boards)):
            self._works[street].sums[:] = np.square(arrays[f"often_{street}"] / np.float32(STEPS))
        for seat in range(2):
            self._works[0].reach[seat, : len(self.hands)] = self.ranges[seat]
        self._kept, self._worth = arrays, arrays["worth"]
        self._discounts = shares().astype(np.float32)
        self._last: dict[tuple[int, tuple[int, ...]], Solver] = {}

    def arrays(self) -> Arrays:
        """Return what was kept."""
        return dict(self._kept)

    def iterate(self, count: int) -> None:
        raise UsageError("This solution was kept small, without what it could go on from. Solve the spot anew.")

    def measure(self) -> Measured:
        raise UsageError("This solution was kept small, without its last street: it was measured before.")

    @staticmethod
    def expected(layout: TreeLayout, worth_bits: int = 16) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Return the dtypes and shapes of the arrays of a layout of all streets but the last."""
        found: dict[str, tuple[Any, tuple[int, ...]]] = {}
        for street, boards in enumerate(layout.boards):
            rows = len(boards) * layout.tree.streets[street].num_slots
            found[f"often_{street}"] = np.dtype(np.uint8), (rows, boards.width)
        ends = len(layout.tree.streets[len(layout.boards) - 1].chance)
        return found | {
            "worth": (np.dtype(f"int{worth_bits}"), (2, len(layout.boards[-1]), ends, layout.boards[-1].width))
        }

    def look(self, boards: Sequence[int], player: int, mode: int = kernels.EXPECT) -> kernels.WalkBuffers:
        """Return the arrays of a board, as :meth:`.solver.Solver.look` does, but for the last street, where values are always
        those that were kept."""
        wanted = boards[-1] if boards else -1
        layout, works = self.layout, self._works
        kernels.enter(layout.streets[0], works[0], 0, player, mode, self._discounts)
        works[0].passed[:] = 0.0
        if len(layout.boards) == 1:
            self._leave(0, 0, player, mode)
            return works[0]
        for board in range(len(layout.boards[1])):
            kernels.deal(layout.streets[0], works[0], layout.streets[1], works[1], board)
            kernels.enter(layout.streets[1], works[1], board, player, mode, self._discounts)
            self._leave(1, board, player, mode)
            if board == wanted:
                return works[1]
            kernels.hand_back(layout.streets[1], board, works[1].values, works[0].passed)
        kernels.leave(layout.streets[0], works[0], 0, player, mode, self._discounts)
        return works[0]

    def _leave(self, street: int, board: int, player: int, mode: int) -> None:
        """Value a board of the last street that was kept from what its ends are worth."""
        work, met = self._works[street], _met(self.layout, self._works[street], street, board, player)
        for i, node in enumerate(self.layout.tree.streets[street].chance):
            each = self._worth[player, board, i, : met.shape[1]] * (sum(node.spent) / WORTH_STEPS)
            work.passed[i, : met.shape[1]] = each * met[i]
        kernels.leave(self.layout.streets[street], work, board, player, mode, self._discounts)

    def subgame(self, root: Node, board: Sequence[int], ranges: Float64s, to: float, most: int = 2000) -> Solver:
        """Return the last street solved behind ``root``, on a whole board, to an exploitability of ``to`` chips. Where nobody
        comes there is nothing to solve: it is as it was before the first iteration.

        Args:
            ranges: (2, K) what both seats come with.
        """
        key = root.number, tuple(board)
        if key not in self._last:
            hands = self.layout.hands
            tree, locks = _below(self.layout.tree, root, self.layout.locks, board)
            free = ~np.isin(hands.cards, board).any(axis=1)
            ranges = np.where(free, ranges, 0.0)
            together = ranges[0] @ meetings(hands.cards, ranges[1], hands.places)
            nobody = not together > 1e-9 * ranges[0].sum() * ranges[1].sum()
            anybody = np.array([free, free], np.float64) if nobody else ranges
            solver = Solver(TreeLayout(tree, hands, deal_boards(hands, board, 1, anybody), locks), anybody)
            if nobody:
                solver.meet(ranges[None])
            while solver.iterations < most and not nobody:
                solver.run(50)
                if solver.measure().exploitability <= to:
                    break
            self._last = {key: solver}
        return self._last[key]


def _below(
    tree: PublicTree, root: Node, locks: Sequence[Locked], board: Sequence[int]
) -> tuple[PublicTree, list[Locked]]:
    """Return the tree from ``root`` on, the first decision of a street, and the locks in it that hold on ``board``."""
    first = last = root.number
    while last < tree.size and (last == first or tree.parent[last] >= first):
        last += 1
    cut = slice(first, last)
    small, child = tree.small[cut].copy(), tree.child[cut].copy()
    small[1:, 3] -= first
    small[0, 3] = -1
    child[child >= 0] -= first
    opening = tuple(root.spent)
    below = evolve(
        tree, small=small, child=child, action=tree.action[cut], amount=tree.amount[cut], spent=tree.spent[cut],
        opening=opening,
    )  # fmt: skip
    mine = []
    for lock in from_the_most_general(locks):
        if first <= lock.node < last and lock.holds(board[len(board) - len(lock.cards) :]):
            mine.append(Locked(lock.node - first, (), lock.play))
    return below, mine
