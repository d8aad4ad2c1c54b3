"""Card abstraction of hold'em: every hand on every board is put into one of a few buckets a street.

* Before the flop: the 169 classes of starting hands.
* Flop and turn: k-means on the distribution of the strength that the hand will have on the river, in Cramer's distance
  (Euclid's between cumulative distributions), so that hands are kept apart by what they may become and not only by what
  they are worth on average.
* River: by percentiles of strength (``strength``), or k-means on the equities against eight clusters of starting hands
  (``ochs``: opponent cluster hand strength).

Buckets forget the earlier streets' (imperfect recall). Source of the choices: Johanson, Burch, Valenzano and Bowling,
"Evaluating state-space abstractions in extensive-form games" (AAMAS 2013).

The tables ``bucket[board's class][hand]`` depend on the options alone, are made once (half a minute of CPU for 500 buckets a
street), and are kept in the user's cache directory, from where several processes share them in memory. Who plays with them
needs no whole tables where the clusters come with cardai: the rows of boards are worked out as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen, validators

from cardai.core.files import digest_of
from cardai.core.progress import tell
from cardai.core.rng import derive, derive_many
from cardai.poker.buckets import _kernels as kernels
from cardai.poker.buckets._kmeans import Centres, k_means
from cardai.poker.buckets._store import VERSION, load, save
from cardai.poker.buckets.clusters import clusters
from cardai.poker.buckets.rows import Rows, Strengths
from cardai.poker.hands._lookup_kernels import find_buckets, find_classes
from cardai.poker.hands.boards import BOARD_SIZES, COUNTS, boards, hand_maps
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables

STREETS = ("preflop", "flop", "turn", "river")
PREFLOP = 169
OPPONENTS = 8
"""Clusters of starting hands that river equities are taken against (``ochs``)."""
_BLOCK = 64
"""Boards whose features are held at once."""
_HANDS_A_BOARD = 16
"""Hands a board in the sample that clusters are found in."""
_COUNT = [validators.ge(1), validators.le(65_535)]
Table = npt.NDArray[np.uint16]


@frozen
class BucketOptions:
    """What buckets there are. Equal options give equal tables, on every machine."""

    flop: int = field(default=500, validator=_COUNT)
    turn: int = field(default=500, validator=_COUNT)
    river: int = field(default=500, validator=_COUNT)
    river_feature: Literal["strength", "ochs"] = field(
        default="strength", validator=validators.in_(("strength", "ochs"))
    )
    seed: int = 0
    sample: int = field(default=60_000, validator=validators.ge(1_000))
    """Hands in which the clusters of a street are found (at least 40 a cluster)."""
    rounds: int = field(default=15, validator=validators.ge(1))
    """Rounds of Lloyd's algorithm."""

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many buckets each of the four streets has (some may hold no hand)."""
        return PREFLOP, self.flop, self.turn, self.river

    @property
    def identity(self) -> str:
        """A hash of all that the tables depend on: what was learned with one abstraction is not played with another."""
        return digest_of([VERSION, *(self.of_street(street) for street in (1, 2, 3))])[:16]

    def of_street(self, street: int) -> dict[str, Any]:
        """Return what the table of a street (1 to 3) depends on."""
        wanted = {"street": STREETS[street], "count": self.counts[street], "feature": "distribution"}
        if street == 3:
            wanted["feature"] = self.river_feature
            if self.river_feature == "strength":
                return wanted
        return wanted | {"seed": self.seed, "sample": self.sample, "rounds": self.rounds}


def _read_only(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Return the tables as plain arrays that cannot be written, mapped or not: kernels take one type."""
    views = tuple(np.asarray(table).view() for table in tables)
    for view in views:
        view.setflags(write=False)
    return views


