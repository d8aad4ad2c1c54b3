"""Hands up to suit symmetry: rename suits and order cards, so that equal situations look equal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardai.cards import _canonical_kernels as kernels
from cardai.core.arrays import Float64s, Int8s, Int64s, Uint64s

_RENAMINGS = np.array(list(itertools.permutations(range(4))), np.int64)
_BITS = np.arange(5)
Cards = Int8s


def canonical(hands: Cards) -> tuple[Cards, Cards]:
    """Return the same hands under one renaming of suits each, cards ascending by rank, and where each card was.

    Args:
        hands: (n, k) cards, all different.

    Returns:
        (n, k) int8 cards, the same for hands that differ by suits' names and cards' order alone, and (n, k) int8
        positions: ``canonical[i, j]`` is what became of ``hands[i, order[i, j]]``.
    """
    return canonical_groups(hands, (0,) * hands.shape[1])[:2]


def canonical_groups(cards: Cards, groups: Sequence[int]) -> tuple[Cards, Cards, Int64s]:
    """Return cards that lie in groups (own cards, flop, turn, ...) under one renaming of suits for all of them.

    Args:
        cards: (n, k) cards, all different, -1 for none.
        groups: (k,) ascending numbers: cards of one group have no order among them.

    Returns:
        (n, k) int8 cards and (n, k) int8 positions as :func:`canonical`, and (n, 4) new names of the suits.
    """
    out, order = np.empty(cards.shape, np.int8), np.empty(cards.shape, np.int8)
    renaming = np.empty(len(cards), np.int8)
    kernels.canonical_hands(
        np.ascontiguousarray(cards, np.int8), np.array(groups, np.int64), _RENAMINGS, out, order, renaming
    )
    return out, order, _RENAMINGS[renaming]


def renamed_sets(sets: Uint64s, renaming: Int64s) -> Uint64s:
    """Return card sets (n,) with suit s of row i renamed to ``renaming[i, s]``."""
    out = np.zeros(len(sets), np.uint64)
    for suit in range(4):
        ranks = sets >> np.uint64(13 * suit) & np.uint64(0x1FFF)
        out |= ranks << (13 * renaming[:, suit]).astype(np.uint64)
    return out


def masks_back(masks: npt.NDArray[np.integer], order: Int8s) -> Int64s:  # type: ignore[type-arg]
    """Return masks over canonical cards (n,) as masks over the cards as they lay (bit order[i, j] for bit j)."""
    bits = (np.asarray(masks, np.int64)[:, None] >> _BITS[: order.shape[1]]) & 1
    return np.asarray((bits << order.astype(np.int64)).sum(axis=1))


def columns_back(values: npt.NDArray[np.floating], order: Int8s) -> Float64s:  # type: ignore[type-arg]
    """Return (n, 2**k) values by mask over canonical cards as values by mask over the cards as they lay."""
    masks = np.arange(values.shape[1])
    out = np.empty(values.shape)
    rows = np.arange(len(values))
    for mask in masks:
        out[rows, masks_back(np.full(len(values), mask), order)] = values[:, mask]
    return out
