"""What the lines of a record must hold, for :mod:`cardai.core.schema`. Keys beside these are kept as they are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.schema import whole

MAX_SEATS = 128
_NUMBERS = (bool, int, float)


@frozen
class Header:
    """A record's first line."""

    game: str
    agents: tuple[str, ...] = ()
    not_shown: int = field(default=0, validator=whole())
    """How many hands were left out when the record was written, since a site did not show the other cards."""


@frozen
class TableHeader:
    """The first line of a record that a table goes on from."""

    game: str
    agents: tuple[str, ...] = field()
    seed: int
    duplicate: bool

    @agents.validator
    def _seated(self, attribute: Attribute[Any], value: tuple[str, ...]) -> None:
        if not 0 < len(value) <= MAX_SEATS:
            raise ValueError(f"must name 1 to {MAX_SEATS} agents. Got {len(value):,}")


@frozen
class HandSetup:
    """How a hand began (see :class:`~cardai.core.game.Setup`)."""

    starter: int = field(validator=whole(0, MAX_SEATS - 1))
    score: tuple[float, ...] = field()
    stacks: tuple[int, ...] = field(validator=whole(0, 2**31 - 1))

    @score.validator
    def _finite(self, attribute: Attribute[Any], value: tuple[float, ...]) -> None:
        if any(not abs(points) < 2**31 for points in value):
            raise ValueError("holds points that no game counts to")


@frozen
class RoomNote:
    """What the record of a hand that a poker room wrote keeps of the room; lists go by seat of the record.

    ``time`` is ISO's, ``chip`` what a chip is worth in ``currency`` (none: tournament or play money), ``seats`` the table's
    numbers, ``net`` each result after ``rake``, ``unknown`` the seats whose cards nobody saw (those in the deck are made up),
    ``boards`` all of a hand that was run more than once.
    """

    name: str
    number: str = ""
    time: str = field(default="")
    table: str = ""
    tournament: str = ""
    currency: str = ""
    chip: float = field(default=1.0)
    big_blind: int = field(default=0, validator=whole(0, 2**31 - 1))
    hero: int = field(default=-1, validator=whole(-1, MAX_SEATS - 1))
    button: int = field(default=-1, validator=whole(-1, MAX_SEATS - 1))
    seats: tuple[int, ...] = field(default=(), validator=whole(0, 2**31 - 1))
    net: tuple[int, ...] = field(default=(), validator=whole(-(2**31), 2**31))
    rake: int = field(default=0, validator=whole(-(2**31), 2**31))
    unknown: tuple[int, ...] = field(default=(), validator=whole(0, MAX_SEATS - 1))
    boards: tuple[tuple[int, ...], ...] = ()
    implied: tuple[int, ...] = field(default=(), validator=whole(0, 2**31))

    @time.validator
    def _moment(self, attribute: Attribute[Any], value: str) -> None:
        if value:
            datetime.fromisoformat(value)

    @chip.validator
    def _worth(self, attribute: Attribute[Any], value: float) -> None:
        if not 0 < value <= 1e6:
            raise ValueError(f"must be more than 0 and at most a million. Got {value}")


@frozen
class Hand:
    """One hand; an unfinished one has no returns. ``game``: its own, where it is another than the header's."""

    seats: tuple[int, ...] = field(validator=whole(0, MAX_SEATS - 1))
    seed: int = field(validator=whole(0, 2**64 - 1))
    setup: HandSetup
    deck: tuple[int, ...] = field(validator=whole(0, 2**31))
    actions: tuple[int, ...] = field(validator=whole(0, 2**31))
    returns: tuple[float, ...] = field(default=())
    unfinished: bool = False
    group: int = field(default=0, validator=whole())
    game_number: int = field(default=0, validator=whole())
    hand: int = field(default=0, validator=whole(0, 2**31 - 1))
    outcome: dict[str, Any] = field(factory=dict)
    game: str = ""
    room: RoomNote | None = None

    @returns.validator
    def _finite(self, attribute: Attribute[Any], value: tuple[float, ...]) -> None:
        if any(not abs(points) < 2**63 for points in value):
            raise ValueError("holds a return that no game gives")

    @outcome.validator
    def _numbers(self, attribute: Attribute[Any], value: dict[str, Any]) -> None:
        for name, noted in value.items():
            several = noted if isinstance(noted, list) else [noted]
            if any(type(item) not in _NUMBERS for item in several):
                raise ValueError(f"{name[:60]!r} must be a number, or several")

    def __attrs_post_init__(self) -> None:
        if len(self.returns) != len(self.seats) * (not self.unfinished):
            raise ValueError("must have a return for each of its seats")
        note, seats = self.room, len(self.seats)
        if note is not None and not (
            len(note.seats) == len(note.net) == seats and max(note.hero, note.button, *note.unknown, 0) < seats
        ):
            raise ValueError("must have a number and a result in room for each of its seats")
