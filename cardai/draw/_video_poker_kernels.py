"""The kernel that grades a video poker player's holds."""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel
from cardai.draw._hold_kernels import HOLDS


@kernel
def tally(values: Any, chosen: Any, weights: Any, limits: Any, sums: Any) -> None:
    """Add hands' results to ``sums`` (10,): return, best return, then (probability, loss) by class of mistake.

    ``values`` and ``chosen`` are (n, 32) values and probabilities of the holds, ``weights`` (n,) float64. A hold is in class
    k if what it gives up is above ``limits[k - 1]``; ``limits`` is (3,): exact, tiny, small.
    """
    for row in range(len(values)):
        best = values[row, 0]
        for hold in range(1, HOLDS):
            best = max(best, values[row, hold])
        sums[1] += best * weights[row]
        for hold in range(HOLDS):
            share = chosen[row, hold] * weights[row]
            if share != 0.0:
                loss = best - values[row, hold]
                grade = 0 if loss <= limits[0] else 1 if loss < limits[1] else 2 if loss < limits[2] else 3
                sums[0] += values[row, hold] * share
                sums[2 + 2 * grade] += share
                sums[3 + 2 * grade] += loss * share
