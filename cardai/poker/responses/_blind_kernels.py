"""Kernels of the best response to a player that plays all hands alike: sums over the next card."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._boards_kernels import board_index


@kernel
def river_sums(boards: Any, known: Any, hand_maps: Any, strengths: Any, values: Any, out: Any) -> None:
    """Fill ``out`` (m, 1326, u) with the sums over the river cards of ``values`` at each hand's strength.

    Args:
        boards: (m, 4) int64.
        known: classes and renamings of boards of five.
        strengths: (classes, 1326) uint16, more than any place of ``values`` where the board blocks a hand.
        values: (1981, u), by strength.
    """
    classes, renamings = known
    board = np.empty(5, np.int64)
    for b in range(len(boards)):
        out[b] = 0.0
        board[:4] = boards[b]
        for card in range(52):
            if card == board[0] or card == board[1] or card == board[2] or card == board[3]:
                continue
            board[4] = card
            index = board_index(board, 5)
            row, names = strengths[classes[index]], hand_maps[renamings[index]]
            for hand in range(hand_maps.shape[1]):
                strength = row[names[hand]]
                if strength < len(values):
                    for u in range(values.shape[1]):
                        out[b, hand, u] += values[strength, u]


@kernel
def turn_sums(boards: Any, known: Any, hand_maps: Any, values: Any, out: Any) -> None:
    """Fill ``out`` (m, 1326, u) with the sums over the turn cards of ``values`` (classes, 1326, u).

    ``boards`` (m, 3) int64; ``known``: classes and renamings of boards of four. Values of blocked hands are 0.
    """
    classes, renamings = known
    board = np.empty(4, np.int64)
    for b in range(len(boards)):
        out[b] = 0.0
        board[:3] = boards[b]
        for card in range(52):
            if card == board[0] or card == board[1] or card == board[2]:
                continue
            board[3] = card
            index = board_index(board, 4)
            table, names = values[classes[index]], hand_maps[renamings[index]]
            for hand in range(hand_maps.shape[1]):
                for u in range(values.shape[2]):
                    out[b, hand, u] += table[names[hand], u]
