"""The record of a table in play, on the disk after every move, so that nothing is lost whatever ends the process.

It lies beside the record's name: the header, the finished hands, and last the unfinished one, which is written anew
after every move. When the table is closed, all of it is put in the record's place.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardai.arena.records import Record, RecordWriter, allow_header, header_line, record_line
from cardai.core.errors import UsageError
from cardai.core.files import STANDARD, naming, replaced, write_atomically

ENDING = ".open"


def journal_of(path: str | Path) -> Path:
    """Return the file that holds the record at ``path``: what a process that was killed left beside it, or itself."""
    whole = Path(os.path.realpath(path))
    beside = whole.with_name(whole.name + ENDING)
    return beside if beside.is_file() else Path(path)


class Journal:
    """Keeps the record of one table.

    ``again`` takes up the journal of a table that was killed; without, there must be none.

    Raises:
        UsageError: the file cannot be written, or there is an unfinished match of that name.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any], again: bool = False) -> None:
        called = f"The record file {str(path)!r}"
        whole = None if str(path) in STANDARD else replaced(Path(path), called)
        if whole is None:
            raise UsageError(f"{called} is written again after every move: give a file, not a pipe or a device.")
        self.path = whole
        self._header = header
        self._beside = self.path.with_name(self.path.name + ENDING)
        self._kept = 0  # finished hands in the file
        if os.path.lexists(self._beside) and not again:
            raise UsageError(
                f"{self._beside} holds a match that was not finished. Go on with it by --resume, or delete the file."
            )
        line = header_line(header)
        allow_header(self._beside, header)
        write_atomically(self._beside, line)  # an older one stays until this one is whole
        self._tail = len(line)  # where the unfinished hand begins
        self._closed = False

    def keep(self, records: Sequence[Record], unfinished: Record | None) -> None:
        """Write the finished hands that are new, and the unfinished one."""
        finished = b"".join(record_line(record) for record in records[self._kept :])
        last = b"" if unfinished is None else record_line({**unfinished, "unfinished": True})
        with naming(f"The file {self._beside}"), self._beside.open("r+b") as file:
            file.seek(self._tail)
            file.write(finished + last)
            file.truncate()
        self._kept = len(records)
        self._tail += len(finished)

    def close(self, records: Sequence[Record], unfinished: Record | None) -> None:
        """Put the record in its place."""
        if self._closed:
            return
        self._closed = True
        with RecordWriter(self.path, self._header) as writer:
            writer.write(records)
            if unfinished is not None:
                writer.write([{**unfinished, "unfinished": True}])
        self._beside.unlink(missing_ok=True)

    def discard(self) -> None:
        """Leave nothing behind, and the record of that name as it was."""
        self._closed = True
        self._beside.unlink(missing_ok=True)
