"""Matches: agents play many games in lock step, on duplicate decks, with the same result for any batch size or jobs.

A *group* is one deal sequence played once in every rotation of the seats (two games for two players: a duplicate
pair). Without duplicates a group is a single game and the seats rotate from group to group. The k-th hand of group g has
the deck seed hash(group seed, k); the agent in seat s of group g draws from the stream (g, s), whatever game of the
group it is, so a player against its clone scores exactly even.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai import make
from cardai.arena import streaming
from cardai.arena.asking import bound
from cardai.arena.hands import Hands
from cardai.arena.journal import kept_at
from cardai.arena.lockstep import LockStep, Part, hand_dtype
from cardai.arena.played import Played
from cardai.arena.records import RecordWriter
from cardai.arena.report import match_html, match_text
from cardai.arena.row_buffer import RowBuffer
from cardai.arena.sink import RecordSink
from cardai.arena.slices import play_slices
from cardai.arena.statistics import Estimate, shares, shares_by_group
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError, wrong_type
from cardai.core.game import Game, Parts

if TYPE_CHECKING:
    from cardai.arena.match_journal import MatchJournal

MAX_GAMES = 1_000_000_000
"""The most games of one match: their hands take up to about 500 bytes a game (gin) of a temporary file."""

BATCH = 2048
"""Games that are under way at once."""
Progress = Callable[[int, int], None]
"""Called with (games finished, games in all)."""


@frozen(repr=False, eq=False)
class MatchResult:
    """What was played; it prints as the table of ``cardai run``. ``hands`` has a row a finished hand, in order of game
    and hand, and goes into other tables by ``hands.to_pandas()``, ``to_polars()`` and ``to_parquet(path)``.

    Its columns: group, game, hand, rotation, starter, returns (P,) by seat, and the game's outcome fields. Agent a sits
    in seat (a + rotation) % P. ``scores`` is (games, P) in agent order; ``games`` numbers its rows. Long matches are in a
    temporary file as long as their result is there, and figures are made of it block by block.
    """

    game: Game
    agents: tuple[str, ...]
    seed: int
    duplicate: bool
    played: Played
    wanted: int
    seconds: float
    interrupted: bool = False
    resumed: int = 0
    """How many of the games an earlier process had played."""
    _known: dict[Any, Any] = field(factory=dict, init=False)  # figures that were worked out

    def __str__(self) -> str:
        return match_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return match_html(self)

    @property
    def hands(self) -> Hands:
        """A row a finished hand, in order of game and hand."""
        return self.played.hands

    @property
    def games(self) -> npt.NDArray[np.int64]:
        """The numbers of the finished games, (games,)."""
        return self.played.game_numbers()

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """The group of each finished game, (games,)."""
        return self.games // self.played.size

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """The scores of the finished games in agent order, (games, P)."""
        return self.played.scores()

    @property
    def forfeits(self) -> tuple[int, ...]:
        """How often each agent forfeited."""
        return tuple(int(count) for count in self.played.forfeits)

    def seats(self, agent: int) -> npt.NDArray[np.int64]:
        """Return the seat of ``agent`` in each of ``hands``."""
        return self.seats_of(self.hands, agent)

    def seats_of(self, hands: npt.NDArray[Any], agent: int) -> npt.NDArray[np.int64]:
        """Return the seat of ``agent`` in each of some ``hands``."""
        return np.asarray((agent + hands["rotation"]) % self.game.num_players, np.int64)

    def wins(self) -> npt.NDArray[np.float64]:
        """Return (games, P): each agent's share of each game won (ties are shared)."""
        return shares(self.scores)

    def win_rate(self, agent: int) -> Estimate:
        """Return the share of games that ``agent`` won, interval over groups."""
        if "won" not in self._known:

            def won() -> Iterator[Float64s]:
                yield from (shares_by_group(scores).T for scores in self.played.score_blocks())

            self._known["won"] = streaming.rates(won, self.game.num_players, self.played.groups_count)
        return self._known["won"][agent]  # type: ignore[no-any-return]

    def mean_return(self, agent: int) -> Estimate:
        """Return the agent's mean return a hand in the game's unit, interval over groups."""
        return self._ratios(agent)[0]

    def summary(self, agent: int) -> list[tuple[str, str]]:
        """Return the game's own (label, text) rows about ``agent``."""
        if not self._in_parts():
            return self.game.summary(self.hands, self.seats(agent))
        return self.game.figure_rows(self.figures(agent)) if self.played.hands_count else []

    def figures(self, agent: int) -> Mapping[str, Estimate]:
        """Return the numbers behind :meth:`summary` by name."""
        if not self._in_parts():
            return self.game.figures(self.hands, self.seats(agent))
        return dict(self._ratios(agent)[1])

    def _in_parts(self) -> bool:
        """Whether the game's figures are made of parts: not where a class below overrides the figures themselves."""
        order = [vars(cls) for cls in type(self.game).__mro__]
        first = {name: next(k for k, names in enumerate(order) if name in names) for name in _REPORTS}
        return first["figure_parts"] <= min(first["summary"], first["figures"])

    def _ratios(self, agent: int) -> tuple[Estimate, dict[str, Estimate]]:
        """Return an agent's mean return and the game's figures, worked out in one reading of all hands."""
        if agent not in self._known:
            names = list(self._parts(np.zeros(0, hand_dtype(self.game)), agent))
            sums = RowBuffer((np.float64, (2 * len(names),)))  # by group: numerators, then denominators
            for block in self.played.blocks():
                found = self._parts(block.hands, agent)
                rows = [found[name][side] for side in (0, 1) for name in names]
                at, count = block.group_of, len(block.groups)
                sums.append(np.array([np.bincount(at, np.asarray(row, float), count) for row in rows]).T)

            def read() -> Iterator[Float64s]:
                yield from (rows.T for rows in sums.blocks())

            figures = streaming.ratios(read, len(names), self.played.groups_count)
            self._known[agent] = figures[0], dict(zip(names[1:], figures[1:], strict=True))
        return self._known[agent]  # type: ignore[no-any-return]

    def _parts(self, hands: npt.NDArray[Any], agent: int) -> Parts:
        """Return numerators and denominators a hand: of the mean return, then of the game's figures."""
        seats = self.seats_of(hands, agent)
        own = {"": (_returns(hands, seats), np.ones(len(hands)))}
        return own | dict(self.game.figure_parts(hands, seats)) if self._in_parts() else own


