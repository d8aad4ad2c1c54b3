"""People at a table by plain text: hand after hand, the record kept after every move."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardai.arena.journal import check_same, journal_of
from cardai.arena.person import Person
from cardai.arena.records import RecordWriter, read
from cardai.arena.table import Table
from cardai.core import registry
from cardai.core.text import one_line

if TYPE_CHECKING:
    from cardai.arena.match import MatchResult
    from cardai.core.agent import Agent
    from cardai.core.game import Game


class TableSession:
    """A session of people at a table. ``games`` None: one match of several hands, or single hands until somebody stops.

    ``resume`` takes up the match that ``record`` holds. A person's place is that of an agent whose player at this game is
    a :class:`~cardai.arena.person.Person`; other agents move by themselves.

    Raises:
        UsageError: ``record`` holds another match. DamagedFileError: it cannot be gone on with.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        names: Sequence[str],
        games: int | None,
        seed: int | None,
        record: str | None,
        resume: bool = False,
    ) -> None:
        players = [agent.for_game(game) for agent in agents]
        self.people = {place: player for place, player in enumerate(players) if isinstance(player, Person)}
        seats = [None if place in self.people else agent for place, agent in enumerate(agents)]
        single = games is None and game.match_over((0.0,) * game.num_players, 1)
        groups = itertools.count() if single else range(games or 1)
        self.games = None if single else games or 1
        self.record = record
        if resume and record is not None:
            _check_same(record, game, names, seed)
            self.table = Table.restore(record, seats, groups=groups)
            self._remember()
        else:
            kept = record if record is not None and _can_be_kept(record) else None
            self.table = Table(game, seats, seed=seed or 0, groups=groups, names=names, save=kept)

    def _remember(self) -> None:
        """Let the people know what they have won so far."""
        for record in self.table.records:
            for seat, place in enumerate(record["seats"]):
                if place in self.people:
                    self.people[place].hands += 1
                    self.people[place].total += record["returns"][seat]

    def play(self) -> bool:
        """Play until all games are over; return False if a person stopped."""
        table, watchers = self.table, registry.watchers()
        try:
            while not table.done:
                seat = table.to_act
                if seat is not None:
                    person = self._person_at(seat)
                    table.act(person.decide(table.view(seat), table.legal()))
                    continue
                for place in self.people:
                    self._show_end(place)
                if watchers:
                    watchers.hook.cardai_hands_finished(records=[table.records[-1]])
                table.next_hand()
        except KeyboardInterrupt:  # StopPlaying is one
            return False
        return True

    def _person_at(self, seat: int) -> Person:
        person = self.people[self.table.player_at(seat)]
        person.seat = seat
        return person

    def _show_end(self, place: int) -> None:
        end, seat = self.table.end(), self.table.seat_of(place)
        names = [one_line(self.table.names[self.table.player_at(s)]) for s in range(self.table.game.num_players)]
        self._person_at(seat).see_end(end.views[seat], end.returns, end, names)

    def close(self) -> None:
        """Put the record in its place."""
        self.table.close()
        if self.record is not None and not _can_be_kept(self.record):
            with RecordWriter(self.record, self.table.header) as writer:
                writer.write(self.table.records)

    def result(self) -> MatchResult:
        """Return the finished games."""
        return self.table.result(self.games)


def _can_be_kept(record: str) -> bool:
    """Whether a record's name is that of a file, beside which there can be another."""
    return record != "-" and (not Path(record).exists() or Path(record).is_file())


def _check_same(record: str, game: Game, names: Sequence[str], seed: int | None) -> None:
    """Refuse to go on with a match of another game, other players, or another seed."""
    held = read(journal_of(record)).header
    asked = {"game": registry.spec_of(game), "agents": list(names), **({} if seed is None else {"seed": seed})}
    check_same(record, held, asked)
