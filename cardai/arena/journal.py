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
from cardai.core.files import STANDARD, naming, refuse_link, remove_unfinished, replaced, write_atomically

ENDING = ".open"


def journal_of(path: str | Path) -> Path:
    """Return the file that holds the record at ``path``: what a process that was killed left beside it, or itself."""
    journal = beside(Path(os.path.realpath(path)))
    return journal if os.path.isfile(journal) else Path(path)


def kept_in(folder: Path) -> list[tuple[Path, Path]]:
    """Return the records in ``folder``, by their names from the last to the first, each with the file that holds it as
    :func:`journal_of` says: also of matches that are being played, or whose process was killed."""
    found = {path: path for path in folder.glob("*.jsonl")}
    open_ = [file for file in folder.glob(f"*.jsonl{ENDING}") if file.is_file()]
    found |= {file.with_name(file.name.removesuffix(ENDING)): file for file in open_}
    return sorted(found.items(), key=lambda held: held[0].name, reverse=True)


def beside(path: Path) -> Path:
    """Return the file in which the record at ``path`` is kept until it is put in its place.

    Raises:
        DamagedFileError: it is a link, or a pipe: whoever gave you the record may not say what is written where.
    """
    journal = path.with_name(path.name + ENDING)
    refuse_link(journal)
    return journal


def kept_at(path: str | Path) -> Path | None:
    """Return the file that a record at ``path`` is put in place of, links followed; None: standard output, a pipe, a device.

    Raises:
        UsageError: ``path`` is a directory, a disk or a socket, or cannot be looked at.
    """
    called = f"The record file {str(path)!r}"
    try:
        return None if str(path) in STANDARD else replaced(Path(path), called)
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise UsageError(f"{called} cannot be written: {getattr(error, 'strerror', None) or error}.") from error


def check_same(path: str | Path, held: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise UsageError unless the header ``held`` by the record at ``path`` says what is ``asked`` for, and its runs are as they were."""
    for key, value in asked.items():
        if key != "steps" and held.get(key) != value:
            raise UsageError(f"{path} holds a match with the {key} {held.get(key)!r}. Got {value!r}.")
    check_steps(path, asked.get("agents", ()), held.get("steps"), asked.get("steps", ()))


def check_steps(path: str | Path, names: Sequence[str], held: object, now: Sequence[int]) -> None:
    """Raise UsageError where a run among the players ``names`` has been trained since it played what is at ``path``.

    ``held`` are the steps that it was at (what a file says, if it does), ``now`` those that it is at; -1: no run's.
    """
    for name, then, today in zip(names, held if isinstance(held, list | tuple) else (), now, strict=False):
        if isinstance(then, int) and 0 <= then != today:
            raise UsageError(
                f"{path} was played by {name} at step {then:,}, and {name} is at step {today:,} now, which is another player. "
                "Delete it, or give another place, to play it anew."
            )


class Journal:
    """Keeps the record of one table.

    ``again`` takes up the journal of a table that was killed; without, there must be none.

    Raises:
        UsageError: the file cannot be written, or there is an unfinished match of that name.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any], again: bool = False) -> None:
        whole = kept_at(path)
        if whole is None:
            raise UsageError(
                f"The record file {str(path)!r} is written again after every move: give a file, not a pipe or a device."
            )
        self.path = whole
        self._header = header
        self._beside = beside(self.path)
        self._kept = 0  # finished hands in the file
        if os.path.lexists(self._beside) and not again:
            raise UsageError(
                f"{self._beside} holds a match that was not finished. Go on with it by --resume, or delete the file."
            )
        line = header_line(header)
        allow_header(self._beside, header)
        write_atomically(self._beside, line)  # an older one stays until this one is whole
        for left in (self.path, self._beside):
            remove_unfinished(left.parent, left.name)
        self._tail = len(line)  # where the unfinished hand begins
        self._closed = False

    def keep(self, records: Sequence[Record], unfinished: Record | None) -> None:
        """Write the finished hands that are new, and the unfinished one."""
        finished = b"".join(record_line(record) for record in records[self._kept :])
        last = b"" if unfinished is None else record_line({**unfinished, "unfinished": True})
        with naming(f"The file {self._beside}"), self._beside.open("r+b", buffering=0) as file:
            over = file.seek(0, os.SEEK_END) - self._tail - len(finished + last)
            file.seek(self._tail)
            text = finished + last + b"\n" * over
            while text:  # at once: a process killed here leaves no half of an older hand; on a full disk it is less, then an error
                text = text[file.write(text) :]
            file.truncate(self._tail + len(finished + last))
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
