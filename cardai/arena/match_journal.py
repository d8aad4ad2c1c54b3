"""The record of a match of programs under way: group after group as they finish, in a file beside the record's name.

Nothing that is finished waits for anything else, so groups stand in the order in which they came. When the match is over,
the record is made of them, in theirs. Whatever ends the process, the match goes on from the groups that are whole in the
journal, or in the record of a match that was stopped; a line that was cut off costs its group alone.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from attrs import frozen

from cardai.arena.journal import beside, check_same
from cardai.arena.lockstep import LockStep, Part
from cardai.arena.record_lines import Hand
from cardai.arena.recorded import part_of
from cardai.arena.records import Record, allow_header, header_line, parsed_line, record_line
from cardai.arena.row_buffer import RowBuffer
from cardai.core.arrays import Int64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import LINE_LIMIT, Output, naming, remove_unfinished
from cardai.core.locks import hold
from cardai.core.schema import structure

_SYNC_SECONDS = 1.0  # between two times that what was written is put on the disk itself
_HANDS = 8192  # hands that are taken up at once, or more where one group has more


class MatchJournal:
    """Keeps the record of one match. As a context manager it puts the record in its place at the end, and after Ctrl-C
    what was finished; after an error the journal stays where it is if anything in it is finished.

    ``resume`` takes up the journal of a process that was killed, else the record of that name; where there is neither,
    the match begins.

    Raises:
        UsageError: the file cannot be written, there is an unfinished match of that name, another match, or another
            process plays it. DamagedFileError: what is to be taken up is no record.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], resume: bool = False) -> None:
        self.path, self.journal = path, beside(path)
        self._header = header
        self._spans = RowBuffer([("group", np.int64), ("at", np.int64), ("size", np.int64)])
        self._new = not self.journal.exists()  # and what is made here goes again if nothing comes of it
        self._open(resume)
        try:
            self._end = self._after_header()
        except BaseException:
            self._leave(self._new)
            raise
        self._synced = time.monotonic()
        for file in (self.journal, self.path):
            allow_header(file, header)

    def _open(self, resume: bool) -> None:
        """Open the journal: a new one, that of a killed process, or one made of the record."""
        played = f"The match of {self.path} is being played by another process. Wait for it, or stop it."
        if not self._new and not resume:
            with self.journal.open("r+b") as file:
                hold(file, played)
            raise UsageError(
                f"{self.journal} holds a match that was not finished. Go on with it by --resume, or delete the file."
            )
        if self._new and resume and self.path.is_file():
            with Output(self.journal, "The record file") as file, self.path.open("rb") as record:
                shutil.copyfileobj(record, file)
        try:
            self._file = self.journal.open("r+b" if self.journal.exists() else "x+b")
        except FileExistsError:  # made a moment ago
            raise UsageError(played) from None
        except OSError as error:
            raise UsageError(f"The record file {str(self.path)!r} cannot be written: {error.strerror}.") from error
        hold(self._file, played)
        for left in (self.path, self.journal):
            remove_unfinished(left.absolute().parent, left.name)

    def _after_header(self) -> int:
        """Return where the hands begin; write the header where there is none yet.

        Raises:
            UsageError: there is another match's. DamagedFileError: the first line is no header.
        """
        line = self._file.readline(LINE_LIMIT)
        if not line.endswith(b"\n"):  # a new journal, or one cut off at once
            self._cut(0)
            self._write(header_line(self._header))
            return self._file.tell()
        held = parsed_line(line.decode(errors="replace"))
        if held is None or held.get("cardai") != "record":
            file = self.path if self._new else self.journal  # a new one is a copy
            raise DamagedFileError(f"{file} is no record of cardai. Delete it to play the match anew.")
        check_same(self.path, held, self._header)
        return len(line)

    # -- taking up -------------------------------------------------------------------------------------------------

    def restore(self, engine: LockStep, groups: Sequence[int]) -> Iterator[Part]:
        """Yield the groups that are whole, each once, and cut off what is not at the end; ``groups`` are to be played.

        Raises:
            UsageError: there are others beyond them. DamagedFileError: there are hands of another game.
        """
        numbers = np.asarray(groups, np.int64)
        done = np.zeros(len(numbers), bool)
        for spans in self._blocks():
            found = np.array([span.group for span in spans])
            places = np.minimum(np.searchsorted(numbers, found), len(numbers) - 1)
            if beyond := found[numbers[places] != found].tolist():
                raise UsageError(
                    f"The match of {self.path} holds game {(max(beyond) + 1) * engine.group_size:,} already. "
                    f"{len(numbers) * engine.group_size:,} games are asked for: give as many or more."
                )
            new = [span for span, known in zip(spans, done[places], strict=True) if not known]
            try:
                part = part_of(engine, [span.hands for span in new])
            except DamagedFileError as error:
                raise DamagedFileError(f"{self.journal}: {error} Delete the file to play the match anew.") from error
            whole = set((part.games // engine.group_size).tolist())
            for span in (span for span in new if span.group in whole):
                self._note(span.group, span.at, span.size)
                self._end = max(self._end, span.at + span.size)
            done[places[np.isin(found, list(whole))]] = True
            yield part
        self._cut(self._end)

    @property
    def groups(self) -> Int64s:
        """The groups that are finished, (g,), in the order in which they came."""
        return np.array(self._spans.read()["group"])

    def _blocks(self) -> Iterator[list[_Span]]:
        """Yield what stands in the file by groups, some thousand hands at a time; of a group that comes again, the last."""
        waiting: dict[int, _Span] = {}
        hands = 0
        for group, lines in groupby(self._lines(), key=lambda line: -1 if line[2] is None else line[2].group):
            some = list(lines)
            if group < 0:
                continue
            waiting[group] = _Span(
                group, some[0][0], sum(size for _, size, _ in some), [hand for *_, hand in some if hand]
            )
            hands += len(some)
            if hands >= _HANDS:
                yield list(waiting.values())
                waiting, hands = {}, 0
        if waiting:
            yield list(waiting.values())

    def _lines(self) -> Iterator[tuple[int, int, Hand | None]]:
        """Yield where each line behind the header begins, its bytes, and its hand, None if it is damaged."""
        at = self._end
        self._file.seek(at)
        while line := self._file.readline(LINE_LIMIT):
            yield at, len(line), _hand_of(line)
            at += len(line)

    # -- keeping ---------------------------------------------------------------------------------------------------

    def keep(self, records: Sequence[Record]) -> None:
        """Write the hands of groups that are finished. Raises WriteError."""
        by_group: dict[int, list[Record]] = {}
        for record in records:
            by_group.setdefault(record["group"], []).append(record)
        written = []
        for group, hands in by_group.items():
            line = b"".join(map(record_line, sorted(hands, key=lambda r: (r["game_number"], r["hand"]))))
            self._note(group, self._end, len(line))
            self._end += len(line)
            written.append(line)
        self._write(b"".join(written))
        self._new &= not written
        if time.monotonic() > self._synced + _SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _note(self, group: int, at: int, size: int) -> None:
        self._spans.append(np.array([(group, at, size)], self._spans.dtype))

    def _write(self, data: bytes) -> None:
        with naming(f"The file {self.journal}"):
            self._file.write(data)
            self._file.flush()

    def _cut(self, size: int) -> None:
        """Leave the first ``size`` bytes, and write behind them from here on."""
        with naming(f"The file {self.journal}"):
            self._file.seek(size)
            self._file.truncate()

    # -- the end ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Put the record in its place, groups in order."""
        with Output(self.path, "The record file") as record:
            record.write(header_line(self._header))
            spans = self._spans.read()
            for span in spans[np.argsort(spans["group"], kind="stable")]:
                self._file.seek(span["at"])
                record.write(self._file.read(span["size"]))
        self._leave(True)

    def _leave(self, gone: bool) -> None:
        """Close the journal, and remove it or let it stay where it is."""
        with suppress(OSError):  # what is buffered may not fit
            self._file.close()
        if gone:
            self.journal.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if error is None or (isinstance(error, KeyboardInterrupt) and len(self._spans)):
            self.close()
        else:
            self._leave(self._new)


@frozen
class _Span:
    """Lines of one group that stand together: its number, where they begin, how many bytes they are, and their hands."""

    group: int
    at: int
    size: int
    hands: list[Hand]


def _hand_of(line: bytes) -> Hand | None:
    """Return the finished hand of a line, None if it is damaged, cut off or none."""
    record = parsed_line(line.decode(errors="replace")) if line.endswith(b"\n") else None
    try:
        hand = structure(record, Hand, "The line")
    except DamagedFileError:
        return None
    return None if hand.unfinished else hand
