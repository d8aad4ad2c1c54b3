"""Who says which cards to keep in draw games: exact values of holds, or a trained value network."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai import make
from cardai.cards.draw.values import DRAWS, draw_values
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.learn.choices import FIRST_DISCARD, Choices, KeepChoices

NEEDS = ("hand", "draws_left", "kept")


def is_draw_betting(game: Game) -> bool:
    """Say whether the game is betting with draws of up to five cards: views with NEEDS, actions fold, call, raise, 32 discards."""
    sizes = {f.name: f.size for f in game.view_fields}
    return set(NEEDS) <= sizes.keys() and sizes["hand"] == 5 and game.num_distinct_actions == FIRST_DISCARD + 32


def choices_of(game: Game, draws_by: str) -> Choices:
    """Return what a betting network chooses among in ``game``.

    ``draws_by``: "exact", "actions", or the spec of a trained value network that plays the game's draws.
    """
    if draws_by == "actions" or not is_draw_betting(game):
        return Choices(game.num_distinct_actions)
    if draws_by == "exact":
        return KeepChoices(exact_holds)
    agent: Any = make.agent(draws_by).for_game(game)
    if not hasattr(agent, "hold_values"):
        raise UsageError(
            f"draws_by must be exact, actions, or the directory of a run of poker_cnn on this game. Got {draws_by!r}."
        )
    return KeepChoices(agent.hold_values)


def exact_holds(views: Views) -> npt.NDArray[np.float64]:
    """Return the value (n, 32), in [0, 1], of each hold of ``hand`` with the draws left (deuce-to-seven low)."""
    out = np.zeros((len(views), 32))
    for left in range(1, DRAWS + 1):
        rows = np.flatnonzero(views["draws_left"] == left)
        if len(rows):
            out[rows] = draw_values().holds(views["hand"][rows], left) / 1000
    return out
