"""Kernels of exact draw poker: values summed over all hands that hold given cards, and from them every hold's value.

``sums`` is (s,): for every set of at most five cards the values of all five-card hands that hold it, summed. A set of k
cards c_1 < ... < c_k stands at ``starts[k] + C(c_1, 1) + ... + C(c_k, k)`` (the combinatorial number system).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel

HOLDS = 32


@kernel
def subset_places(hand: Any, choose: Any, starts: Any, places: Any) -> None:
    """Write the place in ``sums`` of each of the 32 subsets of an ascending hand (5,) to ``places`` (32,) int64.

    Bit i of a subset is the hand's i-th card; ``choose`` is (52, 6): C(card, k).
    """
    for subset in range(HOLDS):
        size = 0
        place = 0
        for i in range(5):
            if subset >> i & 1:
                size += 1
                place += choose[hand[i], size]
        places[subset] = starts[size] + place


@kernel
def add_hands(hands: Any, values: Any, choose: Any, starts: Any, sums: Any) -> None:
    """Add the values (n,) of ascending hands (n, 5) to the sums of all their subsets."""
    places = np.zeros(HOLDS, np.int64)
    for row in range(len(hands)):
        if values[row] != 0:
            subset_places(hands[row], choose, starts, places)
            for subset in range(HOLDS):
                sums[places[subset]] += values[row]


@kernel
def hold_totals(hand: Any, choose: Any, starts: Any, sums: Any, places: Any, totals: Any) -> None:
    """Write to ``totals`` (32,) the values of all draws to each hold of an ascending hand (5,), summed.

    The draws to a hold K of the hand D are the hands that hold K and nothing else of D. By inclusion and exclusion their
    sum is that of (-1)^|T| sums[K and T] over the subsets T of D without K: a Moebius transform over the 32 subsets.
    """
    subset_places(hand, choose, starts, places)
    for hold in range(HOLDS):
        totals[hold] = sums[places[hold]]
    for i in range(5):
        bit = 1 << i
        for hold in range(HOLDS):
            if hold & bit == 0:
                totals[hold] -= totals[hold | bit]


@kernel
def hold_values(hands: Any, choose: Any, starts: Any, sums: Any, shares: Any, out: Any) -> None:
    """Write the expected value of every hold of ``hands`` (n, 5), in any order, to ``out`` (n, 32) float64.

    ``shares`` (32,) float64 is one over the number of draws to each hold.
    """
    order = np.zeros(5, np.int64)
    hand = np.zeros(5, np.int64)
    places = np.zeros(HOLDS, np.int64)
    totals = np.zeros(HOLDS, sums.dtype)
    for row in range(len(hands)):
        for i in range(5):  # insertion sort; order[i] is where the i-th smallest card stands
            k = i
            while k > 0 and hand[k - 1] > hands[row, i]:
                hand[k] = hand[k - 1]
                order[k] = order[k - 1]
                k -= 1
            hand[k] = hands[row, i]
            order[k] = i
        hold_totals(hand, choose, starts, sums, places, totals)
        for subset in range(HOLDS):
            hold = 0
            for i in range(5):
                if subset >> i & 1:
                    hold |= 1 << order[i]
            out[row, hold] = totals[subset] * shares[subset]


@kernel
def all_hands(first: Any, out: Any) -> Any:
    """Fill ``out`` (n, 5) int8 with ascending hands from number ``first`` on, in order of the number system."""
    hand = np.zeros(5, np.int64)
    number = first
    for size in range(5, 0, -1):  # unrank: the largest card whose C(card, size) fits, and so on down
        card = size - 1
        value = 0
        following = 1
        while following <= number:
            card += 1
            value = following
            following = value * (card + 1) // (card + 1 - size)
        number -= value
        hand[size - 1] = card
    for row in range(len(out)):
        for i in range(5):
            out[row, i] = hand[i]
        i = 0
        while i < 4 and hand[i] + 1 == hand[i + 1]:
            hand[i] = i
            i += 1
        hand[i] += 1


@kernel
def canonical_hands(permutations: Any, hands: Any, out: Any, weights: Any, count: Any) -> Any:
    """Append to ``out`` (m, 5) those of ``hands`` (n, 5) that no suit permutation makes a smaller set of cards.

    ``permutations`` is (24, 4), the identity first. ``weights`` (m,) gets the number of hands each stands for. Returns the
    number of rows of ``out`` in use, ``count`` of them before.
    """
    for row in range(len(hands)):
        own = np.int64(0)
        for i in range(5):
            own |= np.int64(1) << np.int64(hands[row, i])
        same = 0
        smallest = True
        for p in range(len(permutations)):
            image = np.int64(0)
            for i in range(5):
                card = np.int64(hands[row, i])
                image |= np.int64(1) << (13 * permutations[p, card // 13] + card % 13)
            if image < own:
                smallest = False
                break
            if image == own:
                same += 1
        if smallest:
            for i in range(5):
                out[count, i] = hands[row, i]
            weights[count] = len(permutations) // same
            count += 1
    return count
