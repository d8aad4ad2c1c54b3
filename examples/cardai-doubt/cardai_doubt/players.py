"""Claims what it holds while it can, and doubts what it does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from attrs import frozen

from cardai import hookimpl
from cardai.core.agent import Agent, ScalarAgent, need_family
from cardai.core.game import Game
from cardai.core.spec import option
from cardai_doubt.game import DOUBT


@frozen
class Honest(ScalarAgent):
    """A player of Doubt."""

    bluff: float = option(0.0, help="how often it claims the next thing up whatever it holds")

    presets = {"bold": {"bluff": 0.3}}  # noqa: RUF012  (a plain class attribute, as cardai documents it)

    def for_game(self, game: Game) -> Agent:
        need_family(game, DOUBT, "honest plays")
        return super().for_game(game)

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        if rng.random() < self.bluff:
            return legal[0]
        own = view["rank"]
        return own if own in legal else legal[-1]


@hookimpl
def cardai_agent() -> dict[str, type[Agent]]:
    return {"honest": Honest}
