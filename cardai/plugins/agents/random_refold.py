"""Poker-CNN's random player: uniform over legal actions, but a drawn fold is drawn once more with probability 1/2."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Amounts, Game, Legal
from cardai.core.hookspecs import hookimpl


@frozen
class RandomRefold(Agent):
    """Plays any betting game at random, folding less; in draw games it discards each card with probability 1/2.

    Source: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016), the random player.
    """

    def for_game(self, game: Game) -> Agent:
        if "to_call" not in {f.name for f in game.view_fields}:
            raise UsageError(
                f"random_refold plays betting games, in which action 0 folds: views with to_call. "
                f"{type(game).__name__} is something else; try random."
            )
        return self

    def policy(self, views: Views, legal: Legal) -> npt.NDArray[np.float64]:
        mask = legal.kinds if isinstance(legal, Amounts) else legal
        out = mask / mask.sum(axis=1, keepdims=True)
        again = 0.5 * out[:, :1]  # a fold drawn, and drawn once more
        redrawn = out * again
        out[:, :1] -= again
        return np.asarray(out + redrawn)


@hookimpl
def cardai_agent() -> type[RandomRefold]:
    """Offer the player."""
    return RandomRefold
