"""The loop that plays: many tables in lock step, each refilled with the next game as soon as its own is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.arena._lockstep_kernels import count_decisions, most_asked
from cardai.arena.asking import LegalBuffer, Request, guarded, own_copy, tell
from cardai.arena.game_queue import GameQueue
from cardai.arena.records import Record
from cardai.core.agent import Agent
from cardai.core.blame import plugin_place, raised
from cardai.core.errors import AgentError, CardaiError, PluginError
from cardai.core.fields import unpack_view, view_dtype
from cardai.core.game import TERMINAL, Actions, Game, IntArray, setup_dtype
from cardai.core.rng import Seeds, derive, hash_cells, hash_rows

_SECONDS = 1.0  # after which what is finished is handed on, however little it is
_QUICK = 0.02  # seconds that a first hand may take for others to join
_WAITING = 2  # finished hands go on when they are one in so many of those under way
FIRST_HAND = 1 << 40  # counters of the streams that set hands up; far from hand numbers


class StopPlaying(KeyboardInterrupt):
    """Raised by an interactive agent whose person has had enough: what is finished is kept."""


@frozen
class Part:
    """Finished groups: hands (see MatchResult), game numbers, scores in agent order, forfeits by agent, records."""

    hands: npt.NDArray[Any]
    games: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    forfeits: npt.NDArray[np.int64]
    records: list[Record]
    interrupted: bool = False


def hand_dtype(game: Game) -> np.dtype[Any]:
    """Return the dtype of finished hands: group, game, hand, rotation, starter, returns (P,), outcome fields."""
    outcome = [
        (name, *_sub(view_dtype(game.outcome_fields)[name])) for name in view_dtype(game.outcome_fields).names or ()
    ]
    base: list[Any] = [
        ("group", np.int64),
        ("game", np.int64),
        ("hand", np.int32),
        ("rotation", np.int8),
        ("starter", np.int8),
        ("returns", np.float64, (game.num_players,)),
    ]
    return np.dtype(base + outcome)


def _sub(dtype: np.dtype[Any]) -> tuple[Any, tuple[int, ...]]:
    return (dtype.base, dtype.shape)


@frozen(eq=False)
class LockStep:
    """Everything that decides a match; picklable, so that workers play slices of it."""

    game: Game
    game_name: str
    agents: list[Agent]
    names: tuple[str, ...]
    seed: int
    duplicate: bool
    batch: int
    recording: bool = False
    forfeit: bool = False

    @property
    def group_size(self) -> int:
        """The number of games a group has."""
        return self.game.num_players if self.duplicate else 1

    def run(self, groups: Sequence[int]) -> Iterator[Part]:
        """Play ``groups`` and yield parts of whole groups as they finish.

        Raises:
            AgentError: an agent erred. PluginError: the game, a plugin of somebody else's, did.
        """
        yield from Loop(self, groups).run()


class Loop:
    """One run of the loop: arrays with an entry a table.

    :meth:`run` plays it whole; :mod:`~cardai.arena.table` takes its steps one by one.
    """

    def __init__(self, engine: LockStep, groups: Sequence[int], later: Sequence[int] = ()) -> None:
        """``later``: groups that :meth:`run` lets join once a hand has ended, where that was quick."""
        self.engine = engine
        self.later = later
        self.game = engine.game
        self.seats = engine.game.num_players
        self.queue = GameQueue(groups, engine.group_size)
        batch = 1 if any(agent.sequential for agent in engine.agents) else engine.batch
        count = max(1, min(batch, (len(groups) + len(later)) * engine.group_size))
        self.tables = self.game.tables(count)
        self.deal_root = np.uint64(derive(engine.seed, "deal"))
        self.agent_root = np.uint64(derive(engine.seed, "agent"))
        self.number = np.full(count, -1, np.int64)  # the game at each table, -1 none
        self.group_seed = np.zeros(count, np.uint64)
        self.rotation = np.zeros(count, np.int64)
        self.hand = np.zeros(count, np.int64)
        self.score = np.zeros((count, self.seats))
        self.stream = np.zeros((count, self.seats), np.uint64)
        self.decisions = np.zeros((count, self.seats), np.int64)
        self.agent_at = np.zeros((count, self.seats), np.int64)
        self.setup = np.zeros(count, setup_dtype(self.seats))
        self.deck_seed = np.zeros(count, np.uint64)
        self.lost = np.full(count, -1, np.int64)  # the agent that forfeited, -1 none
        self.forfeits = np.zeros(self.seats, np.int64)
        self.hand_dtype = hand_dtype(self.game)
        self.hands: list[npt.NDArray[Any]] = []
        self.finished: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        self.left: dict[int, int] = {}  # games still to finish, by group
        self.records: dict[int, list[Record]] = {}
        self.actions: list[list[int]] = [[] for _ in range(count)]
        self.decks: list[list[int]] = [[] for _ in range(count)]
        self.legal_buffer = LegalBuffer()
        self.stateful = any(agent.stateful for agent in engine.agents)
        self.private: dict[tuple[int, int], Agent] = {}  # (row, seat) -> a stateful agent's own copy

    def run(self) -> Iterator[Part]:
        """Play all games and yield parts of whole groups as they finish; Ctrl-C ends with what there is."""
        began = time.monotonic()
        pending, due, first = 0, began + _SECONDS, True
        enough = max(512, len(self.number))  # each part looks at all hands of unfinished groups
        rows, seats = np.empty_like(self.number), np.empty_like(self.number)
        try:
            self.begin()
            while True:
                current = self.tables.current_players()
                agent, count, live, over = most_asked(current, self.number, self.agent_at, rows, seats)
                # ending hands a few at a time would cost more than the tables that wait for it
                if over and over * _WAITING >= live:
                    ended = np.flatnonzero((current == TERMINAL) & (self.number >= 0))
                    pending += self.go_on(ended, *self.note(ended))
                    if first and len(self.later) and time.monotonic() - began < _QUICK:
                        self.enqueue(self.later)
                        self.later = ()
                        self._begin(np.flatnonzero(self.number < 0))
                    first = False
                    if pending >= enough or (pending and (time.monotonic() > due or not self._active())):
                        yield self.part()
                        pending, due = 0, time.monotonic() + _SECONDS
                    if not self._active():
                        break
                    continue
                # whoever is asked at most tables is next: agents are asked seldom, and about many tables at a time
                mine, at = rows[:count].copy(), seats[:count].copy()
                self.play(at, mine, self.ask(agent, at, mine))
        except KeyboardInterrupt:
            yield self.part(interrupted=True)
            return
        except CardaiError:
            raise
        except BaseException as error:
            if isinstance(error, GeneratorExit) or plugin_place(error, ours=False) is None:
                raise
            raise PluginError(f"The game {self.engine.game_name!r} {raised(error)}.") from error
        if self.finished:
            yield self.part()

    def _active(self) -> bool:
        return bool((self.number >= 0).any())

    # -- beginning and ending games --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Put the first games on the tables."""
        self._begin(np.arange(len(self.number)))

    def enqueue(self, groups: Sequence[int]) -> None:
        """Put further groups behind those that are to be played."""
        self.queue.add(groups)

    def _begin(self, rows: IntArray) -> None:
        """Put the next games of the queue on ``rows``; rows beyond the queue become idle."""
        numbers = self.queue.take(len(rows))
        self.number[rows] = -1
        rows = rows[: len(numbers)]
        if not len(rows):
            return
        size = self.engine.group_size
        groups = numbers // size
        self.number[rows] = numbers
        self.rotation[rows] = numbers % size if self.engine.duplicate else numbers % self.seats
        self.group_seed[rows] = _hash(self.deal_root, groups)
        streams = _hash(self.agent_root, groups)
        for seat in range(self.seats):
            self.stream[rows, seat] = hash_rows(streams, seat)
            self.agent_at[rows, seat] = (seat - self.rotation[rows]) % self.seats
        self.score[rows] = 0
        self.decisions[rows] = 0
        self.hand[rows] = 0
        self.lost[rows] = -1
        for group in groups:
            self.left.setdefault(int(group), size)
        if self.stateful:
            self._fresh_agents(rows)
        none = np.zeros((len(rows), self.seats))
        setups = self.game.next_hands(
            None,
            self.score[rows],
            none,
            np.zeros(len(rows), view_dtype(())),
            hash_rows(self.group_seed[rows], FIRST_HAND),
        )
        self._deal(rows, setups)

    def _fresh_agents(self, rows: IntArray) -> None:
        for row in rows:
            for seat in range(self.seats):
                agent = self.engine.agents[self.agent_at[row, seat]]
                if agent.stateful:
                    self.private[int(row), seat] = self._guarded(int(row), seat, partial(own_copy, agent, seat))
                else:  # the seat's agent of the game before was
                    self.private.pop((int(row), seat), None)

    def _deal(self, rows: IntArray, setups: npt.NDArray[Any]) -> None:
        self.setup[rows] = setups
        self.deck_seed[rows] = hash_rows(self.group_seed[rows], self.hand[rows])
        self.tables.reset(self.deck_seed[rows], None, rows, setups)
        if self.engine.recording:
            for row in rows:
                self.actions[row] = []
                self.decks[row] = self.tables.deck(int(row)) if self.tables.whole_deck else []

    def note(self, rows: IntArray) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
        """Note the finished hands at ``rows``, count them, tell who is to hear, and return returns and outcomes."""
        returns = self.tables.returns(rows)
        outcomes = self.tables.outcomes(rows)
        hands = np.zeros(len(rows), self.hand_dtype)
        hands["group"] = self.number[rows] // self.engine.group_size
        hands["game"] = self.number[rows]
        hands["hand"] = self.hand[rows]
        hands["rotation"] = self.rotation[rows]
        hands["starter"] = self.setup["starter"][rows]
        hands["returns"] = returns
        for name in outcomes.dtype.names or ():
            hands[name] = outcomes[name]
        self.hands.append(hands)
        if self.engine.recording:
            self._record(rows, returns, outcomes)
        if self.stateful:
            self._tell(rows, returns)
        self.score[rows] = self.game.add_score(self.score[rows], returns)
        self.hand[rows] += 1
        return returns, outcomes

    def over(self, rows: IntArray) -> npt.NDArray[np.bool_]:
        """Say of each of ``rows``, whose hands are noted, whether its game is over."""
        return self.game.matches_over(self.score[rows], self.hand[rows]) | (self.lost[rows] >= 0)

    def go_on(self, rows: IntArray, returns: npt.NDArray[np.float64], outcomes: npt.NDArray[Any]) -> int:
        """Deal the next hand of the game, or of the next game, where a hand was noted; return the games finished."""
        over = self.over(rows)
        ended, going = rows[over], rows[~over]
        if len(going):
            seeds = hash_rows(self.group_seed[going], self.hand[going] + FIRST_HAND)
            setups = self.game.next_hands(self.setup[going], self.score[going], returns[~over], outcomes[~over], seeds)
            self._deal(going, setups)
        if len(ended):
            self._end(ended)
        return len(ended)

    def _end(self, rows: IntArray) -> None:
        by_agent = self.score[rows[:, None], self._seat_of_agents(rows)]
        lost = self.lost[rows]
        if self.game.measure == "wins" and (lost >= 0).any():
            forfeited = np.flatnonzero(lost >= 0)
            by_agent[forfeited, lost[forfeited]] = by_agent[forfeited].min(axis=1) - 1
        self.finished.append((self.number[rows].copy(), by_agent))
        for group in self.number[rows] // self.engine.group_size:
            self.left[int(group)] -= 1
        self._begin(rows)

    def _seat_of_agents(self, rows: IntArray) -> IntArray:
        return np.asarray((np.arange(self.seats)[None, :] + self.rotation[rows][:, None]) % self.seats, np.int64)

    def _tell(self, rows: IntArray, returns: npt.NDArray[np.float64]) -> None:
        for i, row in enumerate(rows):
            for seat in range(self.seats):
                agent = self.private.get((int(row), seat))
                if agent is not None:
                    view = self.tables.views(seat, row[None])[0]
                    self._guarded(int(row), seat, partial(tell, agent, self.game.view_fields, view, returns[i]))

    def _guarded(self, row: int, seat: int, call: Callable[[], Any]) -> Any:
        """Return what the agent in a seat answers to something else than a decision; its failure is an AgentError."""
        made, wrong, cause = guarded(call, self.game.view_fields)
        if wrong:
            raise self._blame(int(self.agent_at[row, seat]), row, wrong) from cause
        return made

    def _record(self, rows: IntArray, returns: npt.NDArray[np.float64], outcomes: npt.NDArray[Any]) -> None:
        for i, row in enumerate(rows):
            record = self.record_so_far(int(row))
            record["returns"] = [float(x) for x in returns[i]]
            record["outcome"] = unpack_view(self.game.outcome_fields, outcomes[i])
            self.records.setdefault(record["group"], []).append(record)

    def record_so_far(self, row: int) -> Record:
        """Return the record of the hand at ``row`` without its end (returns and outcome)."""
        setup = self.setup[row]
        return {
            "group": int(self.number[row] // self.engine.group_size),
            "game_number": int(self.number[row]),
            "hand": int(self.hand[row]),
            "seats": [int(a) for a in self.agent_at[row]],
            "seed": int(self.deck_seed[row]),
            "setup": {
                "starter": int(setup["starter"]),
                "score": [float(x) for x in setup["score"]] if setup["in_match"] else [],
                "stacks": [int(x) for x in setup["stacks"]] if (setup["stacks"] > 0).any() else [],
            },
            "deck": self.decks[row] or self.tables.deck(row),
            "actions": self.actions[row],
        }

    def part(self, interrupted: bool = False) -> Part:
        """Take out what belongs to whole groups (and what a person who stops has recorded of the game under way)."""
        size = self.engine.group_size
        done = np.array(sorted(g for g, left in self.left.items() if left == 0), np.int64)
        hands = np.concatenate(self.hands) if self.hands else np.zeros(0, self.hand_dtype)
        games = np.concatenate([g for g, _ in self.finished]) if self.finished else np.zeros(0, np.int64)
        scores = np.concatenate([s for _, s in self.finished]) if self.finished else np.zeros((0, self.seats))
        whole_hands = np.isin(hands["group"], done)
        whole_games = np.isin(games // size, done)
        self.hands = [hands[~whole_hands]]
        self.finished = [(games[~whole_games], scores[~whole_games])] if not whole_games.all() else []
        by_hand = interrupted and any(agent.interactive for agent in self.engine.agents)
        kept = sorted(self.records) if by_hand else [int(group) for group in done]
        records = [record for group in kept for record in self.records.pop(group, [])]
        for group in done:
            del self.left[int(group)]
        forfeits, self.forfeits = self.forfeits, np.zeros(self.seats, np.int64)
        return Part(hands[whole_hands], games[whole_games], scores[whole_games], forfeits, records, interrupted)

    # -- decisions -------------------------------------------------------------------------------------------------

    def play(self, seats: IntArray, rows: IntArray, actions: Actions) -> None:
        """Play actions of ``seats`` (m,) that were found legal."""
        count_decisions(self.decisions, rows, seats)
        self.tables.apply_checked(rows, actions)
        if self.engine.recording:
            for row, action in zip(rows, actions, strict=True):
                self.actions[row].append(int(action))

    def seeds(self, seats: IntArray, rows: IntArray) -> Seeds:
        """Return the seeds (m,) of the random streams of the decisions that ``seats`` (m,) are to make."""
        out = np.empty(len(rows), np.uint64)
        hash_cells(self.stream, self.decisions, seats, rows, out)
        return out

    def ask(self, index: int, seats: IntArray, rows: IntArray) -> Actions:
        """Return the decisions of agent ``index``, in ``seats`` (m,) at ``rows`` (m,), found legal. Raises AgentError."""
        agent = self.engine.agents[index]
        legal, views = (self.tables.legal(rows), None) if agent.stateful else self.tables.asked(seats, rows)
        ours, seeds = self.legal_buffer.keep(legal), self.seeds(seats, rows)
        request = Request(agent, self.tables, seats, rows, legal, ours, seeds, self.private, views)
        actions, faults = request.ask()
        for fault in faults:
            row = int(rows[fault.place])
            if not self.engine.forfeit:
                raise self._blame(index, row, fault.complaint) from fault.cause
            self.forfeits[index] += 1
            if self.game.measure == "wins":
                self.lost[row] = index
        return actions

    def _blame(self, index: int, row: int, complaint: str) -> AgentError:
        number = int(self.number[row])
        return AgentError(
            f"The agent {self.engine.names[index]!r} {complaint} (game {self.engine.game_name}, seed {self.engine.seed}, "
            f"game number {number}, hand {int(self.hand[row])})."
        )


def _hash(root: np.uint64, numbers: IntArray) -> npt.NDArray[np.uint64]:
    return hash_rows(np.full(len(numbers), root, np.uint64), numbers)
