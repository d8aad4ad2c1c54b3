"""What a view, a row and the rules of gin rummy hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.fields import Field

PILE = 32  # the pile grows by one card a stock draw, of which there are at most 31
RULES_DTYPE = np.dtype(
    [
        ("knock_limit", np.int64),
        ("gin_bonus", np.int64),
        ("undercut_bonus", np.int64),
        ("tie", np.int64),
        ("void_stock", np.int64),
        ("wall_turn", np.bool_),
        ("up_card_phase", np.bool_),
        ("discard_ban", np.bool_),
        ("repeated_discard_draw", np.bool_),
        ("max_upcard_draws", np.int64),
        ("max_moves", np.int64),
        ("max_turns", np.int64),
        ("layoffs", np.int64),
        ("melds", np.int64),
    ]
)


def turns_noted(max_turns: int) -> int:
    """Return how many turns a history has room for: at least 200, so that shorter hands need no other kernels."""
    return max(max_turns, 200)


def own_draws(max_turns: int) -> int:
    """Return the most draws one player can make: every other turn, and the wall's."""
    return turns_noted(max_turns) // 2 + 2


def view_fields(max_turns: int) -> tuple[Field, ...]:
    """Return the fields of a view."""
    return (
        Field("player", "seat", "whose view this is", maximum=1),
        Field("to_act", "seat", "who is to act, -1 nobody", maximum=1),
        Field("starter", "seat", "who was offered the first up-card first", maximum=1),
        Field("opener", "seat", "whose turn the first turn was, -1 before", maximum=1),
        Field("phase", "count", "0 offer, 1 draw, 2 discard, 3 knock?, 4 wall, 5 show melds, 6 over", maximum=6),
        Field("hand", "card_set", "own cards"),
        Field("up_card", "card", "the top of the discard pile", maximum=51),
        Field("first_up_card", "card", "the card first turned up", maximum=51),
        Field("discard_set", "card_set", "the discard pile, its top included"),
        Field("opponent_known", "card_set", "cards the opponent took face up and still holds"),
        Field("opponent_discards", "card_set", "all the opponent has discarded"),
        Field("opponent_declined", "card_set", "face-up cards the opponent left lying"),
        Field("drawn_card", "card", "the card drawn this turn, between draw and the end of the turn", maximum=51),
        Field("taken_card", "card", "the same if it was taken face up", maximum=51),
        Field("stock", "count", "cards left in the stock", maximum=31),
        Field("turns", "count", "finished turns of both", maximum=turns_noted(max_turns) + 1),
        Field("own_turns", "count", "own turns, the current one included once drawn", maximum=own_draws(max_turns)),
        Field("score", "chips", "match score by seat, zeros outside a match", maximum=1000, size=2, unit="points"),
        Field("knocker", "seat", "who knocked, -1 nobody yet", maximum=1),
        Field("revealed", "card_set", "the opponent's cards once they lie on the table"),
        Field("laid_off", "card_set", "the defender's cards laid off on the knocker's melds"),
        Field("melds", "card_set", "melds laid down: four places for seat 0, four for seat 1", size=8),
        Field("discards", "cards", "the discard pile from the bottom", maximum=51, size=PILE),
        Field("draws", "private_history", "own drawn cards in order", maximum=51, size=own_draws(max_turns)),
        Field(
            "history",
            "public_history",
            "a number a turn, from the opener's: the card discarded, and 52 more if the draw was face up",
            maximum=103,
            size=turns_noted(max_turns) + 1,
        ),
    )


def own_row_fields(max_turns: int) -> list[tuple[Any, ...]]:
    """Return the fields of a row beside the common ones."""
    return [
        ("hands", np.uint64, (2,)),
        ("known", np.uint64, (2,)),
        ("declined", np.uint64, (2,)),
        ("discarded", np.uint64, (2,)),
        ("pile_set", np.uint64),
        ("laid_off", np.uint64),
        ("melds", np.uint64, (2, 4)),
        ("score", np.float64, (2,)),
        ("result", np.int64, (2,)),
        ("deadwood", np.int64, (2,)),
        ("shown", np.int64, (2,)),
        ("able", np.int16, (2,)),
        ("own_turns", np.int16, (2,)),
        ("turns", np.int16),
        ("moves", np.int32),
        ("pile_draws", np.int16),
        ("layoffs", np.int16),
        ("starter", np.int8),
        ("opener", np.int8),
        ("first_up_card", np.int8),
        ("actor", np.int8),
        ("phase", np.int8),
        ("offers", np.int8),
        ("drawn", np.int8),
        ("taken", np.int8),
        ("repeats", np.int8),
        ("ending", np.int8),
        ("knocker", np.int8),
        ("in_match", np.bool_),
        ("wall", np.bool_),
        ("pile_size", np.int16),
        ("pile", np.int8, (PILE,)),
        ("draws", np.int8, (2, own_draws(max_turns))),
        ("history", np.int8, (turns_noted(max_turns) + 1,)),
    ]
