"""Limit hold'em by Poker-CNN's method, seventh generation: +43.8 ± 3.7 chips a hand (big blind 100) against holdem_heuristic over 40,000 games."""

from __future__ import annotations

from pathlib import Path

from cardai import hookimpl
from cardai_players.boxed import Boxed


class Player(Boxed):
    """Limit hold'em by Poker-CNN's method, seventh generation."""

    run = Path(__file__).parent / "run"
    any_bets = True


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
