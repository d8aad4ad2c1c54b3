"""Ranges as plain numbers: PioSolver's 1,326, or the 169 of a grid."""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.combos import COUNT, pair_index

_NUMBER = re.compile(r"[0-9.eE+-]+")


@cache
def pio_order() -> Int64s:
    """Return (1326,) which of our hands is each of PioSolver's: 2d2c, 2h2c, 2h2d, 2s2c, ... (its ``show_hand_order``).

    Its cards go by rank, then suit (clubs, diamonds, hearts, spades), its hands by the higher card, then the lower.
    """
    ours = np.array([13 * suit + rank for rank in range(13) for suit in range(4)], np.int64)
    high, low = np.tril_indices(52, -1)
    return pair_index(ours[high], ours[low])


def numbers_of(text: str) -> Float64s | None:
    """Return (1326,) the weights that 1,326 numbers in PioSolver's order say, or 169 of the grid; None where ``text`` has words.

    If any is larger than 1, all are in percent.

    Raises:
        UsageError: there are numbers, but another count of them, or one that is no weight.
    """
    words = re.split(r"[,;\s]+", text.strip())
    if len(words) < 100 or not all(_NUMBER.fullmatch(word) for word in words[:20]):
        return None
    try:
        given = np.array([float(word) for word in words])
    except ValueError:
        raise UsageError(
            "The range has words among its numbers. PioSolver writes 1,326 numbers and nothing else."
        ) from None
    if len(given) not in (COUNT, CLASSES):
        raise UsageError(
            f"A range as numbers has {COUNT:,} of them, one a hand, as PioSolver does (or {CLASSES}, a grid). Got {len(given):,}."
        )
    most = float(given.max())
    if not (np.isfinite(given).all() and given.min() >= 0 and most <= 100):
        raise UsageError("A range as numbers holds weights from 0 to 1, or from 0 to 100 percent.")
    given = given / 100 if most > 1 else given
    if len(given) == CLASSES:
        return np.asarray(given[class_of()])
    weights = np.zeros(COUNT)
    weights[pio_order()] = given
    return weights
