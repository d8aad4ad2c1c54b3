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
