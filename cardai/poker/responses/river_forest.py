"""The river's subtrees of a public tree side by side: what both seats win that answer a player best, on one board.

Subtrees of one shape (the same bets and ends, but for the chips) are walked sixteen at a time in float32, and boards are
summed in float64 (:mod:`._forest_kernels`). The player's probabilities lie packed, all actions of a seat in one subtree side by side
for each bucket of its hands, so that a hand costs one line of memory a subtree. A player that has no tables is asked for
whole ranges, and every hand is a bucket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.range_policy import RangePolicy, TablePolicy
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges.public_tree import DECISION, SHOWDOWN, PublicTree
from cardai.poker.responses import _forest_kernels as kernels

Packed = npt.NDArray[Any]
"""float32 or float64, or places."""
_PAIRS = pairs().astype(np.int64)
_LOW, _HIGH = _PAIRS[:, 0] + 1, _PAIRS[:, 1] + 1
_HANDS = comb(47, 2)


@frozen(eq=False)
class Grove:
    """A street's subtrees of one shape, S of them, in B blocks of sixteen."""

    roots: Int64s = field(repr=False)
    """(S,) their roots in the public tree."""
    decisions: tuple[Int64s, Int64s] = field(repr=False)
    """By seat (S, d): the nodes in which it decides, in the order of its actions."""
    ends: Int64s = field(repr=False)
    """(S, t) the nodes with no decision."""
    shape: kernels.Shape = field(repr=False)
    factors: Packed = field(repr=False)
    """(B, 2, t, 48): see :func:`._forest_kernels.terminal_values`."""

    @property
    def blocks(self) -> int:
        """How many blocks of sixteen there are, the last one filled up."""
        return len(self.factors)

    @property
    def width(self) -> int:
        """How many probabilities a packed row has: a multiple of sixteen."""
        return max(1, -(-int(self.shape.actions.max()) // LANES)) * LANES

    def room(self, dtype: npt.DTypeLike) -> tuple[Packed, ...]:
        """Return the arrays that :func:`._forest_kernels.walk` works in."""
        ends, nodes = len(self.shape.end), len(self.shape.end) + len(self.shape.decision)
        reaches, values = int(self.shape.actions.max()) + 1, max(nodes, ends)
        sizes = (self.width * LANES,), (reaches, _HANDS * LANES), (53 * LANES,), (values, _HANDS * LANES), (LANES,)
        chances, reach, mass, value, ones = (np.zeros(size, dtype) for size in sizes)
        return chances, reach, mass, value, ones + 1


class RiverForest:
    """The river's subtrees of ``tree``, and ``player`` as it plays them.

    ``dtype`` (float32 or float64) is what ranges and values are worked out in.
    """

    def __init__(self, tree: PublicTree, player: RangePolicy, dtype: npt.DTypeLike = np.float32) -> None:
        self.tree, self.player, self.dtype = tree, player, dtype
        self.groves = groves_of(tree, 3, dtype)
        self.roots: Int64s = np.concatenate([one.roots for one in self.groves])

    def pack(self, roots: Mapping[int, Float64s]) -> list[Packed]:
        """Return both seats' ranges (2, 1326) at ``roots`` as (B, 2, 1326, 16) for each grove; 0 at other roots."""
        out = []
        for grove in self.groves:
            lanes = np.zeros((2, COUNT, grove.blocks * LANES), self.dtype)
            for lane, root in enumerate(grove.roots.tolist()):
                if root in roots:
                    lanes[:, :, lane] = roots[root]
            shape = (2, COUNT, grove.blocks, LANES)
            out.append(np.ascontiguousarray(lanes.reshape(shape).transpose(2, 0, 1, 3)))
        return out

    def empty(self) -> list[Float64s]:
        """Return sums (B, 2, 1326, 16) for each grove, nothing yet."""
        return [np.zeros((grove.blocks, 2, COUNT, LANES)) for grove in self.groves]

    def by_root(self, sums: Sequence[Float64s], roots: Mapping[int, Float64s]) -> dict[int, Float64s]:
        """Return (2, 1326) for each of ``roots``."""
        out = {}
        for grove, one in zip(self.groves, sums, strict=True):
            lanes = one.transpose(1, 2, 0, 3).reshape(2, COUNT, -1)
            for lane, root in enumerate(grove.roots.tolist()):
                if root in roots:
                    out[root] = lanes[:, :, lane].copy()
        return out

    def add(
        self,
        board: Sequence[int],
        ranges: Sequence[Packed],
        maps: Int64s,
        sums: Sequence[Float64s],
    ) -> None:
        """Add to ``sums`` what hands win on ``board`` from the roots on, for each renaming (m, 1326) it stands for.

        ``ranges`` are packed; hands that the board blocks are left out. A block that a seat does not come to adds nothing
        for the other.
        """
        hands = board_hands(board)
        cards = kernels.Cards(hands.hands, _LOW[hands.hands], _HIGH[hands.hands], hands.ends)
        self._packed.come_to(board, hands.hands)
        for number, (grove, range_, total, room) in enumerate(zip(self.groves, ranges, sums, self._rooms, strict=True)):
            for block in range(grove.blocks):
                if range_[block].any():
                    rows, which = self._packed.block(number, block)
                    kernels.walk(
                        grove.shape, cards, rows, which, grove.factors[block], range_[block], maps, total[block], room
                    )

    @cached_property
    def _rooms(self) -> list[tuple[Packed, ...]]:
        return [grove.room(self.dtype) for grove in self.groves]

    @cached_property
    def _packed(self) -> _Tables | _Ranges:
        return _Tables(self, self.player) if isinstance(self.player, TablePolicy) else _Ranges(self)


class _Ranges:
    """A player that is asked for whole ranges on every board: each hand is a bucket of its own."""

    def __init__(self, forest: RiverForest) -> None:
        self.forest = forest
        self._board: Sequence[int] = ()
        self._which = np.zeros((2, 0), np.int32)

    def come_to(self, board: Sequence[int], hands: Int64s) -> None:
        """Take a board, and the hands (n,) it leaves in the order in which they are wanted."""
        self._board = board
        first = (np.arange(LANES) * 2 + np.arange(2)[:, None]) * COUNT
        self._which = (first[:, None, :] + hands[:, None]).reshape(2, -1).astype(np.int32)

    def block(self, number: int, block: int) -> tuple[Packed, Packed]:
        """Return the packed rows (16 * 2 * 1326, W) of sixteen lanes, and the row (2, n * 16) of each hand in each."""
        grove = self.forest.groves[number]
        rows = np.zeros((LANES, 2, COUNT, grove.width), self.forest.dtype)
        for seat, nodes in enumerate(grove.decisions):
            if nodes.size:
                for lane, own in enumerate(nodes[block * LANES : (block + 1) * LANES]):
                    found = self.forest.player.range_policy(own, self._board)
                    rows[lane, seat, :, : len(found)] = found.T
        return rows.reshape(-1, grove.width), self._which


class _Tables:
    """A player that has tables: rows are packed once, and every board says which bucket hands are in."""

    def __init__(self, forest: RiverForest, player: TablePolicy) -> None:
        self.forest, self.player = forest, player
        self._rows = [self._pack(grove) for grove in forest.groves]
        self._which: list[Packed] = []

    def _pack(self, grove: Grove) -> Packed:
        rows = np.zeros((len(grove.roots), 2, self.player.bucket_count(3), grove.width), self.forest.dtype)
        for seat, nodes in enumerate(grove.decisions):
            if nodes.size:
                for lane, own in enumerate(nodes):
                    found = self.player.bucket_policy(own)
                    rows[lane, seat, :, : len(found)] = found.T
        return rows.reshape(-1, grove.width)

    def come_to(self, board: Sequence[int], hands: Int64s) -> None:
        """Take a board, and the hands (n,) it leaves in the order in which they are wanted."""
        found = self.player.buckets_at(self.forest.roots, board, hands)
        ends = np.cumsum([len(one.roots) for one in self.forest.groves])[:-1]
        count, parts = self.player.bucket_count(3), np.split(found, ends, axis=2)
        self._which = [_places(grove, count, part) for grove, part in zip(self.forest.groves, parts, strict=True)]

    def block(self, number: int, block: int) -> tuple[Packed, Packed]:
        """Return the packed rows (S * 2 * buckets, W) of a grove, and the row (2, n * 16) of each hand in each lane."""
        return self._rows[number], self._which[number][block]


def _places(grove: Grove, count: int, buckets: Int64s) -> Packed:
    """Return (B, 2, n * 16) int32 the packed rows of ``buckets`` (2, n, S), of which there are ``count``; row 0 in no lane."""
    lanes, n = len(grove.roots), buckets.shape[1]
    out = np.zeros((2, n, grove.blocks * LANES), np.int32)
    first = (np.arange(lanes)[None, :] * 2 + np.arange(2)[:, None]) * count
    np.add(buckets, first[:, None, :], out=out[:, :, :lanes], casting="unsafe")
    blocks = out.reshape(2, n, grove.blocks, LANES).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(blocks).reshape(grove.blocks, 2, n * LANES)


def groves_of(tree: PublicTree, street: int, dtype: npt.DTypeLike) -> list[Grove]:
    """Return a street's subtrees by shape; where another street is dealt is an end."""
    by_shape: dict[bytes, list[Int64s]] = {}
    for root, nodes in tree.subtrees.items():
        if tree.street[root] == street:
            alike = np.concatenate([tree.kind[nodes][:, None], tree.actor[nodes][:, None], _below(tree, nodes)], axis=1)
            by_shape.setdefault(alike.tobytes(), []).append(nodes)
    return [_grove(tree, np.stack(members), dtype) for members in by_shape.values()]


def _below(tree: PublicTree, nodes: Int64s) -> Int64s:
    """Return (m, A) the places among a subtree's ``nodes`` (m,) of what follows each decision; -1 where nothing does."""
    own = (tree.child[nodes] >= 0) & (tree.kind[nodes] == DECISION)[:, None]
    return np.where(own, np.searchsorted(nodes, np.maximum(tree.child[nodes], 0)), -1)


def _grove(tree: PublicTree, members: Int64s, dtype: npt.DTypeLike) -> Grove:
    """Return the grove of subtrees ``members`` (S, m), each with its nodes in order."""
    first, under = members[0], _below(tree, members[0])
    kind, actor = tree.kind[first], tree.actor[first].astype(np.int64)
    deciding, ending = np.flatnonzero(kind == DECISION), np.flatnonzero(kind != DECISION)
    row = np.zeros(len(first), np.int64)
    row[ending], row[deciding] = np.arange(len(ending)), len(ending) + np.arange(len(deciding))
    sequence = np.zeros((len(first), 2), np.int64)
    decision, child, above = [], [], ([], [])  # type: tuple[list[tuple[int, int, int]], list[int], tuple[list[int], list[int]]]
    for place in deciding.tolist():
        seat = int(actor[place])
        below = under[place, : tree.num_children[first[place]]].tolist()
        decision.append((seat, len(child), len(child) + len(below)))
        for one in below:
            sequence[one] = sequence[place]
            above[seat].append(int(sequence[place, seat]))
            sequence[one, seat] = len(above[seat])
            child.append(int(row[one]))
    actions = np.array([len(above[0]), len(above[1])], np.int64)
    table = np.zeros((2, max(1, int(actions.max()))), np.int64)
    for seat in range(2):
        table[seat, : actions[seat]] = above[seat]
    shown = kind[ending] == SHOWDOWN
    end = np.concatenate([shown[:, None].astype(np.int64), sequence[ending]], axis=1)
    order = np.stack([np.lexsort((~shown, end[:, 2 - seat])) for seat in range(2)])
    shape = kernels.Shape(
        np.array(decision, np.int64).reshape(-1, 3), np.array(child, np.int64), table, actions, end, order
    )
    decisions = tuple(members[:, deciding[actor[deciding] == seat]] for seat in range(2))
    ends = members[:, ending]
    return Grove(members[:, 0].copy(), decisions, ends, shape, _factors(tree, ends, shown, dtype))  # type: ignore[arg-type]


def _factors(tree: PublicTree, ends: Int64s, shown: Bools, dtype: npt.DTypeLike) -> Packed:
    """Return (B, 2, t, 48) what :func:`._forest_kernels.terminal_values` multiplies by, at ``ends`` (S, t)."""
    lanes, count = ends.shape
    blocks = -(-lanes // LANES)
    won = np.zeros((2, count, blocks * LANES))
    won[:, :, :lanes] = tree.won[:, ends].transpose(0, 2, 1)
    signs = np.where(shown[:, None], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0])  # (t, 3)
    parts = won.reshape(2, count, blocks, LANES).transpose(2, 0, 1, 3)[:, :, :, None, :] * signs[:, :, None]
    return np.ascontiguousarray(parts.reshape(blocks, 2, count, 3 * LANES), dtype)
