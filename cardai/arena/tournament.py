"""Tournaments: every pairing of several agents, saved as it is played, so that nothing finished is ever lost."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai import make
from cardai.arena import match
from cardai.arena.statistics import Estimate, rate, ratio
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json
from cardai.core.game import Game
from cardai.core.rng import derive

Progress = Callable[[str, int, int], None]
"""Called with (pairing, games finished in it, games in it)."""
_SLICE = 2000  # games between two saves
_COLUMNS = ("groups", "hands", "wins", "returns")


@frozen
class Pairing:
    """What two agents have played so far: one entry a finished group (a duplicate pair).

    ``hands`` (g,) counts hands, ``wins`` (g,) is the first agent's share of the group's games won in [0, 1], ``returns``
    (g,) its summed hand results.
    """

    first: str
    second: str
    groups: npt.NDArray[np.int64] = field(factory=lambda: np.zeros(0, np.int64))
    hands: npt.NDArray[np.int64] = field(factory=lambda: np.zeros(0, np.int64))
    wins: npt.NDArray[np.float64] = field(factory=lambda: np.zeros(0))
    returns: npt.NDArray[np.float64] = field(factory=lambda: np.zeros(0))

    def win_rate(self) -> Estimate:
        """Return the first agent's share of games won."""
        return rate(self.wins)

    def mean_return(self) -> Estimate:
        """Return the first agent's mean return a hand."""
        return ratio(self.returns, self.hands.astype(np.float64))

    def joined(self, result: match.MatchResult) -> Pairing:
        """Return the pairing with the groups of ``result`` added."""
        groups, inverse = np.unique(result.groups, return_inverse=True)
        played = np.bincount(inverse, minlength=len(groups))
        wins = np.bincount(inverse, weights=result.wins()[:, 0], minlength=len(groups)) / np.maximum(played, 1)
        at = np.searchsorted(groups, result.hands["group"])
        own = result.hands["returns"][np.arange(len(result.hands)), result.seats(0)]
        return Pairing(
            self.first,
            self.second,
            np.concatenate([self.groups, groups]),
            np.concatenate([self.hands, np.bincount(at, minlength=len(groups))]),
            np.concatenate([self.wins, wins]),
            np.concatenate([self.returns, np.bincount(at, weights=own, minlength=len(groups))]),
        )


@frozen
class Standings:
    """A tournament's pairings, by (i, j) with i < j in order of ``agents``."""

    game: Game
    agents: tuple[str, ...]
    pairings: dict[tuple[int, int], Pairing]
    games: int
    interrupted: bool = False

    def cell(self, i: int, j: int) -> Estimate | None:
        """Return agent i's result against j (win rate in [0, 1], or mean return a hand), None if they never met."""
        pairing = self.pairings.get((min(i, j), max(i, j)))
        if pairing is None or not len(pairing.groups):
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


