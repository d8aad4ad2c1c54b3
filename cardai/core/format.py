"""Formats: other people's files of hands. A format tells its own files, reads their hands as records, and writes records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, field, frozen

from cardai.core.errors import UsageError

Record = Mapping[str, Any]
"""One hand, as :data:`cardai.arena.records.Record` says it."""


class LeftOut(str):
    """A sentence on a hand that was left out. ``reason`` is what such hands are counted by."""

    reason: str

    def __new__(cls, text: str, reason: str = "") -> LeftOut:
        made = super().__new__(cls, text)
        made.reason = reason or "cannot be read"
        return made


@define
class HandStream:
    """The hands of a file as they are read. ``game`` is the spec of the game that was played.

    ``agents`` names the players; the seats of each record are indices into it. Names may be added as they come up.
    Each of ``hands`` is a record, or a sentence on what could not be read (a :class:`LeftOut` says why in a word).
    """

    name: str
    game: str
    agents: list[str]
    hands: Iterator[Any] = field(repr=False)
    match: str = ""
    """The match that the hand read last is of, as the file names it; "" where it does not. In another match the same cards
    may be played alike by the same players as a hand of the same number."""


@frozen
class Written:
    """What a format made of records: the file's ``text``, how many ``hands`` are in it, and a sentence for each left out."""

    text: str
    hands: int
    left_out: tuple[str, ...] = ()


class Format(ABC):
    """A kind of file that holds hands. Subclasses are frozen attrs classes; fields are options (``--to NAME:key=value``)."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """How names of such files end (".phh"): what ``cardai convert`` writes into a file of that name."""
    parting: ClassVar[str] = ""
    """The line that parts what two files of a folder say, where they are read as one text; none is needed where hands tell."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    may: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def detect(self, lines: Sequence[str]) -> int | None:
        """Return the place of the first of a file's first ``lines`` that can only be of this format, or None.

        Of several formats that know a line the one of the earliest line is taken. It is quick, and raises nothing.
        """

    @abstractmethod
    def read(self, lines: Iterator[str], name: str) -> HandStream:
        """Return the hands in the lines of the file ``name``; what cannot be read is a sentence among them.

        Raises:
            DamagedFileError: none of it can be read.
        """

    def write(self, header: Mapping[str, Any], hands: Sequence[Record]) -> Written:
        """Return records as such a file. ``header`` is a record's first line: its game and its agents.

        Raises:
            UsageError: the format is only read (the default), or has no way to say such a game.
        """
        raise UsageError(f"{type(self).__name__} files are read, not written.")
