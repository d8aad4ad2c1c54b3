"""Kernels that number boards and find the canonical board of each: see :mod:`cardai.poker.hands.boards`."""

# kernel constants

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from cardai.core.kernel import kernel

CHOOSE = np.array([[comb(n, k) for k in range(6)] for n in range(53)], np.int64)
"""Binomial coefficients (53, 6): CHOOSE[n, k] ways to choose k of n."""


@kernel
def board_index(cards: Any, size: Any) -> Any:
    """Return the number of the set of the first ``size`` (0 to 5) ``cards``, in any order, among all sets of that size.

    Sets are numbered in colexicographic order: the sum of C(card, k) over the k-th lowest card (k = 1, 2, ...).
    """
    index = np.int64(0)
    for i in range(size):
        below = 1
        for j in range(size):
            below += cards[j] < cards[i]
        index += CHOOSE[cards[i], below]
    return index


@kernel
def next_board(cards: Any) -> None:
    """Change ascending ``cards`` (k,) to the next set in colexicographic order (the last one becomes no set)."""
    size = len(cards)
    for j in range(size):
        if j == size - 1 or cards[j] + 1 < cards[j + 1]:
            cards[j] += 1
            for i in range(j):
                cards[i] = i
            return


@kernel
def fill_classes(renamings: Any, inverse: Any, class_of: Any, renaming_of: Any, reps: Any, weights: Any) -> Any:
    """Find the classes of boards of ``k`` cards under ``renamings`` (24, 4) of suits; return how many there are.

    Args:
        renamings, inverse: (24, 4) int64 renamings, the first one idle, and (24,) the number of each one's inverse.
        class_of: (C(52, k),) int32, -1 throughout before: each board's class.
        renaming_of: (C(52, k),) uint8: a renaming that makes the board its class's representative.
        reps, weights: (m, k) int8 and (m,) int32, m large enough: each class's least board and its number of boards.
    """
    size = reps.shape[1]
    board, image = np.arange(size), np.empty(size, np.int64)
    count = 0
    for index in range(len(class_of)):
        if class_of[index] < 0:
            for k in range(size):
                reps[count, k] = board[k]
            for p in range(len(renamings)):
                for k in range(size):
                    image[k] = 13 * renamings[p, board[k] // 13] + board[k] % 13
                j = board_index(image, size)
                if class_of[j] < 0:
                    class_of[j] = count
                    renaming_of[j] = inverse[p]
                    weights[count] += 1
            count += 1
        next_board(board)
    return count


@kernel
def fill_hand_maps(renamings: Any, pairs: Any, out: Any) -> None:
    """Fill ``out`` (24, 1326) int16: what each hand of ``pairs`` (1326, 2) becomes under each renaming."""
    for p in range(len(renamings)):
        for h in range(len(pairs)):
            a = 13 * renamings[p, pairs[h, 0] // 13] + pairs[h, 0] % 13
            b = 13 * renamings[p, pairs[h, 1] // 13] + pairs[h, 1] % 13
            low, high = min(a, b), max(a, b)
            out[p, h] = high * (high - 1) // 2 + low


@kernel
def fill_runouts(flop: Any, renamings: Any, out: Any, weights: Any) -> Any:
    """Find the turn and river cards behind ``flop`` (3,) up to the renamings that leave the flop as it is.

    ``out`` (2352, 2) int8 and ``weights`` (2352,) int32 take each class's least (turn, river) and its size; returns how
    many classes there are.
    """
    stays = np.zeros(len(renamings), np.int64)
    held = np.int64(0)
    for k in range(3):
        held |= np.int64(1) << np.int64(flop[k])
    for p in range(len(renamings)):
        image = np.int64(0)
        for k in range(3):
            image |= np.int64(1) << np.int64(13 * renamings[p, flop[k] // 13] + flop[k] % 13)
        stays[p] = image == held
    count = 0
    place = np.full(52 * 52, -1, np.int64)
    for turn in range(52):
        for river in range(52):
            if turn == river or (held >> turn) & 1 or (held >> river) & 1:
                continue
            least = turn * 52 + river
            for p in range(len(renamings)):
                if stays[p]:
                    t = 13 * renamings[p, turn // 13] + turn % 13
                    r = 13 * renamings[p, river // 13] + river % 13
                    least = min(least, t * 52 + r)
            if place[least] < 0:  # the least of a class comes first
                place[least] = count
                out[count, 0], out[count, 1] = turn, river
                weights[count] = 0
                count += 1
            weights[place[least]] += 1
    return count
