"""Matches of every pair of several players: the same cards for all, each pair in both seats, a log a match.

Players are agents of cardai or other people's programs. They and the dealer are processes that talk over sockets; agents
alone can also meet in this process, with the same logs. The results are read from the logs.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import Attribute, field, frozen

from cardai import make
from cardai.arena.journal import check_steps
from cardai.arena.statistics import Estimate, mean
from cardai.core.arrays import Float64s
from cardai.core.errors import DamagedFileError, SpecError, UsageError
from cardai.core.files import read_json, refuse_links, vacant, write_json
from cardai.core.rng import derive
from cardai.core.spec import parse
from cardai.formats.acpc.dealer import Match
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.games import find_definition
from cardai.formats.acpc.logs import LogHand, Score, iter_log

PLAN = "series.json"
Progress = Callable[[str, int], None]
"""Called with a match's name and the hands of it that are played."""


def is_command(text: str) -> bool:
    """Whether ``text`` is the command line of a program rather than an agent's spec: an executable file, or words.

    The path of a trained run may have spaces.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    if not words or ":" in words[0] or _names_run(text):
        return False
    return len(words) > 1 or (os.path.isfile(words[0]) and os.access(words[0], os.X_OK))


def _names_run(text: str) -> bool:
    """Whether ``text`` names a trained run that is there."""
    with suppress(SpecError):
        return os.path.isfile(os.path.join(parse(text).name, "run.json"))
    return False


def _names(players: Sequence[str]) -> tuple[str, ...]:
    """Return what players are called in logs: no spaces, : or |, each once."""
    names: list[str] = []
    for text in players:
        plain = re.sub(r"[:|\s]", "_", text)
        names.append(plain if plain not in names else f"{plain}#{len(names) + 1}")
    return tuple(names)


def _two(instance: Series, attribute: Attribute[tuple[str, ...]], value: tuple[str, ...]) -> None:
    if len(value) < 2:
        raise ValueError(f"A series needs two players or more. Got {len(value)}.")


@frozen
class Series:
    """What is to be played: ``hands`` of ``game`` for each pair, each of ``seeds`` and both seatings.

    ``game`` is a game definition (a file, or a shipped one's name) or a game of cardai that has one.
    """

    game: str
    players: tuple[str, ...] = field(validator=_two)
    hands: int
    seeds: tuple[int, ...]

    def definition(self) -> GameDef:
        """Return the game. Raises UsageError unless it is one for two."""
        game = find_definition(self.game)[1]
        if game.num_players != 2:
            raise UsageError(f"A series is for games of two players. {self.game} has {game.num_players}.")
        return game

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called in logs."""
        return _names(self.players)

    def pairs(self) -> list[tuple[int, int]]:
        """Return every pair of players, by number."""
        return list(itertools.combinations(range(len(self.players)), 2))

    def matches(self) -> Iterator[tuple[tuple[int, int], Match]]:
        """Yield each match with the players in its seats, by number; its name is that of its log in the directory."""
        game = self.definition()
        game_file = os.path.abspath(self.game) if os.path.isfile(self.game) else find_definition(self.game)[0]
        for pair in self.pairs():
            for seed in self.seeds:
                for seats in (pair, pair[::-1]):
                    name = f"{seats[0]}-{seats[1]}.seed{seed}"
                    called = (self.names[seats[0]], self.names[seats[1]])
                    yield seats, Match(name, game, self.hands, seed, called, game_file, start_timeout=300_000)

    def client_seed(self, match: Match, seat: int) -> int:
        """Return the seed of what the agent in ``seat`` leaves to chance: the same in that seat, whoever sits there."""
        return derive(match.seed, "seat", seat) >> 1


def begin(series: Series, directory: Path, resume: bool, plays: str = "") -> None:
    """Make the directory and note in it what is played, as what game of cardai, and the steps of runs.

    Raises:
        UsageError: there is something in it and ``resume`` was not said, what is there is another series, or a run has been
            trained since.
    """
    wanted = {
        "cardai": "series",
        "game": series.game,
        "players": list(series.players),
        "hands": series.hands,
        "seeds": list(series.seeds),
        **({"as": plays} if plays else {}),
    }
    steps = [make.step_now(player) for player in series.players]
    if not vacant(directory):
        if not resume:
            raise UsageError(f"{directory} is not empty. Go on with the matches in it by --resume, or name another.")
        refuse_links(directory)
        held = read_json(directory / PLAN)
        then = held.pop("steps", ()) if isinstance(held, dict) else ()
        if held != wanted:
            raise UsageError(f"{directory} holds other matches: see {PLAN} there, or name another directory.")
        check_steps(directory, series.players, then, steps)
        return
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / PLAN, wanted | ({"steps": steps} if max(steps) >= 0 else {}))


def finished(path: Path, hands: int) -> bool:
    """Whether the log of a match is there whole: all of its hands, and the score."""
    return path.is_file() and len(_values(path, 0)) == hands


def _values(path: Path, seat: int) -> Float64s:
    """Return the result of each hand (H,) for the player in ``seat``; none where the match was not finished."""
    values: list[float] = []
    score: Score | None = None
    with path.open(encoding="utf-8", errors="replace") as lines:
        for item in iter_log(lines):
            if isinstance(item, LogHand):
                values.append(item.values[(seat - item.hand) % 2])
            elif isinstance(item, Score):
                score = item
    return np.array(values if score is not None else [], np.float64)


@frozen(eq=False)
class Pairing:
    """What the first of two players won of the second, in thousandths of a big blind (mbb).

    ``won`` (S, H): for each seed and hand, the mean over both seatings.
    """

    won: Float64s

    def mean(self) -> Estimate:
        """Return the mean a hand; the interval is over pairs of hands with the same cards."""
        return mean(self.won.ravel())

    def curve(self) -> Float64s:
        """Return (H,) the mean winnings a hand up to each hand, over all seeds."""
        return np.asarray(np.cumsum(self.won.mean(axis=0)) / np.arange(1, self.won.shape[1] + 1), np.float64)


def results(series: Series, directory: Path) -> dict[tuple[int, int], Pairing]:
    """Return what each pair that is finished came to, from the logs in ``directory``. Raises DamagedFileError."""
    unit = 1000.0 / max(series.definition().blind)
    won: dict[tuple[int, int], list[Float64s]] = {}
    for seats, match in series.matches():
        path = directory / f"{match.name}.log"
        first = min(seats)
        values = _values(path, seats.index(first)) if path.is_file() else np.zeros(0)
        if len(values) not in (0, series.hands):
            raise DamagedFileError(f"The log {path} has {len(values)} hands of {series.hands}: play that match again.")
        won.setdefault((first, max(seats)), []).append(values * unit)
    out = {}
    for pair, parts in won.items():
        if all(len(part) for part in parts):
            out[pair] = Pairing((np.array(parts[0::2]) + np.array(parts[1::2])) / 2)
    return out
