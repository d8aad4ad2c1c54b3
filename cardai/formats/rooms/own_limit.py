"""Hands of limit hold'em for two that were played here, graded from the flop on: each street is solved with all its bets, with the
ranges with which the player in the box would have come there."""

from __future__ import annotations

from attrs import evolve, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.formats.rooms.flops import flop_of
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.own import OwnGrader
from cardai.formats.rooms.review import BLUNDER, MISTAKE
from cardai.poker.contract import BoardGame
from cardai.poker.grading.before import ChartGrader
from cardai.poker.grading.flops import RangeBook
from cardai.poker.grading.grader import SolvingGrader
from cardai.poker.grading.limit import PLAYER, range_player, ranges_along
from cardai.poker.grading.spots import Effort
from cardai.poker.grading.whole import WholeGrader, WholeHand
from cardai.study.graded import GradedHand
from cardai.study.grading import Task

EFFORT = Effort("fixed", "fixed", 1.0, 20, 2)
"""How streets are solved: in twenty iterations, which on the flop take longest by far, and ten times as many behind it."""
BEFORE = "before the flop: in limit hold'em the coach judges from the flop on"


@frozen(eq=False)
class LimitGrader(OwnGrader):
    """Grades records of limit hold'em for two by solving; ``player`` says with which ranges both come to a street."""

    first = 1
    player: Agent | None = None
    asked: tuple[int, ...] = (0, 1, 2)
    """The streets from the flop on that are graded: each by itself, since the ranges are known."""

    @classmethod
    def of(cls, said: BoardGame) -> LimitGrader | None:
        """Return the grader of a game, None: the player in the box is not installed, or plays another game."""
        player = range_player(said)
        solving = SolvingGrader(RangeBook({}), EFFORT, MISTAKE, BLUNDER)
        grader = WholeGrader(ChartGrader({}, MISTAKE, BLUNDER), solving)
        return None if player is None else cls(said, grader, player=player)

    def __str__(self) -> str:
        return f"{EFFORT}; ranges of {PLAYER}" if self.solves else f"ranges of {PLAYER}"

    def at(self, round_: int) -> LimitGrader:
        return evolve(self, asked=(round_ - 1,))

    def whole(self, hand: RoomHand, seats: tuple[int, ...], task: Task) -> WholeHand | str:
        who = seats.index(task.seat)
        flop, betting = flop_of(hand, who), self.said.betting
        after = sum(action.player == who and action.round > 0 for action in hand.actions)
        if isinstance(flop, str):
            return flop
        assert self.player is not None
        come = ranges_along(self.player, self.said, task.record)
        ordered: list[tuple[Float64s, Float64s]] = [(one[seats[0]], one[seats[1]]) for one in come]
        limit = evolve(
            flop, bets=betting.raise_sizes[1:], caps=betting.max_raises[1:], come=tuple(ordered), asked=self.asked
        )
        return WholeHand(None, limit, "", after, hand.players[who].net / hand.big_blind, who)

    def graded(self, hand: RoomHand, seats: tuple[int, ...], task: Task) -> GradedHand:
        """Return the hand graded; what was decided before the flop is counted as left out."""
        found, who = super().graded(hand, seats, task), seats.index(task.seat)
        before = sum(action.player == who and action.round == 0 for action in hand.actions)
        return evolve(found, left_out={**found.left_out, BEFORE: before}) if before else found
