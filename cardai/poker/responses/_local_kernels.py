"""Kernel of local best response: what one hand wins from a range on boards that are not yet whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._equity_kernels import board_key, board_set, value_on


@kernel
def against_range(boards: Any, first: Any, second: Any, pairs: Any, tables: Any, ranges: Any, out: Any) -> None:
    """Add to ``out`` (r, 2) the weight met and (won + tied / 2) by the hand ``first``, ``second`` over whole ``boards``.

    ``boards`` is (m, 5) int64, ``pairs`` (1326, 2) the cards of hands, ``ranges`` (r, 1326) float64 opposing ranges, which
    hold nothing that shares a card with the hand. On each board the hands that it blocks are left out.
    """
    keys, low, high, values, _ = tables
    for m in range(len(boards)):
        key, held = board_key(boards[m], keys), board_set(boards[m])
        mine = value_on(key, held, first, second, keys, low, high, values)
        for number in range(len(pairs)):
            weighed = 0.0
            for r in range(len(ranges)):
                weighed += ranges[r, number]
            if weighed == 0.0:
                continue
            a, b = np.int64(pairs[number, 0]), np.int64(pairs[number, 1])
            if (held >> a) & 1 or (held >> b) & 1:
                continue
            his = value_on(key, held, a, b, keys, low, high, values)
            share = 1.0 if mine > his else 0.5 if mine == his else 0.0
            for r in range(len(ranges)):
                out[r, 0] += ranges[r, number]
                out[r, 1] += share * ranges[r, number]
