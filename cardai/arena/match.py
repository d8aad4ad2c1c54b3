"""Matches: agents play many games in lock step, on duplicate decks, with the same result for any batch size or jobs.

A *group* is one deal sequence played once in every rotation of the seats (two games for two players: a duplicate
pair). Without duplicates a group is a single game and the seats rotate from group to group. The k-th hand of group g has
the deck seed hash(group seed, k); the agent in seat s of group g draws from the stream (g, s), whatever game of the
group it is, so a player against its clone scores exactly even.
"""

from __future__ import annotations

import itertools
import pickle
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, redirect_stdout
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai import make, pieces
from cardai.arena import streaming
from cardai.arena.asking import bound
from cardai.arena.hands import Hands
from cardai.arena.lockstep import LockStep, Part, hand_dtype
from cardai.arena.played import Played
from cardai.arena.records import Record, RecordWriter
from cardai.arena.report import match_html, match_text
from cardai.arena.spool import Spool
from cardai.arena.statistics import Estimate
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError, wrong_type
from cardai.core.game import Game, Parts

MAX_GAMES = 1_000_000_000
"""The most games of one match: their hands take up to about 500 bytes a game (gin) of a temporary file."""

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
        """Say whether the game's figures are made of parts: not where a class below overrides the figures themselves."""
        order = [vars(cls) for cls in type(self.game).__mro__]
        first = {name: next(k for k, names in enumerate(order) if name in names) for name in _REPORTS}
        return first["figure_parts"] <= min(first["summary"], first["figures"])

    def _ratios(self, agent: int) -> tuple[Estimate, dict[str, Estimate]]:
        """Return an agent's mean return and the game's figures, worked out in one reading of all hands."""
        if agent not in self._known:
            names = list(self._parts(np.zeros(0, hand_dtype(self.game)), agent))
            sums = Spool((np.float64, (2 * len(names),)))  # by group: numerators, then denominators
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


