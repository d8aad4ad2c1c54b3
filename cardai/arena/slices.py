"""Slices of a match: its groups played here, in worker processes, or on a cluster."""

from __future__ import annotations

import itertools
import pickle
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, redirect_stdout
from typing import Any

import numpy as np

from cardai import pieces
from cardai.arena.lockstep import LockStep, Part, hand_dtype
from cardai.arena.records import Record
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.game import Game


def play_slices(engine: LockStep, groups: Sequence[int], jobs: int, on: str) -> Generator[Part, None, None]:
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
