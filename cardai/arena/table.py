"""One table, driven from outside the loop: by a person, a page, another library, a replay.

    table = Table("gin", [None, "simple"], seed=7)      # the first player's moves come from outside
    while not table.done:
        if table.hand_over:
            print(table.end().returns)
            table.next_hand()                           # of this game, or of the next one
        else:
            table.act(choose(table.view(), table.legal_actions()))

It is the lock step of :mod:`~cardai.arena.lockstep` with one table, taken a step at a time: the same decks, seats,
streams and records as :func:`cardai.arena.match.play` for the same seed and groups. Whoever has no agent is asked
outside; the agents' moves are made by the table, unless it is ``stepwise``. Nothing is undone.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai import make
from cardai.arena.asking import Request, bound
from cardai.arena.journal import Journal
from cardai.arena.lockstep import LockStep, Loop, Part
from cardai.arena.match import MatchResult, gathered
from cardai.arena.moves import HandEnd, Move
from cardai.arena.records import Record, as_damage, place
from cardai.arena.saved_table import SavedTable
from cardai.arena.table_state import ROW, ExternalPlayer, TableState
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.errors import AgentError, IllegalActionError, UsageError
from cardai.core.fields import unpack_view
from cardai.core.game import Game
from cardai.core.legal import copy_legal
from cardai.core.rng import Rows


class Table(TableState):
    """A table at which agents and players from outside play games of one or many hands.

    ``seats`` are the players, an agent, its spec, or None for one from outside; player a sits in seat
    (a + rotation) % P, as in :func:`~cardai.arena.match.play`. ``groups`` are the groups that are played, one after the
    other (``itertools.count()``: without end), each of one game, or with ``duplicate`` of one in every rotation.
    ``names`` are what players are called in records and errors (default: their specs, and "human" outside).
    ``save`` keeps the record on the disk after every move, beside the file of that name until :meth:`close`.
    ``stepwise`` leaves each agent's move to :meth:`step`.

    Raises:
        UsageError: not as many players as seats, or an agent that does not play this game.
    """

    def __init__(
        self,
        game: Game | str,
        seats: Sequence[Agent | str | None],
        *,
        seed: int = 0,
        groups: Iterable[int] = (0,),
        duplicate: bool = False,
        names: Sequence[str] | None = None,
        save: str | Path | None = None,
        stepwise: bool = False,
    ) -> None:
        self._engine = _engine(game, seats, names, seed, duplicate)
        self.game = self._engine.game
        self._groups: Iterator[int] = iter(groups)
        first = next(self._groups, None)
        if first is None:
            raise UsageError("A table needs at least one group of games to play. Got none.")
        self._loop = Loop(self._engine, [first])
        self._parts: list[Part] = []
        self._records: list[Record] = []
        self._moves = []
        self._ended = None
        self._single = False  # a hand out of a record, after which nothing comes
        self._outside = False  # all moves come from outside, whoever the record says has played
        self._stepwise = stepwise
        self._begun = time.perf_counter()
        self._journal = None if save is None else Journal(save, self.header)
        try:
            self._loop.begin()
            self._settle()
        except BaseException:
            if self._journal is not None:  # there is no table that could go on with it
                self._journal.discard()
            raise

    @classmethod
    def restore(
        cls,
        path: str | Path,
        seats: Sequence[Agent | str | None] | None = None,
        *,
        groups: Iterable[int] | None = None,
        stepwise: bool = False,
    ) -> Table:
        """Return the table whose record is at ``path`` (saved after the last move, or put in its place) as it stood.

        ``seats`` are the players again (default: made from the record's names, people outside), ``groups`` what was and
        is to be played (default: the record's). The moves are played again and must lead to what the record says;
        stateful agents are asked again, so that they remember what they did. The record is saved from here on.

        Raises:
            UsageError: there is no such file, or no agent of a name in it.
            DamagedFileError: it is no record, or its hands are not those of its seed.
        """
        saved = SavedTable.read(path)
        known = saved.groups if groups is None else groups
        settings: dict[str, Any] = {"seed": saved.seed, "duplicate": saved.duplicate, "names": saved.names}
        players = saved.players() if seats is None else seats
        table = cls(saved.game, players, groups=known, stepwise=True, **settings)
        for record in saved.hands:
            table._retrace(record, str(path))
        table._journal = Journal(path, table.header, again=True)
        table._save()
        table._stepwise = stepwise
        table._settle()
        return table

    @classmethod
    def of_record(
        cls,
        game: Game,
        record: Record,
        names: Sequence[str] = (),
        seats: Sequence[Agent | str | None] = (),
        played: int = 0,
    ) -> Table:
        """Return a table at the beginning of a recorded hand, of whatever origin, after ``played`` of its actions.

        All moves come from outside; with ``seats``, the players as in :class:`Table`, agents make theirs, ``stepwise``.

        Raises:
            DamagedFileError: the record does not say how a hand of this game begins. UsageError: as :class:`Table`.
        """
        people, called = [None] * game.num_players, [f"player {p}" for p in range(game.num_players)]
        table = cls(game, seats or people, names=names or (None if seats else called), stepwise=bool(seats))
        loop = table._loop
        with as_damage(record):
            setup = place(loop.tables, record)
            loop.agent_at[0] = record["seats"]
            loop.number[0] = record.get("game_number", 0)
            loop.hand[0] = setup["hand"][0]
            loop.score[0] = setup["score"][0]
            loop.deck_seed[0] = record["seed"]
            loop.setup[0] = setup[0]
        loop.decks[0] = loop.tables.deck(0) if loop.tables.whole_deck else []
        loop.actions[0] = []
        table._single, table._outside, table._ended = True, not seats, None
        table._records.clear()
        table._moves.clear()
        table._note()
        with as_damage(record):
            for action in record["actions"][:played]:
                table._again(action)
        return table

    # -- playing -----------------------------------------------------------------------------------------------------

    def act(self, action: int) -> tuple[Move, ...]:
        """Play ``action`` for the seat to act, let the agents move, and return all moves that were made.

        Raises:
            IllegalActionError: the action is not legal (nothing was played), it is an agent's turn, or the hand is over.
            AgentError: an agent erred after the action was played.
        """
        before = len(self._moves)
        seat = self._need_seat()
        if not self.is_outside(seat):
            raise IllegalActionError(f"Seat {seat} is {self.names[self.player_at(seat)]}'s: call step().")
        self._play(seat, self.check_legal(action))
        self._settle()
        return tuple(self._moves[before:])

    def step(self) -> Move:
        """Let the agent to act make its move and return it.

        Raises:
            IllegalActionError: the move is to come from outside, or the hand is over. AgentError: the agent erred.
        """
        seat = self._need_seat()
        if self.is_outside(seat):
            raise IllegalActionError(f"Seat {seat} is played from outside: call act(action).")
        self._play(seat, self._asked(seat))
        return self._moves[-1]

    def ask(self, agent: Agent, rng: Rows | None = None) -> int:
        """Return what ``agent``, ready for this game, would do in place of the seat to act; nothing is played.

        Raises:
            IllegalActionError: the hand is over. AgentError: the agent erred.
        """
        seat = self._need_seat()
        legal, seeds = self.legal(), (rng or self.stream()).seeds
        request = Request(agent, self._loop.tables, np.array([seat]), ROW, legal, copy_legal(legal), seeds, {})
        actions, faults = request.ask()
        for fault in faults:
            raise AgentError(f"The agent {registry.spec_of(agent)!r} {fault.complaint}.") from fault.cause
        return int(actions[0])

    def end(self) -> HandEnd:
        """Return how the hand ended.

        Raises:
            IllegalActionError: it is not over.
        """
        if self._ended is None:
            raise IllegalActionError(f"The hand is not over: seat {self.to_act} is to act.")
        returns, outcomes = self._ended
        views = tuple(self.view(seat) for seat in range(self.game.num_players))
        outcome = unpack_view(self.game.outcome_fields, outcomes[0])
        shown = self.game.shown_at_end(views[0], outcome)
        return HandEnd(tuple(float(x) for x in returns[0]), outcome, views, shown)

    def next_hand(self) -> None:
        """Deal the next hand of the game, or of the next game; after the last game the table is :attr:`done`.

        Raises:
            IllegalActionError: the hand is not over, or it is a single one out of a record.
        """
        if self._ended is None:
            raise IllegalActionError(f"The hand is not over: seat {self.to_act} is to act.")
        if self._loop.queue.empty and self.game_over:
            self._loop.enqueue([group for group in [next(self._groups, None)] if group is not None])
        if self._single:
            raise IllegalActionError("This is a single hand out of a record: nothing comes after it.")
        ended, self._ended = self._ended, None
        self._moves = []
        self._loop.go_on(ROW, *ended)
        self._settle()

    # -- what is left of it ------------------------------------------------------------------------------------------

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of the finished hands, as ``play`` would have written them."""
        return tuple(self._records)

    @property
    def unfinished(self) -> Record | None:
        """The record of the hand that is being played, without returns and outcome; None when there is none."""
        return None if self.done or self.hand_over else self._loop.record_so_far(0)

    def result(self, wanted: int | None = None) -> MatchResult:
        """Return the finished games as a match's result; ``wanted`` is how many there were to be (default: no more)."""
        self._parts.append(self._loop.part())
        seconds = time.perf_counter() - self._begun
        finished = sum(len(part.games) for part in self._parts)
        wanted = finished if wanted is None else wanted
        return gathered(self._engine, self._parts, wanted, seconds, interrupted=finished < wanted)

    def close(self) -> None:
        """Put a saved record in its place, the unfinished hand in its last line."""
        if self._journal is not None:
            self._journal.close(self._records, self.unfinished)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Note what was reached, and let the agents play on to the next move from outside or the hand's end."""
        self._note()
        while not self._stepwise and (seat := self.to_act) is not None and not self.is_outside(seat):
            self.step()

    def _play(self, seat: int, actions: npt.NDArray[np.int64]) -> None:
        """Play a legal action of ``seat``, and note what was reached."""
        seen = self.sight(int(actions[0]))
        self._loop.play(np.array([seat]), ROW, actions)
        self._moves.append(Move(seat, int(actions[0]), seen))
        self._note()

    def _asked(self, seat: int) -> npt.NDArray[np.int64]:
        """Return what the agent in ``seat`` decides."""
        return self._loop.ask(self.player_at(seat), np.array([seat]), ROW)

    def _note(self) -> None:
        """Take note of a hand's end; save."""
        if not self.done and self._ended is None and self.to_act is None:
            self._ended = self._loop.note(ROW)
            self._records.append(self._loop.records[self.game_number // self._engine.group_size][-1])
            for agent in self._engine.agents:
                agent.rest()
        self._save()

    def _save(self) -> None:
        if self._journal is not None:
            self._journal.keep(self._records, self.unfinished)

    def _retrace(self, record: Record, path: str) -> None:
        """Play a recorded hand again, as this table's next."""
        if self.hand_over:
            self.next_hand()
        with as_damage(record):
            same = (record["game_number"], record["hand"], record["seed"], record["seats"])
            dealt = self._loop.record_so_far(0)
            if self.done or same != tuple(dealt[key] for key in ("game_number", "hand", "seed", "seats")):
                raise ValueError(f"{path} does not follow from its seed there")
            for action in record["actions"]:
                self._again(action)
            if "returns" in record and (not self.hand_over or self._records[-1]["returns"] != record["returns"]):
                raise ValueError(f"{path} says that it ended otherwise")

    def hurry(self) -> None:
        """Tell the programs that a person waits for them."""
        for agent in self._engine.agents:
            agent.hurry()

    def _again(self, action: int) -> None:
        """Play a recorded action again; an agent that remembers what it did is asked, and not listened to."""
        seat = self._need_seat()
        player = self.player_at(seat)
        if self._engine.agents[player].stateful:
            self._asked(seat)
        self._play(seat, self.check_legal(action))


def _engine(
    game: Game | str, seats: Sequence[Agent | str | None], names: Sequence[str] | None, seed: int, duplicate: bool
) -> LockStep:
    """Return what decides a table's games, its players ready. Raises UsageError where they do not fill the seats."""
    spec = game if isinstance(game, str) else registry.spec_of(game)
    made = make.as_game(game)
    called = tuple(names or (_called(player) for player in seats))
    if len(seats) != made.num_players:
        raise UsageError(f"{spec} has {made.num_players} seats. Got {len(seats)} players: {', '.join(called)}.")
    players = [ExternalPlayer() if player is None else bound(player, made) for player in seats]
    return LockStep(made, spec, players, called, seed, duplicate, 1, recording=True)


def _called(player: Agent | str | None) -> str:
    return "human" if player is None else player if isinstance(player, str) else registry.spec_of(make.as_agent(player))


def replay(game: Game, record: Record, names: Sequence[str] = ()) -> Iterator[tuple[Table, int]]:
    """Yield (a table at a recorded hand, the action about to be played) before each decision, at last with action -1.

    The same table is yielded each time, one action further.

    Raises:
        DamagedFileError: the hand cannot be replayed, naming the action that does not fit.
    """
    table = Table.of_record(game, record, names)
    with as_damage(record):
        actions = list(record["actions"])
    for action in actions:
        with as_damage(record):
            table.check_legal(action)
        yield table, action
        with as_damage(record):
            table.act(action)
    yield table, -1
