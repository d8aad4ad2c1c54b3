"""Hold'em and its relatives: blinds by seat, four rounds, a flop, a turn and a river; limit, no-limit and pot-limit.

A game of the kind takes :class:`NoLimitHoldem` or :class:`LimitHoldem` as its base and overrides what it declares
otherwise: the deck, the hole cards, the ranking (see :mod:`cardai.poker.contract`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from attrs import evolve, frozen, validators

from cardai.cards.text import card_text
from cardai.core.arrays import Float64s, Int64s, Records, Uint64s
from cardai.core.game import PlayedHand, Setup
from cardai.core.spec import option
from cardai.poker.contract import check_declared
from cardai.poker.rules.betting import MAX_HANDS, MAX_PLAYERS, UNLIMITED, Betting, check_pot, chips
from cardai.poker.rules.board_game import BoardPoker
from cardai.poker.rules.draw import draw_view
from cardai.poker.rules.ladder import check_ladder, few, ladder_fraction


def four_rounds(instance: Any, attribute: Any, value: tuple[int, ...]) -> None:
    """Refuse anything but four numbers, none negative."""
    if len(value) != 4 or min(value) < 0:
        raise ValueError(f"{attribute.name} needs four numbers, one a round (for example 3+4+4+4). Got {value}.")


@frozen
class Holdem(BoardPoker):
    """Options and rules that limit and no-limit games share."""

    players: int = option(2, help="Seats, 2 to 10.", validator=[validators.ge(2), validators.le(MAX_PLAYERS)])
    ante: int = option(0, help="Chips put in first, by every seat or by the big blind's.", validator=chips)
    ante_from: Literal["each", "big_blind"] = option(
        "each",
        help="Who antes: each seat, or the big blind's for the whole table, before its blind (as tournaments have it).",
    )
    straddles: tuple[int, ...] = option(
        (), help="Further live blinds behind the big one, each above the last (20, 20+40); who posts one acts last.",
        validator=chips,
    )  # fmt: skip
    posts: tuple[int, ...] = option(
        (), help="Live blinds beside those, by position from the first seat after the button (0+0+0+10: a newcomer's).",
        validator=chips,
    )  # fmt: skip
    dead: tuple[int, ...] = option(
        (), help="Chips put in that count towards no bet, by position (0+0+0+5: a missed small blind).", validator=chips
    )
    away: tuple[int, ...] = option(
        (), help="1 for each position that posts and is folded at once, as those who are away in tournaments (0+1+0).",
        validator=chips,
    )  # fmt: skip
    full_blinds: bool = option(
        False, help="The big blind is what is called even where its seat is all-in for less, as in poker rooms."
    )
    fold_anytime: bool = option(False, help="Whether a player may fold with nothing to call.")
    reverse_blinds: bool = option(
        True,
        help="Heads-up the button posts the small blind and acts first before the flop (three or more: no effect).",
    )
    rotate: bool = option(True, help="Whether the button moves on from hand to hand of a match.")
    hands: int = option(1, help="Hands in a match.", validator=[validators.ge(1), validators.le(MAX_HANDS)])

    action_mapping: ClassVar[bool] = False
    blinds: ClassVar[tuple[int, ...]]
    num_chance_outcomes: ClassVar[int] = 52

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.players

    @property
    def big_blind(self) -> int:  # type: ignore[override]
        return max(*self.blinds, self.ante if self.ante_from == "each" else 0)

    def posted(self) -> tuple[tuple[int, ...], int]:
        """Return the blinds and straddles by position, and the position that acts first before the flop."""
        n, posted = self.players, (*self.blinds, *self.straddles)
        if not self.blinds or len(self.blinds) > n or max(self.blinds) == 0:
            raise ValueError(f"blinds must be one to {n} numbers, the small blind first (5+10). Got {self.blinds}.")
        if len(posted) > n:
            raise ValueError(
                f"Every blind and straddle is posted by a seat of its own. Got {len(posted)} of them for {n} players."
            )
        if any(0 < later <= max(posted[:k]) for k, later in enumerate(posted) if k >= len(self.blinds)):
            raise ValueError(f"Each of straddles must be above the blind before it. Got {self.straddles}.")
        if posted[-1] == 0 and self.straddles:
            raise ValueError(f"The last of straddles must be posted, and 0 passes a seat over. Got {self.straddles}.")
        blinds, first = posted + (0,) * (n - len(posted)), len(posted) % n
        return (blinds[::-1], 1) if n == 2 and self.reverse_blinds else (blinds, first)

    def _with_posts(self, blinds: tuple[int, ...]) -> tuple[int, ...]:
        """Return the blinds by position with the posts beside them."""
        for name, given in (("posts", self.posts), ("dead", self.dead), ("away", self.away)):
            if given and len(given) != self.players:
                raise ValueError(f"{name} needs an entry for each of {self.players} positions. Got {given}.")
        if any(blind and more for blind, more in zip(blinds, self.posts, strict=False)):
            raise ValueError(f"posts must leave out the positions that post a blind. Got {self.posts}.")
        if self.away and (max(self.away) > 1 or self.players - sum(self.away) < 2):
            raise ValueError(f"away needs a 0 or 1 for each position, and two who play. Got {self.away}.")
        return tuple(map(sum, zip(blinds, self.posts, strict=True))) if self.posts else blinds

    def holdem_betting(self, **more: Any) -> Betting:
        """Return the betting rules with the blinds put in their positions; ``more`` is what limit or no-limit adds."""
        (blinds, first), each = self.posted(), self.ante_from == "each"
        big = [position for position, blind in enumerate(blinds) if blind == max(self.blinds)]
        turned = self.players == 2 and first == 1  # the small blind is posted second
        return Betting(
            num_players=self.players,
            num_rounds=4,
            blinds=self._with_posts(blinds),
            first=(first, 0, 0, 0),
            ante=self.ante if each else 0,
            dead_ante=0 if each else self.ante,
            dead_position=big[0] if turned else big[-1],  # of equal blinds the last one posted is the big one
            dead_posts=self.dead,
            away=self.away,
            full_blinds=self.full_blinds,
            fold_anytime=self.fold_anytime,
            minimum_bet=max(self.blinds) if self.straddles or self.posts else 0,
            deepest=self.deepest_stack,
            **more,
        )

    def check_stacks(self) -> None:
        """Refuse stacks that do not cover the blinds, naming them."""
        for stack in self.stacks:
            if not self.ante + max(*self.blinds, *self.straddles, *self.posts, *self.dead, 0) <= stack <= UNLIMITED:
                raise ValueError(f"A stack must cover the ante and the biggest blind. Got {stack}.")
        check_pot(self.players, self.most_chips())
        check_declared(self)

    def chance_to_string(self, outcome: int) -> str:
        return card_text(outcome)

    def action_to_string(self, action: int) -> str:
        return self.betting_action(action)

    def draw(self, view: Mapping[str, Any]) -> str:
        return draw_view(view, card_text, self.betting.no_limit)


@frozen
class LimitHoldem(Holdem):
    """Bets of fixed sizes. The defaults are the Annual Computer Poker Competition's (blinds 5/10, bets 10/20)."""

    blinds: tuple[int, ...] = option((5, 10), help="Blinds in order, the small one first.", validator=chips)
    raise_sizes: tuple[int, ...] = option(
        (10, 10, 20, 20), help="The size of a bet or raise in each round.", validator=[four_rounds, chips]
    )
    max_raises: tuple[int, ...] = option(
        (3, 4, 4, 4), help="Bets and raises allowed in each round; the big blind is not counted.", validator=four_rounds
    )
    stack: int = option(0, help="Chips of each seat at the start of a hand; 0: unlimited.", validator=chips)
    empty_raises: bool = option(
        False,
        help="A raise stays legal when the bet is a seat's whole stack already, and adds nothing (the ACPC's C code).",
    )
    completes: bool = option(
        False,
        help="A raise behind an all-in of less than a bet completes it, as in poker rooms; half a bet counts as one.",
    )

    def __attrs_post_init__(self) -> None:
        self.betting  # noqa: B018 (wrong blinds and caps are refused here)
        if min(self.raise_sizes) < 1:
            raise ValueError(f"raise_sizes must be positive. Got {self.raise_sizes}.")
        if max(self.max_raises) > 60:
            raise ValueError(f"max_raises must be at most 60 a round. Got {self.max_raises}.")
        self.check_stacks()

    def make_betting(self) -> Betting:
        sizes = {"max_raises": self.max_raises, "raise_sizes": self.raise_sizes}
        return self.holdem_betting(**sizes, empty_raises=self.empty_raises, completes=self.completes)

    @cached_property
    def stacks(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.stack or UNLIMITED,) * self.players


