"""What a network is asked about on every turn that can follow a flop: orders of hands on the rivers, and what ranges meet.

Hands are numbered as the flop's vectors are, n of them; the C cards that can come are numbered from 0, and the rivers by pairs
of them, as :func:`order_rivers` meets them. Lane rows are those of :mod:`cardai.poker.ranges._lanes`.
"""

# kernel constants

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._equity_kernels import rank_all
from cardai.poker.ranges._lanes import LANES, add, up_to

BINS, EQUITY_BINS, TAIL, FEATURES = 64, 32, 0.25, 15
"""Those of :mod:`cardai.poker.values.prepared` and :mod:`cardai.poker.values.network_inputs`; a test compares what comes out."""
_MET_ON_RIVER = 990
"""The hands that a hand can meet on a whole board."""


@kernel
def order_rivers(
    flop: Any, cards: Any, pairs: Any, tables: Any, place: Any, orders: Any, ends: Any, counts: Any, moments: Any
) -> None:
    """Order the hands of every river behind ``flop`` (3,), and add up how strong hands are there.

    Args:
        cards: (C,) int8 that can come. place: (1326,) of each hand among the vectors, -1 where it is not there.
        orders, ends: (C (C - 1) / 2, n) int16: the places of a river's hands from the weakest on, and one past the last that is
            as strong. counts: how many each river has. moments: (2, C, n) sums of strength and of its square, by card of the turn.
    """
    board, ranked, beaten = np.zeros(5, np.int8), np.zeros(len(place), np.int64), np.zeros(len(place), np.int64)
    board[:3] = flop
    held = np.zeros(52, np.int64)
    river = 0
    for i in range(len(cards)):
        for j in range(i + 1, len(cards)):
            board[3], board[4] = cards[i], cards[j]
            count = rank_all(board, pairs, tables, ranked)
            held[:] = 0
            first, kept = 0, 0
            while first < count:
                last = first
                while last < count and ranked[last] >> 11 == ranked[first] >> 11:
                    number = ranked[last] & 2047
                    beaten[last] = first - held[pairs[number, 0]] - held[pairs[number, 1]]
                    last += 1
                for k in range(first, last):
                    number = ranked[k] & 2047
                    held[pairs[number, 0]] += 1
                    held[pairs[number, 1]] += 1
                begun = kept
                for k in range(first, last):
                    number = ranked[k] & 2047
                    at = place[number]
                    if at < 0:
                        continue
                    as_strong = last - held[pairs[number, 0]] - held[pairs[number, 1]] + 1  # its own is taken out twice
                    strength = 0.5 * (beaten[k] + as_strong) / _MET_ON_RIVER
                    for card in (i, j):
                        moments[0, card, at] += strength
                        moments[1, card, at] += strength * strength
                    orders[river, kept] = at
                    kept += 1
                ends[river, begun:kept] = kept
                first = last
            counts[river] = kept
            river += 1


@kernel
def add_match_ups(level: Any, beaten: Any, tied: Any) -> None:
    """Count on one more river, in (n, n) int16, whom the row's hand beats and whom it ties; ``level`` (n,) int16, -1: blocked."""
    none, one = np.int16(0), np.int16(1)
    for i in range(len(level)):
        own, wins, ties = level[i], beaten[i], tied[i]
        if own < none:
            continue
        for j in range(len(level)):
            other = level[j]
            wins[j] += one if other >= none and other < own else none
            ties[j] += one if other == own else none


@kernel
def beat(
    card: Any,
    num_cards: Any,
    orders: Any,
    ends: Any,
    counts: Any,
    low: Any,
    high: Any,
    columns: Any,
    mass: Any,
    win: Any,
    whole: Any,
) -> None:
    """Add up, over the rivers behind a card of the turn, what each hand beats of sixteen ranges, and what it beats or ties, twice.

    Args:
        low, high: (n,) one more than a hand's cards. columns: n lane rows, the ranges; hands of the turn's card have none.
        mass: 53 lane rows, overwritten. win, whole: n lane rows, set: beaten, and beaten twice and tied once.
    """
    n = len(low)
    for k in range(len(win)):
        win[k] = 0.0
        whole[k] = 0.0
    for other in range(num_cards):
        if other == card:
            continue
        i, j = min(card, other), max(card, other)
        river = i * num_cards - i * (i + 1) // 2 + j - i - 1
        order, end, count = orders[river], ends[river], counts[river]
        for k in range(len(mass)):
            mass[k] = 0.0
        first = 0
        while first < count:
            last = np.int64(end[first])
            for k in range(first, last):
                h = np.int64(order[k])
                up_to(win, h, mass, low[h], high[h])
            for k in range(first, last):
                h = np.int64(order[k])
                add(mass, low[h], high[h], columns, h)
            for k in range(first, last):
                h = np.int64(order[k])
                up_to(whole, h, mass, low[h], high[h])
            first = last  # type: ignore[assignment]
    for k in range(LANES * n):
        whole[k] += win[k] + (num_cards - 3) * columns[k]  # a hand's own weight was taken out on each of its rivers


