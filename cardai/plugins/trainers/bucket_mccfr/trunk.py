"""What CFR-BR over a whole hand works on: the streets before the river as flat arrays, and the river's numbers packed by lanes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.plugins.trainers.bucket_mccfr import _reply_kernels as river
from cardai.plugins.trainers.bucket_mccfr import _whole_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, STRIDE
from cardai.plugins.trainers.bucket_mccfr.checkpoints import Table
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.plugins.trainers.bucket_mccfr.river import RIVER
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, PublicTree
from cardai.poker.responses._forest_kernels import Shape
from cardai.poker.responses.river_forest import Grove

HANDS = 1081
"""Of those that a board of five leaves."""
WIDE = -(-HANDS // LANES) * LANES
"""... in whole lane rows."""
KINDS = {DECISION: kernels.DECISION, FOLD: kernels.FOLD, DEAL: kernels.DEAL}


@frozen(eq=False)
class Trunk:
    """The streets before the river of a public tree."""

    streets: tuple[kernels.Street, ...] = field(repr=False)
    numbers: Int64s = field(repr=False)
    """The nodes of the public tree, those of each street one after another."""
    roots: Int64s = field(repr=False)
    """The roots of all streets' subtrees, those of the river last: a root's number is its place."""
    rows: int
    """How many actions there are at all decisions."""

    @classmethod
    def of(cls, tree: PublicTree) -> Trunk:
        """Return that of a tree in which nobody is all-in before the river. Raises UsageError for others."""
        roots = np.array(sorted(tree.subtrees, key=lambda root: (int(tree.street[root]), root)), np.int64)
        number = {int(root): k for k, root in enumerate(roots)}
        streets, numbers, rows = [], [], 0
        for street in range(RIVER):
            part, node, child, line = [], [], [], []  # type: tuple[list[Any], list[Any], list[Any], list[Any]]
            for root in roots[tree.street[roots] == street].tolist():
                nodes = tree.subtrees[root]
                first, before = len(node), rows
                place = {int(one): k for k, one in enumerate(nodes)}
                for one in nodes.tolist():
                    kind, count = int(tree.kind[one]), int(tree.num_children[one])
                    if kind not in KINDS:
                        raise UsageError("learns=all needs a game in which nobody can be all-in before the river.")
                    follows = number[int(tree.child[one, 0])] if kind == DEAL else -1
                    after = tree.child[one, :count].tolist() if kind == DECISION else []
                    node.append((KINDS[kind], tree.actor[one], len(child), len(child) + len(after), rows, follows))
                    child += [place[k] for k in after]
                    rows += len(after)
                part.append((first, len(node), number[root], before, rows - before))
                line.append(_lines(node[first:], child))
                numbers += nodes.tolist()
            own = np.array(numbers[-len(node) :])
            parts, known, below = (np.array(one, np.int64) for one in (part, node, child))
            won = tree.won[0, own].astype(np.float32)
            streets.append(kernels.Street(parts, known, below, np.concatenate(line, axis=1), won))
        return cls(tuple(streets), np.array(numbers, np.int64), roots, rows)

    def places(self, layout: BucketLayout) -> list[Int64s]:
        """Return (m, 2) for each street where the decisions' numbers lie in a layout."""
        known = np.ascontiguousarray(layout.nodes.node[self.numbers][:, [BASE, STRIDE]])
        return [
            np.ascontiguousarray(one) for one in np.split(known, np.cumsum([len(s.node) for s in self.streets])[:-1])
        ]

    def room(self) -> kernels.Room:
        """Return the arrays that a subtree is worked out in."""
        nodes = max(int((one.part[:, 1] - one.part[:, 0]).max()) for one in self.streets)
        lines, width = (max(int(one[k].max()) for one in self._sizes) for k in range(2))
        ranges, values = np.zeros((2, 2, lines + 1, WIDE), np.float32), np.zeros((2, nodes, WIDE), np.float32)
        columns, rows = np.zeros(-(-width // LANES) * LANES * LANES, np.float32), np.zeros((4, LANES), np.float32)
        rows[[kernels.LEAST, kernels.LAST]] = kernels.STEP
        rows[kernels.LAST, HANDS - WIDE :] = 0
        mass, which = np.zeros(53, np.float32), np.zeros(WIDE, np.int64)
        return kernels.Room(ranges, values, mass, columns, rows.reshape(-1), which)

    @property
    def _sizes(self) -> list[tuple[Int64s, Int64s]]:
        return [(one.line, one.part[:, 4]) for one in self.streets]


def _lines(node: list[Any], child: list[int]) -> Int64s:
    """Return (2, m) the place of each seat's range at a subtree's nodes: a new one after each action of its own."""
    out, taken = np.zeros((2, len(node)), np.int64), [0, 0]
    for i, (kind, seat, first, last, *_) in enumerate(node):
        for below in child[first:last] if kind == kernels.DECISION else ():
            out[:, below] = out[:, i]
            taken[seat] += 1
            out[seat, below] = taken[seat]
    return out


class Packed:
    """The numbers of the river's subtrees of one shape, sixteen to a row: a row a bucket, seat and subtree."""

    def __init__(self, grove: Grove, layout: BucketLayout, buckets: int, number: dict[int, int]) -> None:
        self.grove, self.layout, self.buckets = grove, layout, buckets
        if int(grove.shape.actions.max()) > LANES:
            raise UsageError("learns=all needs a game with fewer raises on the river.")
        order = np.argsort(1 - grove.shape.end[:, 0], kind="stable")
        self.plan = _plan(grove.shape, order)
        self.won = np.ascontiguousarray(grove.factors[:, :, order, :LANES]).reshape(grove.blocks, 2, -1)
        self.roots = np.array([number[root] for root in grove.roots.tolist()], np.int64)
        roots = np.full(grove.blocks * LANES, len(number), np.int64)  # nobody's root in lanes without a subtree
        roots[: len(self.roots)] = self.roots
        self.rows = (2 * roots.reshape(-1, 1, LANES) + np.arange(2)[:, None]).astype(np.int32)
        self.least = np.where(roots < len(number), kernels.STEP, np.float32(0)).reshape(-1, LANES)
        shape = (grove.blocks * LANES * 2 * buckets, LANES)
        self.policy, self.regret, self.average = (np.zeros(shape, np.float32) for _ in range(3))

    def copy(self, table: Table, packed: Table, back: bool) -> None:
        """Copy numbers from a table of the layout (S,) to packed rows, or ``back``."""
        node, lanes = self.layout.nodes.node, packed.reshape(-1, 2, self.buckets, LANES)
        for seat, decisions in enumerate(self.grove.decisions):
            for lane, own in enumerate(decisions):
                column = 0
                for one in own.tolist():
                    base, stride = int(node[one, BASE]), int(node[one, STRIDE])
                    for k in range(int(self.layout.tree.num_children[one])):
                        there = table[base + k : base + k + stride * (self.buckets - 1) + 1 : stride]
                        here = lanes[lane, seat, :, column]
                        if back:
                            there[:] = here
                        else:
                            here[:] = there
                        column += 1

    def room(self) -> river.Room:
        """Return the arrays that a block is learned in."""
        plan, slots = self.plan, self.plan.slot.shape[1] + 1
        width, nodes = slots * LANES, plan.shown + plan.fold.shape[1] + len(plan.decision)
        n, w, square = HANDS * LANES, HANDS * width, LANES * LANES
        chances, reaches, start, found = (np.zeros(size, np.float32) for size in (square, w, n, n))
        mass, answers = np.zeros((2, 53 * width), np.float32), np.zeros(HANDS * slots, np.uint16)
        sizes = 53 * width, w, nodes * n, width, square, 2 * LANES
        return river.Room(
            chances, reaches, answers, start, found, mass, *(np.zeros(size, np.float32) for size in sizes)
        )


def _plan(shape: Shape, order: Int64s) -> river.Plan:
    """Return the plan of a shape whose ends are taken in ``order``, the showdowns first."""
    ends, seats, first = len(order), [0, 0], []
    for seat, start, end in shape.decision.tolist():
        first.append(seats[seat])
        seats[seat] += end - start
    new = np.arange(ends + len(shape.decision))
    new[order] = np.arange(ends)
    end = shape.end[order]
    slot = np.zeros((2, shape.above.shape[1] + 1), np.int64)
    used = []
    for seat in range(
        2
    ):  # an end is known by what one seat did up to its own last action: no sequence is at two showdowns
        at_ends = list(dict.fromkeys(end[:, 1 + seat].tolist()))
        used.append(len(at_ends))
        slots = at_ends + [k for k in range(slot.shape[1]) if k not in at_ends]
        slot[seat, slots] = np.arange(len(slots))
    fold = np.stack([slot[seat, end[end[:, 0] == 0, 1 + seat]] for seat in range(2)])
    above = np.stack([slot[seat, shape.above[seat]] for seat in range(2)])
    after, shown = np.ascontiguousarray(slot[:, 1:]), int(end[:, 0].sum())
    numbers = np.array(first, np.int64), shape.actions, after, above, slot[:, 0].copy(), fold, np.array(used), shown
    return river.Plan(shape.decision, new[shape.child], *numbers)


class Rooms(threading.local):
    """Arrays to work in, of each thread its own."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def of(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the room of a name, made where there is none."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def places_room(blocks: int) -> tuple[Any, ...]:
    """Return what hands are placed in: sixteen lanes, ranges (2, n, S), room for sweeps, and places."""
    line = (HANDS, blocks * LANES)
    shapes: list[tuple[int, ...]] = [(HANDS * LANES,), (2, *line), (2, 53, line[1]), line, line]
    return (*(np.empty(shape, np.float32) for shape in shapes), np.empty((2, *line), np.int64))