def shares(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each agent's share (..., P) of games won, of scores (..., P)."""
    best = scores == scores.max(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def shares_by_group(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each agent's share (g, P) of the games won of each group, of scores (g, size, P)."""
    won = shares(scores)
    whole = won[:, 0].copy()
    for game in range(1, scores.shape[1]):  # one after the other, as bincount adds
        whole += won[:, game]
    return np.asarray(whole / scores.shape[1])


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
    batch: int = 2048,
    progress: Progress | None = None,
    record: str | Path | None = None,
    groups: Sequence[int] | None = None,
    forfeit: bool = False,
    names: Sequence[str] | None = None,
    on: str = "",
) -> MatchResult:
    """Play ``games`` games between ``agents`` and return the result.

    ``on`` "ray" or "ray://HOST:PORT" plays on a Ray cluster (:mod:`cardai.pieces`), with the same result as here.
    ``groups`` plays just those groups (for going on where something stopped) and overrides ``games``. Ctrl-C returns what
    was finished, in whole groups, with ``interrupted`` set. ``forfeit``: an agent that errs plays its lowest legal action
    instead of stopping the match; each time is counted, and in games decided by wins it loses that game.
    ``names`` are what agents are called in records and errors (default: their specs).

    Raises:
        UsageError: wrong numbers of agents or games. AgentError: an agent erred; names agent, game, seed and hand.
    """
    game_name = game if isinstance(game, str) else registry.spec_of(game)
    game = make.as_game(game)
    made = as_agents(agents)
    called = tuple(names or (name_of(*pair) for pair in zip(agents, made, strict=True)))
    players = [bound(agent, game) for agent in made]
    if len(players) != game.num_players:
        raise UsageError(f"{game_name} has {game.num_players} seats. Got {len(players)} agents: {', '.join(called)}.")
    size = game.num_players if duplicate else 1
    if groups is None:
        check_games(games, size)
        groups = range(games // size)
    engine = LockStep(
        game, game_name, players, called, seed, duplicate, batch, recording=bool(record) or _watched(), forfeit=forfeit
    )
    header = {"game": game_name, "agents": list(called), "seed": seed, "duplicate": duplicate}
    start = time.perf_counter()
    played = Played(game, called, size, groups)
    interrupted = False
    total = len(groups) * size
    coming = _parts(engine, groups, jobs, on)
    try:
        with _Sink(RecordWriter(record, header) if record else None) as sink:
            for part in coming:
                played.add(part)
                sink.take(part, groups)
                if progress:
                    progress(played.games, total)
                if part.interrupted:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        interrupted = True
        coming.close()
    return _result(engine, played, total, time.perf_counter() - start, interrupted)


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


def _result(engine: LockStep, played: Played, wanted: int, seconds: float, interrupted: bool) -> MatchResult:
    return MatchResult(
        engine.game, engine.names, engine.seed, engine.duplicate, played, wanted, seconds, interrupted=interrupted
    )


def _watched() -> bool:
    return registry.watchers() is not None


def _parts(engine: LockStep, groups: Sequence[int], jobs: int, on: str) -> Generator[Part, None, None]:
    """Play the groups in slices, here, in worker processes, or on a cluster; slices arrive as they finish."""
    pieces.check_place(on)
    alone = jobs == 1 or len(groups) < 4 or any(agent.interactive for agent in engine.agents)
    if alone and not on:
        yield from engine.run(groups)
        return
    import joblib

    backend, _ = joblib.parallel.get_active_backend()
    if not on:
        yield from engine.run(groups[:1])  # compile in the parent, so that workers find the cache warm
        groups = groups[1:]
        if not isinstance(backend, joblib.parallel.LokyBackend):  # the caller's choice
            yield from _by_joblib(engine, groups, jobs, backend)
            return
    yield from _elsewhere(engine, groups, jobs, on)


def _slices(engine: LockStep, groups: Sequence[int], workers: int) -> Iterator[tuple[str, tuple[Sequence[int]]]]:
    """Yield the pieces of a match: some thousand games each, or less where there are many workers."""
    count = min(len(groups), max(4 * workers, -(-len(groups) * engine.group_size // 8192)))
    for a, b in itertools.pairwise(len(groups) * k // count for k in range(count + 1)):
        yield f"groups {groups[a]}-{groups[b - 1]}", (groups[a:b],)


def _elsewhere(engine: LockStep, groups: Sequence[int], jobs: int, on: str) -> Generator[Part, None, None]:
    """Play the groups by processes or on a cluster."""
    if any(agent.interactive for agent in engine.agents):
        raise UsageError(f"A person plays at this machine: leave out --on {on}.")
    work = pieces.Work(_slice, engine, on=on, jobs=jobs, close=True)
    work.pieces = _slices(engine, groups, work.workers)
    with closing(work.run()) as results:
        for _, part in results:
            yield part


def _slice(engine: LockStep, groups: Sequence[int]) -> Part:
    return _joined(engine.game, list(engine.run(groups)))


def _by_joblib(engine: LockStep, groups: Sequence[int], jobs: int, backend: Any) -> Generator[Part, None, None]:
    """Play the groups by the joblib backend that the caller has chosen."""
    import cloudpickle
    import joblib

    packed = cloudpickle.dumps(engine)  # also takes classes of a notebook or script
    files = registry.plugin_files()
    aside = sys.stdout is sys.stderr  # what plugins print goes to stderr
    tasks = (joblib.delayed(_worker)(packed, files, part, aside) for _, (part,) in _slices(engine, groups, jobs))
    streams = getattr(backend, "supports_return_generator", False)  # Ray's and multiprocessing's return all at the end
    yield from joblib.Parallel(n_jobs=jobs, return_as="generator_unordered" if streams else "list")(tasks)


def _worker(packed: bytes, files: list[str], groups: Sequence[int], aside: bool) -> Part:
    with redirect_stdout(sys.stderr if aside else sys.stdout):
        for file in files:
            registry.add_file(file)
        engine: LockStep = pickle.loads(packed)  # made by our own parent process
        return _joined(engine.game, list(engine.run(groups)))


def _joined(game: Game, parts: list[Part]) -> Part:
    """Join parts and put hands and games in order."""
    if not parts:
        none = np.zeros(0, np.int64)
        seats = game.num_players
        return Part(np.zeros(0, hand_dtype(game)), none, np.zeros((0, seats)), np.zeros(seats, np.int64), [])
    hands = np.concatenate([part.hands for part in parts])
    games = np.concatenate([part.games for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    order = np.argsort(games, kind="stable")
    records: list[Record] = [record for part in parts for record in part.records]
    return Part(
        hands=hands[np.lexsort((hands["hand"], hands["game"]))],
        games=games[order],
        scores=scores[order],
        forfeits=np.sum([part.forfeits for part in parts], axis=0),
        records=sorted(records, key=lambda r: (r["game_number"], r["hand"])),
        interrupted=any(part.interrupted for part in parts),
    )


class _Sink:
    """Hands records on in game order: to the file and to the watchers. What waits behind a gap goes out at the end."""

    def __init__(self, writer: RecordWriter | None) -> None:
        self._writer = writer
        self._watchers = registry.watchers()
        self._waiting: dict[int, list[Record]] = {}
        self._next = 0

    def take(self, part: Part, groups: Sequence[int]) -> None:
        if self._writer is None and self._watchers is None:
            return
        for record in part.records:
            self._waiting.setdefault(record["group"], []).append(record)
        ready = []
        while self._next < len(groups) and groups[self._next] in self._waiting:
            ready += self._ordered(self._waiting.pop(groups[self._next]))
            self._next += 1
        self._out(ready)

    def _ordered(self, records: Iterable[Record]) -> list[Record]:
        return sorted(records, key=lambda r: (r["game_number"], r["hand"]))

    def _out(self, records: list[Record]) -> None:
        if not records:
            return
        if self._writer:
            self._writer.write(records)
        if self._watchers:
            self._watchers.hook.cardai_hands_finished(records=records)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Hand on what waits, unless the match failed: then an older record stays as it was."""
        with self._writer or nullcontext():
            if error is not None and not isinstance(error, KeyboardInterrupt):
                raise error
            for group in sorted(self._waiting):
                self._out(self._ordered(self._waiting[group]))
            if error is not None:
                raise error
