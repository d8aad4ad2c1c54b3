"""Omaha hold'em for 2 to 10 players: four, five or six hole cards, of which exactly two play; pot-limit or no-limit.

Presets:
    plo: pot-limit Omaha with four hole cards; ours.
    plo5: pot-limit Omaha with five hole cards; ours.
    plo6: pot-limit Omaha with six hole cards; ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from attrs import frozen, validators

from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.poker.contract import Hole
from cardai.poker.rules.holdem import NoLimitHoldem


@frozen
class Omaha(NoLimitHoldem):
    """Omaha high; other options are those of no-limit hold'em."""

    hole_cards: int = option(4, help="Hole cards of each seat, 4 to 6.", validator=validators.in_((4, 5, 6)))
    pot_limit: bool = option(True, help="Whether no raise may be larger than the pot after a call.")

    title: ClassVar[str] = "Omaha"
    rules: ClassVar[str] = (
        "Four hole cards each (or five, or six), four rounds of betting, five cards on the board. The best hand of exactly "
        "two hole cards and three of the board wins. A raise may be as large as the pot after a call."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "plo": {},
        "plo5": {"hole_cards": 5},
        "plo6": {"hole_cards": 6},
    }

    @cached_property
    def hole(self) -> Hole:  # type: ignore[override]
        return Hole(self.hole_cards, 2)


@hookimpl
def cardai_game() -> type[Omaha]:
    """Offer ``omaha``."""
    return Omaha