@frozen
class NoLimitHoldem(Holdem):
    """Bets of any size, or on a ladder. The defaults are the ACPC's heads-up game (blinds 50/100, 20,000 chips every hand).

    Actions are 0 fold, 1 check or call, and N >= 2 raise to N chips in the hand (legal actions are then ``Amounts``).
    With ``bets=pot+allin`` they are 0 fold, 1 check or call, 2 the pot, 3 all-in (OpenSpiel's ``fcpa``), as a mask; any
    ascending list of fractions works. A fraction is of the pot after a call, rounded down; below the minimum raise it is
    illegal, and what would take the whole stack is left to the all-in rung (with none, the first such rung is all-in).
    """

    blinds: tuple[int, ...] = option((50, 100), help="Blinds in order, the small one first.", validator=chips)
    stack: tuple[int, ...] = option(
        (20000,), help="Chips at the start of every hand: one number, or one a seat.", validator=chips
    )
    bets: tuple[str, ...] = option(
        (), help="A ladder of bets: fractions of the pot, then allin (0.5+pot+allin); none: all amounts.",
        validator=check_ladder,
    )  # fmt: skip
    max_raises: tuple[int, ...] = option(
        (255, 255, 255, 255), help="Bets and raises allowed in each round, at most 255.", validator=[four_rounds, few]
    )
    cash: int = option(
        0,
        help="A cash game in a match of many hands: stacks go on, who cannot post buys in again, and what is above so many "
        "buy-ins is put aside; 0: every hand begins with the same stacks.",
        validator=[validators.ge(0), validators.le(100)],
    )
    pot_limit: bool = option(False, help="Whether no raise may be larger than the pot after a call.")

    def __attrs_post_init__(self) -> None:
        if len(self.stack) not in (1, self.players):
            raise ValueError(f"stack must be one number, or one for each of {self.players} seats. Got {self.stack}.")
        if self.pot_limit and any(not 0 < rung <= 1 for rung in self.ladder):
            raise ValueError(f"With pot-limit betting bets must be at most the pot. Got {'+'.join(self.bets)}.")
        self.check_stacks()
        self.betting  # noqa: B018 (wrong blinds are refused here)

    def make_betting(self) -> Betting:
        return self.holdem_betting(
            max_raises=self.max_raises, raise_sizes=(0, 0, 0, 0), no_limit=True, pot_limit=self.pot_limit
        )

    @cached_property
    def stacks(self) -> tuple[int, ...]:  # type: ignore[override]
        return self.stack * (self.players // len(self.stack))

    @property
    def deepest_stack(self) -> int:
        return max(self.stacks) * max(1, self.cash)

    def next_hand(self, score: tuple[float, ...], previous: PlayedHand | None, seed: int) -> Setup:
        made = super().next_hand(score, previous, seed)
        if not self.cash or previous is None:
            return made
        begun = np.array([previous.setup.stacks or self.stacks], np.int64)
        going_on = self._going_on(begun, np.array([previous.returns]))
        return evolve(made, stacks=tuple(int(stack) for stack in going_on[0]))

    def told_between(self, previous: PlayedHand, setup: Setup) -> Mapping[int, str]:
        if not self.cash or not setup.stacks:
            return {}
        begun = previous.setup.stacks or self.stacks
        told = {}
        for seat, now in enumerate(setup.stacks):
            left = begun[seat] + round(previous.returns[seat])
            if now > left:
                told[seat] = f"buy in again for {now:,}" if not left else f"buy in again: {now:,} behind"
            elif now < left:
                told[seat] = f"put {left - now:,} aside: {now:,} are the most that may be behind"
        return told

    def next_hands(
        self, previous: Records | None, scores: Float64s, returns: Float64s, outcomes: Records, seeds: Uint64s
    ) -> Records:
        out = super().next_hands(previous, scores, returns, outcomes, seeds)
        if self.cash and previous is not None:
            begun = np.where(previous["stacks"] > 0, previous["stacks"], np.array(self.stacks))
            out["stacks"] = self._going_on(begun, returns)
        return out

    def _going_on(self, begun: Int64s, returns: Float64s) -> Int64s:
        """Return the stacks (n, P) of a cash game's next hands, after hands that began with ``begun`` and brought ``returns``."""
        stacks, post = begun + np.rint(returns).astype(np.int64), self.ante + max(*self.blinds, *self.straddles, 0)
        return np.minimum(np.where(stacks < post, np.array(self.stacks), stacks), self.deepest_stack)

    @cached_property
    def ladder(self) -> tuple[float, ...]:  # type: ignore[override]
        return tuple(ladder_fraction(rung) for rung in self.bets)
