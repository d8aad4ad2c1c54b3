"""Short-deck hold'em (six plus) for 2 to 10 players: 36 cards, no-limit betting; a flush beats a full house.

Presets:
    short_deck_button: antes of 100 from every seat and one blind of 100, the button's, as short deck is mostly played; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from attrs import frozen

from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.poker.contract import SHORT, SHORT_HIGH
from cardai.poker.rules.holdem import NoLimitHoldem


@frozen
class ShortDeck(NoLimitHoldem):
    """Short-deck hold'em; betting and options are those of no-limit hold'em."""

    button_blind: bool = option(False, help="Whether the one blind is the button's; the seat after it acts first.")

    deck = SHORT
    ranking = SHORT_HIGH
    title: ClassVar[str] = "Short deck hold'em"
    rules: ClassVar[str] = (
        "No-limit hold'em with the 36 cards from the six up. The best five of seven cards win; a flush beats a full house, "
        "A-6-7-8-9 is a straight, and a straight beats three of a kind."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "short_deck_button": {"ante": 100, "blinds": (100,), "button_blind": True},
    }

    def posted(self) -> tuple[tuple[int, ...], int]:
        if not self.button_blind:
            return super().posted()
        if len(self.blinds) != 1 or not self.blinds[0] or self.straddles:
            raise ValueError(f"With button_blind there is one blind. Got {(*self.blinds, *self.straddles)}.")
        return (0,) * (self.players - 1) + self.blinds, 0


@hookimpl
def cardai_game() -> type[ShortDeck]:
    """Offer ``short_deck``."""
    return ShortDeck
