"""Amounts in big blinds, for whoever wants them so."""

from __future__ import annotations

import re

from cardai.core.game import Game
from cardai.poker.contract import betting_game

_TYPED = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*bb\b", re.IGNORECASE)
"""A number with commas between thousands alone: one in other places ("2,5bb") is nobody's to guess."""


def big_blind_of(game: Game) -> int:
    """Return the chips of a game's big blind, 0 where it has none."""
    said = betting_game(game)
    return 0 if said is None else int(said.big_blind)


def money(amount: float, blind: int = 0, sign: bool = False) -> str:
    """Return an amount of chips, in big blinds where their size is given: "1,250", "2.5 bb"."""
    plus = "+" if sign else ""
    if not blind:
        return f"{amount:{plus},g}" if amount != int(amount) else f"{int(amount):{plus},}"
    return f"{amount / blind:{plus},.4g} bb"


def chips_of(text: str, game: Game | None) -> str:
    """Return a typed line with amounts in big blinds ("raise 2.5bb") in chips; others as they are."""
    blind = 0 if game is None else big_blind_of(game)
    return _TYPED.sub(lambda found: f"{float(found[1].replace(',', '')) * blind:.0f}", text) if blind else text
