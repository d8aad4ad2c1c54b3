"""The kernel of :mod:`cardai.poker.preflop.equities`: classes of hands against each other on boards of five cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._equity_kernels import rank_all

CLASSES = 169
_HANDS = 1326
_SHIFT = 11


@kernel
def classes_on_boards(boards: Any, weights: Any, pairs: Any, classes: Any, tables: Any, wins: Any, ties: Any) -> None:
    """Add to ``wins`` and ``ties`` (169, 169) int64 how often the row's hands beat and tie the column's on ``boards`` (m, 5).

    Hands that share a card never meet; ``weights`` (m,) int64 is how often each board counts.
    """
    ranked = np.empty(_HANDS, np.int64)
    for m in range(len(boards)):
        count = rank_all(boards[m], pairs, tables, ranked)
        on_board(ranked, count, weights[m], pairs, classes, wins, ties)


@kernel
def on_board(ranked: Any, count: Any, weight: Any, pairs: Any, classes: Any, wins: Any, ties: Any) -> None:
    """Add one board's wins and ties, of ``count`` hands ``ranked`` ascending."""
    lower = np.zeros(CLASSES, np.int32)
    by_card = np.zeros((52, CLASSES), np.int32)
    first = 0
    while first < count:
        last = first
        while last < count and ranked[last] >> _SHIFT == ranked[first] >> _SHIFT:
            last += 1
        for k in range(first, last):
            hand = ranked[k] & ((1 << _SHIFT) - 1)
            a, b = pairs[hand, 0], pairs[hand, 1]
            row = classes[hand]
            for other in range(CLASSES):
                wins[row, other] += weight * (lower[other] - by_card[a, other] - by_card[b, other])
            for j in range(first, last):
                met = ranked[j] & ((1 << _SHIFT) - 1)
                c, d = pairs[met, 0], pairs[met, 1]
                if a != c and a != d and b != c and b != d:
                    ties[row, classes[met]] += weight
        for k in range(first, last):
            hand = ranked[k] & ((1 << _SHIFT) - 1)
            lower[classes[hand]] += 1
            by_card[pairs[hand, 0], classes[hand]] += 1
            by_card[pairs[hand, 1], classes[hand]] += 1
        first = last
