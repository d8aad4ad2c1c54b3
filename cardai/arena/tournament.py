"""Tournaments: every pairing of several agents, saved as it is played, so that nothing finished is ever lost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from attrs import asdict, field, frozen

from cardai import make
from cardai.arena import match, streaming
from cardai.arena.asking import bound
from cardai.arena.report import as_html, as_text, standings_parts, standings_rows, standings_title
from cardai.arena.row_buffer import RowBuffer
from cardai.arena.statistics import Estimate
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, refuse_links, unfinished
from cardai.core.game import Game
from cardai.core.needs import write_own
from cardai.core.npz import Column, Shape, read_npz, write_npz
from cardai.core.rng import derive

Progress = Callable[[str, int, int], None]
"""Called with (pairing, games finished in it, games in it)."""
_SLICE = 2000  # games between two saves
_ON_A_CLUSTER = 16  # as many slices between two saves
_COLUMNS: dict[str, tuple[Any, Shape]] = {
    "groups": (np.int64, (None,)),
    "hands": (np.int64, (None,)),
    "wins": (np.float64, (None,)),
    "returns": (np.float64, (None,)),
}
"""A pairing's arrays in its file."""


@frozen
class TournamentFile:
    """What tournament.json must hold."""

    game: str
    seed: int
    duplicate: bool
    cardai: str


@frozen(eq=False)
class Pairing:
    """What two agents have played so far: a row a finished group (a duplicate pair), in a file once they are many.

    Of the arrays, each (g,), ``hands`` counts hands, ``wins`` is the first agent's share of the group's games won in
    [0, 1], ``returns`` its summed hand results.
    """

    first: str
    second: str
    rows: RowBuffer = field(factory=lambda: RowBuffer([(name, dtype) for name, (dtype, _) in _COLUMNS.items()]))

    @classmethod
    def of(cls, first: str, second: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Pairing:
        """Return the pairing of these arrays by name."""
        pairing = cls(first, second)
        rows = np.zeros(len(arrays["groups"]), pairing.rows.dtype)
        for name in _COLUMNS:
            rows[name] = arrays[name]
        pairing.rows.append(rows)
        return pairing

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, *names: str) -> Iterator[npt.NDArray[np.float64]]:
        """Yield columns as numbers, (names, m) at a time."""
        for block in self.rows.blocks():
            yield np.array([block[name] for name in names], np.float64)

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """The groups that are finished, (g,)."""
        return np.array(self.rows.read()["groups"])

    @property
    def hands(self) -> int:
        """How many hands were played."""
        return sum(int(block["hands"].sum()) for block in self.rows.blocks())

    def win_rate(self) -> Estimate:
        """Return the first agent's share of games won."""
        return streaming.rates(lambda: self.column("wins"), 1, len(self))[0]

    def mean_return(self) -> Estimate:
        """Return the first agent's mean return a hand."""
        return streaming.ratios(lambda: self.column("returns", "hands"), 1, len(self))[0]

    def add(self, result: match.MatchResult) -> None:
        """Take the groups of ``result``."""
        for block in result.played.blocks():
            at, count = block.group_of, len(block.groups)
            own = block.hands["returns"][np.arange(len(at)), result.seats_of(block.hands, 0)]
            rows = np.zeros(count, self.rows.dtype)
            rows["groups"] = block.groups
            rows["hands"] = np.bincount(at, minlength=count)
            rows["wins"] = match.shares_by_group(block.scores)[:, 0]
            rows["returns"] = np.bincount(at, own, count)
            self.rows.append(rows)


