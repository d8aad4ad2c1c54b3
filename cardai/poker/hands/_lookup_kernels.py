"""Kernels that look hands up in tables over classes of boards."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._boards_kernels import board_index


@kernel
def pair_number(a: Any, b: Any) -> Any:
    """Return the number of the hand of cards ``a`` and ``b`` (see :mod:`cardai.poker.hands.combos`)."""
    low, high = np.int64(min(a, b)), np.int64(max(a, b))
    return high * (high - 1) // 2 + low


@kernel
def find_buckets(cards: Any, hole: Any, board: Any, out: Any) -> None:
    """Fill ``out`` (n,) int64 with the buckets of hands.

    Args:
        cards: tables, classes, renamings and hand maps: ``Buckets.tables``, and of boards of 3, 4 and 5 cards.
        hole, board: (n, 2) and (n, 5) int8 cards, -1 where not dealt. Hands that share cards with the board get some bucket.
    """
    tables, classes, renamings, hand_maps = cards
    previous, number, renaming = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(len(out)):
        size, key = 0, np.int64(1)
        for k in range(5):
            if board[i, k] >= 0:
                key = key * 64 + np.int64(board[i, k])
                size += 1
        hand = pair_number(hole[i, 0], hole[i, 1])
        if size == 0:
            out[i] = tables[0][0, hand]
            continue
        if key != previous:  # whole ranges are asked on one board
            index = board_index(board[i], size)
            number, renaming = np.int64(classes[size - 3][index]), np.int64(renamings[size - 3][index])
            previous = key
        out[i] = tables[size - 2][number, hand_maps[renaming, hand]]


@kernel
def find_classes(class_of: Any, board: Any, size: Any, out: Any) -> None:
    """Fill ``out`` (n,) int64 with the classes of boards (n, 5) int8, ``size`` cards and then -1."""
    for i in range(len(out)):
        out[i] = class_of[board_index(board[i], size)]
