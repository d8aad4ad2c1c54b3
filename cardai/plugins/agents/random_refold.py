"""Poker-CNN's random player: uniform over legal actions, but a drawn fold is drawn once more with probability 1/2."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from cardai.core.agent import Agent, need_family
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal, legal_columns
from cardai.poker.fields import POKER


@frozen
class RandomRefold(Agent):
    """Plays any betting game at random, folding less; in draw games it discards each card with probability 1/2.

    Source: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016), the random player.
    """

    def for_game(self, game: Game) -> Agent:
        need_family(game, POKER, "random_refold plays")
        return self

    def policy(self, views: Views, legal: Legal) -> Float64s:
        mask = legal_columns(legal)
        out = mask / mask.sum(axis=1, keepdims=True)
        again = 0.5 * out[:, :1]  # a fold drawn, and drawn once more
        redrawn = out * again
        out[:, :1] -= again
        return np.asarray(out + redrawn)


@hookimpl
def cardai_agent() -> type[RandomRefold]:
    """Offer the player."""
    return RandomRefold
