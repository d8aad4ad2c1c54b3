"""Other people's wires and files, a plugin kind: the competition's (ACPC), Slumbot's dialect, PHH, poker rooms' hand histories."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from cardai.arena.records import RecordFile
    from cardai.core.format import Format, HandStream
    from cardai.formats.acpc.gamedef import GameDef
    from cardai.formats.acpc.logs import Log

PEEKED = 50
"""Lines that are looked at to tell what a file is: its first ones may be damaged."""


def read_hands(source: str | Path | IO[str], game: GameDef | None = None) -> RecordFile:
    """Return the hands of a file as records, whatever its format: cardai's own, or what a format plugin reads.

    ``source`` is a path ("-": standard input) or an open text stream; ``game`` is needed only for logs of games that
    cardai does not ship. What cannot be read is in ``damaged``.

    Raises:
        UsageError: there is no such file, or cardai has no such game. DamagedFileError: it is empty, or of no format
            that is installed.
    """
    from cardai.arena import records
    from cardai.formats.acpc.records import log_to_records
    from cardai.formats.log_format import LogFormat
    from cardai.formats.record import RecordFormat

    with opened(source) as (name, stream):
        found, lines = peek(name, stream)
        if isinstance(found, RecordFormat):
            return records.read_lines(lines, name)
        if not isinstance(found, LogFormat):
            return _collected(_with_skipped(found.read(lines, name), stream))
        if found.one_game:
            return log_to_records(found.read_log(lines, game), name)
        return _collected(_with_skipped(found.read(lines, name, game), stream))


def read_log(source: str | Path | IO[str], game: GameDef | None = None) -> Log:
    """Return the hands of a file as an ACPC log, whatever its format (see :func:`read_hands`)."""
    from cardai.arena import records
    from cardai.formats.acpc.records import records_to_log
    from cardai.formats.log_format import LogFormat
    from cardai.formats.record import RecordFormat

    with opened(source) as (name, stream):
        found, lines = peek(name, stream)
        if isinstance(found, LogFormat):
            return found.read_log(lines, game)
        if isinstance(found, RecordFormat):
            return records_to_log(records.read_lines(lines, name))
        return records_to_log(_collected(found.read(lines, name)))


@contextmanager
def stream_hands(source: str | Path | IO[str], game: GameDef | None = None) -> Iterator[HandStream]:
    """Open a file of hands, whatever its format, to read them one at a time; what a format reads whole is read whole.

    Raises:
        UsageError, DamagedFileError, PluginError: as :func:`read_hands` does.
    """
    from cardai.formats.log_format import LogFormat

    with opened(source) as (name, stream):
        found, lines = peek(name, stream)
        held = found.read(lines, name, game) if isinstance(found, LogFormat) else found.read(lines, name)
        yield _with_skipped(held, stream)


def _with_skipped(held: HandStream, stream: IO[str]) -> HandStream:
    """Return hands with sentences behind them on the files of a folder that are none of hands."""
    from cardai.formats.folders import skipped

    held.hands = itertools.chain(held.hands, skipped(stream))
    return held


def _collected(stream: HandStream) -> RecordFile:
    """Return a stream's hands as a whole file."""
    from cardai.arena.records import FORMAT, RecordFile

    hands: list[dict[str, Any]] = []
    left_out: list[str] = []
    for item in stream.hands:
        if isinstance(item, str):
            left_out.append(item)
        else:
            hands.append(item)
    header = {"cardai": "record", "format": FORMAT, "game": stream.game, "agents": stream.agents}
    return RecordFile({**header, "seed": 0, "duplicate": False}, hands, left_out)


def peek(name: str, stream: IO[str]) -> tuple[Format, Iterator[str]]:
    """Return a file's format, by the first line that tells, and all its lines.

    Raises:
        DamagedFileError: it is empty, or of no format that is installed.
    """
    from cardai.core import registry
    from cardai.core.errors import DamagedFileError
    from cardai.core.files import limited_lines

    lines = limited_lines(stream)
    seen = list(itertools.islice(lines, PEEKED))
    if not any(line.strip() for line in seen):
        raise DamagedFileError(f"{name} is empty: there are no hands in it.")
    kind = told_by(seen)
    if not kind:
        raise DamagedFileError(_unknown(name, seen))
    return registry.create("format", kind), itertools.chain(seen, lines)


