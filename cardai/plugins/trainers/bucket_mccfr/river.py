"""The river as CFR-BR sees it: its subtrees by shape, the ranges that come there, and buckets of hands within ranges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.plugins.trainers.bucket_mccfr import _river_kernels as kernels
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, STRIDE
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.poker.buckets.tables import Buckets
from cardai.poker.hands.board_hands import BoardHands, board_hands
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.ranges.public_tree import DECISION, SHOWDOWN, PublicTree

RIVER = 3
Table = npt.NDArray[np.float32]
_PAIRS = pairs().astype(np.int64)
LOW, HIGH = _PAIRS[:, 0].copy(), _PAIRS[:, 1].copy()


@frozen(eq=False)
class Group:
    """The river's subtrees of one shape, S of them."""

    shape: kernels.Shape = field(repr=False)
    nodes: int
    """How many nodes the shape has."""
    actions: int
    """The most actions that a seat has in it."""
    roots: npt.NDArray[np.int64] = field(repr=False)
    """(S,) their first nodes in the public tree."""
    amount: npt.NDArray[np.float32] = field(repr=False)
    """(t, S) what is won at each end."""
    base: npt.NDArray[np.int64] = field(repr=False)
    """(d, S)."""
    stride: npt.NDArray[np.int64] = field(repr=False)
    """(S,)."""
    pot: npt.NDArray[np.float64] = field(repr=False)
    """(S,) the chips in the pot when the river comes."""

    def lanes(self, chosen: npt.NDArray[np.int64]) -> kernels.Lanes:
        """Return some of the subtrees side by side."""
        amount, base = np.ascontiguousarray(self.amount[:, chosen]), np.ascontiguousarray(self.base[:, chosen])
        return kernels.Lanes(amount, base, self.stride[chosen])

    def room(self, hands: int, lanes: int) -> tuple[Table, ...]:
        """Return the arrays that :func:`_river_kernels.cfr_br` works in."""
        ends = len(self.shape.end)
        shapes: list[tuple[int, ...]] = [(hands, ends, lanes)] * 3
        shapes += [(2, 53, ends * lanes), (hands, self.actions, lanes), (self.nodes, lanes), (self.nodes, lanes)]
        return tuple(np.empty(shape, np.float32) for shape in shapes)


def groups_of(layout: BucketLayout) -> list[Group]:
    """Return the river's subtrees by shape."""
    tree = layout.tree
    by_shape: dict[bytes, list[npt.NDArray[np.int64]]] = {}
    for root, nodes in tree.subtrees.items():
        if tree.street[root] == RIVER and tree.kind[root] == DECISION:
            by_shape.setdefault(_signature(tree, nodes), []).append(nodes)
    return [_group(layout, np.stack(members)) for members in by_shape.values()]


def _signature(tree: PublicTree, nodes: npt.NDArray[np.int64]) -> bytes:
    """Return what subtrees of one shape, and no others, have in common."""
    child = np.where(tree.child[nodes] >= 0, tree.child[nodes] - nodes[0], -1)
    return np.concatenate([tree.small[nodes][:, :2], child], axis=1).tobytes()


def _group(layout: BucketLayout, members: npt.NDArray[np.int64]) -> Group:
    """Return the group of subtrees ``members`` (S, m), each with its nodes in order."""
    tree, first, taken = layout.tree, members[0], [0, 0]
    edge: list[list[int]] = []
    decision: list[tuple[int, int, int, int]] = []
    end: list[tuple[int, int]] = []
    for place, node in enumerate(first):
        seat = int(tree.actor[node])
        if tree.kind[node] != DECISION:
            end.append((place, -1 if tree.kind[node] == SHOWDOWN else seat))
            continue
        below = tree.child[node, : tree.num_children[node]] - first[0]
        decision.append((place, seat, len(edge), len(edge) + len(below)))
        for child in below:
            edge.append([place, int(child), seat, -1, taken[seat]])
            taken[seat] += 1
    end_of = {place: number for number, (place, _) in enumerate(end)}
    for one in edge:
        one[3] = end_of.get(one[1], -1)
    ends, decisions = members[:, [place for place, _ in end]], members[:, [one[0] for one in decision]]
    node = layout.nodes.node
    return Group(
        kernels.Shape(np.array(edge, np.int64), np.array(decision, np.int64), np.array(end, np.int64)),
        len(first),
        max(taken),
        members[:, 0].copy(),
        np.ascontiguousarray(np.abs(tree.won[0, ends]).T, np.float32),
        np.ascontiguousarray(node[decisions, BASE].T),
        node[members[:, 0], STRIDE].copy(),
        tree.spent[members[:, 0]].sum(axis=1).astype(np.float64),
    )


