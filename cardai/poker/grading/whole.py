"""Whole hands of no-limit hold'em: before the flop by a chart, from the flop on by solving, with the ranges that the chart's line
leaves where none were given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import frozen

from cardai.poker.grading.before import NO_CHART, BeforeFlop, ChartGrader, Followed
from cardai.poker.grading.flops import FlopHand
from cardai.poker.grading.grader import Ranges, SolvingGrader
from cardai.study.graded import Decision, GradedHand
from cardai.study.grading import Task


@frozen
class WholeHand:
    """A hand as it is graded: before the flop, and from there on where two see it."""

    before: BeforeFlop | None
    flop: FlopHand | None
    missing: str
    """Why there is no pot for two, or nothing to decide in it."""
    after: int
    """How many decisions the hero had after the flop."""
    returns: float
    """What the hand brought the hero, big blinds, after rake."""
    seat: int = 0
    """The hero's, from the first after the button."""


class WholeGrader:
    """Grades :class:`WholeHand`: what a chart knows of it, and what can be solved. Costs are in big blinds."""

    def __init__(self, charts: ChartGrader, solving: SolvingGrader) -> None:
        self.charts, self.solving = charts, solving

    def grade(self, tasks: Sequence[Task]) -> Iterator[GradedHand]:
        for task in tasks:
            hand: WholeHand = task.record
            left_out: Counter[str] = Counter()
            followed = self._followed(hand)
            decisions: list[Decision] = []
            if hand.before is not None:
                decisions += self.charts.grade(hand.before, followed, left_out)
            if hand.flop is None:
                left_out.update({hand.missing: hand.after} if hand.after else {})
            elif (ranges := self._ranges(hand, followed)) is None:
                left_out[unknown(hand.flop)] += hand.after
            else:
                found, more = self.solving.graded(hand.flop, ranges)
                decisions += found
                left_out.update(more)
            yield GradedHand(task.number, 0, 0, task.number, task.seat, hand.returns, tuple(decisions), dict(left_out))

    def verdict(self, lost: float, floor: float) -> str:
        """Return what a decision that lost so many big blinds is called."""
        return self.solving.verdict(lost, floor)

    def refused(self, hand: WholeHand) -> str:
        """Return why nothing of a hand can be graded, "" where something can."""
        followed = self._followed(hand)
        if followed is not None and followed.decisions:
            return ""
        if hand.flop is None:
            no_chart = hand.before is not None and followed is None and not hand.after
            off = followed is not None and followed.lost > 0 and not hand.after
            return NO_CHART if no_chart else followed.left if followed is not None and off else hand.missing
        return "" if self._ranges(hand, followed) is not None else unknown(hand.flop)

    def _followed(self, hand: WholeHand) -> Followed | None:
        return None if hand.before is None else self.charts.follow(hand.before)

    def _ranges(self, hand: WholeHand, followed: Followed | None) -> Ranges | None:
        assert hand.flop is not None
        given = self.solving.ranges(hand.flop)
        return given if given is not None or followed is None else self.charts.ranges(followed, hand.flop.seats)


def unknown(hand: FlopHand) -> str:
    """Return in words that the ranges of a pot are not known."""
    return f"no range is known for a {hand.kind} pot, {' against '.join(hand.positions)}"
