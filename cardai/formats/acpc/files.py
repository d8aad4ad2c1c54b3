"""The poker competition's logs (ACPC): one line a hand, by position; limit and no-limit games by their definitions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from attrs import frozen

from cardai.core.format import Format, HandStream, Written
from cardai.core.hookspecs import hookimpl
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.games import game_map
from cardai.formats.acpc.logs import Log, LogHand, Problem, game_of, iter_log, match_of, read_log
from cardai.formats.acpc.records import stream_records
from cardai.formats.log_format import LogFormat

_LOOKED_AT = 1000  # hands and bad lines of a log in which nobody has raised, before its game is guessed


@frozen
class Acpc(LogFormat):
    """The logs of the competition's dealer, ``STATE:hand:betting:cards:values:names``."""

    suffixes: ClassVar[tuple[str, ...]] = (".log",)

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if line.startswith(("STATE:", "SCORE:"))), None)

    def read_log(self, lines: Iterable[str], game: GameDef | None = None) -> Log:
        log = read_log(lines)
        log.definition = game
        return log

    def write_log(self, log: Log) -> Written:
        return Written("".join(log.lines()), len(log.hands), tuple(map(str, log.problems)))

    def read(self, lines: Iterator[str], name: str, game: GameDef | None = None) -> HandStream:
        definition, items = _begun(lines, game)
        mapped, agents = game_map(definition), list[str]()
        stream = HandStream(name, mapped.spec, agents, iter(()))
        stream.hands = stream_records(mapped, _of_matches(items, stream), agents, name)
        return stream


def _begun(lines: Iterator[str], game: GameDef | None) -> tuple[GameDef, Iterator[LogHand | Problem | str]]:
    """Return the game of a log, by its comments and the first hand with a raise, and all of its hands, problems, comments."""
    held: list[LogHand | Problem | str] = []
    found = 0
    first: LogHand | None = None
    items = (item for item in iter_log(lines) if isinstance(item, (LogHand, Problem, str)))
    for item in items:
        held.append(item)
        if isinstance(item, str):
            continue
        found += 1
        if isinstance(item, LogHand) and (first is None or item.raised):
            first = item
        if found >= _LOOKED_AT or (first is not None and first.raised):
            break
    comments = [item for item in held if isinstance(item, str)]
    return game or game_of(comments, first), itertools.chain(held, items)


def _of_matches(items: Iterator[LogHand | Problem | str], stream: HandStream) -> Iterator[LogHand | Problem]:
    """Yield hands and problems; the headers before them tell the ``stream`` of which match they are."""
    for item in items:
        if isinstance(item, str):
            stream.match = match_of(item) or stream.match
        else:
            yield item


@hookimpl
def cardai_format() -> type[Format]:
    return Acpc
