"""What is said of cards at a showdown: each hand that is turned over, in full."""

from __future__ import annotations

from typing import Any

from cardai.cards.text import glyphs
from cardai.core.game import Game
from cardai.poker.contract import board_cards
from cardai.poker.hands.ranking import low_text
from cardai.poker.rules.showdown import full_hand_name


def shown_hands(game: Game, end: Any, names: tuple[str, ...]) -> list[str]:
    """Return a line for each hand that is compared, "simple shows two pair, aces and kings, queen kicker"; none without a
    showdown. ``end`` is a :class:`~cardai.arena.moves.HandEnd`, ``names`` are by seat.
    """
    if not end.outcome.get("showdown"):
        return []
    said, lines = board_cards(game), []
    for seat in end.shown:
        view = end.views[seat]
        if view["folded"][seat]:
            continue
        verb = "show" if names[seat] == "you" else "shows"
        if "hole" in view and said is not None:
            cards, makes = view["hole"], full_hand_name(said, view["hole"], view["board"])
        elif "hand" in view:
            cards, makes = view["hand"], low_text(view["hand"])
        else:
            continue
        held = " ".join(game.card_to_string(int(card)) for card in cards)
        lines.append(f"{names[seat]} {verb} {glyphs(held)}" + (f": {makes}" if makes else ""))
    return lines
