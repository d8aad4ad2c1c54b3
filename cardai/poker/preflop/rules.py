"""Play before the flop as it is abstracted: who plays, for what, and which raises there are."""

from __future__ import annotations

from typing import Any

from attrs import Attribute, field, frozen

from cardai.core.errors import UsageError
from cardai.poker.ranges.menus import ALL_IN, Menu, menus

HUNDRED = 100
"""Chips of a big blind: everything is rounded to a hundredth of one."""


def _between(low: float, high: float) -> Any:
    def check(instance: Any, attribute: Attribute[Any], value: float) -> None:
        if not low <= value <= high:
            raise ValueError(f"{attribute.name} must be a number from {low:g} to {high:g}. Got {value:g}.")

    return check


def _readable(instance: Any, attribute: Attribute[Any], value: str) -> None:
    if len(value) > 60:
        raise ValueError(f"{attribute.name} has 60 characters at most. Got {len(value)}.")
    for menu in menus(value, ["preflop"]):
        if len(menu.levels) > 6 or any(len(level) > 3 for level in menu.levels):
            raise ValueError(f"{attribute.name} has 6 levels of 3 sizes at most. Got {value!r}.")
        if any(rung != ALL_IN and rung <= 1 for level in menu.levels for rung in level):
            raise ValueError(f"{attribute.name} are multiples above 1 of the bet that is raised. Got {value!r}.")


@frozen
class Rules:
    """The abstraction: all have the same stack; numbers are in big blinds.

    ``raises`` are what is raised to, as multiples of the bet before (the big blind for the first), a level between two ``/``,
    more than one joined by ``+``; ``allin`` is everything. One bet more is added for each who called the one before. A raise of
    more than ``commit`` of the stack is all-in. ``blind_raises`` are those of the blinds, who act first after the flop.

    Whoever is not in yet folds or raises where two have raised, and folds where three have; an open is called by
    ``callers`` before the big blind, who may call in any case. Only the small blind may limp.
    """

    players: int = field(default=6, validator=_between(2, 9))
    stack: float = field(default=100.0, validator=_between(2, 1000))
    small_blind: float = field(default=0.5, validator=_between(0, 1))
    ante: float = field(default=0.0, validator=_between(0, 5))
    """What each player puts in before the cards, beside the blinds."""
    raises: str = field(default="2.5/3/2.2", validator=_readable)
    blind_raises: str = field(default="3/4/2.2", validator=_readable)
    callers: int = field(default=1, validator=_between(0, 7))
    limp: bool = True
    commit: float = field(default=0.33, validator=_between(0.05, 1))
    rake: float = field(default=0.0, validator=_between(0, 0.2))
    """The room's share of pots that see a flop, ..."""
    rake_cap: float = field(default=0.0, validator=_between(0, 1000))
    """... and the most that it takes."""

    def chips(self, blinds: float) -> int:
        """Return big blinds as chips."""
        return round(HUNDRED * blinds)

    @property
    def positions(self) -> tuple[str, ...]:
        """What the seats are called, from who acts first after the flop: "SB", "BB", "UTG", ..., "BTN"; of two "BB", "SB"."""
        return position_names(self.players)

    @property
    def order(self) -> tuple[int, ...]:
        """The seats in the order in which they act before the flop."""
        return (1, 0) if self.players == 2 else (*range(2, self.players), 0, 1)

    @property
    def posted(self) -> tuple[int, ...]:
        """Each seat's blind in chips."""
        small, big = self.chips(self.small_blind), HUNDRED
        return (big, small) if self.players == 2 else (small, big, *(0,) * (self.players - 2))

    def menu(self, seat: int) -> Menu:
        """Return a seat's raises: levels by how often was raised before."""
        blind = seat < 2 if self.players > 2 else seat == 0
        return menus(self.blind_raises if blind else self.raises, ["preflop"])[0]

    @property
    def behind(self) -> int:
        """What each has for blinds and bets, in chips: the stack without the ante. Raises UsageError: nothing."""
        left = self.chips(self.stack) - self.chips(self.ante)
        if left <= HUNDRED:
            raise UsageError(
                f"A stack of {self.stack:g} big blinds has nothing behind the blind and an ante of {self.ante:g}."
            )
        return left


_BEFORE = ("LJ", "HJ", "CO")  # from the earliest to the one before the button


def position_names(players: int) -> tuple[str, ...]:
    """Return what the seats from the first after the button are called: "SB", "BB", "UTG", ..., "CO", "BTN".

    >>> position_names(2), position_names(6)
    (('BB', 'SB'), ('SB', 'BB', 'UTG', 'HJ', 'CO', 'BTN'))
    """
    if players == 2:
        return ("BB", "SB")
    between = players - 3
    late = _BEFORE[len(_BEFORE) - min(between, 3) :] if between else ()
    if between in (2, 3):
        late = ("UTG", *late[1:])
    early = tuple("UTG" if k == 0 else f"UTG+{k}" for k in range(between - len(late)))
    return ("SB", "BB", *early, *late, "BTN")
