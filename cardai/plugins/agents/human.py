"""You, at the keyboard: the view as a person wants it, keys by meaning, ? for help, q to stop."""

from __future__ import annotations

from attrs import frozen

from cardai.arena.person import Person
from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.hookspecs import hookimpl


@frozen
class Human(Agent):
    """A person: sees the view; types a key, an action's name (or part of it), cards, or an amount to raise to."""

    interactive = True

    def for_game(self, game: Game) -> Agent:
        return Person(game)


@hookimpl
def cardai_agent() -> type[Agent]:
    return Human
