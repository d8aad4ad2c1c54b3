"""The exact values of holds in draw games, which value learning has for labels and betting for draws."""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.draw.actions import HOLDS
from cardai.draw.values import DRAWS, draw_values


def exact_holds(views: Views) -> Float64s:
    """Return the value (n, 32), in [0, 1], of each hold of ``hand`` with the draws left (deuce-to-seven low)."""
    out = np.zeros((len(views), HOLDS))
    for left in range(1, DRAWS + 1):
        rows = np.flatnonzero(views["draws_left"] == left)
        if len(rows):
            out[rows] = draw_values().holds(views["hand"][rows], left) / 1000
    return out
