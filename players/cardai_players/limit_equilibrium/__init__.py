"""Limit hold'em near equilibrium: a best response from the flop wins 109.0 ± 10.1 mbb/g (24 boards)."""

from __future__ import annotations

from pathlib import Path

from cardai import hookimpl
from cardai_players.boxed import Boxed


class Player(Boxed):
    """Limit hold'em near equilibrium."""

    run = Path(__file__).parent / "run"


@hookimpl
def cardai_agent() -> type[Player]:
    return Player
