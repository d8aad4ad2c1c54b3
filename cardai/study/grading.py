"""Grading: every decision of one player in recorded hands, by a judge's values.

What a decision lost is the most that the judge expects of any action less what it expects of the one taken, for the hand
that the player held: a rare action that is worth as much as a usual one is no mistake. Decisions with one legal action are
none. What the judge has no value of is left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import define, field, frozen

from cardai.arena.display import action_name
from cardai.arena.table import replay
from cardai.core.fields import Views, unpack_view
from cardai.core.game import Game
from cardai.core.legal import Amounts, Legal
from cardai.study.graded import Decision, GradedHand
from cardai.study.judge import Judge

BATCH = 64
"""Hands whose decisions the judge is asked about together."""
SHOWN = 4
"""Actions whose values are kept beside the one taken."""
UNKNOWN = "the judge has no value of what was done"


@frozen
class Task:
    """A hand to grade: its place in the file, from 1, and the seat of the player. ``record`` is what its grader takes."""

    number: int
    record: Any
    seat: int


class Grader(Protocol):
    """Whoever grades hands: a judge of actions, or a solver of whole spots."""

    def grade(self, tasks: Sequence[Task]) -> Iterator[GradedHand]:
        """Yield the hands of ``tasks`` graded, in their order.

        Raises:
            DamagedFileError: one cannot be replayed.
        """


@frozen(eq=False)
class _Asked:
    """One decision to be judged."""

    place: int
    action: int
    views: Views
    legal: Legal


@define
class _Hand:
    task: Task
    asked: list[_Asked]
    decisions: list[Decision] = field(factory=list)
    left_out: Counter[str] = field(factory=Counter)


class JudgeGrader:
    """Grades by the values of a :class:`~cardai.study.judge.Judge`, ``BATCH`` hands at a time."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.game: Game = judge.game

    def grade(self, tasks: Sequence[Task]) -> Iterator[GradedHand]:
        for start in range(0, len(tasks), BATCH):
            hands = [_Hand(task, list(_decisions_of(self.game, task))) for task in tasks[start : start + BATCH]]
            self._judge(hands)
            yield from (_finished(hand) for hand in hands)

    def judged(self, views: Views, legal: Legal, action: int, place: int = 0) -> Decision | None:
        """Return one decision at a view (1,) graded, None where it cannot be, or there was no choice."""
        if _choices(legal) < 2:
            return None
        hand = _Hand(Task(1, {}, 0), [_Asked(place, action, views, legal)])
        self._judge([hand])
        return hand.decisions[0] if hand.decisions else None

    def _judge(self, hands: Iterable[_Hand]) -> None:
        everything = [(hand, asked) for hand in hands for asked in hand.asked]
        if not everything:
            return
        views = np.concatenate([asked.views for _, asked in everything])
        legal = _together([asked.legal for _, asked in everything])
        values, noise = self.judge.values(views, legal)
        for (hand, asked), row, floor in zip(everything, values, noise, strict=True):
            if not np.isfinite(row[asked.action]):
                hand.left_out[UNKNOWN] += 1
            else:
                view = unpack_view(self.game.view_fields, asked.views[0])
                hand.decisions.append(self._decision(asked, view, row, float(floor[asked.action])))

    def _decision(self, asked: _Asked, view: Mapping[str, Any], row: Any, floor: float) -> Decision:
        best = int(np.nanargmax(row))
        if row[asked.action] >= row[best]:
            best = asked.action  # of equals, the one that was taken
        lost = float(row[best] - row[asked.action])
        order = [int(a) for a in np.argsort(-row, kind="stable") if np.isfinite(row[a])]
        kept = [*order[:SHOWN], *([asked.action] if asked.action not in order[:SHOWN] else [])]
        wrong = lost > floor
        return Decision(
            asked.place,
            asked.action,
            action_name(self.game, asked.action, view),
            best,
            action_name(self.game, best, view),
            float(row[asked.action]),
            float(row[best]),
            float(np.nanmin(row)),
            floor,
            self.judge.verdict(lost, floor),
            dict(self.game.situation(view)),
            self.game.reasons(view, asked.action, best) if wrong else (),
            {action_name(self.game, action, view): float(row[action]) for action in kept},
        )


def _decisions_of(game: Game, task: Task) -> Iterator[_Asked]:
    """Yield the decisions of the player in a recorded hand that had a choice."""
    for place, (table, action) in enumerate(replay(game, task.record)):
        if table.to_act == task.seat and action >= 0:
            legal = table.legal()
            if _choices(legal) > 1:
                yield _Asked(place, action, table.views(), legal)


def _choices(legal: Legal) -> int:
    return 2 if isinstance(legal, Amounts) else int(np.asarray(legal).sum())


def _together(several: list[Legal]) -> Legal:
    """Return the legal actions of many tables as one."""
    amounts = [legal for legal in several if isinstance(legal, Amounts)]
    if amounts:
        parts = ([getattr(legal, name) for legal in amounts] for name in ("kinds", "min_amount", "max_amount"))
        return Amounts(*(np.concatenate(part) for part in parts))
    return np.concatenate([np.asarray(legal) for legal in several])


def _finished(hand: _Hand) -> GradedHand:
    record, seat = hand.task.record, hand.task.seat
    return GradedHand(
        hand.task.number,
        int(record.get("game_number", 0)),
        int(record.get("hand", 0)),
        int(record.get("group", hand.task.number)),
        seat,
        float(record["returns"][seat]),
        tuple(hand.decisions),
        dict(hand.left_out),
    )
