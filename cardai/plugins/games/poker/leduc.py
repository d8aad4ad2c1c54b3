"""Leduc hold'em: two rounds, one card each and one on the board; OpenSpiel's rules, other publications' as options.

Presets:
    leduc_deepstack: no-limit Leduc with antes of 100 and stacks of 1,200, from DeepStack (Moravcik et al. 2017).
    leduc_thesis: blinds 1 and 2 instead of antes, and bets of 2 in both rounds, as in a thesis (Joos 2018).
    leduc_rlcard: RLCard's rules: blinds 1 and 2, and folding with nothing to call (Zha et al. 2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from attrs import frozen, validators

from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.poker.contract import PAIR, Deck, Hole, Ranking, check_declared
from cardai.poker.rules.betting import MAX_HANDS, MAX_PLAYERS, UNLIMITED, Betting, check_pot, chips
from cardai.poker.rules.board_game import BoardPoker
from cardai.poker.rules.draw import draw_view
from cardai.poker.rules.ladder import check_ladder, few, ladder_fraction

RANKS = "JQKA"
SUITS = "sh"


def leduc_card(card: int) -> str:
    """Return a card of the small deck as text: "Js", "Kh"; decks of more than four ranks count from 1 ("5s")."""
    rank, suit = divmod(card, 2)
    return (RANKS[rank] if rank < len(RANKS) else str(rank + 1)) + SUITS[suit]


def _two_rounds(instance: Any, attribute: Any, value: tuple[int, ...]) -> None:
    if len(value) != 2 or min(value) < 0:
        raise ValueError(f"{attribute.name} needs two numbers, one a round (for example 2+4). Got {value}.")


@frozen
class Leduc(BoardPoker):
    """Leduc hold'em. The defaults are OpenSpiel's ``leduc_poker``: 936 information sets (288 with ``suits=false``)."""

    players: int = option(2, help="Seats, 2 to 10; the deck has two cards of each of players + 1 ranks.",
                          validator=[validators.ge(2), validators.le(MAX_PLAYERS)])  # fmt: skip
    ante: int = option(1, help="Chips every seat puts in first.", validator=chips)
    blinds: tuple[int, ...] = option(
        (), help="Blinds, from the starter on (thesis: 1+2); none by default.", validator=chips
    )
    raise_sizes: tuple[int, ...] = option(
        (2, 4), help="The size of a bet or raise in each round.", validator=[_two_rounds, chips]
    )
    max_raises: tuple[int, ...] = option((2, 2), help="Bets and raises allowed in each round, at most 255.",
                                          validator=[_two_rounds, few])  # fmt: skip
    suits: bool = option(True, help="Whether players see suits; without, cards are 0, 2, 4 (rank only).")
    starting_player: int = option(0, help="The seat that acts first (in a match: in its first hand).")
    second_round: Literal["starter", "next"] = option(
        "starter", help="Who begins round two: the starter again, or the seat after the last to act."
    )
    fold_anytime: bool = option(False, help="Whether a player may fold with nothing to call (and loses the hand).")
    action_mapping: bool = option(
        False, help="All three actions are always legal: an unprompted fold checks, a raise too many calls."
    )
    bets: tuple[str, ...] = option(
        (), help="No-limit betting on a ladder: fractions of the pot, then allin (1+allin).", validator=check_ladder
    )
    stack: int = option(0, help="Chips of each seat at the start of a hand; 0: unlimited.", validator=chips)
    empty_raises: bool = option(
        False,
        help="A raise stays legal when the bet is a seat's whole stack already, and adds nothing (the ACPC's C code).",
    )
    hands: int = option(1, help="Hands in a match.", validator=[validators.ge(1), validators.le(MAX_HANDS)])

    hole: ClassVar[Hole] = Hole(1)
    board: ClassVar[tuple[int, ...]] = (0, 1)
    ranking: ClassVar[Ranking] = PAIR
    title: ClassVar[str] = "Leduc hold'em"
    rules: ClassVar[str] = (
        "A deck of two suits and (players + 1) ranks. Every seat antes and gets one card; a round of betting; one card on "
        "the board; a second round. A pair with the board wins, else the higher card; equal ranks split."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "leduc_deepstack": {
            "ante": 100,
            "stack": 1200,
            "bets": ("pot", "allin"),
            "max_raises": (255, 255),
            "fold_anytime": True,
        },
        "leduc_thesis": {"ante": 0, "blinds": (1, 2), "raise_sizes": (2, 2)},
        "leduc_rlcard": {"ante": 0, "blinds": (1, 2), "second_round": "next", "fold_anytime": True},
    }

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.starting_player < self.players:
            raise ValueError(f"starting_player must be a seat, 0 to {self.players - 1}. Got {self.starting_player}.")
        if len(self.blinds) > self.players or any(blind < 0 for blind in self.blinds):
            raise ValueError(f"blinds must be at most one a seat and not negative. Got {self.blinds}.")
        if self.ante + sum(self.blinds) == 0:
            raise ValueError("Leduc needs an ante or blinds: with neither, nobody has anything to win.")
        if self.bets and not self.stack:
            raise ValueError("bets (no-limit betting) needs a stack, for example stack=1200.")
        if self.bets and self.action_mapping:
            raise ValueError("action_mapping is for limit betting: leave bets out, or action_mapping.")
        if self.stack and self.stack < self.ante + max(self.blinds, default=0):
            raise ValueError(f"The stack must cover ante and blinds. Got {self.stack}.")
        check_pot(self.players, self.most_chips())
        check_declared(self)

    def make_betting(self) -> Betting:
        n = self.players
        return Betting(
            num_players=n,
            num_rounds=2,
            blinds=self.blinds + (0,) * (n - len(self.blinds)),
            first=(len(self.blinds) % n, -1 if self.second_round == "next" else 0),
            max_raises=self.max_raises,
            raise_sizes=self.raise_sizes,
            no_limit=bool(self.bets),
            ante=self.ante,
            offset=0,
            fold_anytime=self.fold_anytime,
            minimum_bet=max(self.ante, *self.blinds, 1),
            deepest=self.stack or UNLIMITED,
            empty_raises=self.empty_raises,
        )

    @property
    def num_players(self) -> int:  # type: ignore[override]
        return self.players

    @cached_property
    def deck(self) -> Deck:  # type: ignore[override]
        size = 2 * (self.players + 1)
        return Deck(f"{size} cards, two suits of {size // 2} ranks", tuple(range(size)))

    @property
    def suits_seen(self) -> bool:  # type: ignore[override]
        """Whether players tell suits apart."""
        return self.suits

    @property
    def first_starter(self) -> int:
        return self.starting_player

    @cached_property
    def stacks(self) -> tuple[int, ...]:  # type: ignore[override]
        return (self.stack or UNLIMITED,) * self.players

    @cached_property
    def ladder(self) -> tuple[float, ...]:  # type: ignore[override]
        return tuple(ladder_fraction(rung) for rung in self.bets)

    def deck_template(self) -> npt.NDArray[np.int8]:
        deck = np.arange(self.num_chance_outcomes, dtype=np.int8)
        return deck if self.suits else deck // 2 * 2

    def observed(self, row: Any, actor: int, action: int, player: int) -> int:
        if not self.action_mapping:
            return action
        from cardai.poker.rules._kernels import meant

        return int(meant(row, self.rules_row()[0], action))

    def chance_to_string(self, outcome: int) -> str:
        return leduc_card(outcome)

    def action_to_string(self, action: int) -> str:
        return self.betting_action(action)

    def draw(self, view: Mapping[str, Any]) -> str:
        return draw_view(view, leduc_card, self.amounts or bool(self.bets))


@hookimpl
def cardai_game() -> Mapping[str, type[Leduc]]:
    """Offer ``leduc``."""
    return {"leduc": Leduc}
