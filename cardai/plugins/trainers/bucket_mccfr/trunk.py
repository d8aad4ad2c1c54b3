"""What CFR-BR over a whole hand works on: the streets before the river as flat arrays, and the river's numbers packed by lanes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.plugins.trainers.bucket_mccfr import _whole_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, STRIDE
from cardai.plugins.trainers.bucket_mccfr.checkpoints import Table
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.plugins.trainers.bucket_mccfr.river import RIVER
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, PublicTree
from cardai.poker.responses.river_forest import Grove

HANDS = 1081
"""Of those that a board of five leaves."""
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
            part, node, child = [], [], []  # type: tuple[list[Any], list[Any], list[Any]]
            for root in roots[tree.street[roots] == street].tolist():
                nodes = tree.subtrees[root]
                part.append((len(node), len(node) + len(nodes), number[root]))
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
                numbers += nodes.tolist()
            own = np.array(numbers[-len(node) :])
            parts, known, below = (np.array(one, np.int64) for one in (part, node, child))
            streets.append(kernels.Street(parts, known, below, tree.won[0, own].astype(np.float32)))
        return cls(tuple(streets), np.array(numbers, np.int64), roots, rows)

    def places(self, layout: BucketLayout) -> list[Int64s]:
        """Return (m, 2) for each street where the decisions' numbers lie in a layout."""
        known = np.ascontiguousarray(layout.nodes.node[self.numbers][:, [BASE, STRIDE]])
        return [
            np.ascontiguousarray(one) for one in np.split(known, np.cumsum([len(s.node) for s in self.streets])[:-1])
        ]

    @property
    def most(self) -> int:
        """The most nodes of a subtree."""
        return max(int((one.part[:, 1] - one.part[:, 0]).max()) for one in self.streets)


class Packed:
    """The numbers of the river's subtrees of one shape, sixteen to a row: a row a bucket, seat and subtree."""

    def __init__(self, grove: Grove, layout: BucketLayout, buckets: int, first_root: dict[int, int]) -> None:
        self.grove, self.layout, self.buckets = grove, layout, buckets
        if int(grove.shape.actions.max()) > LANES:
            raise UsageError("learns=all needs a game with fewer raises on the river.")
        seats, first = [0, 0], []
        for seat, start, end in grove.shape.decision.tolist():
            first.append(seats[seat])
            seats[seat] += end - start
        self.first = np.array(first, np.int64)
        self.roots = np.array([first_root[root] for root in grove.roots.tolist()], np.int64)
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

    def room(self) -> tuple[Table, ...]:
        """Return the arrays that a block is learned in."""
        _, reaches, mass, values, one = self.grove.room(np.float32)
        n, square = HANDS * LANES, LANES * LANES
        chances, gained, numbers = np.zeros((3, square), np.float32)
        up, down, left = np.zeros(LANES, np.float32), np.zeros(LANES, np.float32), np.zeros(n, np.float32)
        reach, answers = np.zeros((2, len(reaches), n), np.float32)
        value = np.zeros((len(values), n), np.float32)
        return chances, reach, answers, mass, value, left, gained, numbers, one, up, down


class Rooms(threading.local):
    """Arrays to work in, of each thread its own."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def of(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the room of a name, made where there is none."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]


def places_room(lanes: int) -> tuple[Any, ...]:
    """Return what hands are placed in: ranges (2, n, S), room for sweeps, and places."""
    line = (HANDS, lanes)
    arrays = (np.empty(shape, np.float32) for shape in ((2, *line), (2, 53, lanes), line, line))
    return (*arrays, np.empty((2, *line), np.int64))
