"""Codes of public states with ranges: which hands are one bucket on a board, and the masses of buckets as numbers.

DeepStack's network takes 1,000 masses a player and the pot. What else a bucket may be is compared in arXiv 1807.00900, whose
encodings these are; that every hand is a bucket of its own is one of them. A code is named as plugins are:
``public_nested:clusters=10,bins=100``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from attrs import frozen, validators

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.core.spec import build, option, parse
from cardai.poker.buckets.tables import BucketOptions, buckets
from cardai.poker.hands.combos import COUNT, left_by
from cardai.poker.ranges.hands import HOLDEM, Hands, LeducHands
from cardai.poker.values.board_clusters import board_clusters, board_features
from cardai.poker.values.match_ups import legal_hands, strength_moments

_CARDS = 52
_ALL = np.arange(COUNT)


@frozen
class RangeCode(ABC):
    """A code of ranges, hold'em's on the turn and on the river; a subclass says what a bucket is."""

    hands: ClassVar[Hands] = HOLDEM

    @property
    @abstractmethod
    def size(self) -> int:
        """How many buckets there are on a board, occupied or not."""

    @abstractmethod
    def buckets(self, board: Sequence[int]) -> Int64s:
        """Return (K,) the bucket of each hand on a board, below ``size``; -1 if it is blocked."""

    @property
    def shows_board(self) -> bool:
        """Whether a code says which cards lie on the board."""
        return False

    @property
    def width(self) -> int:
        """How many numbers a code has: the masses of both players, the pot, and the board if it shows it."""
        return 2 * self.size + 1 + _CARDS * self.shows_board


@frozen
class ExpectedSquare(RangeCode):
    """Hands of like E[HS^2], the mean over rivers of the squared chance to beat a hand at random, in bins of equal width."""

    bins: int = option(1326, help="how many equal bins", validator=validators.in_(range(2, 65_536)))

    @property
    def size(self) -> int:
        return self.bins

    def buckets(self, board: Sequence[int]) -> Int64s:
        return equal_bins(strength_moments(board)[1], self.bins)


@frozen
class PotentialAware(RangeCode):
    """Clusters of what hands may become: those whose strength on the river is distributed alike.

    k-means over the distributions of river strength, as Johanson et al. 2013 and Ganzfried and Sandholm 2014 cluster them.
    The distance is Euclid's between cumulative distributions (Cramer's); the earth mover's is the sum of the same
    differences. On the river nothing is to come: percentiles of strength. The clusters are found once, in two minutes of
    CPU, and kept in the user's cache directory.
    """

    clusters: int = option(1000, help="how many buckets a street", validator=validators.in_(range(2, 65_536)))

    @property
    def size(self) -> int:
        return self.clusters

    def buckets(self, board: Sequence[int]) -> Int64s:
        turn, river = (1, self.clusters) if len(board) == 5 else (self.clusters, 1)
        found = buckets(BucketOptions(flop=1, turn=turn, river=river)).of(board, _ALL)
        return np.where(left_by(board), found, -1)


@frozen
class PublicNested(RangeCode):
    """A bucket is a cluster of boards and a bin of E[HS^2] in it. The publication gives no rule for the bins."""

    clusters: int = option(10, help="clusters of boards", validator=validators.in_(range(1, 101)))
    bins: int = option(100, help="bins of E[HS^2] a cluster", validator=validators.in_(range(2, 10_001)))

    @property
    def size(self) -> int:
        return self.clusters * self.bins

    def buckets(self, board: Sequence[int]) -> Int64s:
        cluster = board_clusters(len(board), self.clusters).find(board_features(board))
        found = equal_bins(strength_moments(board)[1], self.bins)
        return np.where(found >= 0, cluster * self.bins + found, -1)


@frozen
class EveryHand(RangeCode):
    """No abstraction: each of the 1,326 hands is a bucket of its own, the board one-hot."""

    @property
    def size(self) -> int:
        return COUNT

    @property
    def shows_board(self) -> bool:
        return True

    def buckets(self, board: Sequence[int]) -> Int64s:
        return np.where(left_by(board), _ALL, -1)


@frozen
class LeducPlaces(RangeCode):
    """Leduc: each hand on each board has a place of its own, 36 in all (DeepStack's public example)."""

    hands: ClassVar[Hands] = LeducHands()

    @property
    def size(self) -> int:
        return len(self.hands.deck) * len(self.hands.cards)

    def buckets(self, board: Sequence[int]) -> Int64s:
        out = np.full(len(self.hands.cards), -1, np.int64)
        own = legal_hands(board, self.hands)
        out[own] = board[0] * len(out) + own
        return out


CODES: Mapping[str, type[RangeCode]] = {
    "e_hs2": ExpectedSquare,
    "public_nested": PublicNested,
    "potential_aware": PotentialAware,
    "range_1326": EveryHand,
    "leduc_places": LeducPlaces,
}


def range_code(spec: str) -> RangeCode:
    """Return the code of ranges that ``spec`` names. Raises UsageError, SpecError, OptionError."""
    parsed = parse(spec)
    if parsed.name not in CODES:
        raise UsageError(f"{spec!r} is no code of ranges. Codes: {', '.join(CODES)}.")
    return build(CODES[parsed.name], parsed.values(), f"The code of ranges {parsed.name!r}")  # type: ignore[no-any-return]


def equal_bins(values: Float64s, count: int) -> Int64s:
    """Return which of ``count`` equal bins of [0, 1] each value is in; -1 for nan."""
    alive = np.isfinite(values)
    found = np.minimum(np.nan_to_num(values) * count + 1e-9, count - 1).astype(np.int64)
    return np.where(alive, found, -1)
