"""What the withheld-knock experiment notes of each turn, as a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import (
    MAX_MELDS,
    U1,
    best_arrangement,
    best_melded,
    deadwood_of,
    lay_off_first_fit,
    points_of,
    to_gin,
)

BONUS = 25


@kernel
def score_if_knocked(hand: Any, other: Any, melds: Any) -> Any:
    """Return what a knock with ``hand`` against ``other`` (gin-order sets) would score now."""
    count = best_arrangement(hand, 0, melds)
    own = deadwood_of(hand)
    loose = other & ~best_melded(other)
    if own == 0:
        return BONUS + points_of(loose)
    difference = points_of(loose & ~lay_off_first_fit(loose, melds, count)) - own
    return difference if difference > 0 else difference - BONUS


@kernel
def note_turns(data: Any, rows: Any, actions: Any, seat: Any, deadwoods: Any, since: Any, first: Any) -> None:
    """Note the discards ``actions`` of ``seat`` at ``rows`` before they are played.

    ``deadwoods`` (turns, 101) counts hands by turn and deadwood after it. ``since`` (2, turns, 3): number, sum and sum of
    squares of :func:`score_if_knocked` by turns since the seat could first knock, apart for the first player of a hand who
    could (0) and the other (1). ``first`` (n, 2): that turn, 0 before.
    """
    melds = np.zeros(MAX_MELDS, np.uint64)
    for i in range(len(rows)):
        row = data[rows[i]]
        turn = row["turns"] + 1
        hand = to_gin(row["hands"][seat] ^ (U1 << np.uint64(actions[i])))
        deadwood = deadwood_of(hand)
        deadwoods[turn, deadwood] += 1
        if deadwood <= 10:
            if first[rows[i], seat] == 0:
                first[rows[i], seat] = turn
            score = score_if_knocked(hand, to_gin(row["hands"][1 - seat]), melds)
            other_first = first[rows[i], 1 - seat]
            later = 1 if 0 < other_first < first[rows[i], seat] else 0
            waited = turn - first[rows[i], seat]
            since[later, waited, 0] += 1
            since[later, waited, 1] += score
            since[later, waited, 2] += score * score
