"""Where the records of a match go while it is played: into its file, and to watchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from types import TracebackType
from typing import Self

from cardai.arena.lockstep import Part
from cardai.arena.records import Record, RecordWriter
from cardai.core import registry


class RecordSink:
    """Hands records on in game order: to the file and to the watchers. What waits behind a gap goes out at the end."""

    def __init__(self, writer: RecordWriter | None) -> None:
        self._writer = writer
        self._watchers = registry.watchers()
        self._waiting: dict[int, list[Record]] = {}
        self._next = 0

    def take(self, part: Part, groups: Sequence[int]) -> None:
        if self._writer is None and self._watchers is None:
            return
        for record in part.records:
            self._waiting.setdefault(record["group"], []).append(record)
        ready = []
        while self._next < len(groups) and groups[self._next] in self._waiting:
            ready += self._ordered(self._waiting.pop(groups[self._next]))
            self._next += 1
        self._out(ready)

    def _ordered(self, records: Iterable[Record]) -> list[Record]:
        return sorted(records, key=lambda r: (r["game_number"], r["hand"]))

    def _out(self, records: list[Record]) -> None:
        if not records:
            return
        if self._writer:
            self._writer.write(records)
        if self._watchers:
            self._watchers.hook.cardai_hands_finished(records=records)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Hand on what waits, unless the match failed: then an older record stays as it was."""
        with self._writer or nullcontext():
            if error is not None and not isinstance(error, KeyboardInterrupt):
                raise error
            for group in sorted(self._waiting):
                self._out(self._ordered(self._waiting[group]))
            if error is not None:
                raise error
