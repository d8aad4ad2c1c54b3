"""Kernels that paint card planes and read betting strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel, prefetcher

_ONE = np.uint64(1)
_SUIT = np.uint64(0x1FFF)
_FULL = np.float32(1.0)
_LINE = 16  # float32 values in a cache line
_AHEAD = 24  # planes; about the time that memory takes

prefetch = prefetcher()


@kernel
def paint(bits: Any, values: Any, rows: Any, suits: Any, out: Any) -> None:
    """Paint planes: inside the card window a cell is 1 where its card is in ``bits``, else ``values``.

    Args:
        bits: (n, P) uint64 card sets.
        values: (n, P) float32 what the rest of the window holds (0 for card planes, the level of a fill plane).
        rows: (k,) int64 flat index of the first cell (the deuce) of each window row.
        suits: (k,) int64 the suit of each window row.
        out: (n, P, H * W) float32, contiguous; cells outside the window are left alone.
    """
    flat = out.reshape(-1)
    size = out.shape[2]
    width = rows[len(rows) - 1] + 13 - rows[0]
    for i in range(bits.shape[0]):
        for p in range(bits.shape[1]):
            ahead = (i * bits.shape[1] + p + _AHEAD) * size + rows[0]
            for cell in range(ahead, ahead + width, _LINE):
                prefetch(flat, cell)
            prefetch(flat, ahead + width - 1)
            cards = bits[i, p]
            level = values[i, p]
            plane = out[i, p]
            for k in range(len(rows)):
                row = plane[rows[k] : rows[k] + 13]
                here = np.int32((cards >> np.uint64(13 * suits[k])) & _SUIT)
                if here == 0:
                    for r in range(13):
                        row[r] = level
                else:
                    for r in range(13):
                        row[r] = _FULL if here & (1 << r) else level


@kernel
def card_bits(cards: Any, out: Any) -> None:
    """Fill ``out`` (n,) uint64 with the one-card set of ``cards`` (n,) int8, empty where -1."""
    for i in range(len(cards)):
        out[i] = _ONE << np.uint64(cards[i]) if cards[i] >= 0 else np.uint64(0)


@kernel
def betting_bits(history: Any, rounds: Any, wanted: Any, draws: Any, out: Any) -> None:
    """Write a round's betting string: ``out`` (n, k) float32 is 1 for a bet or raise, 0 for a check or call.

    Folds, draws and blinds are skipped and the string is cut at k actions (Poker-CNN). ``history`` and ``rounds`` are
    (n, h) with -1 after the last; ``wanted`` (n,) is the round (nothing is written for a negative one); with ``draws``
    the ids from 3 on are draws, not raises.
    """
    for i in range(history.shape[0]):
        k = 0
        if wanted[i] < 0:
            continue
        for h in range(history.shape[1]):
            action = history[i, h]
            if action < 0 or k == out.shape[1]:
                break
            if rounds[i, h] != wanted[i] or action == 0 or (draws and action > 2):
                continue
            if action >= 2:
                out[i, k] = 1.0
            k += 1


@kernel
def acted(history: Any, rounds: Any, seats: Any, wanted: Any, player: Any, out: Any) -> None:
    """Write whether opponents have (column 0) checked or called, (1) bet or raised in round ``wanted`` (n,)."""
    for i in range(history.shape[0]):
        for h in range(history.shape[1]):
            action = history[i, h]
            if action < 0:
                break
            if rounds[i, h] == wanted[i] and seats[i, h] != player[i] and action > 0:
                out[i, 0 if action == 1 else 1] = 1.0
