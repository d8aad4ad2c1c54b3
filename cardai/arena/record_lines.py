"""What the lines of a record must hold, for :mod:`cardai.core.schema`. Keys beside these are kept as they are."""

from __future__ import annotations

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
class Hand:
    """One hand; an unfinished one has no returns."""

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
