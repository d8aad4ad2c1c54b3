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

from cardai.core.hookspecs import hookimpl
from cardai.poker.rules.holdem import LimitHoldem


@frozen
class HoldemLimit(LimitHoldem):
    """Limit hold'em. The defaults are the Annual Computer Poker Competition's heads-up game (blinds 5/10, bets 10/20)."""

    title: ClassVar[str] = "Limit Texas hold'em"
    rules: ClassVar[str] = (
        "Two hole cards each, four rounds of betting in fixed sizes (pre-flop, flop, turn, river), five cards on the board; "
        "the best five of seven cards win. Fold is legal only when there is something to call."
    )
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "acpc_limit_2p": {},
        "acpc_limit_3p": {"players": 3},
        "poker_cnn_limit": {"blinds": (50, 100), "raise_sizes": (100, 100, 200, 200)},
    }


@hookimpl
def cardai_game() -> Mapping[str, type[HoldemLimit]]:
    """Offer ``holdem_limit``."""
    return {"holdem_limit": HoldemLimit}
