"""A pot for two as spots, one a street: their menus hold what was bet, and the way that was played is a line through each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import floor

from attrs import frozen

from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError
from cardai.poker.grading.flops import FlopHand, Move
from cardai.poker.notation import range_text
from cardai.poker.ranges.sizes import bet_plan
from cardai.poker.ranges.spot import STREETS, Spot

SEATS = ("first", "button")
ALIKE = 1.25
"""A size of the menu is left out where a bet was made that is so many times larger or smaller at most."""
_SHARE = re.compile(r"\d{1,6}(\.\d{0,6})?")


@frozen
class Effort:
    """How a pot is solved: the bets that are looked at beside those that were made, how well, and what the room takes."""

    bets: str = "0.66"
    """Sizes of the first bet of a street, in the notation of :mod:`cardai.poker.ranges.sizes`, for everybody."""
    raises: str = "none"
    """The same of raises, where none was made."""
    to: float = 0.5
    """Solve each street until the exploitability is at most so many % of its pot, ..."""
    iterations: int = 100
    """... or for so many iterations; streets behind the flop, which take far less, for ten times as many."""
    threads: int = 1
    rake: float = 0.0
    rake_cap: float = 0.0
    """In big blinds."""

    def __str__(self) -> str:
        rake = f", rake {100 * self.rake:g} % to {self.rake_cap:g} bb" if self.rake else ""
        return (
            f"solving (bets {self.bets}, raises {self.raises}, to {self.to:g} % or {self.iterations} iterations{rake})"
        )


def check_sizes(bets: str, raises: str) -> None:
    """Raise UsageError unless both are sizes as :class:`Effort` takes them: of one level, for everybody, on every street."""
    for text in (bets, raises):
        if set(text) & set(",=/"):
            raise UsageError(
                f"Sizes to look at are joined by +, the same on every street for both, as in 0.5+1. Got {text!r}."
            )
    bet_plan(f"{bets}/{raises}", ("river",))


def spot_of(hand: FlopHand, street: int, ranges: Sequence[str | Float64s], effort: Effort) -> Spot:
    """Return the spot that a hand was at the beginning of a street (0 the flop)."""
    put = [sum_of(hand, seat, street) for seat in range(2)]
    texts = tuple(one if isinstance(one, str) else range_text(one / one.max()) for one in ranges)
    return Spot(
        cards_text(hand.board[: 3 + street]),
        hand.pot + sum(put),
        (hand.stacks[0] - put[0], hand.stacks[1] - put[1]),
        texts,
        bets=fixed(hand, street) if hand.bets else _named(hand, street, effort),
        rake=effort.rake if hand.raked else 0.0,
        rake_cap=effort.rake_cap * hand.big_blind if hand.raked else 0.0,
        aggressor=hand.aggressor if street == 0 else last_to_bet(hand, street - 1),
    )


def fixed(hand: FlopHand, street: int) -> str:
    """Return the menus of a street of fixed bets and of those behind it: all bets that there are, but from the flop on one on
    the flop, or as many as were made, and one on each street behind it (all of them are too many to solve)."""
    counts = list(hand.caps)
    if street == 0:
        made = sum(move.kind in ("bet", "raise") for move in hand.moves if move.street == 0)
        counts = [min(max(1, made), counts[0]), 1, 1]
    each = zip(STREETS, hand.bets, counts, strict=True)
    return ",".join(f"{name}={f'{size:g}c/' * count}none" for name, size, count in list(each)[street:])


def _named(hand: FlopHand, street: int, effort: Effort) -> str:
    """Return the menus of a street and of those behind it, where what was bet on it stands.

    What was bet later is looked at when its own street is solved: here it would stand in every line.
    """
    menus = [f"{seat}.{STREETS[street]}={_menu(hand, k, street, effort)}" for k, seat in enumerate(SEATS)]
    kept = [menu for menu in menus if not menu.endswith(f"={effort.bets}/{effort.raises}")]
    return ",".join([f"{effort.bets}/{effort.raises}", *kept])


def sum_of(hand: FlopHand, seat: int, street: int) -> float:
    """Return what a seat put in after the flop before ``street``."""
    return sum(
        max((move.to for move in hand.moves if move.street == s and move.seat == seat), default=0.0)
        for s in range(street)
    )


def last_to_bet(hand: FlopHand, street: int) -> int:
    """Return who bet or raised last on a street, -1 nobody."""
    bets = [move.seat for move in hand.moves if move.street == street and move.kind in ("bet", "raise")]
    return bets[-1] if bets else -1


def _menu(hand: FlopHand, seat: int, street: int, effort: Effort) -> str:
    """Return the sizes that a seat has on a street, those that it bet in the hand among them, by how often was raised.

    A bet stands for those sizes of ``effort`` that are near it (:data:`ALIKE`).
    """
    pot = hand.pot + sum(sum_of(hand, each, street) for each in range(2))
    least = 1 if all(float(chips).is_integer() for chips in (pot, *hand.stacks)) else 100
    made: dict[int, float] = {}  # chips over what was bet before, by the number of bets before it
    bets, top = 0, 0.0
    for move in hand.moves:
        if move.street == street and move.kind in ("bet", "raise"):
            if move.seat == seat:
                made[bets] = move.to - top
            bets, top = bets + 1, move.to
    levels = []
    for level in range(max([1, *made]) + 1):
        base = effort.bets if level == 0 else effort.raises
        if level in made:
            base = _with_bet(base, made[level], pot if level == 0 else 0.0, least)
        levels.append(base)
    return "/".join(levels)


def _with_bet(sizes: str, bet: float, pot: float, least: int) -> str:
    """Return the sizes of a level with a ``bet`` among them, in place of what is near it.

    Shares are of ``pot`` (0: not known) and rounded to a chip's ``least`` part, as the tree has them.
    """
    left = []
    for size in sizes.split("+"):
        share = float(size) * pot if _SHARE.fullmatch(size) else 0.0
        if share and floor(share * least + 0.5 + 1e-9) / least == bet:
            return sizes
        if size != "none" and not (share and 1 / ALIKE < bet / share < ALIKE):
            left.append(size)
    return "+".join([f"{bet:g}c", *left])


def word_of(move: Move) -> str:
    """Return a move as lines have it."""
    if move.kind in ("bet", "raise"):
        return f"{'b' if move.kind == 'bet' else 'r'}{move.to:g}"
    return {"fold": "f", "check": "x", "call": "c"}[move.kind]
