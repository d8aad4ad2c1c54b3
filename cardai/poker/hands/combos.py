"""The 1,326 hold'em hands as numbers: the pair a < b of cards has the index b * (b - 1) / 2 + a."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

from cardai.cards.text import card_set
from cardai.core.arrays import Bools, Int8s, Int64s, Uint64s

COUNT = 1326


def pairs() -> Int8s:
    """Return the cards of every hand, (1326, 2) int8, the lower card first, in order of index."""
    return _pairs().copy()


@cache
def _pairs() -> Int8s:
    high, low = np.tril_indices(52, -1)
    return np.stack([low, high], axis=1).astype(np.int8)


def pair_index(first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> Int64s:  # type: ignore[type-arg]
    """Return the index of each pair of cards (n,), in either order; -1 where a card is missing (-1) or both are equal."""
    low = np.minimum(first, second).astype(np.int64)
    high = np.maximum(first, second).astype(np.int64)
    return np.where((low >= 0) & (low != high), high * (high - 1) // 2 + low, -1)


def compatible(dead: Uint64s) -> Bools:
    """Return for card sets (n,) uint64 which hands hold none of the cards, (n, 1326) bool."""
    both = pairs().astype(np.uint64)
    masks = (np.uint64(1) << both[:, 0]) | (np.uint64(1) << both[:, 1])
    return np.asarray((dead[:, None] & masks) == 0)


def left_by(cards: Iterable[int]) -> Bools:
    """Return which hands hold none of the cards, (1326,) bool."""
    return np.asarray(compatible(np.array([card_set(cards)], np.uint64))[0])
