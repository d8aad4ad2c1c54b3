"""What gin rummy's game and its players share: the numbers of actions and phases, and the table of melds."""

# kernel constants

from __future__ import annotations

from typing import Any

import numpy as np

# actions: 0..51 discard that card, then (KNOCK before the discard is big gin)
TAKE = 52
STOCK = 53
PASS = 54
KNOCK = 55
PLAY_ON = 56
FIRST_MELD = 57

# phases: what the player to act is asked
OFFER = 0
DRAW = 1
DISCARD = 2
ASK_KNOCK = 3
WALL = 4
SHOW = 5
OVER = 6
PHASES = ("offer", "draw", "discard", "knock?", "wall", "show melds", "over")
"""The phases in words."""

# endings
KNOCKED = 0
GIN = 1
UNDERCUT = 2
VOID = 3
CAPPED = 4
PUSH = 5
BIG_GIN = 6
ENDINGS = ("knock", "gin", "undercut", "void", "capped", "push", "big gin")
"""The endings in words."""
SCORED = (KNOCKED, GIN, UNDERCUT, BIG_GIN)
"""The endings with points for somebody."""

NUM_MELDS = 305


def _meld_table() -> np.ndarray[Any, Any]:
    runs = [
        ((1 << length) - 1) << (13 * suit + start)
        for suit in range(4)
        for start in range(11)
        for length in range(3, min(10, 13 - start) + 1)
    ]
    sets = []
    for rank in range(13):
        four = sum(1 << (13 * suit + rank) for suit in range(4))
        sets += [four ^ 1 << (13 * suit + rank) for suit in range(3, -1, -1)] + [four]
    return np.array(runs + sets, np.uint64)


MELDS = _meld_table()
"""The 305 melds of at most ten cards, in gin order (ace low): 240 runs by suit, start, length; 65 sets by rank."""
