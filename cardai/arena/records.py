"""Records: finished hands as JSON lines, a header first. Every hand replays exactly from its line alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from cardai.core.errors import DamagedFileError, IllegalActionError, UsageError
from cardai.core.game import Setup, Tables, pack_setups

FORMAT = 1
_NEEDED = ("seats", "seed", "setup", "deck", "actions", "returns")
Record = dict[str, Any]
"""One hand: game_number, hand, seats (the agent in each seat, an index into the header's agents), seed (of the deck),
setup (starter, score, stacks), deck (chance outcomes in order), actions, returns, outcome."""


@frozen
class RecordFile:
    """What was read: the header, the readable finished hands, and a message for each damaged line."""

    header: Mapping[str, Any]
    hands: list[Record]
    damaged: list[str] = field(factory=list)
    unfinished: Record | None = None
    """The hand in the last line, if the match stopped within it: it has no returns and no outcome."""


class RecordWriter:
    """Writes records to a file beside ``path`` and renames it when closed, also after Ctrl-C."""

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path = Path(path).absolute()  # whatever a plugin makes of the working directory
        if self.path.is_dir():
            raise UsageError(f"The record file {str(path)!r} is a directory. Give the name of a file.")
        self._beside = self.path.with_name(self.path.name + ".part")
        try:
            self._file = self._beside.open("w", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"The record file {str(path)!r} cannot be written: {error.strerror}.") from error
        self._file.write(header_line(header).decode())

    def write(self, records: Iterable[Record]) -> None:
        """Append hands."""
        for record in records:
            self._file.write(record_line(record).decode())
        self._file.flush()

    def close(self) -> None:
        """Put the file in its place."""
        self._file.close()
        os.replace(self._beside, self.path)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def header_line(header: Mapping[str, Any]) -> bytes:
    """Return a record's first line."""
    return record_line({"cardai": "record", "format": FORMAT, **header})


def record_line(record: Mapping[str, Any]) -> bytes:
    """Return a hand's line."""
    return (json.dumps(record, separators=(",", ":")) + "\n").encode()


def read(source: str | Path | IO[str]) -> RecordFile:
    """Read a record file ("-" reads standard input); damaged lines are reported by number and the rest is read.

    Raises:
        UsageError: there is no such file. DamagedFileError: it does not begin with a record's header.
    """
    if isinstance(source, (str, Path)):
        if str(source) == "-":
            return read(sys.stdin)
        try:
            with open(source, encoding="utf-8", errors="replace") as file:
                return read(file)
        except OSError as error:
            raise UsageError(f"The record file {str(source)!r} cannot be read: {error.strerror}.") from error
    lines = iter(source)
    name = getattr(source, "name", "the input")
    header = _parse(next(lines, ""))
    if header is None or header.get("cardai") != "record":
        raise DamagedFileError(f"{name} is no record of cardai: its first line is not a record's header.")
    if header.get("format") != FORMAT:
        raise DamagedFileError(f"{name} has record format {header.get('format')}; this version reads {FORMAT}.")
    hands: list[Record] = []
    damaged: list[str] = []
    unfinished: Record | None = None
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        record = _parse(line)
        open_hand = record is not None and record.get("unfinished") is True
        needed = _NEEDED[:-1] if open_hand else _NEEDED
        missing = [key for key in needed if key not in (record or {})]
        if record is None or not line.endswith("\n"):
            damaged.append(f"{name}, line {number}: truncated or not JSON; the line was left out.")
        elif missing:
            damaged.append(f"{name}, line {number}: lacks {', '.join(missing)}; the line was left out.")
        elif open_hand:
            unfinished = record
        else:
            hands.append(record)
    return RecordFile(header, hands, damaged, unfinished)


def _parse(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def as_damage(record: Record) -> Iterator[None]:
    """Make of whatever goes wrong inside a DamagedFileError that names the recorded hand."""
    try:
        yield
    except (IllegalActionError, TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        where = f"game {record.get('game_number')}, hand {record.get('hand')}"
        raise DamagedFileError(f"The record of {where} cannot be replayed as this game: {error}") from error


def place(tables: Tables, record: Record) -> npt.NDArray[Any]:
    """Put a recorded hand's beginning on the first of ``tables`` and return its setup, (1,) of ``setup_dtype``."""
    setup, seats = record["setup"], tables.game.num_players
    start = Setup(int(setup["starter"]), int(record.get("hand", 0)), tuple(setup["score"]), tuple(setup["stacks"]))
    packed = pack_setups(seats, [start])
    tables.reset(np.array([record["seed"]], np.uint64), [record["deck"]], np.zeros(1, np.int64), packed)
    return packed