@frozen
class Buckets:
    """The tables of an abstraction."""

    options: BucketOptions
    counts: tuple[int, ...]
    """How many buckets each of the four streets has (some may hold no hand)."""
    tables: tuple[Table, ...] = field(converter=_read_only)
    """bucket[class of the board][hand] for each street: (1, 1326), (1755, 1326), (16432, 1326), (134459, 1326) uint16."""
    coming: Mapping[int, Rows] = field(factory=dict)
    """By street: the tables that are filled as boards come."""
    found: bool = False
    """Whether :func:`buckets` made it: then another process needs to be told its options alone."""

    def __reduce__(self) -> Any:
        if self.found:
            return buckets, (self.options, not self.coming)
        return Buckets, (self.options, self.counts, self.tables)

    def of(self, board: Sequence[int], hands: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the buckets (n,) of ``hands`` (n,) on a board of 0, 3, 4 or 5 cards (0 for hands that it blocks).

        Raises:
            ValueError: no such board.
        """
        if len(board) not in BOARD_SIZES:
            raise ValueError(f"A board has 0, 3, 4 or 5 cards. Got {len(board)}.")
        number, renaming = boards(len(board)).find(board)
        names = hand_maps()[renaming]
        if rows := self.coming.get(BOARD_SIZES.index(len(board))):
            rows.fill(np.array([number]))
        table = self.tables[BOARD_SIZES.index(len(board))][number]
        return np.asarray(table[names[np.asarray(hands)]], np.int64)

    def of_hands(self, hole: npt.NDArray[Any], board: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the buckets (n,) of ``hole`` (n, 2) on ``board`` (n, 5), cards in dealt order, -1 where not dealt.

        A hand that shares a card with the board gets some bucket.
        """
        known = [boards(size) for size in (3, 4, 5)]
        cards = self.tables, tuple(one.class_of for one in known), tuple(one.renaming_of for one in known), hand_maps()
        dealt = np.ascontiguousarray(board, np.int8)
        for street, rows in self.coming.items():
            own = dealt[(dealt >= 0).sum(axis=1) == BOARD_SIZES[street]]
            number = np.empty(len(own), np.int64)
            find_classes(known[street - 1].class_of, own, BOARD_SIZES[street], number)
            rows.fill(number)
        out = np.empty(len(hole), np.int64)
        find_buckets(cards, np.ascontiguousarray(hole, np.int8), dealt, out)
        return out


@lru_cache(maxsize=4)
def buckets(options: BucketOptions = BucketOptions(), whole: bool = True) -> Buckets:
    """Return the tables of ``options``: from the user's cache directory, or made and kept there. Progress is told.

    Where not the ``whole`` tables are needed, those whose clusters come with cardai are filled as boards come.
    """
    work = Work(options)
    tables = [starting_classes().astype(np.uint16)[None]]
    coming: dict[int, Rows] = {}
    strengths: Strengths | None = None
    for street in (1, 2, 3):
        shape, wanted = (COUNTS[BOARD_SIZES[street]], COUNT), options.of_street(street)
        table = np.zeros(shape, np.uint16) if wanted["count"] == 1 else load(wanted, shape)
        if table is None and not whole and (known := clusters(wanted)) is not None:
            strengths = strengths or Strengths()
            coming[street] = Rows(street, known, strengths, partial(_made, work, street))
            table = coming[street].table
        tables.append(_made(work, street) if table is None else table)
    return Buckets(options, options.counts, tuple(tables), coming, found=True)


def _made(work: Work, street: int) -> Table:
    """Make a street's table and keep it."""
    shape, wanted = (COUNTS[BOARD_SIZES[street]], COUNT), work.options.of_street(street)
    made = work.table(street)
    save(wanted, made)
    kept = load(wanted, shape)  # from the file, so that processes share it
    return made if kept is None else kept


def starting_classes() -> npt.NDArray[np.int64]:
    """Return (1326,) the class 0..168 of each hand: row * 13 + column of ranks, suited hands above the diagonal."""
    cards = pairs().astype(np.int64)
    ranks, suits = cards % 13, cards // 13
    high, low = ranks.max(axis=1), ranks.min(axis=1)
    return np.asarray(np.where(suits[:, 0] == suits[:, 1], low * 13 + high, high * 13 + low))


def all_river_strengths() -> Table:
    """Return (134459, 1326) the strengths of all hands on the representatives of boards of five (357 MB, ten CPU seconds).

    Strength is twice the hands beaten plus those tied, 0 to 1980; more where the board blocks the hand. Progress is told.
    """
    river = boards(5)
    out = np.empty((len(river.cards), COUNT), np.uint16)
    for start in _blocks("River strengths", len(river.cards), 1024):
        part = slice(start, start + 1024)
        kernels.strengths(river.cards[part], pairs(), batch_tables(7), out[part])
    return out


def percentiles(mass: npt.NDArray[np.int64], count: int) -> Table:
    """Return the bucket of each value 0 .. n - 1 that occurs ``mass`` (n,) times: ``count`` buckets of equal mass, or
    fewer where a common value leaves one empty, ascending.
    """
    middle = np.cumsum(mass) - mass // 2
    bucket_of = middle * count // mass.sum()
    return np.asarray(np.searchsorted(np.unique(bucket_of[mass > 0]), bucket_of), np.uint16)


class Work:
    """The making of tables: what several streets need is worked out once."""

    def __init__(self, options: BucketOptions) -> None:
        self.options = options
        self.room = np.empty((COUNT, kernels.BINS), np.int64)

    @cached_property
    def river_strengths(self) -> Table:
        """Those of :func:`all_river_strengths`."""
        return all_river_strengths()

    def table(self, street: int) -> Table:
        """Return the table of a street (1 to 3)."""
        count = self.options.counts[street]
        if street < 3:
            known = clusters(self.options.of_street(street))
            centres = self.centres(street) if known is None else Centres(known.astype(np.int64))
            return self._clustered(BOARD_SIZES[street], centres, self.distributions, kernels.BINS - 1)
        return self.by_equities(count) if self.options.river_feature == "ochs" else self.by_strength(count)

    def centres(self, street: int) -> Centres:
        """Return the clusters of distributions on flop or turn."""
        return self._centres(BOARD_SIZES[street], self.options.counts[street], self.distributions, kernels.BINS - 1)

    def distributions(self, cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
        """Return (m, 1326, BINS - 1) distributions of all hands on boards (m, 3 or 4)."""
        river = boards(5)
        out = np.empty((len(cards), COUNT, kernels.BINS - 1), np.int16)
        for board, one in zip(cards.astype(np.int64), out, strict=True):
            kernels.distributions(
                board, (river.class_of, river.renaming_of), self.river_strengths, hand_maps(), self.room, one
            )
        return out

    def by_equities(self, count: int) -> Table:
        """Return the river's table: clusters of the equities against clusters of starting hands."""
        ranges = self.opponents()

        def features(cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
            out = np.empty((len(cards), COUNT, ranges.shape[1]), np.int16)
            kernels.equities(cards, pairs(), batch_tables(7), ranges, out)
            return out

        return self._clustered(5, self._centres(5, count, features, ranges.shape[1]), features, ranges.shape[1])

    def opponents(self) -> npt.NDArray[np.int64]:
        """Return (1326, OPPONENTS) the clusters of starting hands as ranges, by the distributions of river strength."""
        points = np.empty((PREFLOP, kernels.BINS - 1), np.int16)
        classes = starting_classes()
        kernels.preflop_distributions(boards(5).weights, self.river_strengths, classes, points)
        centres = k_means(points, OPPONENTS, derive(self.options.seed, "opponents"), 100)
        return np.eye(len(centres.points), dtype=np.int64)[centres.nearest(points)[classes]]

    def by_strength(self, count: int) -> Table:
        """Return the river's table: percentiles of strength over all boards and hands."""
        out = self.river_strengths.copy()
        kernels.replace_strengths(out, self.strength_buckets(count))
        return out

    def strength_buckets(self, count: int) -> Table:
        """Return (1981,) the bucket of each strength on the river."""
        mass = np.zeros(kernels.WHOLE + 1, np.int64)
        kernels.strength_counts(boards(5).weights, self.river_strengths, mass)
        return percentiles(mass, count)

    def _centres(
        self, size: int, count: int, features: Callable[[Any], npt.NDArray[np.int16]], dimensions: int
    ) -> Centres:
        """Return the clusters of ``features(boards)`` (m, 1326, D) by k-means over a sample of hands."""
        sample = self._sample(size, count, features, dimensions)
        seed, street = derive(self.options.seed, "buckets", size), STREETS[BOARD_SIZES.index(size)]
        return k_means(sample, count, seed, self.options.rounds, lambda: tell(f"Clusters of {street} hands"))

    def _clustered(
        self, size: int, centres: Centres, features: Callable[[Any], npt.NDArray[np.int16]], dimensions: int
    ) -> Table:
        """Return the table of a street: the nearest of ``centres`` to each of ``features(boards)`` (m, 1326, D)."""
        known = boards(size)
        street = STREETS[BOARD_SIZES.index(size)]
        out = np.zeros((len(known.cards), COUNT), np.uint16)
        for start in _blocks(f"Buckets of {street} hands", len(known.cards), _BLOCK):
            points = features(known.cards[start : start + _BLOCK])
            out[start : start + _BLOCK] = centres.nearest(points.reshape(-1, dimensions)).reshape(-1, COUNT)
        return out

    def _sample(
        self, size: int, count: int, features: Callable[[Any], npt.NDArray[np.int16]], dimensions: int
    ) -> npt.NDArray[np.int16]:
        """Return features (n, D) of random hands on random boards of ``size`` cards, each board as often as it is dealt."""
        known = boards(size)
        wanted = max(self.options.sample, 40 * count)
        draws = derive_many(derive(self.options.seed, "sample", size), count=2 * wanted).astype(np.float64) / 2.0**64
        number = -(-wanted // _HANDS_A_BOARD)
        picked = np.searchsorted(np.cumsum(known.weights), draws[:number] * known.weights.sum(), side="right")
        out = np.empty((number, _HANDS_A_BOARD, dimensions), np.int16)
        order = np.argsort(picked, kind="stable")  # a board that is picked twice is worked out once
        different, first = np.unique(picked[order], return_index=True)
        groups = np.split(order, first[1:])
        for start in _blocks(f"A sample of {STREETS[BOARD_SIZES.index(size)]} hands", len(different), _BLOCK):
            points = features(known.cards[different[start : start + _BLOCK]])
            for one, group in zip(points, groups[start : start + _BLOCK], strict=True):
                open_hands = np.flatnonzero(one[:, 0] >= 0)
                for k in group:
                    own = draws[wanted + k * _HANDS_A_BOARD : wanted + (k + 1) * _HANDS_A_BOARD]
                    out[k] = one[open_hands[(own * len(open_hands)).astype(np.int64)]]
        return out.reshape(-1, dimensions)[:wanted]


def _blocks(label: str, total: int, block: int) -> Any:
    """Yield the starts of blocks, telling how far it is."""
    for start in range(0, total, block):
        tell(label, start, total)
        yield start
    tell(label, total, total)
