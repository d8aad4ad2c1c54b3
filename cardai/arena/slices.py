"""Slices of a match: its groups played here, in worker processes, or on a cluster."""

from __future__ import annotations

import itertools
import pickle
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, redirect_stdout
from typing import Any, TypeVar

import numpy as np

from cardai import pieces
from cardai.arena.lockstep import LockStep, Loop, Part, hand_dtype
from cardai.arena.records import Record
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.notes import tell
from cardai.pieces.cutting import FEW, LEAST, LONGEST, QUICK, Cutter, Load

R = TypeVar("R")


def play_slices(engine: LockStep, groups: Sequence[int], jobs: int, on: str) -> Generator[Part, None, None]:
    """Play the groups in slices, here, in worker processes, or on a cluster; slices arrive as they finish."""
    for _, part in play_matches([engine], [groups], jobs, on, _as_it_is):
        yield part


def play_matches(
    engines: Sequence[LockStep],
    groups: Sequence[Sequence[int]],
    jobs: int,
    on: str,
    made_of: Callable[[LockStep, Part], R],
) -> Generator[tuple[int, R], None, None]:
    """Play each match's groups and yield (its number, ``made_of(engine, part)``) as slices finish; that is made where they are
    played, by a function that can be sent. All matches are one queue of work.
    """
    pieces.check_place(on)
    by_hand = any(agent.interactive for engine in engines for agent in engine.agents)
    alone = jobs == 1 or sum(map(len, groups)) < 4 or by_hand
    if alone and not on:
        for k, engine in enumerate(engines):
            for part in engine.run(groups[k]) if len(groups[k]) else ():
                yield k, made_of(engine, part)
        return
    if by_hand:
        raise UsageError(f"A person plays at this machine: leave out --on {on}.")
    import joblib

    backend, _ = joblib.parallel.get_active_backend()
    if not on and not isinstance(backend, joblib.parallel.LokyBackend):  # the caller's choice
        for k, engine in enumerate(engines):
            for part in _by_joblib(engine, groups[k], jobs, backend):
                yield k, made_of(engine, part)
        return
    if not on:
        groups = list(groups)
        first = next(k for k, each in enumerate(groups) if len(each))
        for part in engines[first].run(groups[first][:1]):  # compile in the parent: workers find the cache warm
            yield first, made_of(engines[first], part)
        groups[first] = groups[first][1:]
    yield from _elsewhere(engines, groups, jobs, on, made_of)


def _as_it_is(engine: LockStep, part: Part) -> Part:
    return part


def _elsewhere(
    engines: Sequence[LockStep],
    groups: Sequence[Sequence[int]],
    jobs: int,
    on: str,
    made_of: Callable[[LockStep, Part], R],
) -> Generator[tuple[int, R], None, None]:
    """Play the groups by processes or on a cluster."""
    work = pieces.Work(_slice, (engines, made_of), on=on, jobs=jobs, close=len(engines) == 1)
    loads = [Load(each, engine.names) for engine, each in zip(engines, groups, strict=True)]
    cutter, cuts = Cutter(loads, work.workers, fewer=bool(on)), dict[str, int]()
    work.pieces = _pieces(engines, cutter, cuts)
    told = not on
    with closing(work.run()) as results:
        for name, (k, left, times, made) in results:
            cutter.ended(cuts.pop(name), times, left)
            if not told and cutter.used < work.workers:
                told = True
                few = f"{cutter.used:,} of the cluster's {work.workers:,} workers"
                tell(f"The games left are few: {few} end them soonest, the others have nothing to do.")
            yield k, made


def _pieces(engines: Sequence[LockStep], cutter: Cutter, cuts: dict[str, int]) -> Iterator[pieces.Piece | None]:
    """Yield the next piece, None where there is none now; put the cutter's number of each into ``cuts``, by its name."""
    while True:
        cut = cutter.take()
        if cut is None:  # what is under way may give something back
            yield None
            continue
        names, (first, last) = engines[cut.load].names, (cut.units[0], cut.units[-1])
        name = ("" if len(engines) == 1 else f"{' - '.join(names)}: ") + f"groups {first}-{last}"
        cuts[name] = cut.number
        yield name, (cut.load, cut.units, cut.probe)


Times = list[tuple[int, float]]
"""How many groups took how many seconds together."""


def _slice(
    shared: tuple[Sequence[LockStep], Callable[[LockStep, Part], R]], number: int, groups: Sequence[int], probe: bool
) -> tuple[int, Sequence[int], Times, R]:
    """Return the match, groups that are given back, what was measured, and what is made of the slice."""
    engines, made_of = shared
    engine = engines[number]
    if probe:
        parts, left, times = _probed(engine, groups)
    else:
        began = time.perf_counter()
        parts, left = list(engine.run(groups)), []
        times = [(len(groups), time.perf_counter() - began)]
    return number, left, times, made_of(engine, _joined(engine.game, parts))


def _probed(engine: LockStep, groups: Sequence[int]) -> tuple[list[Part], Sequence[int], Times]:
    """Play groups of which nobody knows what they take, as long as that is not too long (:class:`Cutter` says how)."""
    few = FEW if 4 * FEW <= len(groups) < LEAST else len(groups)
    parts, left, done, times = list[Part](), groups, set[int](), Times()

    def play(loop: Loop) -> bool:
        """Return whether all of it was played."""
        began, before, late = time.perf_counter(), len(done), False
        for part in loop.run():
            parts.append(part)
            done.update((part.games // engine.group_size).tolist())
            if late := len(done) > before and time.perf_counter() - began > LONGEST:
                break
        times.append((max(len(done) - before, 1), time.perf_counter() - began))
        return not late

    for _ in range(2):  # what is loaded and compiled first is no measure
        times.clear()
        loop = Loop(engine, left[:1], left[1:few])
        whole = play(loop)
        left = [group for group in groups if group not in done]
        if not len(left) or not len(loop.later) or times[0][1] <= QUICK:
            break
    if whole and len(left) and times[0][1] <= QUICK * times[0][0]:
        play(Loop(engine, left))
        left = [group for group in groups if group not in done]
    return parts, left, times


def _slices(engine: LockStep, groups: Sequence[int], workers: int) -> Iterator[Sequence[int]]:
    """Yield the slices of a match that a backend of joblib is given: some thousand games each, four a worker at least."""
    count = min(len(groups), max(4 * workers, -(-len(groups) * engine.group_size // 8192)))
    for a, b in itertools.pairwise(len(groups) * k // max(count, 1) for k in range(count + 1)):
        yield groups[a:b]


def _by_joblib(engine: LockStep, groups: Sequence[int], jobs: int, backend: Any) -> Generator[Part, None, None]:
    """Play the groups by the joblib backend that the caller has chosen."""
    import cloudpickle
    import joblib

    packed = cloudpickle.dumps(engine)  # also takes classes of a notebook or script
    files = registry.plugin_files()
    aside = sys.stdout is sys.stderr  # what plugins print goes to stderr
    tasks = (joblib.delayed(_worker)(packed, files, part, aside) for part in _slices(engine, groups, jobs))
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
