"""The coach of whatever is played here: of hold'em by charts and solving, as rooms' hands are reviewed, else a judge."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from cardai.arena.records import Record, RecordFile
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.formats.rooms.review import BLINDS, BLUNDER, MISTAKE
from cardai.poker.contract import BoardGame, board_game, plays_holdem
from cardai.study.coach import Coach
from cardai.study.graded import Decision, GradedHand
from cardai.study.grading import Task
from cardai.study.judge import judge_for
from cardai.study.review import Setting
from cardai.study.session import Job, digest_of, number_of, tasks_of

if TYPE_CHECKING:
    from cardai.formats.rooms.own import OwnGrader


def solved(game: Game) -> BoardGame | None:
    """Return hold'em whose hands are graded by solving, None: ``game`` is another, or is judged otherwise.

    They are those of no-limit, and those of limit for two.
    """
    said = board_game(game)
    if said is None or not plays_holdem(game) or said.betting.pot_limit:
        return None
    if not said.betting.no_limit and said.num_players != 2:
        return None
    return None if said.action_mapping else said


def coach_of(game: Game) -> Coach:
    """Return the coach of a game: of no-limit hold'em who solves its pots, of another its judge."""
    said = solved(game)
    return Coach(game) if said is None else HandCoach(game, said)


class HandCoach(Coach):
    """Grades hands of no-limit hold'em by charts and by solving, unless a player that judges the game is installed; those of limit
    by solving, unless the box is not installed, whose player says the ranges: then a player judges the game."""

    def __init__(self, game: Game, said: BoardGame) -> None:
        super().__init__(game)
        self.said = said

    @cached_property
    def own(self) -> OwnGrader | None:
        """Who grades by solving, None where a player judges the game."""
        from cardai.formats.rooms.own import OwnGrader
        from cardai.formats.rooms.own_limit import LimitGrader

        if not self.said.betting.no_limit:
            return LimitGrader.of(self.said)
        try:
            judge_for(self.game)
        except UsageError:
            return OwnGrader.of(self.said)
        return None

    @property
    def unit(self) -> str:
        return super().unit if self.own is None else BLINDS

    def hand(self, record: Record, seat: int) -> GradedHand:
        if self.own is None:
            return super().hand(record, seat)
        (graded,) = self.own.grade([Task(1, record, seat)])
        return graded

    def decision(self, views: Views, legal: Legal, action: int, record: Record, seat: int) -> Decision | None:
        if self.own is None:
            return super().decision(views, legal, action, record, seat)
        place = len(record["actions"])
        after = {**record, "actions": [*record["actions"], action]}
        (graded,) = self.own.at(int(views["round"][0])).grade([Task(1, after, seat)])
        return next((one for one in graded.decisions if one.place == place), None)

    def job(
        self, file: RecordFile, hero: str, player: int | None = None, out: Path | None = None, soon: bool = False
    ) -> Job:
        if self.own is None:
            return super().job(file, hero, player, out, soon)
        own = evolve(self.own, solves=not soon)
        tasks, left_out = tasks_of(file, self.game, number_of(file, self.game, hero) if player is None else player)
        setting = Setting(registry.spec_of(self.game), hero, str(own), BLINDS, self.game.unit, MISTAKE, BLUNDER)
        return Job(setting, own, tasks, left_out, digest_of(file), out, batch=1)
