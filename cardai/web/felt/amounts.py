"""What a big blind is, for whoever wants amounts in these."""

from __future__ import annotations

from cardai.core.game import Game
from cardai.poker.contract import betting_game


def big_blind_of(game: Game) -> int:
    """Return the chips of a game's big blind, 0 where it has none."""
    said = betting_game(game)
    return 0 if said is None else int(said.big_blind)
