"""OpenSpiel's bots at OpenSpiel's games: its rule-based gin player, and information-set Monte Carlo tree search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import pyspiel
from attrs import field, frozen, validators

from cardai.bridges.spiel_games import OpenSpiel
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Actions, Game
from cardai.core.hookspecs import hookimpl
from cardai.core.legal import Legal
from cardai.core.rng import Rows
from cardai.core.spec import brief, option


@frozen
class OpenSpielBot(Agent):
    """A bot of OpenSpiel. It is handed a state of OpenSpiel's in which its player sees what it sees at our table."""

    stateful = True

    name: Literal["simple_gin_rummy_bot", "is_mcts"] = option("simple_gin_rummy_bot", help="which bot")
    simulations: int = option(100, help="is_mcts: simulations a decision", validator=validators.ge(1))
    uct_c: float = option(2.0, help="is_mcts: how much it explores")

    def for_game(self, game: Game) -> Agent:
        if not isinstance(game, OpenSpiel):
            raise UsageError(
                f"openspiel_bot plays OpenSpiel's games (openspiel:name=gin_rummy). It cannot play {brief(game)}."
            )
        if self.name == "simple_gin_rummy_bot" and game.theirs.get_type().short_name != "gin_rummy":
            raise UsageError(f"simple_gin_rummy_bot plays openspiel:name=gin_rummy. It cannot play {brief(game)}.")
        game.recent.watched = True
        return SeatedBot(self, game, 0)


@frozen(eq=False)
class SeatedBot(Agent):
    """A bot in a seat."""

    stateful = True

    bot: OpenSpielBot
    game: OpenSpiel
    seat: int
    _made: list[Any] = field(factory=list)

    def act(self, views: Views, legal: Legal, rng: Rows) -> Actions:
        chosen = np.empty(len(views), np.int64)
        for row in range(len(views)):
            state = self.game.recent.state(int(views["player"][row]), views["tensor"][row])
            bot = self._bot(rng.generator(row).getrandbits(31), int(views["player"][row]))
            chosen[row] = bot.step(state.clone())
        return chosen

    def _bot(self, seed: int, player: int) -> Any:
        if self.bot.name == "is_mcts":
            rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
            return pyspiel.ISMCTSBot(
                seed,
                rollouts,
                self.bot.uct_c,
                self.bot.simulations,
                -1,
                pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
                False,
                False,
            )
        if not self._made:
            parameters = self.game.theirs.get_parameters()
            self._made.append(pyspiel.make_simple_gin_rummy_bot(parameters, player))
        return self._made[0]

    def new_match(self, seat: int) -> Self:
        return type(self)(self.bot, self.game, seat)

    def hand_finished(self, view: Mapping[str, Any], returns: list[float]) -> None:
        self._made.clear()


@hookimpl
def cardai_agent() -> type[OpenSpielBot]:
    """Offer the bots."""
    return OpenSpielBot
