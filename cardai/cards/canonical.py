"""Hands up to suit symmetry: rename suits and order cards, so that equal situations look equal."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from cardai.cards import _canonical_kernels as kernels

_RENAMINGS = np.array(list(itertools.permutations(range(4))), np.int64)
_BITS = np.arange(5)


def canonical(hands: npt.NDArray[np.int8]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the same hands under one renaming of suits each, cards ascending by rank, and where each card was.

    Args:
        hands: (n, k) cards, all different.

    Returns:
        (n, k) int8 cards, the same for hands that differ by suits' names and cards' order alone, and (n, k) int8
        positions: ``canonical[i, j]`` is what became of ``hands[i, order[i, j]]``.
    """
    out, order = np.empty(hands.shape, np.int8), np.empty(hands.shape, np.int8)
    kernels.canonical_hands(np.asarray(hands, np.int8), _RENAMINGS, out, order)
    return out, order


def masks_back(masks: npt.NDArray[np.integer], order: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:  # type: ignore[type-arg]
    """Return masks over canonical cards (n,) as masks over the cards as they lay (bit order[i, j] for bit j)."""
    bits = (np.asarray(masks, np.int64)[:, None] >> _BITS[: order.shape[1]]) & 1
    return np.asarray((bits << order.astype(np.int64)).sum(axis=1))


def columns_back(values: npt.NDArray[np.floating], order: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:  # type: ignore[type-arg]
    """Return (n, 2**k) values by mask over canonical cards as values by mask over the cards as they lay."""
    masks = np.arange(values.shape[1])
    out = np.empty(values.shape)
    rows = np.arange(len(values))
    for mask in masks:
        out[rows, masks_back(np.full(len(values), mask), order)] = values[:, mask]
    return out
