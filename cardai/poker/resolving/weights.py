"""Ranges and promises, as a decision begins with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardai.core.arrays import Float64s
from cardai.poker.ranges.hands import Hands

FLOOR = 1e-7
"""The least weight of a hand in one's own range, as a share of the largest: a hand that never comes here still has a plan."""


def scaled(promised: Float64s, range_: Float64s, board: Sequence[int], hands: Hands) -> Float64s:
    """Return what is promised against a range that sums to 1, of what it is against ``range_``."""
    scale = float(range_[~np.isin(hands.cards, board).any(axis=1)].sum())
    return promised / scale if scale > 0 else np.zeros_like(promised)


def normal(range_: Float64s, board: Sequence[int], hands: Hands) -> Float64s:
    """Return a range that sums to 1, without the hands that the board blocks, and with a little of all the others."""
    free = ~np.isin(hands.cards, board).any(axis=1)
    most = range_[free].max()
    if most <= 0:
        return np.asarray(free / free.sum())
    out = np.where(free, np.maximum(range_, FLOOR * most), 0.0)
    return np.asarray(out / out.sum())
