"""Records: finished hands as JSON lines, a header first. Every hand replays exactly from its line alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from attrs import field, frozen

from cardai.core.errors import DamagedFileError, IllegalActionError, UsageError
from cardai.core.game import Game, Setup, Tables, pack_setups

FORMAT = 1
Record = dict[str, Any]
"""One hand: game_number, hand, seats (the agent in each seat, an index into the header's agents), seed (of the deck),
setup (starter, score, stacks), deck (chance outcomes in order), actions, returns, outcome."""


@frozen
class RecordFile:
    """What was read: the header, the readable hands, and a message for each damaged line."""

    header: Mapping[str, Any]
    hands: list[Record]
    damaged: list[str] = field(factory=list)


class RecordWriter:
    """Writes records to a file beside ``path`` and renames it when closed, also after Ctrl-C."""

    def __init__(self, path: str | Path, header: Mapping[str, Any]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise UsageError(f"The record file {str(path)!r} is a directory. Give the name of a file.")
        self._beside = self.path.with_name(self.path.name + ".part")
        try:
            self._file = self._beside.open("w", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"The record file {str(path)!r} cannot be written: {error.strerror}.") from error
        self._file.write(_line({"cardai": "record", "format": FORMAT, **header}))

    def write(self, records: Iterable[Record]) -> None:
        """Append hands."""
        for record in records:
            self._file.write(_line(record))
        self._file.flush()

    def close(self) -> None:
        """Put the file in its place."""
        self._file.close()
        os.replace(self._beside, self.path)

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


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
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        record = _parse(line)
        missing = [key for key in ("seats", "seed", "setup", "deck", "actions", "returns") if key not in (record or {})]
        if record is None or not line.endswith("\n"):
            damaged.append(f"{name}, line {number}: truncated or not JSON; the line was left out.")
        elif missing:
            damaged.append(f"{name}, line {number}: lacks {', '.join(missing)}; the line was left out.")
        else:
            hands.append(record)
    return RecordFile(header, hands, damaged)


def _parse(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def replay(game: Game, record: Record) -> Iterator[tuple[Tables, int]]:
    """Yield (tables of one hand, the action about to be played) before each decision, at last with action -1.

    The same Tables object is yielded each time, one action further.

    Raises:
        DamagedFileError: the hand cannot be replayed, naming the action that does not fit.
    """
    setup = record["setup"]
    tables = game.tables(1)
    row = np.zeros(1, np.int64)
    try:
        start = Setup(int(setup["starter"]), int(record.get("hand", 0)), tuple(setup["score"]), tuple(setup["stacks"]))
        tables.reset(
            np.array([record["seed"]], np.uint64), [record["deck"]], row, pack_setups(game.num_players, [start])
        )
        for action in record["actions"]:
            yield tables, int(action)
            tables.apply(row, np.array([action], np.int64))
    except (IllegalActionError, TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        where = f"game {record.get('game_number')}, hand {record.get('hand')}"
        raise DamagedFileError(f"The record of {where} cannot be replayed as this game: {error}") from error
    yield tables, -1
