"""A person's match: the table, what was said at it, and what was won; kept on the disk after every action."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from cardai import make
from cardai.arena.advice import Advised, Adviser
from cardai.arena.menu import menu_of
from cardai.arena.moves import HandEnd, Move
from cardai.arena.records import Record
from cardai.arena.statistics import mean
from cardai.arena.table import Table, replay
from cardai.core.errors import IllegalActionError
from cardai.core.game import Game, PlayedHand, Setup
from cardai.core.rng import derive
from cardai.formats.rooms.coach import coach_of
from cardai.poker.fields import POKER
from cardai.poker.words import in_big_blinds
from cardai.study.coach import Coach
from cardai.study.graded import Decision, GradedHand
from cardai.ui.scene import Entry, Scene, Standing, entries_of, result_words

PERSON = 0
"""The person's place among the players."""


class Match:
    """A match of one person, the first of the table's players, against programs, hand after hand without end.

    The table is ``stepwise``: :meth:`step` lets a program move, so that whoever shows the match chooses when, and where.
    """

    praise = ""
    """What the coach says at once of an action that cost nothing; "" nothing."""

    def __init__(self, table: Table) -> None:
        self.blind = 0
        """The chips of a big blind, where scenes are to show amounts in these."""
        self._sit(table, coach_of(table.game))

    def _sit(self, table: Table, coach: Coach) -> None:
        self.table = table
        self.game: Game = table.game
        self.coach = coach
        self._log: list[Entry] = []
        self._advisers: dict[str, Adviser] = {}
        table.hurry()

    @classmethod
    def begin(cls, game: Game | str, opponents: Sequence[Any], seed: int, save: str | Path | None = None) -> Match:
        """Sit down with ``opponents`` (agents or their specs, one a further seat).

        Raises:
            UsageError: not as many as there are seats, or one that does not play the game; ``save`` cannot be written.
        """
        game = make.as_game(game).for_people()
        table = Table(game, [None, *opponents], seed=seed, groups=itertools.count(), save=save, stepwise=True)
        return cls(table)

    @classmethod
    def resume(cls, path: str | Path) -> Match:
        """Go on with the match that is kept at ``path``.

        Raises:
            UsageError: there is none, or no agent of a name in it. DamagedFileError: it cannot be gone on with.
        """
        match = cls(Table.restore(path, groups=itertools.count(), stepwise=True))
        table, unfinished = match.table, match.table.unfinished
        if unfinished is not None:
            match._log = [*match._begun(), *log_of(match.game, unfinished, match.seat)]
        elif table.hand_over and table.records:
            said = end_entries(match.game, match.names, match.seat, table.end())
            match._log = [*log_of(match.game, table.records[-1], match.seat), *said]
        return match

    def _begun(self) -> list[Entry]:
        """Return what is said at the beginning of a hand: what was done since the last one."""
        now, last = self.table.unfinished, self.table.records[-1] if self.table.records else None
        if now is None or last is None or now["game_number"] != last["game_number"]:
            return []
        before, after = _setup(last), _setup(now)
        told = self.game.told_between(PlayedHand(before, tuple(last["returns"])), after)
        return [Entry(seat, words) for seat, words in told.items()]

    # -- where it stands -------------------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """The person's seat in this game."""
        return self.table.seat_of(PERSON)

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called, by seat."""
        return tuple(self.table.names[self.table.player_at(seat)] for seat in range(self.game.num_players))

    @property
    def waiting(self) -> bool:
        """Whether a program is to move: call :meth:`step`."""
        seat = self.table.to_act
        return seat is not None and not self.table.is_outside(seat)

    @property
    def records(self) -> Sequence[Record]:
        """The hands that are over."""
        return self.table.records

    def scene(self) -> Scene:
        """Return what the person sees."""
        table, seat = self.table, self.seat
        end = table.end() if table.hand_over else None
        mine = table.to_act == seat
        view = table.view(seat)
        return Scene(
            self.game,
            seat,
            view,
            self.names,
            table.to_act,
            self._title(),
            tuple(evolve(entry, words=in_big_blinds(entry.words, self.blind)) for entry in self._log),
            {} if end is None else {s: end.views[s] for s in end.shown if s != seat},
            menu_of(self.game, view, table.legal()) if mine else None,
            end,
            standing(self.game, self.records, None if table.game_over else table.game_number),
            table.game_over,
            self.blind,
        )

    def _title(self) -> str:
        title = f"hand {len(self.table.records) + (not self.table.hand_over)}"
        if self._many_hands():
            points = " : ".join(f"{points:,g}" for points in self.table.score)
            title = f"game {self.table.game_number + 1}, hand {self.table.hand + 1}"
            if self.game.speaks(POKER) and not self.table.game_number:
                return title  # what one has won the standing says, what others have stands before them
            title += f"   score {points}" if self.game.num_players > 1 else f"   paid {points}"
        return title

    def _many_hands(self) -> bool:
        return not self.game.match_over((0.0,) * self.game.num_players, 1)

    # -- playing ---------------------------------------------------------------------------------------------------

    def act(self, action: int) -> None:
        """Play an action of the person's. Raises IllegalActionError, and nothing was played."""
        seat = self.seat
        mover = self.table.view(seat)
        moves = self.table.act(action)
        self._tell(moves[-1], mover, mover)

    def step(self) -> None:
        """Let the program whose turn it is move. Raises AgentError: it erred."""
        seat = self.table.to_act
        mover, before = self.table.view(seat), self.table.view(self.seat)
        self._tell(self.table.step(), mover, before)

    def next_hand(self) -> None:
        """Deal the next hand."""
        self.table.next_hand()
        self._log = self._begun()
        for adviser in self._advisers.values():
            adviser.rest()

    def advise(self, player: str) -> list[Advised]:
        """Return what ``player`` would do in the person's place.

        Raises:
            UsageError: it does not play this game. IllegalActionError: the hand is over. AgentError: it erred.
        """
        if player not in self._advisers:
            self._advisers[player] = Adviser(player, self.game)
            self._advisers[player].agent.hurry()
        seed = derive(int(self.table.header["seed"]), "advice", len(self.table.records), len(self.table.moves))
        return self._advisers[player].advise(self.table, seed)

    def judged(self, action: int) -> Decision | None:
        """Return what an action of the person's would cost, which is not played; None where the coach has nothing to say.

        Raises:
            UsageError: nobody judges this game. IllegalActionError: it is not his turn.
        """
        record = self.table.unfinished
        if record is None:
            raise IllegalActionError("The hand is over: there is nothing to judge.")
        return self.coach.decision(self.table.views(), self.table.legal(), action, record, self.seat)

    def graded(self) -> GradedHand:
        """Return this hand, over or under way, with the person's decisions graded. Raises UsageError: nobody judges this game."""
        record = self.table.records[-1] if self.table.hand_over else self.table.unfinished
        assert record is not None
        return self.coach.hand(record, self.seat)

    def values_of(self, player: str) -> str:
        """Return what the values of a player that was asked are, in words."""
        return self._advisers[player].values_of

    def close(self) -> None:
        """Put the record in its place, the unfinished hand in its last line."""
        self.table.close()

    def _tell(self, move: Move, mover: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        after = self.table.view(self.seat)
        self._log += entries_of(self.game, move, mover, before, after, watcher=self.seat)
        if self.table.hand_over:
            self._log += end_entries(self.game, self.names, self.seat, self.table.end())


def _setup(record: Record) -> Setup:
    """Return how a recorded hand began; a hand's number in its match is the record's."""
    found = record["setup"]
    return Setup(int(found["starter"]), int(record["hand"]), tuple(found["score"]), tuple(found["stacks"]))


def end_entries(game: Game, names: Sequence[str], seat: int, end: HandEnd) -> list[Entry]:
    """Return the log lines of a hand's end; ``seat`` is the person's, -1 where nobody looks on from a seat of his own."""
    several = len({*names}) < len(names)
    called = tuple("you" if s == seat else f"{name} {s + 1}" if several else name for s, name in enumerate(names))
    told = [words for family in game.families for words in family.told_at_end(game, end, called)]
    return [Entry(None, words) for words in (*told, *result_words(game, called, end.returns))]


def log_of(game: Game, record: Record, seat: int) -> list[Entry]:
    """Return what was said in a recorded hand, finished or not, as ``seat`` heard it."""
    log: list[Entry] = []
    last: tuple[Move, Mapping[str, Any], Mapping[str, Any]] | None = None
    for table, action in replay(game, record):
        if last is not None:
            log += entries_of(game, *last, table.view(seat), watcher=seat)
        if action >= 0 and table.to_act is not None:
            last = (Move(table.to_act, action, table.sight(action)), table.view(), table.view(seat))
    return log


def standing(game: Game, records: Sequence[Record], under_way: int | None) -> Standing:
    """Return what the person has won over finished hands, and over finished games.

    ``under_way`` is the number of the game that is not over yet; None: all are. A game that is tied is not won.
    """
    returns = np.array([record["returns"][record["seats"].index(PERSON)] for record in records], np.float64)
    lasts: dict[int, Record] = {}
    for record in records:
        lasts[record["game_number"]] = record
    finished = [record for number, record in lasts.items() if number != under_way]
    won = 0
    for record in finished:
        score = record["setup"].get("score") or [0.0] * game.num_players
        total = game.add_score(np.array([score], np.float64), np.array([record["returns"]], np.float64))[0]
        won += int(np.argmax(total) == record["seats"].index(PERSON) and np.count_nonzero(total == total.max()) == 1)
    return Standing(len(records), float(returns.sum()), mean(returns), won, len(finished))
