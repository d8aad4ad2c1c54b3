"""A spot of hold'em: a board, a pot, stacks, two ranges, the bets that are looked at, rake and locks.

>>> spot = Spot("KsTh7s4d2c", 7.5, (20, 30), bets="0.29+allin")
>>> [(action.kind, action.amount) for action in spot.tree().root.actions], spot.scale
([(1, 0), (2, 1186), (2, 4750)], 200)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from attrs import Attribute, evolve, field, frozen

from cardai.cards.text import cards_text, parse_cards
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.core.schema import whole
from cardai.poker.notation import parse_range
from cardai.poker.ranges.hands import HOLDEM, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.locks import Lock, Locked, keeps, resolve
from cardai.poker.ranges.public_tree import PublicTree, betting_tree, planned_tree, street_betting
from cardai.poker.ranges.rake import Rake, check_rake
from cardai.poker.ranges.sizes import bet_plan
from cardai.poker.rules.betting import MAX_CHIPS, Betting

STREETS = ("flop", "turn", "river")
MOST = float(2**31)


def _chips(value: float) -> float:
    """Return whole numbers as such, so that files and messages show them so."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _all_chips(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(_chips(value) for value in values)


def _bounded(instance: object, attribute: Attribute[Any], value: Any) -> None:
    for one in np.atleast_1d(value).tolist():
        if not 0 <= one <= MOST:
            raise ValueError(f"{attribute.name} must be from 0 to {MOST:,.0f}. Got {one!r}")


