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
from cardai.core.spec import option

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
    """Chooses what has the best chance to win the match, by three small networks over what is known of both hands.

    Within a match it learns how the opponent plays, from how his hands ended.
    """

    memory: bool = option(True, help="Whether it learns in a match how the opponent plays.")

    def for_game(self, game: Game) -> Agent:
        need_family(game, GIN, "champion plays")
        from cardai.learn.gin_values import RememberingPlayer, ValuePlayer

        player = ValuePlayer(values(), "champion").for_game(game)
        return RememberingPlayer(player, game) if self.memory else player


@hookimpl
def cardai_agent() -> type[Agent]:
    return Champion
