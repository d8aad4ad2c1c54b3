"""What a row and the rules of gin rummy hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.gin.fields import PILE, own_draws, turns_noted

RULES_DTYPE = np.dtype(
    [
        ("knock_limit", np.int64),
        ("gin_bonus", np.int64),
        ("undercut_bonus", np.int64),
        ("big_gin_bonus", np.int64),
        ("oklahoma", np.bool_),
        ("oklahoma_ace", np.int64),
        ("double_spades", np.bool_),
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
