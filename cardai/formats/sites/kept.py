"""The record of hands on a site: cardai's own record, a line a hand as it ends, with what the site said of it under ``site``.

A hand whose other cards the site does not show is no hand that replays: its line holds what was seen alone, counts in all
figures, and is left out and named as such by whoever reads records.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from attrs import asdict, field, frozen

from cardai.arena.journal import check_same, kept_at
from cardai.arena.records import Record, allow_header, header_line, parsed_line, record_line
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import LINE_LIMIT, naming, refuse_link
from cardai.core.locks import hold
from cardai.core.schema import structure, whole


@frozen
class SiteHand:
    """What a site said of a finished hand.

    ``number`` counts the hands that were begun, from 0. ``winnings``, ``baseline`` and ``aivat`` are chips (see
    :class:`~cardai.formats.sites.shown.Shown`), ``betting`` and ``cards`` the competition's strings, ``big_blind`` chips,
    ``seconds`` how long the player thought in all, ``longest`` at most about one decision, of ``decisions``.
    """

    number: int = field(validator=whole(0, 1_000_000_000))
    position: int = field(validator=whole(0, 1))
    betting: str
    cards: str
    winnings: float
    big_blind: int = field(validator=whole(1, 1_000_000_000))
    baseline: float | None = None
    aivat: float | None = None
    hand_id: str = ""
    decisions: int = field(default=0, validator=whole(0, 1_000_000))
    seconds: float = 0.0
    longest: float = 0.0
    lost: bool = False
    """Whether the hand could not be played to its end: then ``winnings`` is 0 and in no figure."""


@frozen
class _Line:
    site: SiteHand


class KeptHands:
    """The file of one match against a site, which grows by a line a hand; open it as a context manager.

    ``resume`` goes on with the file that is there; without, there must be none.

    Raises:
        UsageError: the file cannot be written, is there already, holds another match or one of a run that has been trained
            since, or another process plays it.
        DamagedFileError: what is to be taken up is no such record.
    """

    def __init__(self, path: str, header: Mapping[str, Any], resume: bool) -> None:
        whole_path = kept_at(path)
        if whole_path is None:
            raise UsageError(f"--record takes a file that grows hand by hand, not a pipe or a device. Got {path!r}.")
        self.path: Path = whole_path
        refuse_link(self.path)
        self._new = not self.path.exists()
        if not self._new and not resume:
            raise UsageError(f"{path} is there already. Go on with it by --resume, or name another file.")
        try:
            self._file = self.path.open("x+b" if self._new else "r+b")
        except OSError as error:
            raise UsageError(f"The record file {path!r} cannot be written: {error.strerror}.") from error
        hold(self._file, f"The match of {path} is being played by another process. Wait for it, or stop it.")
        self._header = header
        self.hands: list[SiteHand] = []
        try:
            self._take_up()
        except BaseException:
            self._file.close()
            raise
        allow_header(self.path, header)

    def _take_up(self) -> None:
        """Read what is there, and cut off a last line that a killed process had half written."""
        line, first = self._file.readline(LINE_LIMIT), header_line(self._header)
        if not line.endswith(b"\n") and first.startswith(line):  # anything else is not ours to cut off
            self._file.seek(0)
            self._file.truncate()
            self._write(first)
            return
        held = parsed_line(line.decode(errors="replace")) if line.endswith(b"\n") else None
        if held is None or held.get("cardai") != "record":
            raise DamagedFileError(f"{self.path} is no record of cardai.")
        check_same(self.path, held, self._header)
        whole_lines = self._file.tell()
        while (line := self._file.readline(LINE_LIMIT)).endswith(b"\n") or len(line) == LINE_LIMIT:
            value = parsed_line(line.decode(errors="replace"))
            self.hands.append(structure(value, _Line, f"{self.path}, line {len(self.hands) + 2}").site)
            whole_lines = self._file.tell()
        self._file.seek(whole_lines)
        self._file.truncate()

    def keep(self, hand: SiteHand, record: Record | None) -> None:
        """Write a hand; ``record`` is None where it does not replay. Raises WriteError."""
        self._write(record_line({**(record or {}), "site": asdict(hand)}))
        self.hands.append(hand)

    def _write(self, data: bytes) -> None:
        with naming(f"The file {self.path}"):
            self._file.write(data)
            self._file.flush()
            os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Close the file; of a match of which no hand was begun nothing stays."""
        self._file.close()
        if self._new and not self.hands:
            self.path.unlink(missing_ok=True)
