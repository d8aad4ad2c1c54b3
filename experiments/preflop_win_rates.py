"""Compute the exact chance of each of the 169 starting hands to beat a random hand (ties count half).

    python experiments/preflop_win_rates.py

Every board is taken once up to a change of suits (134,459 of 2,598,960); on each, all 1,081 hands that it leaves are
ranked, sorted, and compared with the 990 hands that each leaves. Prints the table that ``cardai/poker/hands/strength.py`` holds.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.kernel import kernel
from cardai.poker.hands._ranking_kernels import rank_suits


@kernel
def _board(suits: Any, weight: Any, won: Any, seen: Any) -> None:
    """Add what one board (4 sets of ranks) with its number of equivalent boards says about the hands it leaves."""
    cards = np.empty(47, np.int64)
    left = 0
    for card in range(52):
        if (suits[card // 13] >> (card % 13)) & 1 == 0:
            cards[left] = card
            left += 1
    first, second = np.empty(1081, np.int64), np.empty(1081, np.int64)
    values = np.empty(1081, np.int64)
    held = suits.copy()
    count = 0
    for i in range(47):
        for k in range(i):
            held[:] = suits
            held[cards[i] // 13] |= 1 << (cards[i] % 13)
            held[cards[k] // 13] |= 1 << (cards[k] % 13)
            first[count], second[count] = cards[i], cards[k]
            values[count] = rank_suits(held[0], held[1], held[2], held[3], 1)
            count += 1
    order = np.argsort(values)
    below, equal = np.zeros(52, np.int64), np.zeros(52, np.int64)
    start = 0
    while start < count:
        stop = start
        while stop < count and values[order[stop]] == values[order[start]]:
            equal[first[order[stop]]] += 1
            equal[second[order[stop]]] += 1
            stop += 1
        for k in range(start, stop):
            a, b = first[order[k]], second[order[k]]
            worse = start - below[a] - below[b]
            tied = (stop - start) - equal[a] - equal[b] + 1
            high, low = max(a % 13, b % 13), min(a % 13, b % 13)
            if a // 13 != b // 13:
                high, low = low, high
            won[high, low] += weight * (2 * worse + tied)
            seen[high, low] += weight * 2 * 990
        for k in range(start, stop):
            a, b = first[order[k]], second[order[k]]
            below[a] += 1
            below[b] += 1
            equal[a] = 0
            equal[b] = 0
        start = stop


@kernel
def _boards(sets: Any, sizes: Any, won: Any, seen: Any) -> Any:
    """Visit every board whose suits' sets of ranks descend; return how many boards that stands for."""
    suits = np.zeros(4, np.int64)
    total = 0
    for a in range(len(sets)):
        for b in range(a + 1):
            if sizes[a] + sizes[b] > 5:
                continue
            for c in range(b + 1):
                if sizes[a] + sizes[b] + sizes[c] > 5:
                    continue
                for d in range(c + 1):
                    if sizes[a] + sizes[b] + sizes[c] + sizes[d] != 5:
                        continue
                    suits[0], suits[1], suits[2], suits[3] = sets[a], sets[b], sets[c], sets[d]
                    weight = 24
                    run = 1
                    for k in range(1, 4):  # divide by the factorial of every run of equal sets
                        run = run + 1 if suits[k] == suits[k - 1] else 1
                        weight //= run
                    total += weight
                    _board(suits, weight, won, seen)
    return total


def win_rates() -> npt.NDArray[np.float64]:
    """Return (13, 13) float64: [high, low] suited, [low, high] of two suits, the diagonal pairs (ranks 2..A = 0..12)."""
    sets = np.array([s for s in range(8192) if s.bit_count() <= 5], np.int64)
    sizes = np.array([int(s).bit_count() for s in sets], np.int64)
    won, seen = np.zeros((13, 13), np.int64), np.zeros((13, 13), np.int64)
    boards = _boards(sets, sizes, won, seen)
    assert boards == 2_598_960, boards
    return np.asarray(won / seen)


def main() -> None:
    """Print the table."""
    began = time.process_time()
    table = win_rates()
    for row in table:
        print("    (" + ", ".join(f"{x:.6f}" for x in row) + "),")
    mean = (np.trace(table) * 6 + np.tril(table, -1).sum() * 4 + np.triu(table, 1).sum() * 12) / 1326
    print(f"mean over all deals {mean:.6f}; {time.process_time() - began:.1f} CPU seconds")


if __name__ == "__main__":
    main()
