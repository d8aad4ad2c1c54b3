"""A recorded hand once more: the same cards, from its beginning or from one decision on, against whoever is asked for.

Nothing of it is kept: it is practice, and no part of what the person has won. A drill is such a hand from a mistake on,
whose first answer is graded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from cardai.arena.records import Record, check_fits
from cardai.arena.table import Table
from cardai.study import drills
from cardai.study.coach import Coach
from cardai.study.drills import Known, Question
from cardai.study.graded import Decision
from cardai.ui import kept
from cardai.ui.match import Match, log_of


@frozen
class Answer:
    """How a drill's answer was: right where it cost nothing, graded where the judge knows it, the mistake it was asked for."""

    right: bool
    found: Decision | None
    was: Decision


class Again(Match):
    """A recorded hand of the player number ``who`` against ``opponents``, one a further seat, from its action ``place`` on.

    Raises:
        UsageError: not as many opponents as seats, or one that does not play the game.
        DamagedFileError: the hand does not fit the game.
    """

    def __init__(self, coach: Coach, record: Record, who: int, opponents: Sequence[str], place: int = 0) -> None:
        check_fits(coach.game, record)
        order = [who, *sorted(player for player in record["seats"] if player != who)]
        hand = {**record, "seats": [order.index(player) for player in record["seats"]]}
        super().__init__(Table.of_record(coach.game, hand, seats=[None, *opponents], played=place))
        self.coach = coach
        self._log = log_of(coach.game, {**hand, "actions": record["actions"][:place]}, self.seat) if place else []


def today() -> int:
    """Return the day as drills count it, by the clock of this machine."""
    return datetime.now().date().toordinal()


def due() -> dict[str, Known]:
    """Return how the questions went that were asked. Raises DamagedFileError."""
    return drills.read(kept.folder() / "drills.json")


def answered(match: Match, question: Question, action: int) -> Answer:
    """Grade the answer to a question, which is not played, and keep how it went. Raises WriteError, IllegalActionError."""
    return keep_answer(question, match.judged(action))


def keep_answer(question: Question, found: Decision | None) -> Answer:
    """Keep how the answer to a question went; ``found`` is what the judge says of it. Raises WriteError."""
    right = found is not None and not found.cost
    keep(question.name, right, 0.0 if found is None else found.cost)
    return Answer(right, found, question.decision)


def keep(name: str, right: bool, cost: float) -> None:
    """Keep how the answer to the question of that name went, and what it cost. Raises WriteError, UsageError, DamagedFileError."""
    file = kept.matches().parent / "drills.json"  # made if need be: who drills may have played no match
    with kept.anew(file):
        known = drills.read(file)
        known[name] = known.get(name, Known()).answered(right, today(), cost)
        drills.write(file, known)