def _sound(arrays: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Whether the numbers can be those of games: as many of each, each group once, shares from 0 to 1."""
    groups, hands, wins, returns = (arrays[name] for name in _COLUMNS)
    even = len(groups) == len(hands) == len(wins) == len(returns)
    once = len(np.unique(groups)) == len(groups)
    shares = bool(((wins >= 0) & (wins <= 1)).all())
    counts = bool((groups >= 0).all() and (hands > 0).all())
    return even and once and shares and counts and bool(np.isfinite(returns).all())


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
        UsageError: fewer than two agents, one named twice, a game not for two, or ``out`` holds another tournament.
    """
    game_spec, game = _spec(game), make.as_game(game)
    given = match.as_agents(agents)
    names = [match.name_of(*pair) for pair in zip(agents, given, strict=True)]
    _check(game, game_spec, names)
    made = [bound(agent, game) for agent in given]  # refuse a wrong pairing before anything is played
    settings = {"game": game_spec, "seed": seed, "duplicate": duplicate, "cardai": "tournament"}
    match.check_games(games, 2 if duplicate else 1)
    store = _Store(Path(out), settings, resume) if out else None
    plan = _Plan(game, names, made, games, seed, duplicate, jobs, forfeit, on)
    pairings: dict[tuple[int, int], Pairing] = {}
    for i, j in _pairs(len(names), form):
        pairings[i, j] = store.load(names[i], names[j]) if store else Pairing(names[i], names[j])
        if plan.play(i, j, pairings[i, j], store, progress):
            return Standings(game, tuple(names), pairings, games, interrupted=True)
    return Standings(game, tuple(names), pairings, games)


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

    def play(self, i: int, j: int, pairing: Pairing, store: _Store | None, progress: Progress | None) -> bool:
        """Play what is missing of a pairing, saved slice by slice; return whether somebody stopped it."""
        first, second = self.names[i], self.names[j]
        size = 2 if self.duplicate else 1
        missing = _missing(pairing, self.games // size)
        at_once = _SLICE // size * (_ON_A_CLUSTER if self.on else self.jobs)
        for groups in (missing[k : k + at_once] for k in range(0, len(missing), at_once)):
            result = match.play(
                self.game,
                [self.agents[i], self.agents[j]],
                names=(first, second),
                seed=derive(self.seed, first, second),
                duplicate=self.duplicate,
                jobs=self.jobs,
                groups=groups,
                forfeit=self.forfeit,
                on=self.on,
            )
            pairing.add(result)
            if store:
                store.save(pairing)
            if progress:
                progress(f"{first} - {second}", len(pairing) * size, self.games)
            if result.interrupted:
                return True
        return False


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
    folder = Path(directory)
    if not (folder / "tournament.json").is_file():
        return None
    settings = _settings(folder / "tournament.json")
    store = _Store(folder, asdict(settings), resume=True)
    pairings = {(i, j): store.load(agents[i], agents[j]) for i, j in _pairs(len(agents), form)}
    most = max((len(pairing) for pairing in pairings.values()), default=0)
    if not most:
        return None
    games = most * (2 if settings.duplicate else 1)
    return Standings(make.game(settings.game), tuple(agents), pairings, games)


def _settings(file: Path) -> TournamentFile:
    from cardai.core.schema import structure

    return structure(read_json(file), TournamentFile, f"The file {file}")


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
            refuse_links(directory)
            known = asdict(_settings(file))
            for key, value in settings.items():
                if known[key] != value:
                    raise UsageError(
                        f"{directory} was played with {key} {known[key]!r}, not {value!r}. Choose another --out."
                    )
            return
        if directory.exists() and not directory.is_dir():
            raise UsageError(f"{str(directory)!r} is no directory. Choose another --out.")
        if directory.is_dir() and not all(map(unfinished, directory.iterdir())):
            raise UsageError(f"The directory {directory} is not empty and holds no tournament. Choose another --out.")
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The directory {directory} cannot be made: {error.strerror}.") from error
        write_own(registry.load, file, settings, [("game", settings["game"])])

    def _file(self, first: str, second: str) -> Path:
        return self.directory / f"{derive(0, first, second):016x}.npz"

    def load(self, first: str, second: str) -> Pairing:
        """Return what was saved of a pairing (nothing yet: an empty one)."""
        file = self._file(first, second)
        if not file.exists():
            return Pairing(first, second)
        try:
            found = read_npz(file, _COLUMNS)
            if not _sound(found):
                raise DamagedFileError(f"The numbers in {file} are not those of any games.")
        except DamagedFileError as error:
            raise DamagedFileError(
                f"{file} ({first} - {second}) is damaged: {error} Delete it to play it anew."
            ) from error
        return Pairing.of(first, second, found)

    def save(self, pairing: Pairing) -> None:
        """Write a pairing."""
        file = self._file(pairing.first, pairing.second)
        columns = {name: _column(pairing.rows, name) for name in _COLUMNS}
        write_npz(file, columns, level=6)


def _column(rows: RowBuffer, name: str) -> Column:
    return Column(rows.dtype[name], len(rows), (block[name] for block in rows.blocks()))
