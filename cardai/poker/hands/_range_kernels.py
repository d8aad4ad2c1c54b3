"""Kernels on ranges: what each hand wins from an opposing range, at a fold and at a showdown, in one sweep.

A range is a vector over the 1,326 hands (:mod:`cardai.poker.hands.combos`). Hands that share a card never meet: their
weight is taken out card by card (inclusion and exclusion), so a sweep takes time proportional to the number of hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel


@kernel
def fold_values(pairs: Any, hands: Any, weights: Any, amount: Any, out: Any) -> None:
    """Set ``out`` (1326,) at ``hands`` (n,) to ``amount`` times the weight of the hands that can be against each.

    ``weights`` (1326,) is the opposing range; ``pairs`` (1326, 2) the cards of hands.
    """
    by_card = np.zeros(52)
    everything = 0.0
    for k in range(len(hands)):
        hand = hands[k]
        w = np.float64(weights[hand])
        everything += w
        by_card[pairs[hand, 0]] += w
        by_card[pairs[hand, 1]] += w
    for k in range(len(hands)):
        hand = hands[k]
        met = everything - by_card[pairs[hand, 0]] - by_card[pairs[hand, 1]] + weights[hand]
        out[hand] = amount * met


@kernel
def showdown_values(pairs: Any, hands: Any, ends: Any, weights: Any, amount: Any, out: Any) -> None:
    """Set ``out`` (1326,) at ``hands`` to ``amount`` times (the weight each beats minus the weight that beats it).

    ``hands`` (n,) are in ascending order of strength; ``ends`` (n,) is, for each place, one past the last of equal
    strength.
    """
    by_card = np.zeros(52)
    everything = 0.0
    first = 0
    while first < len(hands):
        last = ends[first]
        for k in range(first, last):
            hand = hands[k]
            out[hand] = everything - by_card[pairs[hand, 0]] - by_card[pairs[hand, 1]]
        for k in range(first, last):
            hand = hands[k]
            w = np.float64(weights[hand])
            everything += w
            by_card[pairs[hand, 0]] += w
            by_card[pairs[hand, 1]] += w
        first = last
    by_card[:] = 0.0
    everything = 0.0
    last = len(hands)
    while last > 0:
        first = last - 1
        while first > 0 and ends[first - 1] == last:
            first -= 1
        for k in range(first, last):
            hand = hands[k]
            above = everything - by_card[pairs[hand, 0]] - by_card[pairs[hand, 1]]
            out[hand] = amount * (out[hand] - above)
        for k in range(first, last):
            hand = hands[k]
            w = np.float64(weights[hand])
            everything += w
            by_card[pairs[hand, 0]] += w
            by_card[pairs[hand, 1]] += w
        last = first


@kernel
def add_hand(weights: Any, first: Any, second: Any, whole: Any) -> None:
    """Add a hand's ``weights`` (c,) in each range to those of its two cards and of all hands."""
    count = len(weights)
    for c in range(count):
        first[c] += weights[c]
    for c in range(count):
        second[c] += weights[c]
    for c in range(count):
        whole[c] += weights[c]


@kernel
def sweep(a: Any, b: Any, ends: Any, q: Any, sums: Any, met: Any, won: Any) -> None:
    """For many opposing ranges at once: what each hand meets, and what it beats minus what beats it.

    Args:
        a, b: (n,) the cards of hands in ascending order of strength; ends: (n,) one past the last of equal strength.
        q: (n, c) a range a column.
        sums: (2, 53, c) room: all and lower weight, by card and (row 52) altogether.
        met, won: (n, c) results.
    """
    every, lower = sums[0], sums[1]
    every[:] = 0.0
    lower[:] = 0.0
    n, count = q.shape
    for k in range(n):
        add_hand(q[k], every[a[k]], every[b[k]], every[52])
    start = 0
    while start < n:
        end = ends[start]
        for k in range(start, end):
            first, second, whole, out = every[a[k]], every[b[k]], every[52], met[k]
            for c in range(count):
                out[c] = whole[c] - first[c] - second[c]
            first, second, whole, other = lower[a[k]], lower[b[k]], lower[52], won[k]
            for c in range(count):
                other[c] = whole[c] - first[c] - second[c] - out[c]
        for k in range(start, end):
            add_hand(q[k], lower[a[k]], lower[b[k]], lower[52])
        for k in range(start, end):
            one, first, second, whole = q[k], lower[a[k]], lower[b[k]], lower[52]
            out, other = met[k], won[k]
            for c in range(count):
                other[c] += whole[c] - first[c] - second[c]
            for c in range(count):
                out[c] += one[c]
        start = end


@kernel
def level_ends(ranked: Any, ends: Any) -> None:
    """Fill ``ends`` (n,) with one past the last place of equal strength; ``ranked`` (n,) ascending strength << 11 | hand."""
    last = len(ranked)
    for k in range(len(ranked) - 1, -1, -1):
        if k + 1 < len(ranked) and ranked[k] >> 11 != ranked[k + 1] >> 11:
            last = k + 1
        ends[k] = last
