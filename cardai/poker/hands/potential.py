"""What may become of a hand: the distribution of the strength that it will have on the river.

Hands of the same strength on average may be a made hand that stays what it is, or a draw that wins or loses everything.
The distribution tells them apart (Gilpin, Sandholm and Sorensen 2007; Johanson et al. 2013 cluster hands by it).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s
from cardai.poker.buckets import _kernels as _buckets_kernels
from cardai.poker.buckets._kernels import SCALE, WHOLE
from cardai.poker.buckets.tables import PREFLOP, kept_river_strengths, starting_classes
from cardai.poker.hands import _potential_kernels as kernels
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.combos import pair_index

BINS = _buckets_kernels.BINS
"""The bins of strength in a distribution."""


def chances_to_end_above(hole: npt.NDArray[Any], board: npt.NDArray[Any]) -> Float32s:
    """Return (n, BINS - 1) float32 chances that a hand's strength on the river is above k / BINS, k = 1 to BINS - 1.

    Strength is the chance to beat a random hand, a tie counting half. ``hole`` is (n, 2) cards, ``board`` (n, 5) cards in
    dealt order, -1 where not dealt. All cards to come are counted. The table behind it is made once and kept in the user's cache
    directory (357 MB).
    """
    river, counts = boards(5), np.zeros((len(hole), BINS), np.int64)
    cards = kept_river_strengths(), WHOLE, river.class_of, river.renaming_of, hand_maps()
    hole, board = np.ascontiguousarray(hole, np.int8), np.ascontiguousarray(board, np.int8)
    kernels.count_ends(cards, hole, board, np.empty(5, np.int64), counts)
    so_far = np.cumsum(counts, axis=1)
    total = np.maximum(so_far[:, -1:], 1)
    out = ((total - so_far[:, :-1]) / total).astype(np.float32)
    before = board[:, 0] < 0
    if before.any():
        number = pair_index(hole[before, 0], hole[before, 1])
        out[before] = _starting_hands()[starting_classes()[number]]
    return out


@lru_cache(maxsize=1)
def _starting_hands() -> Float32s:
    """Return (169, BINS - 1) the same before the flop, over all boards, those that share a card with the hand left out."""
    points = np.empty((PREFLOP, BINS - 1), np.int16)
    _buckets_kernels.preflop_distributions(boards(5).weights, kept_river_strengths(), starting_classes(), points)
    return (points / SCALE).astype(np.float32)
