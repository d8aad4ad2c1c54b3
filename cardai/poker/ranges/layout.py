"""A public tree on its boards as the kernels take it, and what it costs in memory and time before it is solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import define, field

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges._walk_kernels import MOST_ACTIONS, SHARE, Street, WalkBuffers
from cardai.poker.ranges.hands import DealtBoards, Hands
from cardai.poker.ranges.locks import Locked, locked_rows
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, SHOWDOWN, Forest, PublicTree

STREETS = 3
"""The most streets that are walked: flop, turn and river."""
_SLOT_SECONDS, _COLUMN_SECONDS = 1.2e-9, 1.1e-9
"""About the CPU time of one walk for a hand at a slot, and at an end (benchmarks/subgames.py prints iterations)."""


@define(eq=False)
class TreeLayout:
    """A tree, its hands and boards, and the arrays of :mod:`._walk_kernels`."""

    tree: PublicTree
    hands: Hands
    boards: list[DealtBoards]
    locks: Sequence[Locked] = ()
    """What is not solved but given; boards that a renaming of suits takes to others must have theirs taken along."""
    forced: Float64s | None = None
    """(K,) behind a gadget: the share of each hand that has no choice and plays on (below 1)."""
    streets: tuple[Street, ...] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if len(self.boards) > STREETS:
            raise UsageError(f"At most {STREETS} streets can be walked. Got {len(self.boards)}.")
        found = []
        for number, forest in enumerate(self.tree.streets[: len(self.boards)]):
            found.append(self._street(number, forest))
        empty = _empty_street()
        self.streets = (*found, *[empty] * (STREETS - len(found)))

    @property
    def leaves(self) -> bool:
        """Whether the last street that is walked ends in chance nodes, which a leaf evaluator must value."""
        return len(self.boards) < len(self.tree.streets)

    @property
    def entries(self) -> int:
        """How many numbers a strategy has: a slot, a board and a hand each."""
        return entries_of(self.tree, self.boards)

    def num_bytes(self, dtype: npt.DTypeLike) -> int:
        """Return the memory of regrets and average strategies, kept as ``dtype``: float64, float32 or int16."""
        return 2 * self.entries * np.dtype(dtype).itemsize

    @property
    def seconds(self) -> float:
        """A guess of the CPU time of one iteration."""
        columns = sum(len(s.targets) * int(s.count.sum(dtype=np.int64)) for s in self.streets)
        return 1e-5 + 2.0 * float(self.entries * _SLOT_SECONDS + columns * _COLUMN_SECONDS)

    def works(self, dtype: npt.DTypeLike, packed: bool = False) -> tuple[WalkBuffers, ...]:
        """Return the arrays that iterations change, all zeros; ``packed``: regrets and sums are int16."""
        kind = np.dtype(dtype)
        found = []
        for number, street in enumerate(self.streets):
            slots = self.tree.streets[number].num_slots if number < len(self.boards) else 0
            shape = max(slots * len(street.count), 1), street.low.shape[1]
            stored = np.int16 if packed else kind
            units = np.zeros((2, len(street.count), len(street.actor)), np.float32) if packed else None
            found.append(self.scratch(street, slots, kind, (np.zeros(shape, stored), np.zeros(shape, stored)), units))
        return tuple(found)

    def copies(self, works: tuple[WalkBuffers, ...]) -> tuple[WalkBuffers, ...]:
        """Return arrays for another thread: its own below the first street, but for regrets and sums."""
        own = []
        for street, work in zip(self.streets[1:], works[1:], strict=True):
            kept = work.regrets, work.sums
            own.append(self.scratch(street, len(work.sigma), work.sigma.dtype, kept, work.units))
        return (works[0], *own)

    def scratch(
        self,
        street: Street,
        slots: int,
        kind: np.dtype[Any],
        stored: tuple[npt.NDArray[Any], ...],
        units: npt.NDArray[np.float32] | None,
    ) -> WalkBuffers:
        """Return the arrays of a street around its regrets and sums."""
        width, nodes, roots = street.low.shape[1], len(street.actor), street.roots
        return WalkBuffers(
            *stored,
            units=units,
            fresh=None if units is None else np.zeros((MOST_ACTIONS, width), kind),
            reach=np.zeros((2 * roots + slots + 1, width), kind),
            sigma=np.zeros((slots, width), kind),
            values=np.zeros((nodes + 1, width), kind),
            total=np.zeros(width, kind),
            spare=np.zeros(width, kind),
            columns=np.zeros(LANES * width, kind),
            out=np.zeros(LANES * width, kind),
            mass=np.zeros(LANES * (self.hands.places + 1)),
            passed=np.zeros((len(street.chance), width)),
        )

    def _street(self, number: int, forest: Forest) -> Street:
        boards = self.boards[number]
        last = number + 1 == len(self.boards)
        shown, gain, rake = forest.kind == SHOWDOWN, forest.won, forest.raked
        last_nodes = np.concatenate([forest.ends(SHOWDOWN), forest.ends(FOLD)])
        batches = -(-len(last_nodes) // LANES)
        row_of = rows_of_reach(forest)
        columns = np.full((2, LANES * batches), 2 * forest.roots + forest.num_slots, np.int32)
        targets = np.full(LANES * batches, len(forest.numbers), np.int32)
        targets[: len(last_nodes)] = last_nodes
        factors = np.zeros((2, batches, 3, LANES))
        for k, node in enumerate(last_nodes):
            for player in range(2):
                columns[player, k] = row_of[1 - player, node]
                factors[player, k // LANES, :, k % LANES] = _factors(gain[player, node], rake[node], shown[node])
        cards = [self.hands.cards[hands] + 1 for hands in boards.hands]
        known = len(boards.boards[0])
        return Street(
            roots=forest.roots,
            actor=np.where(forest.kind == DECISION, forest.actor, -1).astype(np.int8),
            first_slot=forest.first_slot,
            num_actions=forest.num_actions,
            chance=forest.ends(DEAL).astype(np.int32),
            row_of=row_of,
            columns=columns,
            targets=targets,
            factors=factors.reshape(2, -1),
            sorted_batches=-(-int(shown.sum()) // LANES),
            count=np.array([len(hands) for hands in boards.hands], np.int32),
            first_child=np.array(boards.first_child, np.int32),
            num_children=np.zeros(len(boards), np.int32) if last else np.array(boards.num_children, np.int32),
            low=_pad([one[:, 0] for one in cards], boards.width, np.uint8),
            high=_pad([one[:, 1] for one in cards], boards.width, np.uint8),
            ends=_pad(boards.ends, boards.width, np.uint16),
            ups=_pad([up for ups in boards.ups for up in ups], boards.width, np.uint16),
            first_image=np.cumsum([0, *(len(ups) for ups in boards.ups)]).astype(np.int32),
            factor=1.0 if last else 1.0 / (len(self.hands.deck) - known - 2 * self.hands.held),
            **locked_rows(self.locks, forest, boards, known - number),
            forced=np.zeros(0) if self.forced is None or number else self.forced[boards.hands[0]],
        )


def entries_of(tree: PublicTree, boards: Sequence[DealtBoards]) -> int:
    """Return how many numbers a strategy of ``tree`` has on the boards of its first streets."""
    return sum(forest.num_slots * len(b) * b.width for forest, b in zip(tree.streets, boards, strict=False))


def _factors(won: float, rake: float, compared: bool) -> tuple[float, float, float]:
    """Return what an end's masses are multiplied with (see :func:`._lanes.close`): who wins ``won`` pays the rake, and half of
    it at a tie.
    """
    if compared:
        return won - rake / 2, -won, -rake / 2
    folded = won - rake if won > 0 else won
    return 0.0, folded, folded


def rows_of_reach(forest: Forest) -> npt.NDArray[np.int32]:
    """Return (2, N) the row of reach of each player at each node."""
    rows = np.zeros((2, len(forest.numbers)), np.int32)
    rows[:, : forest.roots] = np.arange(2 * forest.roots).reshape(2, -1)
    for node in np.flatnonzero(forest.num_actions):
        slots = forest.first_slot[node] + np.arange(forest.num_actions[node])
        rows[:, forest.roots + slots] = rows[:, node, None]
        rows[forest.actor[node], forest.roots + slots] = 2 * forest.roots + slots
    return rows


def _pad(rows: Sequence[npt.NDArray[np.int64]], width: int, dtype: npt.DTypeLike) -> npt.NDArray[np.integer]:  # type: ignore[type-arg]
    out = np.zeros((len(rows), width), dtype)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


def _empty_street() -> Street:
    """Return a street without nodes, so that every subgame has the same number of streets for the kernels."""
    none, table = np.zeros(0, np.int32), np.zeros((2, 0), np.int32)
    cards = np.zeros((0, LANES), np.uint8)
    wide = np.zeros((0, LANES), np.uint16)
    return Street(
        0, np.zeros(0, np.int8), none, none, none, table, table, none, np.zeros((2, 0)), 0, none, none, none, cards, cards,
        wide, wide, np.zeros(1, np.int32), 1.0, none, table, np.zeros((0, LANES)), np.zeros(0),
    )  # fmt: skip


def shares() -> Float64s:
    """Return the constants of ``numbers``: 0, 1, room for three discounts, and 1 / A."""
    out = np.zeros(SHARE + MOST_ACTIONS + 1)
    out[1] = 1.0
    out[SHARE + 1 :] = 1.0 / np.arange(1, MOST_ACTIONS + 1)
    return out
