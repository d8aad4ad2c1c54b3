"""Other people's wires and files: the competition's (ACPC), Slumbot's dialect, PHH; and one door for reading hands."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from cardai.arena.records import RecordFile
    from cardai.formats.acpc.gamedef import GameDef
    from cardai.formats.acpc.logs import Log

Kind = Literal["record", "acpc", "slumbot", "phh"]
PEEKED = 50
"""Lines that are looked at to tell what a file is: its first ones may be damaged."""
_PHH = re.compile(r"\s*(\[[^\[\]]{1,60}\]\s*(#.*)?$|[a-z_]{2,30}\s*=)")


def read_hands(source: str | Path | IO[str], game: GameDef | None = None) -> RecordFile:
    """Return the hands of a file as records, whatever its format: cardai's own, an ACPC log, Slumbot's dialect, PHH.

    ``source`` is a path ("-": standard input) or an open text stream; ``game`` is needed only for logs of games that
    cardai does not ship. What cannot be read is in ``damaged``.

    Raises:
        UsageError: there is no such file, or cardai has no such game. DamagedFileError: it is empty, or none of these
            formats. PluginError: PHH, and PokerKit is not installed.
    """
    from cardai.arena import records
    from cardai.formats.acpc.records import log_to_records

    with _opened(source) as (name, stream):
        kind, lines = _peek(name, stream)
        if kind == "record":
            return records.read_lines(lines, name)
        return log_to_records(_log(kind, lines, game), name)


def read_log(source: str | Path | IO[str], game: GameDef | None = None) -> Log:
    """Return the hands of a file as an ACPC log, whatever its format (see :func:`read_hands`)."""
    from cardai.arena import records
    from cardai.formats.acpc.records import records_to_log

    with _opened(source) as (name, stream):
        kind, lines = _peek(name, stream)
        if kind == "record":
            return records_to_log(records.read_lines(lines, name))
        return _log(kind, lines, game)


def _log(kind: Kind, lines: Iterator[str], game: GameDef | None) -> Log:
    from cardai.formats import phh, slumbot
    from cardai.formats.acpc import logs

    if kind == "slumbot":
        return slumbot.read_log(lines)
    if kind == "phh":
        return phh.read_log(lines, game)
    log = logs.read_log(lines)
    log.definition = game
    return log


def _peek(name: str, stream: IO[str]) -> tuple[Kind, Iterator[str]]:
    """Return what a file is, by the first line that tells, and all its lines.

    Raises:
        DamagedFileError: it is empty.
    """
    from cardai.core.errors import DamagedFileError
    from cardai.core.files import limited_lines

    lines = limited_lines(stream)
    seen = list(itertools.islice(lines, PEEKED))
    if not any(line.strip() for line in seen):
        raise DamagedFileError(f"{name} is empty: there are no hands in it.")
    kinds = (kind for kind in map(_kind, seen) if kind is not None)
    comments = any(line.startswith(("#", ";")) for line in seen)  # a log whose match has only begun
    return next(kinds, "acpc" if comments else "record"), itertools.chain(seen, lines)


def _kind(line: str) -> Kind | None:
    """Return which format a line can only be of, if it tells."""
    from cardai.formats import slumbot

    if line.startswith("{"):
        return "record"
    if line.startswith(("STATE:", "SCORE:")):
        return "acpc"
    if slumbot.is_line(line):
        return "slumbot"
    return "phh" if _PHH.match(line) else None


@contextmanager
def _opened(source: str | Path | IO[str]) -> Iterator[tuple[str, IO[str]]]:
    """Yield the name of a source for messages, and its text."""
    from cardai.arena.records import standard_input
    from cardai.core.errors import UsageError

    if not isinstance(source, (str, Path)):
        yield str(getattr(source, "name", "the input")), source
    elif str(source) == "-":
        yield "standard input", standard_input()
    else:
        try:
            stream = open(source, encoding="utf-8-sig", errors="replace", newline="\n")  # noqa: SIM115 (closed below)
        except FileNotFoundError:
            raise UsageError(
                f"There is no file {str(source)!r}. Give a record, an ACPC log, a PHH file, or - for standard input."
            ) from None
        except (OSError, ValueError) as error:  # ValueError: a name with a null byte
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"The file {str(source)!r} cannot be read: {why}.") from error
        with stream:
            yield str(source), stream
