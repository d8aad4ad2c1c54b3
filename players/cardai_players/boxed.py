"""A finished run that lies in a package, as a player."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import ClassVar

from cardai import make
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import Spec, brief
from cardai.training.runs import Run


class Boxed(Agent):
    """The player of the run in the folder :attr:`run`; it plays the game that it was trained on, and refuses others."""

    run: ClassVar[Path]

    def for_game(self, game: Game) -> Agent:
        trained = _game_of(self.run)
        if type(game) is not type(trained):  # before anything of it is read: lists of players ask all of them
            raise UsageError(f"{self.run.parent.name} plays {brief(trained)}. Got {brief(game)}.")
        return _player_of(self.run).for_game(game)


@cache
def _game_of(run: Path) -> Game:
    """Return the game that a run was trained on."""
    return make.game(Run.open(run).game_spec)


@cache
def _player_of(run: Path) -> Agent:
    """Return the player of a run, read once: it is bound to a game as often as somebody asks."""
    return make.agent(Spec(str(run)))
