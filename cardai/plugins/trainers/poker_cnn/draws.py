"""Draw games: which games they are, and the exact values of holds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.cards.draw.values import DRAWS, draw_values
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn.abstraction import FIRST_DISCARD

NEEDS = ("hand", "draws_left", "kept")


def is_draw_betting(game: Game) -> bool:
    """Say whether the game is betting with draws of up to five cards: views with NEEDS, actions fold, call, raise, 32 discards."""
    sizes = {f.name: f.size for f in game.view_fields}
    return set(NEEDS) <= sizes.keys() and sizes["hand"] == 5 and game.num_distinct_actions == FIRST_DISCARD + 32


def exact_holds(views: Views) -> npt.NDArray[np.float64]:
    """Return the value (n, 32), in [0, 1], of each hold of ``hand`` with the draws left (deuce-to-seven low)."""
    out = np.zeros((len(views), 32))
    for left in range(1, DRAWS + 1):
        rows = np.flatnonzero(views["draws_left"] == left)
        if len(rows):
            out[rows] = draw_values().holds(views["hand"][rows], left) / 1000
    return out
