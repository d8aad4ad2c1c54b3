"""Formats that are the competition's logs in other words: read and written through :class:`~cardai.formats.acpc.logs.Log`."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from cardai.arena.records import FORMAT, RecordFile
from cardai.core.format import Format, HandStream, Record, Written
from cardai.formats.acpc.gamedef import GameDef
from cardai.formats.acpc.games import game_map
from cardai.formats.acpc.logs import Log, LogHand, Problem
from cardai.formats.acpc.records import records_to_log, stream_records


def differ(hands: Iterable[Record]) -> bool:
    """Whether some of ``hands`` have a game (rooms' hands) or stacks of their own (cash matches), for which a log has no words."""
    return any(record.get("game") or record["setup"]["stacks"] for record in hands)


class LogFormat(Format):
    """A format of which nothing is lost on the way through a log."""

    one_game: ClassVar[bool] = True
    """Whether all hands of a file are of one game with equal stacks."""

    @abstractmethod
    def read_log(self, lines: Iterable[str], game: GameDef | None = None) -> Log:
        """Return the hands in a file's lines as a log; ``game`` says which game it is where the file does not."""

    @abstractmethod
    def write_log(self, log: Log) -> Written:
        """Return a log as such a file. Raises UsageError where the format has no way to say its game."""

    def parts(self, lines: Iterator[str], game: GameDef | None) -> Iterator[Log]:
        """Yield the file as logs, at least one: of some lines each where it can be read so, else of all."""
        yield self.read_log(lines, game)

    def read(self, lines: Iterator[str], name: str, game: GameDef | None = None) -> HandStream:
        return self.streamed(self.parts(lines, game), name)

    def streamed(self, logs: Iterator[Log], name: str) -> HandStream:
        """Return the hands of the logs that a file is read as. Raises DamagedFileError: they do not say their game."""
        first = next(logs)
        items: Iterator[LogHand | Problem] = (
            item for log in itertools.chain([first], logs) for item in (*log.problems, *log.hands)
        )
        mapped, agents = game_map(first.game()), list[str]()
        return HandStream(name, mapped.spec, agents, stream_records(mapped, items, agents, name))

    def write(self, header: Mapping[str, Any], hands: Sequence[Record]) -> Written:
        return self.write_log(
            records_to_log(RecordFile({"cardai": "record", "format": FORMAT, **header}, [*map(dict, hands)]))
        )
