"""Poker rooms' files as a kind of :class:`~cardai.core.format.Format`: a dialect's hands, replayed, as records."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Protocol

from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.format import Format, HandStream, LeftOut
from cardai.formats.rooms.hand import RoomHand
from cardai.formats.rooms.records import record_of
from cardai.formats.rooms.replay import replayed
from cardai.formats.rooms.told import Refused, Told


class Dialect(Protocol):
    """How one room writes: text cut into hands, and what each says."""

    room: ClassVar[str]

    def begins(self, line: str, here: bool = False) -> bool: ...

    def hands(self, lines: Iterable[str], first: int = 1) -> Iterator[Any]: ...

    def told(self, hand: Any) -> Told: ...


class RoomFormat(Format):
    """A poker room's hand histories. Names of such files end in .txt or .xml, as many others do: they are told by their lines."""

    dialect: ClassVar[Dialect]

    def detect(self, lines: Sequence[str]) -> int | None:
        return next((place for place, line in enumerate(lines) if self.dialect.begins(line[:2000])), None)

    def room_hands(self, lines: Iterator[str], name: str) -> Iterator[RoomHand | LeftOut]:
        """Yield each hand in a file's lines as the rules have replayed it, or a sentence on why it was left out.

        Hands of other rooms may stand among them.
        """
        for dialect, hand in _by_room(self.dialect, lines):
            if isinstance(hand, Refused):
                yield LeftOut(f"{name}: {hand}; the hand was left out.", hand.reason)
                continue
            told = None
            try:
                told = dialect.told(hand)
                yield replayed(told)
            except Refused as error:
                number = f"hand {told.number}" if told is not None and told.number else "the hand"
                yield LeftOut(f"{name}, line {hand.line}, {number}: {error}; it was left out.", error.reason)

    def read(self, lines: Iterator[str], name: str) -> HandStream:
        agents: list[str] = []
        places: dict[str, int] = {}

        def records() -> Iterator[Any]:
            for number, hand in enumerate(self.room_hands(lines, name)):
                yield hand if isinstance(hand, LeftOut) else record_of(hand, number, agents, places)

        coming = records()
        held: list[Any] = []
        for item in coming:
            held.append(item)
            if not isinstance(item, str):
                break
        game = next((item["game"] for item in held if not isinstance(item, str)), "")
        if not game and not held:
            raise DamagedFileError(f"{name} has no hand of {self.dialect.room} in it.")

        def all_of() -> Iterator[Any]:
            yield from held
            yield from coming

        return HandStream(name, game or "holdem_nolimit", agents, all_of())


def _by_room(own: Dialect, lines: Iterator[str]) -> Iterator[tuple[Dialect, Any]]:
    """Yield each hand with the dialect that it is written in, ``own`` until a line begins as another room's do."""
    known, now = [own, *(dialect for dialect in _dialects() if type(dialect) is not type(own))], own

    def room(numbered: tuple[int, str]) -> Dialect:
        nonlocal now
        head = numbered[1][:2000]
        now = next((dialect for dialect in known if dialect.begins(head, here=True)), now)
        return now

    for dialect, part in itertools.groupby(enumerate(lines, 1), room):
        begun, line = next(part)
        for hand in dialect.hands(itertools.chain([line], (text for _, text in part)), begun):
            yield dialect, hand


def _dialects() -> Iterator[Dialect]:
    """Yield those of all rooms that are installed; a plugin that is broken spoils no other."""
    from cardai.core import registry

    for entry in registry.entries("format"):
        with suppress(CardaiError):
            if isinstance(found := registry.create("format", entry.name), RoomFormat):
                yield found.dialect