def play(
    game_spec: str,
    agents: Sequence[str],
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
) -> Standings:
    """Play every pairing of ``agents`` (gauntlet: the first against each other), ``games`` games each.

    With ``out`` every finished group is saved there, and ``resume`` goes on from it. Ctrl-C returns what is finished.
    Each pairing has its own decks, derived from ``seed`` and the two names.

    Raises:
        UsageError: fewer than two agents, one named twice, a game not for two, or ``out`` holds another tournament.
    """
    game = registry.create("game", game_spec)
    if game.num_players != 2:
        raise UsageError(f"A tournament needs a game for two. {game_spec} has {game.num_players} seats: use run.")
    if len(agents) < 2 or len(set(agents)) != len(agents):
        raise UsageError(f"A tournament needs at least two agents, each once. Got: {', '.join(agents) or 'none'}.")
    made = [make.agent(agent) for agent in agents]
    for agent in made:
        agent.for_game(game)  # refuse a wrong pairing before anything is played
    size = 2 if duplicate else 1
    if games < 1 or games % size:
        raise UsageError(f"The number of games must be a multiple of {size}. Got {games}.")
    settings = {"game": game_spec, "seed": seed, "duplicate": duplicate, "cardai": "tournament"}
    store = _Store(Path(out), settings, resume) if out else None
    pairs = _pairs(len(agents), form)
    pairings: dict[tuple[int, int], Pairing] = {}
    for i, j in pairs:
        first, second = agents[i], agents[j]
        pairing = store.load(first, second) if store else Pairing(first, second)
        pairings[i, j] = pairing
        missing = np.setdiff1d(np.arange(games // size), pairing.groups)
        slices = [missing[k : k + _SLICE // size * jobs] for k in range(0, len(missing), _SLICE // size * jobs)]
        for groups in slices:
            result = match.play(
                game,
                [made[i], made[j]],
                names=(first, second),
                seed=derive(seed, first, second),
                duplicate=duplicate,
                jobs=jobs,
                groups=[int(g) for g in groups],
                forfeit=forfeit,
            )
            pairing = pairings[i, j] = pairing.joined(result)
            if store:
                store.save(pairing)
            if progress:
                progress(f"{first} - {second}", len(pairing.groups) * size, games)
            if result.interrupted:
                return Standings(game, tuple(agents), pairings, games, interrupted=True)
    return Standings(game, tuple(agents), pairings, games)


def saved(
    directory: str | Path, agents: Sequence[str], form: Literal["roundrobin", "gauntlet"] = "roundrobin"
) -> Standings | None:
    """Return what a tournament's directory holds of the pairings of ``agents``, None if it holds none of them.

    Raises:
        DamagedFileError: a file in it is damaged.
    """
    folder = Path(directory)
    if not (folder / "tournament.json").is_file():
        return None
    settings = read_json(folder / "tournament.json")
    store = _Store(folder, settings, resume=True)
    pairings = {(i, j): store.load(agents[i], agents[j]) for i, j in _pairs(len(agents), form)}
    most = max((len(pairing.groups) for pairing in pairings.values()), default=0)
    if not most:
        return None
    games = most * (2 if settings["duplicate"] else 1)
    return Standings(registry.create("game", settings["game"]), tuple(agents), pairings, games)


def _pairs(count: int, form: str) -> list[tuple[int, int]]:
    """Return who meets whom."""
    return [(i, j) for i, j in itertools.combinations(range(count), 2) if form == "roundrobin" or i == 0]


class _Store:
    """The directory of a tournament: tournament.json and one npz a pairing, written beside and renamed."""

    def __init__(self, directory: Path, settings: dict[str, Any], resume: bool) -> None:
        self.directory = directory
        file = directory / "tournament.json"
        if file.exists():
            if not resume:
                raise UsageError(
                    f"{directory} holds a tournament already. Add --resume to go on with it, or choose another --out."
                )
            try:
                known = json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise DamagedFileError(f"{file} is damaged: {error}. Delete it to begin anew.") from error
            for key, value in settings.items():
                if known.get(key) != value:
                    raise UsageError(
                        f"{directory} was played with {key} {known.get(key)!r}, not {value!r}. Choose another --out."
                    )
            return
        if directory.is_dir() and any(p.suffix != ".part" for p in directory.iterdir()):  # left by a killed process
            raise UsageError(f"The directory {directory} is not empty and holds no tournament. Choose another --out.")
        directory.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".part")
        beside.write_text(json.dumps(settings, indent=1), encoding="utf-8")
        os.replace(beside, file)

    def _file(self, first: str, second: str) -> Path:
        return self.directory / f"{derive(0, first, second):016x}.npz"

    def load(self, first: str, second: str) -> Pairing:
        """Return what was saved of a pairing (nothing yet: an empty one)."""
        file = self._file(first, second)
        if not file.exists():
            return Pairing(first, second)
        try:
            with np.load(file, allow_pickle=False) as data:
                return Pairing(first, second, *(data[name] for name in _COLUMNS))
        except Exception as error:
            raise DamagedFileError(
                f"{file} ({first} - {second}) is damaged: {error}. Delete it to play it anew."
            ) from error

    def save(self, pairing: Pairing) -> None:
        """Write a pairing."""
        file = self._file(pairing.first, pairing.second)
        beside = file.with_suffix(".part")
        with beside.open("wb") as out:
            np.savez_compressed(out, **{name: getattr(pairing, name) for name in _COLUMNS})
        os.replace(beside, file)
