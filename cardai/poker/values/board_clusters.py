"""Boards by how many hands would draw and how high the cards are, in clusters (arXiv 1807.00900).

A board's draw value is the number of hands (of the 1,081 on each river) that make a straight or a flush on the river,
summed over the rivers; its high card value the sum of its ranks, a deuce 0 and an ace 12. The publication gives no scale for
them: here both are divided by their standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.core.rng import Rows, derive
from cardai.poker.buckets._kmeans import k_means
from cardai.poker.hands.boards import boards
from cardai.poker.hands.combos import pairs

SAMPLE = 1500
"""Boards, as they are dealt, in which the clusters are found."""
_SPREAD, _SCALE = 5.0, 4095
"""Standard deviations that k-means' whole numbers reach to either side, and how many numbers there are."""


@frozen
class BoardClusters:
    """Clusters of boards by two numbers each: how many hands would draw, and how high the cards are."""

    mean: Float64s
    deviation: Float64s
    centres: Float64s = field(repr=False)
    """(k, 2) in standard deviations from the mean."""

    def find(self, features: Float64s) -> int:
        """Return the cluster of a board with ``features`` (2,)."""
        apart = (features - self.mean) / self.deviation - self.centres
        return int((apart**2).sum(axis=1).argmin())


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
