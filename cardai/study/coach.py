"""The coach at a table: each of a player's decisions with what it cost, asked after a hand or at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Literal

from cardai import make
from cardai.arena.records import Record, RecordFile
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.core.legal import Legal
from cardai.study.graded import Decision, GradedHand
from cardai.study.grading import JudgeGrader, Task
from cardai.study.judge import judge_for
from cardai.study.review import number
from cardai.study.session import Job, job_of

When = Literal["", "after", "now"]
"""When the coach speaks by himself: never (M asks him), after a hand, or at once."""


class Coach:
    """Grades decisions of one game by ``judge`` (None: the best that is installed), which is found when it is first asked."""

    def __init__(self, game: Game, judge: str | Agent | None = None) -> None:
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

    def decision(self, views: Views, legal: Legal, action: int, record: Record, seat: int) -> Decision | None:
        """Return one decision at a view (1,), graded; None where there was no choice, or the judge does not know.

        ``record`` is what was played before it, of which ``seat`` is to act.
        """
        return self.grader.judged(views, legal, action)

    def job(
        self, file: RecordFile, hero: str, player: int | None = None, out: Path | None = None, soon: bool = False
    ) -> Job:
        """Return the review of ``hero`` in a file of hands of this game, ``soon``: without what takes long for each hand.

        Raises:
            UsageError: as :func:`job_of`.
        """
        return job_of(file, self.game, hero, self.grader.judge, out, player)


class Coaches:
    """A coach a game: a judge that has to solve the game first does so once, however many matches there are.

    ``made`` makes the coach of a game.
    """

    def __init__(self, made: Callable[[Game], Coach] = Coach) -> None:
        self._made = made
        self._found: dict[str, Coach] = {}

    def of(self, spec: str) -> Coach:
        """Return the coach of the game that ``spec`` names. Raises UsageError: there is none, or its file may not name it."""
        game = make.game(spec)  # always: what one match's file is allowed to name, another's is not
        return self._found.setdefault(registry.spec_of(game), self._made(game))


def words_of(graded: GradedHand, unit: str) -> str:
    """Return what a hand's decisions cost, in a sentence."""
    wrong = sum(decision.cost > 0 for decision in graded.decisions)
    if not graded.decisions:
        return "The coach has nothing to say about this hand."
    if not wrong:
        return f"The coach: no mistake in {len(graded.decisions)} decisions."
    several = "decision" if wrong == 1 else "decisions"
    return f"The coach: {wrong} {several} cost {amount(graded.cost, unit)}. M shows them."


def word_of(decision: Decision | None, unit: str) -> str:
    """Return what one decision cost, in a sentence; "" where it cost nothing."""
    if decision is None or not decision.cost:
        return ""
    return f"{decision.words}: {decision.verdict}, {amount(decision.cost, unit)}; {decision.best_words} was better."


def amount(cost: float, unit: str) -> str:
    """Return a cost with its unit: "1.38 chips", and in brackets where the unit says more than a word or two."""
    return f"{number(cost)} {unit}" if unit.count(" ") < 2 else f"{number(cost)} ({unit})"


def dearest_first(graded: GradedHand) -> list[Decision]:
    """Return a hand's decisions, those that cost something first, the dearest at the top."""
    return sorted(graded.decisions, key=lambda decision: -decision.cost)
