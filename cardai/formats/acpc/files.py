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
from cardai.formats.acpc.logs import Log, LogHand, Problem, game_of, iter_log, read_log
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
        return HandStream(name, mapped.spec, agents, stream_records(mapped, items, agents, name))


def _begun(lines: Iterator[str], game: GameDef | None) -> tuple[GameDef, Iterator[LogHand | Problem]]:
    """Return the game of a log, by its comments and the first hand with a raise, and all of its hands and problems."""
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


@hookimpl
def cardai_format() -> type[Format]:
    return Acpc