class Blueprint:
    """A solved game's average policy before the river: with which ranges both seats come there."""

    def __init__(self, layout: BucketLayout, tables: Buckets, average: Table) -> None:
        self.layout, self.buckets, self.average = layout, tables, average
        tree, child = layout.tree, layout.nodes.child
        self._parent = np.full(len(child), -1, np.int64)
        for node in tree.decisions[tree.street[tree.decisions] < RIVER]:
            self._parent[child[node, : tree.num_children[node]]] = node
        self._slot = np.full(len(child), -1, np.int64)

    def ranges(self, board: Sequence[int], hands: BoardHands, roots: npt.NDArray[np.int64]) -> Table:
        """Return (2, n, s): both seats' ranges over ``hands`` at ``roots`` (s,) of the river, if both play the policy."""
        needed: set[int] = set()
        for root in roots.tolist():
            node = root
            while node >= 0 and node not in needed:
                needed.add(node)
                node = int(self._parent[node])
        order = np.array(sorted(needed), np.int64)
        self._slot[order] = np.arange(len(order))
        places = np.stack([self.buckets.of(board[:size], hands.hands) for size in (0, 3, 4)])
        reaches = np.empty((len(order), 2, len(hands.hands)), np.float32)
        nodes = self.layout.nodes
        kernels.trunk(nodes.node, nodes.child, order, self._slot, places, self.average, reaches)
        out = np.ascontiguousarray(reaches[self._slot[roots]].transpose(1, 2, 0))
        self._slot[order] = -1
        return out

    def bucket_count(self, street: int) -> int:
        """Return how many buckets a street has: see :class:`cardai.poker.range_policy.BucketPolicy`."""
        return self.buckets.counts[street]

    def buckets_at(
        self, roots: npt.NDArray[np.int64], board: Sequence[int], hands: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return (2, n, s): see :class:`cardai.poker.range_policy.BucketPolicy`."""
        return np.broadcast_to(self.buckets.of(board, hands)[:, None], (2, len(hands), len(roots)))

    def bucket_policy(self, nodes: npt.NDArray[np.int64]) -> Table:
        """Return (rows, buckets) the probabilities by which the ranges go down, of nodes of one street before the river.

        They are the numbers that :func:`._river_kernels.trunk` multiplies by, to the last bit.
        """
        known, count = self.layout.nodes.node, self.buckets.counts[self.layout.tree.street[nodes[0]]]
        out = []
        for at in nodes.tolist():
            first, stride, actions = known[at, BASE], known[at, STRIDE], int(self.layout.tree.num_children[at])
            weights = self.average[first + np.arange(actions)[:, None] + stride * np.arange(count)]
            total = np.zeros(count, np.float32)
            for one in weights:
                total += one
            alike = np.full_like(weights, np.float32(1) / np.float32(actions))
            out.append(np.divide(weights, total, out=alike, where=total > 0))
        return np.concatenate(out)


@frozen
class RiverBuckets:
    """How hands on the river are told apart: by their place in the ranges that come there."""

    own: int
    """Parts of the own range."""
    equity: int
    """Parts of the equity against the other's range."""

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return self.own * self.equity

    def of(self, hands: BoardHands, start: Table) -> npt.NDArray[np.int64]:
        """Return (2, n, s) each seat's buckets of ``hands`` in subtrees that ranges ``start`` (2, n, s) come to."""
        n, lanes = start.shape[1:]
        out = np.empty((2, n, lanes), np.int64)
        sums, met, won = np.empty((2, 53, lanes), np.float32), *np.empty((2, n, lanes), np.float32)
        a, b = LOW[hands.hands], HIGH[hands.hands]
        kernels.place_hands(hands.ends, np.ascontiguousarray(start), sums, met, won, a, b, self.own, self.equity, out)
        return out


class RiverPlaces:
    """Which bucket every hand is in, anywhere on the river: what a player of the river's tables needs."""

    def __init__(self, blueprint: Blueprint, kind: RiverBuckets) -> None:
        self.blueprint, self.kind = blueprint, kind
        tree = blueprint.layout.tree
        self._roots = np.unique(tree.roots[(tree.street == RIVER) & (tree.kind == DECISION)])
        self._board: tuple[int, ...] = ()
        self._asked = -1
        self._all: npt.NDArray[np.int32] | None = None
        self._turn: tuple[tuple[int, ...], bytes] = ((), b"")
        self._came: Table = np.zeros((2, COUNT, 0), np.float32)

    def of(self, board: Sequence[int], root: int) -> npt.NDArray[np.int64]:
        """Return (2, 1326) the buckets of both seats' hands below ``root`` (0 for hands that the board blocks).

        One subtree is worked out alone; if another of the same board is asked for next, all of them are, and kept.
        """
        key = tuple(int(card) for card in board)
        if key != self._board:
            self._board, self._asked, self._all = key, root, None
            return self._work_out(np.array([root]))[:, :, 0]
        if self._all is None and root != self._asked:
            self._all = np.ascontiguousarray(self._work_out(self._roots).transpose(2, 0, 1), np.int32)
        if self._all is None:
            return self._work_out(np.array([root]))[:, :, 0]
        return np.asarray(self._all[int(np.searchsorted(self._roots, root))], np.int64)

    def among(
        self, board: Sequence[int], hands: npt.NDArray[np.int64], roots: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return (2, n, s) the buckets of both seats' ``hands`` below each of ``roots`` (s,).

        The ranges that come to the river do not depend on its card: those of the last turn are kept.
        """
        turn = tuple(board[:4]), roots.tobytes()
        if turn != self._turn:
            known = board_hands(board[:4])
            self._turn, self._came = turn, np.zeros((2, COUNT, len(roots)), np.float32)
            self._came[:, known.hands] = self.blueprint.ranges(board, known, roots)
        whole = board_hands(board)
        found = self.kind.of(whole, self._came[:, whole.hands])
        place = np.empty(COUNT, np.int64)
        place[whole.hands] = np.arange(len(whole.hands))
        return found if np.array_equal(hands, whole.hands) else found[:, place[hands]]

    def _work_out(self, roots: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        hands = board_hands(self._board)
        found = self.kind.of(hands, self.blueprint.ranges(self._board, hands, roots))
        out = np.zeros((2, COUNT, len(roots)), np.int64)
        out[:, hands.hands] = found
        return out
