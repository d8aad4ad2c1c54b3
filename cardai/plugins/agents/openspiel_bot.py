"""OpenSpiel's rule-based gin player at OpenSpiel's gin rummy (openspiel:name=gin_rummy)."""

from __future__ import annotations

from typing import Any, Literal

import pyspiel
from attrs import frozen

from cardai.bridges.spiel_bots import seat
from cardai.bridges.spiel_games import OpenSpiel
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import brief, option

_GAMES = {"simple_gin_rummy_bot": "gin_rummy"}


def _make(theirs: Any, player: int, seed: int) -> Any:
    return pyspiel.make_simple_gin_rummy_bot(theirs.get_parameters(), player)


@frozen
class OpenSpielBot(Agent):
    """A bot of OpenSpiel that comes with it; any other is seated from Python by cardai.bridges.spiel_bots."""

    stateful = True

    name: Literal["simple_gin_rummy_bot"] = option("simple_gin_rummy_bot", help="which bot")

    def for_game(self, game: Game) -> Agent:
        if not isinstance(game, OpenSpiel) or game.theirs.get_type().short_name != _GAMES[self.name]:
            wanted = f"openspiel:name={_GAMES[self.name]}"
            raise UsageError(f"{self.name} plays OpenSpiel's game ({wanted}). It cannot play {brief(game)}.")
        return seat(game, _make)


@hookimpl
def cardai_agent() -> type[OpenSpielBot]:
    """Offer the bot."""
    return OpenSpielBot
