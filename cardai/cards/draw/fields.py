"""The draw family's vocabulary: what the views of games hold in which five cards are exchanged."""

from __future__ import annotations

from cardai.cards.draw.actions import FIRST_DISCARD, HOLDS
from cardai.cards.poker.fields import POKER
from cardai.core.fields import Family, Field
from cardai.core.game import Game

DRAW = Family(
    "draw",
    "draw games of five cards",
    (
        Field("hand", "cards", "Own cards; a drawn card takes the discarded one's place.", 51, 5, role="own"),
        Field("draws_left", "count", "Draws that the player still has.", role="own"),
    ),
    optional=(
        Field("discarded", "card_set", "All cards that the player has discarded.", role="own"),
        Field("kept", "count", "Cards kept, at seat * 3 + draw (-1 before).", 5, role="by_seat"),
        Field("drawing", "flag", "Whether the table is drawing (else betting).", 1, role="public"),
    ),
)


def is_draw_poker(game: Game) -> bool:
    """Say whether the game is betting with draws: fold, call, raise, then 32 discards, and what everybody kept."""
    shown = {f.name for f in game.view_fields}
    actions = game.num_distinct_actions == FIRST_DISCARD + HOLDS
    return game.speaks(POKER) and game.speaks(DRAW) and actions and "kept" in shown


def is_solo_draw(game: Game) -> bool:
    """Say whether the game is one player's hold of five cards, and what the new hand pays (video poker)."""
    solo = game.num_players == 1 and game.num_distinct_actions == HOLDS
    return solo and game.speaks(DRAW) and not game.speaks(POKER)
