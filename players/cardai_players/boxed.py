"""A finished run that lies in a package, as a player."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import ClassVar

from cardai import make
from cardai.core.agent import Agent, need_game
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import Spec, brief
from cardai.training.runs import Run


class Boxed(Agent):
    """The player of the run in the folder :attr:`run`; it plays the game that it was trained on, and refuses others."""

    run: ClassVar[Path]
    any_bets: ClassVar[bool] = False
    """Whether it plays every game that has the views and the actions of its own; else what it has read says which."""

    def for_game(self, game: Game) -> Agent:
        self._need(game)
        return _player_of(self.run).for_game(game)

    def check_game(self, game: Game) -> None:
        self._need(game)
        if not self.any_bets and game != _game_of(self.run):
            self.for_game(game)

    def _need(self, game: Game) -> None:
        """Refuse what is refused before anything of it is read."""
        trained, name = _game_of(self.run), type(self).__module__.rpartition(".")[2]
        if type(game) is not type(trained):
            raise UsageError(f"{name} plays {brief(trained)}. Got {brief(game)}.")
        need_game(trained, game, f"{name} was trained on")


@cache
def _game_of(run: Path) -> Game:
    """Return the game that a run was trained on."""
    return make.game(Run.open(run).game_spec)


@cache
def _player_of(run: Path) -> Agent:
    """Return the player of a run, read once: it is bound to a game as often as somebody asks."""
    return make.agent(Spec(str(run)))