_REPORTS = ("summary", "figures", "figure_parts")


def _returns(hands: npt.NDArray[Any], seats: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.asarray(hands["returns"][np.arange(len(hands)), seats])


def play(
    game: Game | str,
    agents: Sequence[Agent | Callable[..., int] | str],
    *,
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    batch: int = BATCH,
    progress: Progress | None = None,
    record: str | Path | None = None,
    resume: bool = False,
    groups: Sequence[int] | None = None,
    forfeit: bool = False,
    names: Sequence[str] | None = None,
    on: str = "",
) -> MatchResult:
    """Play ``games`` games between ``agents`` and return the result.

    ``on`` "ray" or "ray://HOST:PORT" plays on a Ray cluster (:mod:`cardai.pieces`), with the same result as here.
    ``resume`` goes on with the match that ``record`` holds, whether its process was killed, stopped, or finished fewer games;
    where there is none, it begins. ``groups``, ascending, plays just those groups and overrides ``games``. Ctrl-C returns
    what was finished, in whole groups, with ``interrupted`` set. ``forfeit``: an agent that errs plays its lowest legal action
    instead of stopping the match; each time is counted, and in games decided by wins it loses that game.
    ``names`` are what agents are called in records and errors (default: their specs).

    Raises:
        UsageError: wrong numbers of agents or games, or ``record`` holds another match, or one that was not finished and is
            not resumed. AgentError: an agent erred; names agent, game, seed and hand.
    """
    engine = prepare(game, agents, names, seed, duplicate, batch, recording=bool(record), forfeit=forfeit)
    if groups is None:
        check_games(games, engine.group_size)
        groups = range(games // engine.group_size)
    kept = _kept(engine, record, resume)
    return _played(engine, groups, kept, lambda missing: play_slices(engine, missing, jobs, on), progress)


def prepare(
    game: Game | str,
    agents: Sequence[Agent | Callable[..., int] | str],
    names: Sequence[str] | None,
    seed: int,
    duplicate: bool,
    batch: int = BATCH,
    recording: bool = False,
    forfeit: bool = False,
) -> LockStep:
    """Return what decides a match, its players ready; the arguments are those of :func:`play`.

    ``recording``: records are made (for watchers they always are). Raises UsageError where agents do not fill the seats.
    """
    game_name = game if isinstance(game, str) else registry.spec_of(game)
    game = make.as_game(game)
    made = as_agents(agents)
    called = tuple(names or (name_of(*pair) for pair in zip(agents, made, strict=True)))
    players = [bound(agent, game) for agent in made]
    if any(player.interactive for player in players):
        for player in players:
            player.hurry()
    if len(players) != game.num_players:
        raise UsageError(f"{game_name} has {game.num_players} seats. Got {len(players)} agents: {', '.join(called)}.")
    recording |= registry.watchers() is not None
    return LockStep(game, game_name, players, called, seed, duplicate, batch, recording=recording, forfeit=forfeit)


def _kept(engine: LockStep, record: str | Path | None, resume: bool) -> MatchJournal | RecordWriter | None:
    """Return what keeps the record of a match, if anything does. Raises UsageError where it cannot be gone on with."""
    if not record and not resume:
        return None
    from cardai.arena.match_journal import MatchJournal

    header = {"game": engine.game_name, "agents": list(engine.names), "seed": engine.seed}
    header["duplicate"] = engine.duplicate
    if max(steps := [make.step_now(name) for name in engine.names]) >= 0:
        header["steps"] = steps
    by_hand = any(agent.interactive for agent in engine.agents)  # of whom the game under way is kept, too
    file = kept_at(record) if record and not by_hand else None
    if resume and file is None:
        raise UsageError(
            f"resume goes on with a match of programs that record=FILE has kept. Got {record!r}: name a file."
        )
    if resume and engine.forfeit:
        raise UsageError("A record does not tell who forfeited: a match with forfeits cannot be resumed.")
    return RecordWriter(record or "-", header) if file is None else MatchJournal(file, header, resume)


def _played(
    engine: LockStep,
    groups: Sequence[int],
    kept: MatchJournal | RecordWriter | None,
    play_groups: Callable[[Sequence[int]], Generator[Part, None, None]],
    progress: Progress | None,
) -> MatchResult:
    """Take up what is kept of a match, take in the parts of the rest as they come, hand on their records, and return the
    result; Ctrl-C ends it.
    """
    start, interrupted = time.perf_counter(), False
    played, total = Played(engine.game, engine.names, engine.group_size, groups), len(groups) * engine.group_size
    writer = kept if isinstance(kept, RecordWriter) else None
    journal = None if isinstance(kept, RecordWriter) else kept
    coming: Generator[Part, None, None] | None = None
    resumed = 0
    try:
        with journal or nullcontext(), RecordSink(writer) as sink:
            if journal:
                for part in journal.restore(engine, groups):
                    played.add(part)
            resumed = played.games
            missing = groups if not resumed else np.setdiff1d(np.asarray(groups, np.int64), played.groups()).tolist()
            coming = play_groups(missing) if len(missing) else None
            for part in coming or ():
                played.add(part)
                if journal:
                    journal.keep(part.records)
                sink.take(part, missing)
                if progress:
                    progress(played.games, total)
                if part.interrupted:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        interrupted = True
        if coming is not None:
            coming.close()
    return _result(engine, played, total, time.perf_counter() - start, interrupted, resumed)


def as_agents(given: Sequence[Agent | Callable[..., int] | str]) -> list[Agent]:
    """Return players that are given as themselves, by their specs or as functions. Raises UsageError."""
    if not isinstance(given, (list, tuple)):
        raise wrong_type("The agents", "a list with one for each seat, such as ['heisenbot', 'simple']", given)
    return [make.as_agent(agent) for agent in given]


def name_of(given: Agent | Callable[..., int] | str, made: Agent) -> str:
    """Return what a player is called in records: its spec, as it was given or as it was made by."""
    return given if isinstance(given, str) else registry.spec_of(made)


def check_games(games: int, size: int) -> None:
    """Raise UsageError unless ``games`` can be played in groups of ``size``, and their results kept."""
    if not isinstance(games, (int, np.integer)):
        raise wrong_type("The number of games", "a whole number", games)
    if games < 1 or games % size:
        raise UsageError(
            f"The number of games must be a multiple of {size} (each deal is played in every seat). Got {games:,}."
        )
    if games > MAX_GAMES:
        raise UsageError(
            f"At most {MAX_GAMES:,} games are played at once: a row of results is kept for each hand in a temporary file. "
            f"Got {games:,}. Play them in several calls, each with another seed."
        )


def gathered(
    engine: LockStep, parts: Sequence[Part], wanted: int, seconds: float, interrupted: bool = False
) -> MatchResult:
    """Return parts of a match as its result."""
    size = engine.group_size
    groups = sorted({int(number) // size for part in parts for number in part.games})
    played = Played(engine.game, engine.names, size, groups)
    for part in parts:
        played.add(part)
    return _result(engine, played, wanted, seconds, interrupted)


def _result(
    engine: LockStep, played: Played, wanted: int, seconds: float, interrupted: bool, resumed: int = 0
) -> MatchResult:
    what = engine.game, engine.names, engine.seed, engine.duplicate
    return MatchResult(*what, played, wanted, seconds, interrupted=interrupted, resumed=resumed)
