"""Who beats whom on a whole board, counted over boards."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel


@kernel
def add_wins(strengths: Any, wins: Any) -> None:
    """Add to ``wins`` (n, n) int16 where the row's hand beats the column's, less where it loses.

    ``strengths`` (n,) int16; negative: the board blocks the hand, which neither wins nor loses.
    """
    none, one = np.int16(0), np.int16(1)
    for i in range(len(strengths)):
        own, row = strengths[i], wins[i]
        if own < none:
            continue
        for j in range(len(strengths)):
            other = strengths[j]
            row[j] += one if other >= none and other < own else (-one if other > own else none)


@kernel
def weigh_wins(wins: Any, other: Any, out: Any) -> None:
    """Set ``out`` (C, n) to ``other`` (C, n) times the transposed ``wins`` (n, n), which is its own negative; in one thread.

    float32 like BLAS's product, which takes all threads that there are, and they wait for one another.
    """
    out[:] = np.float32(0.0)
    for j in range(len(wins)):
        row = wins[j]
        for c in range(len(other)):
            weight, sums = other[c, j], out[c]
            for h in range(len(row)):
                sums[h] -= weight * row[h]
