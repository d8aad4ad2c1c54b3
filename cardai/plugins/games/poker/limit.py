"""Limit Texas hold'em for 2 to 10 players; blinds, sizes and caps are options (default: the ACPC's 5/10 game).

Presets:
    acpc_limit_2p: the ACPC's heads-up limit game: blinds 5/10, bets 10/20.
    acpc_limit_3p: the same competition's limit game for three.
    poker_cnn_limit: Poker-CNN's limit game, blinds 50/100 with bets of 100/200 (Yakovenko et al. 2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen

from cardai.cards.poker.betting import UNLIMITED, Betting, chips
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.plugins.games.poker._holdem import Holdem, four_rounds


@frozen
class HoldemLimit(Holdem):
    """Limit hold'em. The defaults are the Annual Computer Poker Competition's heads-up game (blinds 5/10, bets 10/20)."""

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

    rules: ClassVar[str] = (
        "Two hole cards each, four rounds of betting in fixed sizes (pre-flop, flop, turn, river), five cards on the board; "
        "the best five of seven cards win. Fold is legal only when there is something to call."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "acpc_limit_2p": {},
        "acpc_limit_3p": {"players": 3},
        "poker_cnn_limit": {"blinds": (50, 100), "raise_sizes": (100, 100, 200, 200)},
    }

    def __attrs_post_init__(self) -> None:
        self.betting  # noqa: B018 (wrong blinds and caps are refused here)
        if min(self.raise_sizes) < 1:
            raise ValueError(f"raise_sizes must be positive. Got {self.raise_sizes}.")
        if max(self.max_raises) > 60:
            raise ValueError(f"max_raises must be at most 60 a round. Got {self.max_raises}.")
        self.check_stacks()

    def make_betting(self) -> Betting:
        sizes = {"max_raises": self.max_raises, "raise_sizes": self.raise_sizes}
        return self.holdem_betting(**sizes, empty_raises=self.empty_raises)

    def seat_stacks(self) -> tuple[int, ...]:
        return (self.stack or UNLIMITED,) * self.players


@hookimpl
def cardai_game() -> Mapping[str, type[HoldemLimit]]:
    """Offer ``holdem_limit``."""
    return {"holdem_limit": HoldemLimit}
