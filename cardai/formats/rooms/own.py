"""Hands of no-limit hold'em that were played here, graded as rooms' are: before the flop by charts, pots for two by solving."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import evolve, frozen

from cardai.arena.records import Record
from cardai.formats.rooms.flops import whole_of
from cardai.formats.rooms.hand import Action, Player, RoomHand
from cardai.formats.rooms.played import followed
from cardai.formats.rooms.review import BLUNDER, MISTAKE, charts_of, digest_of_charts
from cardai.poker.contract import BoardGame
from cardai.poker.grading.before import ChartGrader
from cardai.poker.grading.flops import RangeBook
from cardai.poker.grading.grader import SolvingGrader
from cardai.poker.grading.spots import Effort
from cardai.poker.grading.whole import WholeGrader, WholeHand
from cardai.study.graded import GradedHand
from cardai.study.grading import Task

EFFORT = Effort("0.66", "none", 1.0, 100, 2)
"""How pots are solved: as ``cardai review`` does it of rooms' hands, with two threads since somebody may wait for it."""
LATER = "after the flop, which takes long to solve: the study's reviews and cardai review do it"


@frozen(eq=False)
class OwnGrader:
    """Grades records of the hold'em ``said``, over or under way. Costs are in big blinds."""

    first: ClassVar[int] = 0
    """The first round that something is said of, 0 before the flop."""
    said: BoardGame
    grader: WholeGrader
    solves: bool = True
    """Whether pots for two are solved, which takes long; else nothing after the flop is graded."""

    @classmethod
    def of(cls, said: BoardGame) -> OwnGrader | None:
        """Return the grader of a game, by the charts of the box."""
        charts = charts_of(None, {said.num_players})
        solving = SolvingGrader(RangeBook({}), EFFORT, MISTAKE, BLUNDER)
        return cls(said, WholeGrader(ChartGrader(charts, MISTAKE, BLUNDER), solving))

    def __str__(self) -> str:
        charts = self.grader.charts.charts
        known = f"charts {', '.join(charts) or 'none'} {digest_of_charts(dict(charts))}".rstrip()
        return f"{EFFORT}; {known}" if self.solves else known

    def grade(self, tasks: Sequence[Task]) -> Iterator[GradedHand]:
        for task in tasks:
            record: Record = task.record
            found = self.graded(*room_hand(self.said, record), task)
            yield evolve(
                found,
                game_number=int(record.get("game_number", 0)),
                hand=int(record.get("hand", 0)),
                group=int(record.get("group", task.number)),
                seat=task.seat,
                returns=float(record["returns"][task.seat]) if record.get("returns") else 0.0,
            )

    def at(self, round_: int) -> OwnGrader:
        """Return who grades the decisions of a round (0 before the flop), and others too where that takes no longer."""
        return self

    def whole(self, hand: RoomHand, seats: tuple[int, ...], task: Task) -> WholeHand | str:
        """Return a hand as it is graded, or why nothing of it can be."""
        return whole_of(hand, seats.index(task.seat))

    def graded(self, hand: RoomHand, seats: tuple[int, ...], task: Task) -> GradedHand:
        """Return what can be graded of a hand; its numbers are :meth:`grade`'s."""
        who = seats.index(task.seat)
        whole = self.whole(hand, seats, task)
        if not self.solves and not isinstance(whole, str) and whole.flop is not None:
            whole = evolve(whole, flop=None, missing=LATER)
        reason = whole if isinstance(whole, str) else self.grader.refused(whole)
        if isinstance(whole, str) or reason:
            count = sum(action.player == who and action.round >= self.first for action in hand.actions)
            left = Counter({reason: count}) if count else Counter[str]()
            return GradedHand(task.number, 0, 0, 0, task.seat, 0.0, (), dict(left))
        (graded,) = self.grader.grade([Task(task.number, whole, who)])
        before = sum(action.round == 0 for action in hand.actions)  # what is solved is counted from the flop on
        return evolve(
            graded,
            decisions=tuple(
                one if one.situation.get("phase") == "preflop" else evolve(one, place=one.place + before)
                for one in graded.decisions
            ),
        )


def room_hand(said: BoardGame, record: Mapping[str, Any]) -> tuple[RoomHand, tuple[int, ...]]:
    """Return a record of hold'em, over or under way, as a room would have told it, and its players' seats.

    Raises:
        DamagedFileError, IllegalActionError: it does not fit the game.
    """
    line, betting = followed(said, record), said.betting
    returns = record.get("returns") or [0.0] * len(line.seats)
    players = tuple(
        Player(
            str(seat), seat, line.stacks[k], line.holes[k], betting.ante, betting.blinds[k], betting.dead[k],
            net=int(returns[seat]),
        )
        for k, seat in enumerate(line.seats)
    )  # fmt: skip
    actions = tuple(Action(bet.position, bet.round, bet.kind, bet.to, bet.added, bet.all_in) for bet in line.bets)
    boards = (line.board,) if line.board else ()
    hand = RoomHand(
        "", "", 0, None, "", "", "", 1, "nolimit", said.big_blind, players, len(players) - 1, -1, actions, boards,
        0, 0, False, "", (), (), big=(betting.first[0] - 1) % len(players),
    )  # fmt: skip
    return hand, line.seats
