"""Hands of any file as records, one at a time: for files that are too long to be held at once."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import define, field

from cardai.core.errors import UsageError
from cardai.formats import _log, _opened, _peek

if TYPE_CHECKING:
    from cardai.arena.records import Record
    from cardai.formats.acpc.gamedef import GameDef
    from cardai.formats.acpc.logs import Log, LogHand, Problem

_LOOKED_AT = 1000  # hands and bad lines of a log in which nobody has raised, before its game is guessed
_SLUMBOT_LINES = 1000  # read at a time


@define
class HandStream:
    """The hands of a file as they are read. ``game`` is the spec of the game that was played.

    ``agents`` names the players; the seats of each record are indices into it. Names of a log are added as they come up.
    Each of ``hands`` is a record, or a sentence on what could not be read.
    """

    name: str
    game: str
    agents: list[str]
    hands: Iterator[Record | str] = field(repr=False)


@contextmanager
def stream_hands(source: str | Path | IO[str], game: GameDef | None = None) -> Iterator[HandStream]:
    """Open a file of hands, whatever its format (see :func:`~cardai.formats.read_hands`); PHH is read whole.

    Raises:
        UsageError, DamagedFileError, PluginError: as :func:`~cardai.formats.read_hands` does.
    """
    from cardai.arena import records
    from cardai.formats.acpc.games import game_map
    from cardai.formats.acpc.records import stream_records

    with _opened(source) as (name, stream):
        kind, lines = _peek(name, stream)
        if kind == "record":
            header, coming = records.stream_lines(lines, name)
            yield HandStream(name, header["game"], list(header.get("agents", ())), _finished(coming))
            return
        if kind == "acpc":
            definition, items = _acpc(lines, game)
        else:
            parts = _slumbot_parts(lines, game) if kind == "slumbot" else iter([_log(kind, lines, game)])
            first = next(parts)
            definition = first.game()
            items = (item for log in itertools.chain([first], parts) for item in (*log.problems, *log.hands))
        mapped, agents = game_map(definition), list[str]()
        yield HandStream(name, mapped.spec, agents, stream_records(mapped, items, agents, name))


def sources(path: str) -> list[str]:
    """Return the files of hands that ``path`` names: itself, or those in the directory and below it, in order of names.

    Raises:
        UsageError: it is a directory with none.
    """
    from cardai.core.files import unfinished

    if not os.path.isdir(path):
        return [path]
    endings = (".log", ".jsonl", ".phh", ".phhs", ".slumbot")
    found = [str(file) for file in sorted(Path(path).rglob("*")) if file.suffix in endings and not unfinished(file)]
    if not found:
        raise UsageError(f"The directory {path!r} has no files of hands ({', '.join(endings)}) in it.")
    return found


def _finished(coming: Iterable[tuple[Record | str, bool]]) -> Iterator[Record | str]:
    return (item for item, _ in coming if isinstance(item, str) or not item.get("unfinished"))


def _acpc(lines: Iterator[str], game: GameDef | None) -> tuple[GameDef, Iterator[LogHand | Problem]]:
    """Return the game of a log, by its comments and the first hand with a raise, and all of its hands and problems."""
    from cardai.formats.acpc.logs import LogHand, Problem, game_of, iter_log

    held: list[LogHand | Problem] = []
    comments: list[str] = []
    first: LogHand | None = None
    items = iter_log(lines)
    for item in items:
        if isinstance(item, str):
            comments.append(item)
        elif isinstance(item, (LogHand, Problem)):
            held.append(item)
            if isinstance(item, LogHand) and (first is None or item.raised):
                first = item
            if len(held) >= _LOOKED_AT or (first is not None and first.raised):
                break
    rest = (item for item in items if isinstance(item, (LogHand, Problem)))
    return game or game_of(comments, first), itertools.chain(held, rest)


def _slumbot_parts(lines: Iterator[str], game: GameDef | None) -> Iterator[Log]:
    """Yield logs of some lines each; at least one."""
    from cardai.formats import slumbot
    from cardai.formats.acpc.logs import Problem

    begun = 0
    while (part := list(itertools.islice(lines, _SLUMBOT_LINES))) or not begun:
        log = slumbot.read_log(part)
        log.problems = [Problem(problem.line + begun, problem.why) for problem in log.problems]
        yield log
        begun += len(part) or 1
