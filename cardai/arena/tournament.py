"""Tournaments: every pairing of several agents, saved as it is played, so that nothing finished is ever lost."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import asdict, evolve, frozen

from cardai import make
from cardai.arena import match
from cardai.arena.asking import bound
from cardai.arena.lockstep import LockStep, Part
from cardai.arena.pairing import Pairing, pairing_rows
from cardai.arena.report import as_html, as_text, standings_parts, standings_rows, standings_title
from cardai.arena.sink import RecordSink
from cardai.arena.slices import play_matches
from cardai.arena.statistics import Estimate
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.locks import DirectoryLock
from cardai.core.rng import derive

if TYPE_CHECKING:
    from cardai.arena.tournament_store import Store

Progress = Callable[[str, int, int], None]
"""Called with (pairing, games finished in it, games in it)."""
_SAVE_SECONDS = 0.5  # between two saves of what is finished


@frozen(repr=False)
class Standings:
    """A tournament's pairings, by (i, j) with i < j in order of ``agents``; it prints as the crosstable."""

    game: Game
    agents: tuple[str, ...]
    pairings: dict[tuple[int, int], Pairing]
    games: int
    interrupted: bool = False

    def __str__(self) -> str:
        return as_text(list(standings_parts(self, registry.spec_of(self.game))))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = standings_rows(self)
        header = ["", "", *(row[0] for row in rows), "mean"]
        return as_html(standings_title(self, registry.spec_of(self.game)), header, rows)

    def cell(self, i: int, j: int) -> Estimate | None:
        """Return agent i's result against j (win rate in [0, 1], or mean return a hand), None if they never met."""
        pairing = self.pairings.get((min(i, j), max(i, j)))
        if pairing is None or not len(pairing):
            return None
        wins = self.game.measure == "wins"
        estimate = pairing.win_rate() if wins else pairing.mean_return()
        if i < j:
            return estimate
        return Estimate((1.0 if wins else 0.0) - estimate.mean, estimate.half_width, estimate.count)

    def row_mean(self, i: int) -> float:
        """Return agent i's mean over its opponents."""
        cells = [self.cell(i, j) for j in range(len(self.agents)) if j != i]
        known = [cell.mean for cell in cells if cell is not None]
        return float(np.mean(known)) if known else float("nan")


def play_pairings(
    game: Game | str,
    agents: Sequence[Agent | Callable[..., int] | str],
    *,
    games: int = 1000,
    seed: int = 0,
    duplicate: bool = True,
    jobs: int = 1,
    form: Literal["roundrobin", "gauntlet"] = "roundrobin",
    out: str | Path | None = None,
    resume: bool = False,
    forfeit: bool = False,
    progress: Progress | None = None,
    on: str = "",
) -> Standings:
    """Play every pairing of ``agents`` (gauntlet: the first against each other), ``games`` games each.

    With ``out`` every finished group is saved there, and ``resume`` goes on from it. Ctrl-C returns what is finished.
    ``on`` plays on a Ray cluster (:mod:`cardai.pieces`), with the same result.
    Each pairing has its own decks, derived from ``seed`` and the two names: agents' and the game's specs.

    Raises:
        UsageError: fewer than two agents, one named twice, a game not for two, or ``out`` holds another tournament
            or is being played by another process.
    """
    from cardai.arena.tournament_store import Store

    game_spec, game = _spec(game), make.as_game(game)
    given = match.as_agents(agents)
    names = [match.name_of(*pair) for pair in zip(agents, given, strict=True)]
    _check(game, game_spec, names)
    made = [bound(agent, game) for agent in given]  # refuse a wrong pairing before anything is played
    settings = {"game": game_spec, "seed": seed, "duplicate": duplicate, "cardai": "tournament"}
    match.check_games(games, 2 if duplicate else 1)
    plan = _Plan(game, names, made, games, seed, duplicate, jobs, forfeit, on)
    lock = DirectoryLock(Path(out), "The tournament in {} is being played") if out else nullcontext()
    with lock:
        store = Store(Path(out), settings, resume) if out else None
        met = _pairs(len(names), form)
        pairings = {(i, j): store.take_up(names[i], names[j]) if store else Pairing(names[i], names[j]) for i, j in met}
        stopped = plan.play(pairings, store, progress)
    return Standings(game, tuple(names), pairings, games, interrupted=stopped)


def _check(game: Game, spec: str, names: list[str]) -> None:
    """Raise UsageError unless the game is for two, and there are players, each once."""
    if game.num_players != 2:
        raise UsageError(f"A tournament needs a game for two. {spec} has {game.num_players} seats: use run.")
    if len(names) < 2 or len(set(names)) != len(names):
        raise UsageError(f"A tournament needs at least two agents, each once. Got: {', '.join(names) or 'none'}.")


