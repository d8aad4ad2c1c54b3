"""What each of the 169 classes of hands wins of a pot against each other where both are all-in before the flop: exact.

``python experiments/preflop_equities.py`` counts all 2,598,960 boards anew.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.npz import read_npz
from cardai.poker.hand_classes import CLASSES, class_of
from cardai.poker.hands.combos import pairs

FILE = "equities.npz"
ABOVE = np.triu_indices(CLASSES, 1)
"""Which pairs of classes the file holds."""


@cache
def class_equities() -> Float64s:
    """Return (169, 169) the row's mean share of the pot against the column, ties half, over all hands that share no card.

    It cannot be written to: all who ask are given the same.
    """
    with as_file(files("cardai.poker.preflop").joinpath(FILE)) as path:
        above = read_npz(path, {"above": (np.float32, (len(ABOVE[0]),))})["above"]
    out = np.full((CLASSES, CLASSES), 0.5)
    out[ABOVE] = above
    out.T[ABOVE] = 1.0 - above
    out.setflags(write=False)
    return out


@cache
def meetings() -> Int64s:
    """Return (169, 169) how many pairs of hands that share no card each two classes have."""
    cards, classes = pairs().astype(np.int64), class_of()
    apart = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
    out = np.zeros((CLASSES, CLASSES), np.int64)
    np.add.at(out, (classes[:, None], classes[None, :]), apart)
    out.setflags(write=False)
    return out
