"""A gin rummy player by values learned in self-play, which come in the box: it wins against every other there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from cardai.cards.gin.fields import GIN
from cardai.core.agent import Agent, need_family
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl

if TYPE_CHECKING:
    from cardai.learn.gin_values import Values

WEIGHTS = Path(__file__).with_name("gin.npz")
"""What the trainer gin_values learned; experiments/gin_champion says how, and how strong it is."""


@cache
def values() -> Values:
    """Return what the champion plays by."""
    from cardai.learn.gin_values import read_values

    return read_values(WEIGHTS)


@frozen
class Champion(Agent):
    """Chooses what has the best chance to win the match, by three small networks over what is known of both hands."""

    def for_game(self, game: Game) -> Agent:
        need_family(game, GIN, "champion plays")
        from cardai.learn.gin_values import ValuePlayer

        return ValuePlayer(values(), "champion").for_game(game)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Champion