def told_by(lines: list[str], formats: Mapping[str, Format] | None = None) -> str:
    """Return which of ``formats`` (all) knows the earliest of a file's first ``lines`` as its own, "" if none does."""
    if places := dict(_told(lines, all_formats() if formats is None else formats)):
        return min(places, key=lambda named: places[named])
    if next((line.lstrip().startswith("{") for line in lines if line.strip()), False):
        return "record"  # a damaged one
    begun = [line for line in lines if line.strip()]
    return (
        "acpc" if begun and all(line.startswith(("#", ";")) for line in begun) else ""
    )  # a log whose match has only begun


def _kind(lines: list[str], formats: Mapping[str, Format]) -> tuple[str, str]:
    """Return what format a file's first ``lines`` are of, "rooms" for any room's (several may stand in one text), and what parts
    two such files."""
    from cardai.formats.rooms.room_format import RoomFormat

    name = told_by(lines, formats)
    found = formats.get(name)
    return "rooms" if isinstance(found, RoomFormat) else name, "" if found is None else found.parting


def _unknown(name: str, lines: list[str]) -> str:
    """Return in words that a file is in no format, with what was looked for."""
    from cardai.core import registry
    from cardai.core.errors import CardaiError

    looked = []
    for entry in registry.entries("format"):
        with suppress(CardaiError):
            said = (type(registry.create("format", entry.name)).__doc__ or "").strip().partition("\n")[0]
            looked.append(f"{entry.name} ({said.rstrip('.').replace('``', '')})" if said else entry.name)
    text = "".join(lines)
    room = next((room for room in ("PokerStars", "Winamax", "PartyPoker", "GGPoker") if room in text), "")
    other = (
        f" It names {room}: hands are read in English (in which language they are written its client can be told)."
        if room
        else ""
    )
    return (
        f"{name} is no record of cardai, nor of another format that is known: none of its first {PEEKED} lines begins as theirs "
        f"do. Looked for: {', '.join(looked)}.{other}"
    )


def all_formats() -> dict[str, Format]:
    """Return the formats that are installed, by name; a plugin that is broken spoils no other."""
    from cardai.core import registry
    from cardai.core.errors import CardaiError

    found = {}
    for entry in registry.entries("format"):
        with suppress(CardaiError):
            found[entry.name] = registry.create("format", entry.name)
    return found


def _told(lines: list[str], formats: Mapping[str, Format]) -> Iterator[tuple[str, int]]:
    """Yield the formats that know one of ``lines`` as theirs, with its place; a plugin that is broken spoils no other."""
    from cardai.core.errors import CardaiError
    from cardai.core.loading import plugin_code

    for name, one in formats.items():
        with suppress(CardaiError), plugin_code(str):
            place = one.detect(lines)
            if place is not None:
                yield name, place


def endings() -> dict[str, str]:
    """Return how names of files of hands end, each with the format whose files do; a broken plugin spoils no other."""
    return {ending: name for name, one in all_formats().items() for ending in one.suffixes}


@contextmanager
def opened(source: str | Path | IO[str]) -> Iterator[tuple[str, IO[str]]]:
    """Yield the name of a source for messages, and its text; of a folder or a zip archive, that of all its files of hands.

    Raises:
        UsageError: there is no such file. DamagedFileError: a folder or an archive with no file of hands.
    """
    from cardai.core.errors import UsageError
    from cardai.formats.encodings import standard_text

    if not isinstance(source, (str, Path)):
        yield str(getattr(source, "name", "the input")), source
    elif str(source) == "-":
        yield "standard input", standard_text()
    else:
        try:
            stream = _text(source)
        except FileNotFoundError:
            raise UsageError(
                f"There is no file {str(source)!r}. Give a record, a log or a hand history, or - for standard input."
            ) from None
        except (OSError, ValueError) as error:  # ValueError: a name with a null byte
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"The file {str(source)!r} cannot be read: {why}.") from error
        with stream:
            yield str(source), stream


def _text(source: str | Path) -> IO[str]:
    """Return the text of a file, of a folder or of a zip archive. Raises DamagedFileError, OSError, ValueError."""
    from cardai.formats.encodings import text_of
    from cardai.formats.folders import ZIP, Joined

    if Path(source).is_dir():
        return cast(IO[str], Joined(Path(source), partial(_kind, formats=all_formats()), PEEKED))
    file = open(source, "rb")  # noqa: SIM115 (closed with its text)
    if file.peek(4)[:4] == ZIP:
        file.close()
        return cast(IO[str], Joined(Path(source), partial(_kind, formats=all_formats()), PEEKED))
    return text_of(file)
