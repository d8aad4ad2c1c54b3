"""Other people's wires and files: the competition's (ACPC), Slumbot's dialect, PHH; and one door for reading hands."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from cardai.arena.records import RecordFile
    from cardai.formats.acpc.gamedef import GameDef
    from cardai.formats.acpc.logs import Log


def read_hands(source: str | Path | IO[str], game: GameDef | None = None) -> RecordFile:
    """Return the hands of a file as records, whatever its format: cardai's own, an ACPC log, Slumbot's dialect.

    ``source`` is a path ("-": standard input) or an open text stream; ``game`` is needed only for logs of games that
    cardai does not ship. What cannot be read is in ``damaged``.

    Raises:
        UsageError: there is no such file, or cardai has no such game. DamagedFileError: it is none of these formats.
    """
    from cardai.arena import records
    from cardai.formats.acpc.records import log_to_records

    with _opened(source) as stream:
        first, lines = _peek(stream)
        if _is_log(first):
            return log_to_records(_log(first, lines, game), _name(source))
        return records.read(_Lines(lines, _name(source)))  # type: ignore[arg-type]


def read_log(source: str | Path | IO[str], game: GameDef | None = None) -> Log:
    """Return the hands of a file as an ACPC log, whatever its format (see :func:`read_hands`)."""
    from cardai.arena import records
    from cardai.formats.acpc.records import records_to_log

    with _opened(source) as stream:
        first, lines = _peek(stream)
        if _is_log(first):
            return _log(first, lines, game)
        return records_to_log(records.read(_Lines(lines, _name(source))))  # type: ignore[arg-type]


def _log(first: str, lines: Iterator[str], game: GameDef | None) -> Log:
    from cardai.formats import slumbot
    from cardai.formats.acpc import logs

    if slumbot.is_line(first):
        return slumbot.read_log(lines)
    log = logs.read_log(lines)
    log.definition = game
    return log


def _is_log(first: str) -> bool:
    from cardai.formats import slumbot

    return first.startswith(("STATE:", "SCORE:", "#", ";")) or slumbot.is_line(first)


def _peek(stream: IO[str]) -> tuple[str, Iterator[str]]:
    """Return the first line that is not empty, and all lines."""
    seen = []
    for line in stream:
        seen.append(line)
        if line.strip():
            return line, itertools.chain(seen, stream)
    return "", iter(seen)


@contextmanager
def _opened(source: str | Path | IO[str]) -> Iterator[IO[str]]:
    from cardai.core.errors import UsageError

    if not isinstance(source, (str, Path)):
        yield source
    elif str(source) == "-":
        yield sys.stdin
    else:
        path = Path(source)
        if not path.is_file():
            raise UsageError(f"There is no file {str(source)!r}. Give a record, an ACPC log, or - for standard input.")
        with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield file


def _name(source: str | Path | IO[str]) -> str:
    return str(source) if isinstance(source, (str, Path)) else str(getattr(source, "name", "the input"))


class _Lines:
    """Lines as the record reader takes them: an iterable with a name."""

    def __init__(self, lines: Iterator[str], name: str) -> None:
        self._lines = lines
        self.name = name

    def __iter__(self) -> Iterator[str]:
        return self._lines
