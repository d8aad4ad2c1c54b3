"""The app: choose a game, choose an opponent, play."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

from cardai import make
from cardai.core.errors import CardaiError, UsageError
from cardai.study.coach import When
from cardai.ui import kept
from cardai.ui.amounts import big_blind_of
from cardai.ui.base import CardaiApp
from cardai.ui.cards import Palette
from cardai.ui.choosing import LAST, ChooseGame, ChoosePlayer
from cardai.ui.drilling import Drill, Drilling
from cardai.ui.match import Match
from cardai.ui.players import at_once
from cardai.ui.table import Playing
from cardai.ui.warming import warm


@frozen
class PlayOptions:
    """What the app begins with: a game and opponents (None: ask), a match to go on with, the seed, where to keep it; or a drill."""

    game: str | None = None
    opponents: tuple[str, ...] = ()
    resume: bool = False
    record: str | None = None
    seed: int | None = None
    palette: Palette = "two"
    coach: When = ""
    big_blinds: bool = False
    drill: Drill | None = None


class PlayApp(CardaiApp):
    """The app of ``cardai play``."""

    def __init__(self, options: PlayOptions) -> None:
        super().__init__()
        self.options = options
        self.palette: Palette = "mono" if self.no_color else options.palette
        self.file: Path | None = None
        self.problem: Exception | None = None

    def on_mount(self) -> None:
        if self.options.drill is not None:
            self._drill(self.options.drill)
        elif self.options.resume:
            self._resume(self.options.record)
        elif self.options.game is None:
            self.push_screen(ChooseGame(), self._game_chosen)
        else:
            self._named(self.options.game)

    def _named(self, game: str) -> None:
        """Sit down at a game that was named in the call, if need be after asking against whom."""
        opponent = "" if self.options.opponents else at_once(game)
        if opponent:
            self._play(game, (opponent,))
        else:
            self._game_chosen(game)

    def _game_chosen(self, game: str | None) -> None:
        if not game:
            self.exit()
        elif game == LAST:
            self._resume(None)
        elif self.options.opponents and game == self.options.game:
            self._play(game, self.options.opponents)
        elif make.game(game).num_players == 1:
            self._play(game, ())
        else:
            self.push_screen(ChoosePlayer(game), lambda player: self._player_chosen(game, player))

    def _player_chosen(self, game: str, player: str | None) -> None:
        if player:
            self._play(game, (player,))
        else:
            self.push_screen(ChooseGame(), self._game_chosen)

    def _play(self, game: str, opponents: Sequence[str]) -> None:
        """Sit down; one opponent takes all further seats."""
        seats = make.game(game).num_players - 1
        everybody = list(opponents) * seats if len(opponents) == 1 else list(opponents)
        seed = self._seed()

        def file() -> Path:
            return Path(self.options.record) if self.options.record else kept.new_file(game)

        def begun(path: Path) -> Match:
            warm(game, everybody)  # whoever has sat down waits for nobody but players that think
            return Match.begin(game, everybody, seed, path)

        self._sit(file, begun)

    def _seed(self) -> int:
        return self.options.seed if self.options.seed is not None else int.from_bytes(os.urandom(4), "big")

    def _drill(self, drill: Drill) -> None:
        """Sit down at a library's spots; the coach speaks at once unless he was told when."""
        self.push_screen(
            Playing(
                lambda: self._counted(Drilling(drill, self._seed())),
                self.palette,
                lambda: None,
                self.fail,
                self.options.coach or "now",
            )
        )

    def _resume(self, record: str | None) -> None:
        self._sit(lambda: Path(record) if record else kept.last(), Match.resume)

    def _sit(self, found: Callable[[], Path], made: Callable[[Path], Match]) -> None:
        """Show a table whose match is kept in the file that is ``found``."""
        try:
            file = found()
            if not kept.claim(file):
                raise UsageError(f"The match in {file} is being played in another window.")
        except CardaiError as error:
            return self.fail(error)
        self.file = file
        self.push_screen(
            Playing(
                lambda: self._counted(made(file)),
                self.palette,
                lambda: kept.release(file),
                self.fail,
                self.options.coach,
            )
        )

    def _counted(self, match: Match) -> Match:
        """Return a match whose amounts are in what the person counts in."""
        match.blind = big_blind_of(match.game) if self.options.big_blinds else 0
        return match

    def fail(self, error: Exception) -> None:
        """End the app; :attr:`problem` says why."""
        self.problem = error
        self.exit()