@frozen(eq=False)
class _Plan:
    """How the pairings of a tournament are played."""

    game: Game
    names: list[str]
    agents: list[Agent]
    games: int
    seed: int
    duplicate: bool
    jobs: int
    forfeit: bool
    on: str

    def play(self, pairings: Mapping[tuple[int, int], Pairing], store: Store | None, progress: Progress | None) -> bool:
        """Play what is missing of all pairings, one queue of work, saved as it comes; return whether somebody stopped it."""
        met, engines = list(pairings.values()), [self._engine(i, j) for i, j in pairings]
        size = engines[0].group_size
        missing = [_missing(pairing, self.games // size) for pairing in met]
        if not any(map(len, missing)):
            return False
        coming = play_matches(engines, missing, self.jobs, self.on, _row_for_a_group)
        keeper = _Keeper(store)
        try:
            with ExitStack() as stack:
                sinks = [stack.enter_context(RecordSink(None)) for _ in met]
                for k, (rows, part) in coming:
                    met[k].rows.append(rows)
                    keeper.keep(met[k])
                    sinks[k].take(part, missing[k])
                    if progress:
                        progress(f"{met[k].first} - {met[k].second}", len(met[k]) * size, self.games)
                    if part.interrupted:
                        raise KeyboardInterrupt
        except KeyboardInterrupt:
            coming.close()
            return True
        finally:
            keeper.save()
        return False

    def _engine(self, i: int, j: int) -> LockStep:
        """Return what decides the match of two agents, with decks of their own."""
        first, second = self.names[i], self.names[j]
        players, seed = [self.agents[i], self.agents[j]], derive(self.seed, first, second)
        return match.prepare(self.game, players, (first, second), seed, self.duplicate, forfeit=self.forfeit)


def _row_for_a_group(engine: LockStep, part: Part) -> tuple[npt.NDArray[Any], Part]:
    """Return what a tournament keeps of a part, and the part without its hands: they stay where they were played."""
    nothing = evolve(part, hands=part.hands[:0], games=part.games[:0], scores=part.scores[:0])
    return pairing_rows(engine, part), nothing


class _Keeper:
    """Saves pairings that have changed, seldom enough that saving takes a tenth of the time."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._changed: dict[int, Pairing] = {}
        self._due = time.monotonic() + _SAVE_SECONDS

    def keep(self, pairing: Pairing) -> None:
        """Save a pairing that has changed, now or soon."""
        self._changed[id(pairing)] = pairing
        if time.monotonic() > self._due:
            self.save()

    def save(self) -> None:
        """Save what has changed."""
        began = time.monotonic()
        while self._changed:
            _, pairing = self._changed.popitem()
            if self._store:
                self._store.save(pairing)
        now = time.monotonic()
        self._due = now + max(_SAVE_SECONDS, 9 * (now - began))


def _missing(pairing: Pairing, count: int) -> Sequence[int]:
    """Return the groups of 0 to ``count`` that are still to be played."""
    if not len(pairing):
        return range(count)
    return [int(group) for group in np.setdiff1d(np.arange(count), pairing.groups)]


def _spec(plugin: Game | str) -> str:
    return plugin if isinstance(plugin, str) else registry.spec_of(plugin)


def saved(
    directory: str | Path, agents: Sequence[str], form: Literal["roundrobin", "gauntlet"] = "roundrobin"
) -> Standings | None:
    """Return what a tournament's directory holds of the pairings of ``agents``, None if it holds none of them.

    Raises:
        DamagedFileError: a file in it is damaged.
    """
    from cardai.arena.tournament_store import HEAD, Store, settings_of

    folder = Path(directory)
    if not os.path.isfile(folder / HEAD):
        return None
    settings = settings_of(folder / HEAD)
    store = Store(folder, asdict(settings), resume=True)
    pairings = {(i, j): store.load(agents[i], agents[j]) for i, j in _pairs(len(agents), form)}
    most = max((len(pairing) for pairing in pairings.values()), default=0)
    if not most:
        return None
    games = most * (2 if settings.duplicate else 1)
    return Standings(make.game(settings.game), tuple(agents), pairings, games)


def _pairs(count: int, form: str) -> list[tuple[int, int]]:
    """Return who meets whom."""
    return [(i, j) for i, j in itertools.combinations(range(count), 2) if form == "roundrobin" or i == 0]
