"""cardai's own records: a header and one hand a line, each of which replays exactly from its line alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from cardai.arena.records import header_line, record_line, stream_lines
from cardai.core.format import Format, HandStream, Record, Written
from cardai.core.hookspecs import hookimpl


@frozen
class RecordFormat(Format):
    """What ``cardai run --record`` writes: JSON lines, the header first."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if line.startswith("{")), None)

    def read(self, lines: Iterator[str], name: str) -> HandStream:
        header, coming = stream_lines(lines, name)
        hands = (item for item, _ in coming if isinstance(item, str) or not item.get("unfinished"))
        return HandStream(name, header["game"], list(header.get("agents", ())), hands)

    def write(self, header: Mapping[str, Any], hands: Sequence[Record]) -> Written:
        lines = [header_line(header), *map(record_line, hands)]
        return Written(b"".join(lines).decode(), len(hands))


@hookimpl
def cardai_format() -> type[Format]:
    return RecordFormat
