"""Exact values of holds in draw poker: all 2,598,960 hands, 32 holds each, by inclusion and exclusion.

Any value of a five-card hand will do: video poker's payout, or what a lowball hand is worth before its last draw.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s, Int8s, Int64s
from cardai.draw import _hold_kernels as kernels

HANDS = comb(52, 5)
"""2,598,960: the number of five-card hands."""
CANONICAL = 134_459
"""The number of hands that differ by more than a renaming of suits."""
HOLDS = kernels.HOLDS
EXACT = 1e-9
"""Values that differ by less are equal: different numbers of draws make the same value round differently."""

CHOOSE = np.array([[comb(card, k) for k in range(6)] for card in range(52)], np.int64)
STARTS = np.cumsum([0] + [comb(52, k) for k in range(6)], dtype=np.int64)
SHARES = np.array([1 / comb(47, 5 - hold.bit_count()) for hold in range(HOLDS)])
"""One over the number of draws to each hold."""


def every_hand(batch: int = 65_536) -> Iterator[Int8s]:
    """Yield all 2,598,960 hands, cards ascending, as (at most ``batch``, 5) int8 arrays, in a fixed order."""
    for first in range(0, HANDS, batch):
        out = np.empty((min(batch, HANDS - first), 5), np.int8)
        kernels.all_hands(first, out)
        yield out


def canonical_hands() -> tuple[Int8s, Int64s]:
    """Return one hand of each class under renaming of suits, (134459, 5) int8, and how many hands it stands for."""
    permutations = np.array(list(itertools.permutations(range(4))), np.int64)
    out, weights = np.empty((CANONICAL, 5), np.int8), np.empty(CANONICAL, np.int64)
    count = 0
    for hands in every_hand():
        count = int(kernels.canonical_hands(permutations, hands, out, weights, count))
    return out, weights


class HoldValues:
    """The expected value of any hold of any hand.

    ``sums`` (:func:`subset_sums`) holds the values of all hands. A card that is not held is replaced by one of the 47
    cards outside the hand.
    """

    def __init__(self, sums: npt.NDArray[Any]) -> None:
        self.sums = sums

    def __call__(self, hands: npt.NDArray[np.integer]) -> Float64s:
        """Return (n, 32) float64: each hold's value (bit i holds card i) for ``hands`` (n, 5), in any order of cards."""
        out = np.empty((len(hands), HOLDS))
        kernels.hold_values(np.asarray(hands, np.int8), CHOOSE, STARTS, self.sums, SHARES, out)
        return out

    def best(self, hands: npt.NDArray[np.integer]) -> Float64s:
        """Return (n,) float64: the value of the best hold."""
        return np.asarray(self(hands).max(axis=1), np.float64)


def new_sums(dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return room for the sums of all sets of at most five cards, zeros."""
    return np.zeros(STARTS[-1], dtype)


def add_hands(sums: npt.NDArray[Any], hands: Int8s, values: npt.NDArray[Any]) -> None:
    """Add the values (n,) of ascending hands (n, 5) to ``sums``."""
    kernels.add_hands(hands, np.asarray(values, sums.dtype), CHOOSE, STARTS, sums)


def best_holds(values: Float64s) -> Int64s:
    """Return the best hold of each row of (n, 32) values; of equally good ones, the lowest number."""
    return np.asarray(np.argmax(values >= values.max(axis=1, keepdims=True) - EXACT, axis=1), np.int64)
