"""Nested public buckets: ten clusters of boards, and in each a hundred bins of E[HS^2] (arXiv 1807.00900).

A board's draw value is the number of hands (of the 1,081 on each river) that make a straight or a flush on the river,
summed over the rivers; its high card value the sum of its ranks, a deuce 0 and an ace 12. The publication gives no scale for
them and no rule for the bins: here both are divided by their standard deviation, and bins are of equal width.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.cards.poker._kmeans import k_means
from cardai.cards.poker.boards import boards
from cardai.cards.poker.combos import pairs
from cardai.core.arrays import Float64s, Int64s
from cardai.core.encoder import Encoder
from cardai.core.hookspecs import hookimpl
from cardai.core.rng import Rows, derive
from cardai.core.spec import option
from cardai.subgames.range_codes import BoardClusters, RangeEncoder, equal_bins, strength_moments

SAMPLE = 1500
"""Boards, as they are dealt, in which the clusters are found."""
_SPREAD, _SCALE = 5.0, 4095
"""Standard deviations that k-means' whole numbers reach to either side, and how many numbers there are."""


@frozen
class PublicNested(RangeEncoder):
    """A bucket is a cluster of boards and a bin of E[HS^2] in it."""

    clusters: int = option(10, help="clusters of boards", validator=validators.in_(range(1, 101)))
    bins: int = option(100, help="bins of E[HS^2] a cluster", validator=validators.in_(range(2, 10_001)))
    by: Literal["width", "percentile"] = option(
        "width", help="bins of equal width, or of equally many hands of a board"
    )

    @property
    def size(self) -> int:
        return self.clusters * self.bins

    def buckets(self, board: Sequence[int]) -> Int64s:
        cluster = board_clusters(len(board), self.clusters).find(board_features(board))
        squares = strength_moments(board)[1]
        if self.by == "percentile":
            alive = np.flatnonzero(np.isfinite(squares))
            places = np.searchsorted(np.sort(squares[alive]), squares[alive])
            squares = squares.copy()
            squares[alive] = places / len(alive)
        found = equal_bins(squares, self.bins)
        return np.where(found >= 0, cluster * self.bins + found, -1)


def board_features(board: Sequence[int]) -> Float64s:
    """Return (draw value, high card value) of a board of four or five cards; with five the draws are those made."""
    rivers = [[*board, card] for card in range(52) if card not in board] if len(board) == 4 else [list(board)]
    ranks = sum(card % 13 for card in board)
    return np.array([sum(completed(np.array(river)) for river in rivers), ranks], np.float64)


def completed(river: Int64s) -> int:
    """Return how many hands make a straight or a flush on ``river`` (5,)."""
    free = ~np.isin(_PAIRS, river).any(axis=1)
    ranks = int(np.bitwise_or.reduce(1 << (river % 13))) | _RANKS
    flush = np.zeros(len(_PAIRS), np.bool_)
    for suit in range(4):
        lying = int(np.count_nonzero(river // 13 == suit))
        if lying >= 3:
            flush |= np.count_nonzero(np.equal(_SUITS, suit), axis=1) + lying >= 5
    return int((free & (_STRAIGHTS[ranks] | flush)).sum())


@lru_cache(maxsize=8)
def board_clusters(size: int, count: int) -> BoardClusters:
    """Return ``count`` clusters of boards of ``size`` cards."""
    known = boards(size)
    draws = Rows(np.array([derive(0, "board clusters", size)], np.uint64)).random(SAMPLE).reshape(-1)
    cumulative = np.cumsum(known.weights.astype(np.float64))
    numbers = np.searchsorted(cumulative, draws * cumulative[-1], side="right")
    different, places = np.unique(numbers, return_inverse=True)
    features = np.array([board_features([int(c) for c in known.cards[k]]) for k in different])[places]
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    scaled = np.clip((features - mean) / deviation / _SPREAD, -1, 1)
    points = np.round((scaled + 1) / 2 * _SCALE).astype(np.int16)
    centres = k_means(points, count, derive(0, "k-means", size), 100).points
    return BoardClusters(mean, deviation, (2.0 * centres / _SCALE - 1.0) * _SPREAD)


def _straights() -> npt.NDArray[np.bool_]:
    """Return (8192,) whether a set of ranks holds a straight."""
    sets = np.arange(1 << 13)
    found = (sets & 0b1000000001111) == 0b1000000001111  # the wheel
    for lowest in range(9):
        straight = 0b11111 << lowest
        found |= (sets & straight) == straight
    return np.asarray(found, np.bool_)


_PAIRS = pairs().astype(np.int64)
_SUITS = _PAIRS // 13
_RANKS = np.bitwise_or.reduce(1 << (_PAIRS % 13), axis=1)
_STRAIGHTS = _straights()


@hookimpl
def cardai_encoder() -> type[Encoder]:
    return PublicNested