@kernel
def _bin(value: Any, bins: Any) -> Any:
    rest = 1.0 - value
    if rest < 0.0:
        rest = 0.0
    if rest > 1.0:
        rest = 1.0
    found = np.int64(bins * (1.0 - sqrt(rest)))
    return min(found, bins - 1)


@kernel
def describe(
    lane: Any, rivers: Any, left: Any, ends: Any, low: Any, high: Any, strength: Any, spread: Any,
    columns: Any, win: Any, whole: Any, hands: Any, met: Any, context: Any, moments: Any,
) -> None:  # fmt: skip
    """Write what a network is shown of two ranges, those of lanes ``lane`` (seat 0) and ``lane`` + 1, each of which sums to 1.

    Args:
        rivers: how many a pair of hands can meet on. left: (H,) int16 the places of the turn's hands, the weakest first, and
            ends: (H,) one past the last that is as strong. strength, spread: (n,) of the turn.
        hands: (2, H, FEATURES), met: (2, H), in the order of ``left``. context: (2, BINS + EQUITY_BINS). moments: (2, 2) the
            mean of a seat's equity, and of the square of what it is off 0.5.
    """
    count = len(left)
    weights, against, tie, tails = (
        np.zeros((2, count)),
        np.zeros((2, count)),
        np.zeros((2, count)),
        np.zeros((2, 2, count)),
    )
    for s in range(2):
        for k in range(count):
            weights[s, k] = columns[LANES * np.int64(left[k]) + lane + s]
        _meet(weights[s], left, ends, low, high, met[1 - s], tails[s])
        most = met[1 - s].max()
        for k in range(count):
            h = np.int64(left[k])
            total = rivers * np.float64(met[1 - s, k])
            meets = total > 1e-9 * rivers * most
            beaten, counted = np.float64(win[LANES * h + lane + s]), np.float64(whole[LANES * h + lane + s])
            against[s, k] = min(max(0.5 * counted / total, 0.0), 1.0) if meets else strength[h]
            tie[s, k] = min(max((counted - 2 * beaten) / total, 0.0), 1.0) if meets else 0.0
    _write(left, strength, spread, weights, against, tie, tails, hands, met, context, moments)


@kernel
def _meet(weights: Any, left: Any, ends: Any, low: Any, high: Any, met: Any, tails: Any) -> None:
    """Set the weight ``met`` (H,) of a range that each hand meets, and of its strong and its weak hands, ``tails`` (2, H)."""
    count = len(left)
    by_card, parts = np.zeros(53), np.zeros((2, 53))
    for k in range(count):
        h = np.int64(left[k])
        by_card[0] += weights[k]
        by_card[low[h]] += weights[k]
        by_card[high[h]] += weights[k]
    below, first = 0.0, 0
    while first < count:
        last, level = np.int64(ends[first]), weights[first : ends[first]].sum()
        middle = (below + 0.5 * level) / by_card[0]
        if middle > 1 - TAIL or middle < TAIL:
            part, tail = parts[0 if middle > 1 - TAIL else 1], tails[0 if middle > 1 - TAIL else 1]
            for k in range(first, last):
                h = np.int64(left[k])
                part[0] += weights[k]
                part[low[h]] += weights[k]
                part[high[h]] += weights[k]
                tail[k] = weights[k]
        below += level
        first = last  # type: ignore[assignment]
    for k in range(count):
        h = np.int64(left[k])
        met[k] = by_card[0] - by_card[low[h]] - by_card[high[h]] + weights[k]
        for which in range(2):
            tails[which, k] += parts[which, 0] - parts[which, low[h]] - parts[which, high[h]]


@kernel
def _write(
    left: Any, strength: Any, spread: Any, weights: Any, against: Any, tie: Any, tails: Any, hands: Any, met: Any, context: Any, moments: Any
) -> None:  # fmt: skip
    """Write the features; ``against``, ``tie`` and ``tails`` are against the range of the first index."""
    for s in range(2):
        other = 1 - s
        mean, square = 0.0, 0.0
        context[s] = 0.0
        for k in range(len(left)):
            h = np.int64(left[k])
            eq, own, m = against[other, k], against[s, k], np.float64(met[s, k])
            row = hands[s, k]
            row[0] = eq
            row[1] = 2 * own - 1
            row[2] = tie[other, k]
            row[3] = 2 * strength[h] - 1
            row[4] = 4 * spread[h]
            for which in range(2):
                row[5 + which] = 2 * min(max(tails[other, which, k] / max(m, 1e-9), 0.0), 1.0)
            row[7] = m - 0.9
            row[8] = max(eq - 0.25, 0.0) * 4
            row[9] = max(eq - 0.5, 0.0) * 4
            row[10] = max(eq - 0.75, 0.0) * 4
            row[11] = max(eq - 0.9, 0.0) * 4
            row[12] = -log(1 - eq + 0.002) / 3 - 0.5
            row[13] = -log(eq + 0.002) / 3 - 0.5
            row[14] = -log(1 - own + 0.002) / 3 - 0.5
            w = weights[s, k]
            mean += w * eq
            square += w * (eq - 0.5) ** 2
            context[s, _bin(strength[h], BINS)] += w
            context[s, BINS + _bin(eq, EQUITY_BINS)] += w
        moments[s, 0], moments[s, 1] = mean, square
