"""The coach at a table: each of a player's decisions with what it cost, asked after a hand or at once."""

from __future__ import annotations

from functools import cached_property

from cardai import make
from cardai.arena.records import Record
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.study.graded import Decision, GradedHand
from cardai.study.grading import JudgeGrader, Task
from cardai.study.judge import judge_for


class Coach:
    """Grades decisions of one game by ``judge`` (None: the best that is installed), which is found when it is first asked."""

    def __init__(self, game: Game, judge: str | None = None) -> None:
        self.game, self.judge = game, judge

    @cached_property
    def grader(self) -> JudgeGrader:
        """Who grades. Raises UsageError where nobody judges the game."""
        return JudgeGrader(judge_for(self.game, self.judge))

    @property
    def unit(self) -> str:
        """What costs are in, in words."""
        return self.grader.judge.unit

    def hand(self, record: Record, seat: int) -> GradedHand:
        """Return a recorded hand, finished or under way, with the decisions of ``seat`` graded."""
        whole = record if record.get("returns") else {**record, "returns": [0.0] * self.game.num_players}
        (graded,) = self.grader.grade([Task(1, whole, seat)])
        return graded

    def decision(self, views: Views, legal: Legal, action: int) -> Decision | None:
        """Return one decision at a view (1,), graded; None where there was no choice, or the judge does not know."""
        return self.grader.judged(views, legal, action)


class Coaches(dict[str, Coach]):
    """A coach a game, by its spec: a judge that has to solve the game first does so once, however many matches there are."""

    def __missing__(self, spec: str) -> Coach:
        """Make the coach of a game. Raises UsageError: there is none of that name, or it is not at hand."""
        self[spec] = Coach(make.game(spec))
        return self[spec]
