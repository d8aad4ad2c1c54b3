"""The directory of a tournament: tournament.json, and what each pairing has played, written piece by piece as it comes.

A pairing's file begins with a line of its two names; a line a piece follows. A piece whose line was cut off is played again.
Older tournaments have one npz a pairing; it stays, and what is played further goes beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import Attribute, asdict, field, frozen

from cardai import make
from cardai.arena.journal import check_steps
from cardai.arena.pairing import COLUMNS, Pairing, sound
from cardai.arena.records import parsed_line, record_line
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import LINE_LIMIT, naming, read_json, refuse_links, sync_directory, unfinished
from cardai.core.needs import write_own
from cardai.core.npz import read_npz
from cardai.core.rng import derive
from cardai.core.schema import structure, whole

HEAD = "tournament.json"
_GROUPS = 1000  # of a piece, at most


@frozen
class TournamentFile:
    """What tournament.json must hold."""

    game: str
    seed: int
    duplicate: bool
    cardai: str


@frozen
class PairingHead:
    """The first line of a pairing's file."""

    first: str
    second: str
    steps: tuple[int, ...] = ()
    """The checkpoints that played, of those that are runs (-1: no run)."""


@frozen
class Piece:
    """A line of a pairing's file: of each group its number, its hands, the first agent's share of games won, its returns."""

    groups: tuple[int, ...] = field(validator=whole())
    hands: tuple[int, ...] = field(validator=whole(1))
    wins: tuple[float, ...]
    returns: tuple[float, ...] = field()

    @returns.validator
    def _as_many(self, attribute: Attribute[Any], value: tuple[float, ...]) -> None:
        if len({len(self.groups), len(self.hands), len(self.wins), len(value)}) != 1:
            raise ValueError("must have as many entries as groups")


def settings_of(file: Path) -> TournamentFile:
    """Return what a tournament.json holds. Raises DamagedFileError."""
    return structure(read_json(file), TournamentFile, f"The file {file}")


class Store:
    """A tournament's directory: a new one, or with ``resume`` that of the same tournament.

    Raises:
        UsageError: it holds another tournament, or something else. DamagedFileError: its tournament.json is damaged.
    """

    def __init__(self, directory: Path, settings: dict[str, Any], resume: bool) -> None:
        self.directory = directory
        self._kept: dict[
            Path, tuple[int, int]
        ] = {}  # of each file: the pairing's rows that are saved, the bytes of whole lines
        self._steps: dict[Path, tuple[int, ...]] = {}
        self._now: dict[str, int] = {}  # the step that each player is at, looked up once
        file = directory / HEAD
        if file.exists():
            if not resume:
                raise UsageError(
                    f"{directory} holds a tournament already. Add --resume to go on with it, or choose another --out."
                )
            refuse_links(directory)
            known = asdict(settings_of(file))
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
        return self.directory / f"{derive(0, first, second):016x}.jsonl"

    def take_up(self, first: str, second: str) -> Pairing:
        """Return what was saved of a pairing that is to be played further. Raises as :meth:`load`, and UsageError: one of the
        players is a run that has been trained since."""
        file, pairing = self._file(first, second), self.load(first, second)
        steps = self._step_now(first), self._step_now(second)
        check_steps(file, (first, second), self._steps.get(file), steps)
        if not self._kept[file][1] and max(steps) >= 0:
            self._steps[file] = steps
        return pairing

    def _step_now(self, name: str) -> int:
        if name not in self._now:
            self._now[name] = make.step_now(name)
        return self._now[name]

    def load(self, first: str, second: str) -> Pairing:
        """Return what was saved of a pairing (nothing yet: an empty one).

        Raises:
            DamagedFileError: a file, or a line that was not cut off, is damaged; it is named.
        """
        pairing, file = Pairing(first, second), self._file(first, second)
        whose = f"({first} - {second})"
        older = file.with_suffix(".npz")
        if older.exists():
            try:
                pairing.take(_checked(read_npz(older, COLUMNS)))
            except DamagedFileError as error:
                raise DamagedFileError(f"{older} {whose} is damaged: {error} Delete it to play it anew.") from error
        end = 0
        for number, line in enumerate(_whole_lines(file), 1):
            end += len(line)
            try:
                if number == 1:
                    self._steps[file] = structure(_value(line), PairingHead, "It").steps
                else:
                    _take(pairing, line)
            except DamagedFileError as error:
                again = "it to play it anew" if number == 1 else "the line to play its games anew"
                raise DamagedFileError(f"{file} {whose} is damaged: line {number}: {error} Delete {again}.") from error
        if len(np.unique(pairing.groups)) < len(pairing):
            raise DamagedFileError(f"{file} {whose} is damaged: a deal is in it twice. Delete it to play it anew.")
        self._kept[file] = len(pairing), end
        return pairing

    def save(self, pairing: Pairing) -> None:
        """Write what a pairing has played since it was loaded or saved. Raises WriteError."""
        file = self._file(pairing.first, pairing.second)
        saved, end = self._kept.get(file, (0, 0))
        steps = {"steps": list(self._steps[file])} if self._steps.get(file) else {}
        data = b"" if end else record_line({"first": pairing.first, "second": pairing.second, **steps})
        for at in range(saved, len(pairing), _GROUPS):
            rows = pairing.rows.read(at, _GROUPS)
            data += record_line({name: rows[name].tolist() for name in COLUMNS})
        with naming(f"The file {file}"), file.open("r+b" if file.exists() else "x+b") as stream:
            stream.seek(end)
            stream.truncate()  # a line that was cut off
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if not end:
            sync_directory(self.directory)
        self._kept[file] = len(pairing), end + len(data)


def _value(line: bytes) -> Any:
    """Return what a line of a pairing's file says. Raises DamagedFileError."""
    value = parsed_line(line.decode(errors="replace"))
    if value is None:
        raise DamagedFileError("It is not JSON.")
    return value


def _take(pairing: Pairing, line: bytes) -> None:
    """Take in a line of games of a pairing's file. Raises DamagedFileError."""
    piece = structure(_value(line), Piece, "It")
    pairing.take(_checked({name: np.array(getattr(piece, name), dtype) for name, (dtype, _) in COLUMNS.items()}))


def _checked(arrays: Mapping[str, npt.NDArray[Any]]) -> Mapping[str, npt.NDArray[Any]]:
    """Return the arrays of a pairing. Raises DamagedFileError unless they can be those of games."""
    if not sound(arrays):
        raise DamagedFileError("The numbers are not those of any games.")
    return arrays


def _whole_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file; a last one that was cut off is left out. Raises DamagedFileError: it is no file."""
    if not file.exists():
        return
    try:
        opened = file.open("rb")
    except OSError as error:
        raise DamagedFileError(f"{file} cannot be read: {error.strerror}. Delete it to play its games anew.") from error
    with opened as stream:
        while line := stream.readline(LINE_LIMIT):
            if not line.endswith(b"\n") and not stream.read(1):
                return
            yield line
