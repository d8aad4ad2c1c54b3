"""Limit hold'em near equilibrium, every river solved at the table: a best response from the river wins 8.5 ± 1.3 mbb/g (6 boards; 43.3 from limit_equilibrium on the same)."""

from __future__ import annotations

from attrs import frozen, validators

from cardai import hookimpl
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.core.spec import option
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.resolving.games import DISCOUNTS, ITERATIONS, LIMIT, resolved_game, resolving_player
from cardai.poker.resolving.trunk import Trunk
from cardai_players import limit_equilibrium
from cardai_players.boxed import Boxed


@frozen
class Player(Boxed):
    """Plays as `limit_equilibrium` until the river, and solves that anew."""

    run = limit_equilibrium.Player.run
    seconds: float = option(
        0.5, help="time for a decision: the last iteration finished in it is played; 0: all iterations (then it plays the same always)",
        validator=[validators.ge(0), validators.lt(86_400)],
    )  # fmt: skip
    kept: int = option(
        12, help="decisions that are kept for what comes after them", validator=validators.in_(range(1, 10_001))
    )

    def for_game(self, game: Game) -> Agent:
        self.check_game(game)
        settings = SolverSettings(ITERATIONS, variant=DISCOUNTS, believed=0.1, seconds=self.seconds, reuse=True)
        trunk = Trunk(game, limit_equilibrium.Player(), 3)  # which is read once a process
        return resolving_player(game, resolved_game(game), settings, LIMIT, trunk, self.kept)

    def check_game(self, game: Game) -> None:
        self._need(game)
        limit_equilibrium.Player().check_game(game)

    def policy(self, views: Views, legal: Legal) -> Float64s:
        raise UsageError("limit_resolving must know its game first: call for_game(game), and ask what that returns.")


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
