"""The 169 classes of hold'em hands, as the usual grid of 13 x 13 numbers them: aces first, suited above the diagonal.

>>> from cardai.poker.hand_classes import class_number, class_text
>>> class_text(1), class_number("AKo")
('AKs', 13)
"""

from __future__ import annotations

from functools import cache

import numpy as np

from cardai.cards.text import RANKS
from cardai.core.arrays import Float64s, Int64s
from cardai.poker.hands.combos import pairs

CLASSES = 169


@cache
def class_of() -> Int64s:
    """Return (1326,) each hand's class: 13 x row + column of the usual grid, aces first, suited above the diagonal.

    It cannot be written to: all who ask are given the same.
    """
    cards = pairs().astype(np.int64)
    rank, suit = cards % 13, cards // 13
    high, low = 12 - rank.max(axis=1), 12 - rank.min(axis=1)
    found = np.asarray(np.where(suit[:, 0] == suit[:, 1], 13 * high + low, 13 * low + high), np.int64)
    found.setflags(write=False)
    return found


def class_weights(weights: Float64s) -> Float64s:
    """Return (169,) the mean weight of each class's hands, of weights (1326,)."""
    classes = class_of()
    return np.asarray(np.bincount(classes, weights, 169) / np.bincount(classes, minlength=169))


def class_text(number: int) -> str:
    """Return a class of the grid as text: "AA", "AKs", "AKo"."""
    row, column = divmod(number, 13)
    first, second = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return first + second + ("" if row == column else "s" if column > row else "o")


def class_number(text: str) -> int:
    """Return the class of the grid that "AA", "AKs" or "AKo" names."""
    first, second = RANKS.index(text[0]), RANKS.index(text[1])
    return number_of(max(first, second), min(first, second), text[2:])


def number_of(high: int, low: int, kind: str) -> int:
    """Return the class of two ranks, the higher first; ``kind`` is s, o or nothing (a pair)."""
    row, column = 12 - high, 12 - low
    return 13 * column + row if kind == "o" else 13 * row + column
