"""A gin rummy player by learned values, in the box: it wins 82 % of matches against simple, 71 % against heisenbot."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from attrs import frozen, validators

from cardai.core.agent import Agent, need_family
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.gin.fields import GIN

if TYPE_CHECKING:
    from cardai.gin.values import ValueNetworks

WEIGHTS = Path(__file__).with_name("gin.npz")
"""What the trainer gin_values learned; experiments/gin_champion says how, and how strong it is."""
LEAGUE = ("champion:memory=false", "gin_lookahead", "simple", "gin-only", "heisenbot")
"""The players that it tells apart, itself and its training's league, in the order of its styles."""


@cache
def values() -> ValueNetworks:
    """Return what the champion plays by."""
    from cardai.gin.values import read_values

    return read_values(WEIGHTS)


@frozen
class Champion(Agent):
    """Chooses what has the best chance to win the match, by three small networks over what is known of both hands.

    Within a match it learns how the opponent plays, from how his hands ended.
    """

    judges: ClassVar[int] = 2
    value_classes: ClassVar[tuple[float, float]] = (3.0, 8.0)

    memory: bool = option(True, help="Whether it learns in a match how the opponent plays.")
    rollouts: int = option(
        0,
        help="Hands that are played out for each action that seems nearly best; 0: none, and the fastest.",
        validator=[validators.ge(0), validators.le(100_000)],
    )
    turns: int = option(
        1,
        help="With rollouts: own turns more that are played out before the networks judge; 0: hands are played to their end.",
        validator=[validators.ge(0), validators.le(100)],
    )
    seconds: float = option(
        0.0, help="With rollouts: seconds a decision after which no more hands are begun; 0: no limit.",
        validator=validators.ge(0),
    )  # fmt: skip

    def for_game(self, game: Game) -> Agent:
        need_family(game, GIN, "champion plays")
        from cardai.gin.values import RememberingPlayer, ValuePlayer

        player = ValuePlayer(values(), "champion").for_game(game)
        rollouts = None
        if self.rollouts:
            from cardai.gin.search import Rollouts

            rollouts = Rollouts(player, game, LEAGUE, self.rollouts, self.seconds, self.turns)
        if not self.memory and rollouts is None:
            return player
        return RememberingPlayer(player, game, rollouts, self.memory)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Champion