@frozen
class Spot:
    """What is solved. Seat 0 acts first on every street, seat 1 has the button. Chips may have cents."""

    board: str
    """Three, four or five cards."""
    pot: float = field(validator=_bounded, converter=_chips)
    """Chips in the pot, half from each."""
    stacks: tuple[float, ...] = field(validator=_bounded, converter=_all_chips)
    """The chips behind, of each seat. What one has more than the other is not played for."""
    ranges: tuple[str, ...] = ("random", "random")
    """In the notation of :mod:`cardai.poker.notation`."""
    bets: str = "0.5+1+allin"
    """In the notation of :mod:`cardai.poker.ranges.sizes`."""
    limit: tuple[int, ...] = ()
    """The sizes of limit bets on each street to come; empty for no limit."""
    cap: int = 0
    minimum: int = 0
    checked_down: bool = False
    """Whether players check to the end behind the first street."""
    isomorphic: bool = True
    """Whether cards that differ by the names of suits alone are solved once, where ranges and locks allow it."""
    rake: float = 0.0
    """The house's share of the pot."""
    rake_cap: float = 0.0
    """The most that it takes, in chips; 0 for no cap."""
    locks: tuple[Lock, ...] = ()
    add_allin: float = 0.0
    force_allin: float = 0.0
    merge: float = 0.0
    """See :class:`cardai.poker.ranges.sizes.BetPlan`."""
    aggressor: int = field(default=-1, validator=whole(-1, 1))
    """Who bet last before this street: where it is the button, donk menus hold on this street too. -1: nobody."""

    def cards(self) -> list[int]:
        """Return the board. Raises UsageError."""
        try:
            cards = parse_cards(self.board)
        except ValueError as error:
            raise UsageError(f"The board cannot be read: {error}") from None
        if len(cards) not in (3, 4, 5):
            raise UsageError(f"A board has 3, 4 or 5 cards. Got {len(cards)}: {self.board!r}.")
        return cards

    @property
    def streets(self) -> tuple[str, ...]:
        """The names of the streets to come, this one first."""
        return STREETS[len(self.cards()) - 3 :]

    @property
    def _hundred(self) -> int:
        """How many of the least chips make one: 1, or 100 where there are cents."""
        return 1 if all(float(chips).is_integer() for chips in (self.pot, *self.stacks)) else 100

    @property
    def unit(self) -> int:
        """How many of the tree's chips bets are rounded to: the least chip, which an odd pot makes two of."""
        return 1 + round(self.pot * self._hundred) % 2

    @property
    def scale(self) -> int:
        """How many of the tree's chips make one here: pots are even there, and whole."""
        return self._hundred * self.unit

    def betting(self) -> Betting:
        """Return the betting of the streets to come, in chips of the tree. Raises UsageError."""
        streets, scale = self.streets, self.scale
        if self.limit and len(self.limit) != len(streets):
            raise UsageError(
                f"Limit bets have a size for each street to come ({', '.join(streets)}): {len(streets)}. "
                f"Got {len(self.limit)}: {'+'.join(map(str, self.limit))}."
            )
        numbers = ("size of limit bets", self.limit, 1), ("cap", (self.cap,), 0), ("minimum", (self.minimum,), 0)
        for name, value, least in numbers:
            if any(not least <= number <= MAX_CHIPS or number % 1 for number in value):
                given = "+".join(map(str, value))[:60]
                raise UsageError(f"A {name} is a whole number from {least} to {MAX_CHIPS:,}. Got {given}.")
        limit, minimum = tuple(scale * size for size in self.limit), scale * self.minimum
        return street_betting(round(self.pot * scale), len(streets), limit, self.cap, minimum)

    def tree(self) -> PublicTree:
        """Return the public tree. Raises UsageError."""
        if len(self.stacks) != 2 or min(self.stacks) <= 0:
            raise UsageError(f"Both stacks must hold chips: one number, or two joined by +. Got {self.stacks}.")
        check_rake(self.rake, self.rake_cap)
        for what, value in (("The pot", self.pot), *(("A stack", one) for one in self.stacks)):
            if abs(100 * value - round(100 * value)) > 1e-6:
                raise UsageError(f"{what} has at most two digits behind the point. Got {value!r}.")
        betting, streets, scale = self.betting(), self.streets, self.scale
        least = round(scale * min(self.stacks)) + betting.ante
        if least > MAX_CHIPS:
            raise UsageError(
                f"A player's stack and half of the pot are at most {MAX_CHIPS:,} of the least chips. Got {least:,}."
            )
        if self.limit:
            tree = betting_tree(betting, (least, least))
        else:
            plan = bet_plan(
                self.bets, streets, add_allin=self.add_allin, force_allin=self.force_allin, merge=self.merge
            )
            tree = planned_tree(
                betting, (least, least), plan.growth(len(streets) - 1, scale, self.unit, self.aggressor)
            )
        if len(tree.decisions) < 2 or (tree.num_children[tree.decisions] < 2).all():
            raise UsageError(
                f"Nobody can bet: the stack {min(self.stacks):,} is below every bet of {self.bets!r}. Add allin, or smaller bets."
            )
        rake = Rake(self.rake, self.rake_cap * scale if self.rake_cap else float("inf"))
        return evolve(tree, scale=scale, rake=rake)

    def weights(self) -> Float64s:
        """Return (2, 1326) the ranges, without hands that the board blocks. Raises UsageError."""
        if len(self.ranges) != 2:
            raise UsageError(
                f"Two ranges are needed, that of who acts first and that of the button. Got {len(self.ranges)}."
            )
        board = self.cards()
        out = np.stack([parse_range(text) for text in self.ranges])
        blocked = np.isin(HOLDEM.cards, board).any(axis=1)
        out[:, blocked] = 0.0
        for text, weights in zip(self.ranges, out, strict=True):
            if not weights.any():
                raise UsageError(f"The range {text!r} holds no hand that the board {cards_text(board)} leaves.")
        return out

    def layout(self, small: bool = False) -> TreeLayout:
        """Return the tree on its boards, before any memory is taken for its solution; ``small``: without its last street.

        Raises UsageError.
        """
        tree, ranges, cards = self.tree(), self.weights(), self.cards()
        streets = 1 if self.checked_down else len(self.streets) - small
        if not streets:
            raise UsageError("A river has one street, which cannot be left out.")
        locked = self._locked(tree, ranges)
        boards = deal_boards(HOLDEM, cards, streets, ranges, self.isomorphic, keeps=partial(keeps, locked))
        return TreeLayout(tree, HOLDEM, boards, locked)

    def _locked(self, tree: PublicTree, ranges: Float64s) -> list[Locked]:
        if not self.locks:
            return []
        same = [one for one in HOLDEM.renamings(self.cards()) if (ranges[:, one[1]] == ranges).all()]
        return resolve(self.locks, tree, self.cards(), ranges, same)


def check_chips(what: str, chips: float) -> None:
    """Raise UsageError unless ``chips`` are more than none and not too many; ``what`` has them."""
    if not 0 < chips <= MAX_CHIPS:
        raise UsageError(f"{what} must be from 1 to {MAX_CHIPS:,} chips. Got {chips:,}.")


def parse_board(board: str) -> list[int]:
    """Return the cards of ``board``. Raises UsageError."""
    return Spot(board, 2, (1, 1)).cards()
