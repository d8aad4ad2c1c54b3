"""Kernels of the abstraction: strengths, their distributions, clusters. See :mod:`cardai.poker.buckets.tables`.

Every feature and every centre of a cluster is a whole number from 0 to SCALE, so sums of them are exact and the result is
the same on every machine.
"""

# kernel constants

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below, uniform
from cardai.poker.hands._boards_kernels import board_index
from cardai.poker.hands._equity_kernels import HANDS, rank_all

WHOLE = 1980
"""The strength of a hand that beats all 990 hands that can be against it (a tie counts 1)."""
BLOCKED = 65535
"""In place of the strength or the bucket of a hand that shares a card with the board."""
BINS = 25
"""The bins of strength in a distribution; the chance to end above the last one is always 0 and is left out."""
SCALE = 4095
LANES = 8
"""So many centres are compared with a point at once."""
_SHIFT = 11
_NUMBER = (1 << _SHIFT) - 1


@kernel
def strengths(boards: Any, pairs: Any, tables: Any, out: Any) -> None:
    """Fill ``out`` (m, 1326) uint16 with each hand's strength on ``boards`` (m, 5): twice the hands beaten plus the ties."""
    ranked = np.empty(HANDS, np.int64)
    lower_card, level_card = np.empty(52, np.int64), np.zeros(52, np.int64)
    for m in range(len(boards)):
        count = rank_all(boards[m], pairs, tables, ranked)
        out[m, :] = BLOCKED
        lower_card[:] = 0
        lower = 0
        first = 0
        while first < count:
            last = first
            while last < count and ranked[last] >> _SHIFT == ranked[first] >> _SHIFT:
                number = ranked[last] & _NUMBER
                level_card[pairs[number, 0]] += 1
                level_card[pairs[number, 1]] += 1
                last += 1
            for k in range(first, last):
                number = ranked[k] & _NUMBER
                a, b = pairs[number, 0], pairs[number, 1]
                beaten = lower - lower_card[a] - lower_card[b]
                tied = last - first - level_card[a] - level_card[b] + 1
                out[m, number] = 2 * beaten + tied
            lower += last - first
            for k in range(first, last):
                number = ranked[k] & _NUMBER
                for c in range(2):
                    lower_card[pairs[number, c]] += 1
                    level_card[pairs[number, c]] = 0
            first = last


@kernel
def add_weights(number: Any, pairs: Any, ranges: Any, whole: Any, by_card: Any) -> None:
    """Add the weights of hand ``number`` in R ranges, ``ranges`` (1326, R), to ``whole`` (R,) and ``by_card`` (52, R)."""
    a, b = pairs[number, 0], pairs[number, 1]
    for r in range(ranges.shape[1]):
        w = ranges[number, r]
        whole[r] += w
        by_card[a, r] += w
        by_card[b, r] += w


@kernel
def equities(boards: Any, pairs: Any, tables: Any, ranges: Any, out: Any) -> None:
    """Fill ``out`` (m, 1326, R) int16 with each hand's equity of SCALE against R ranges on ``boards`` (m, 5).

    ``ranges`` (1326, R) int64 are weights. A hand that can meet no hand of a range has equity one half; blocked hands -1.
    """
    width = ranges.shape[1]
    ranked = np.empty(HANDS, np.int64)
    all_card, lower_card, level_card = (
        np.empty((52, width), np.int64), np.empty((52, width), np.int64), np.zeros((52, width), np.int64)
    )  # fmt: skip
    everything, lower, level = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    for m in range(len(boards)):
        count = rank_all(boards[m], pairs, tables, ranked)
        out[m, :, :] = -1
        all_card[:] = 0
        lower_card[:] = 0
        everything[:] = 0
        lower[:] = 0
        for k in range(count):
            add_weights(ranked[k] & _NUMBER, pairs, ranges, everything, all_card)
        first = 0
        while first < count:
            last = first
            level[:] = 0
            while last < count and ranked[last] >> _SHIFT == ranked[first] >> _SHIFT:
                add_weights(ranked[last] & _NUMBER, pairs, ranges, level, level_card)
                last += 1
            for k in range(first, last):
                number = ranked[k] & _NUMBER
                a, b = pairs[number, 0], pairs[number, 1]
                for r in range(width):
                    beaten = lower[r] - lower_card[a, r] - lower_card[b, r]
                    tied = level[r] - level_card[a, r] - level_card[b, r] + ranges[number, r]
                    met = everything[r] - all_card[a, r] - all_card[b, r] + ranges[number, r]
                    out[m, number, r] = (2 * beaten + tied) * SCALE // (2 * met) if met > 0 else SCALE // 2
            for k in range(first, last):
                add_weights(ranked[k] & _NUMBER, pairs, ranges, lower, lower_card)
            level_card[:] = 0
            first = last


@kernel
def count_rivers(board: Any, river: Any, river_strengths: Any, hand_maps: Any, counts: Any, whole: Any) -> None:
    """Add to ``counts`` (1326, BINS) int64 the strengths of all hands on one board of five, ``whole`` (5,).

    ``river`` is (class_of, renaming_of) of boards of five, ``river_strengths`` (134459, 1326) those of their classes.
    """
    class_of, renaming_of = river
    index = board_index(whole, 5)
    row = river_strengths[class_of[index]]
    names = hand_maps[renaming_of[index]]
    for h in range(HANDS):
        strength = row[names[h]]
        if strength != BLOCKED:
            counts[h, np.int64(strength) * BINS // (WHOLE + 1)] += 1


@kernel
def distributions(board: Any, river: Any, river_strengths: Any, hand_maps: Any, counts: Any, out: Any) -> None:
    """Fill ``out`` (1326, BINS - 1) int16: how likely each hand ends, after all cards to come, above each bin but the last.

    ``board`` (0 < k <= 4,) are the cards so far; ``counts`` (1326, BINS) int64 is room to work in. Blocked hands get -1.
    """
    size = len(board)
    whole = np.empty(5, np.int64)
    held = np.int64(0)
    for k in range(size):
        whole[k] = board[k]
        held |= np.int64(1) << np.int64(board[k])
    counts[:] = 0
    for a in range(52):
        if (held >> a) & 1:
            continue
        whole[size] = a
        if size == 4:
            count_rivers(board, river, river_strengths, hand_maps, counts, whole)
        else:
            for b in range(a):
                if not (held >> b) & 1:
                    whole[4] = b
                    count_rivers(board, river, river_strengths, hand_maps, counts, whole)
    for h in range(HANDS):
        total = np.int64(0)
        for j in range(BINS):
            total += counts[h, j]
        so_far = np.int64(0)
        for j in range(BINS - 1):
            so_far += counts[h, j]
            out[h, j] = (total - so_far) * SCALE // total if total > 0 else -1


@kernel
def preflop_distributions(weights: Any, river_strengths: Any, class_of_hand: Any, out: Any) -> None:
    """Fill ``out`` (169, BINS - 1) int16 with the distributions of the classes of hands over all boards.

    ``weights`` (m,) are the numbers of boards behind each row of ``river_strengths`` (m, 1326).
    """
    counts = np.zeros((len(out), BINS), np.int64)
    for m in range(len(weights)):
        for h in range(HANDS):
            strength = river_strengths[m, h]
            if strength != BLOCKED:
                counts[class_of_hand[h], np.int64(strength) * BINS // (WHOLE + 1)] += weights[m]
    for c in range(len(out)):
        total = counts[c].sum()
        so_far = np.int64(0)
        for j in range(BINS - 1):
            so_far += counts[c, j]
            out[c, j] = (total - so_far) * SCALE // total


@kernel
def strength_counts(weights: Any, river_strengths: Any, out: Any) -> None:
    """Add to ``out`` (WHOLE + 1,) int64 how many pairs of a board and a hand have each strength."""
    for m in range(len(weights)):
        for h in range(HANDS):
            if river_strengths[m, h] != BLOCKED:
                out[river_strengths[m, h]] += weights[m]


@kernel
def replace_strengths(river_strengths: Any, bucket_of: Any) -> None:
    """Put ``bucket_of`` (WHOLE + 1,) in place of each strength; blocked hands get bucket 0."""
    for m in range(len(river_strengths)):
        for h in range(HANDS):
            strength = river_strengths[m, h]
            river_strengths[m, h] = bucket_of[strength] if strength != BLOCKED else 0


# -- k-means -----------------------------------------------------------------------------------------------------------


@kernel
def block_distances(point: Any, blocks: Any, block: Any, out: Any) -> None:
    """Fill ``out`` (LANES,) float32 with the squared distances of a point (D,) to the centres of one block."""
    for lane in range(LANES):
        out[lane] = np.float32(0.0)
    for d in range(len(point)):
        x = np.float32(point[d])
        for lane in range(LANES):
            off = x - blocks[block, d, lane]
            out[lane] += off * off


@kernel
def block_of(sums: Any, total: Any) -> Any:
    """Return the last block whose first centre's sum is at most ``total``, or the first; ``sums`` as in :func:`nearest`."""
    low, high = 0, len(sums)
    while low < high:
        middle = (low + high) // 2
        if sums[middle, 0] <= total:
            low = middle + 1
        else:
            high = middle
    return max(low - 1, 0)


@kernel
def nearest_in_block(point: Any, blocks: Any, block: Any, room: Any, best: Any, place: Any) -> Any:
    """Return the least distance squared and its place: ``best`` at ``place``, or a centre's of the block that is nearer."""
    block_distances(point, blocks, block, room)
    for lane in range(LANES):
        if room[lane] < best:
            best, place = np.float64(room[lane]), np.int64(block * LANES + lane)
    return best, place


@kernel
def nearest(point: Any, blocks: Any, sums: Any, room: Any) -> Any:
    """Return the place of the centre that is nearest to ``point`` (D,) in Euclid's distance, and that distance squared.

    ``blocks`` (B, D, LANES) float32 holds the centres in ascending order of ``sums`` (B, LANES), the sums of their
    coordinates: (sum difference)^2 / D is a lower bound of a distance squared, so the search goes outwards from the block
    of the point's own sum and stops on each side where the bound exceeds the best found (places past the end hold
    centres far away).
    """
    dimensions = len(point)
    total = np.float64(0.0)
    for d in range(dimensions):
        total += point[d]
    right = block_of(sums, total)
    left = right - 1
    best, place = np.inf, np.int64(-1)
    go_left, go_right = left >= 0, True
    while go_left or go_right:
        if go_right:
            gap = sums[right, 0] - total
            if gap > 0 and gap * gap > best * dimensions:
                go_right = False
            else:
                best, place = nearest_in_block(point, blocks, right, room, best, place)
                right += 1
                go_right = right < len(blocks)
        if go_left:
            gap = total - sums[left, LANES - 1]
            if gap > 0 and gap * gap > best * dimensions:
                go_left = False
            else:
                best, place = nearest_in_block(point, blocks, left, room, best, place)
                left -= 1
                go_left = left >= 0
    return place, best


@kernel
def assign(points: Any, blocks: Any, sums: Any, out: Any) -> None:
    """Fill ``out`` (n,) with the places of the nearest centres of ``points`` (n, D) int16; a first entry of -1 gives 0."""
    room = np.empty(LANES, np.float32)
    for i in range(len(points)):
        if points[i, 0] < 0:
            out[i] = 0
        else:
            out[i], _ = nearest(points[i], blocks, sums, room)


@kernel
def plus_plus(points: Any, seed: Any, out: Any) -> Any:
    """Choose centres (k, D) from ``points`` (n, D) int16 by k-means++ (Arthur and Vassilvitskii 2007) into ``out``.

    Returns how many were found, fewer than k where the points have fewer different values.
    """
    closest = np.full(len(points), np.int64(1) << np.int64(60))
    chosen = below(seed, 0, len(points))
    for k in range(len(out)):
        total = np.int64(0)
        out[k] = points[chosen]
        for i in range(len(points)):
            squared = np.int64(0)
            for d in range(points.shape[1]):
                off = np.int64(points[i, d]) - np.int64(points[chosen, d])
                squared += off * off
            closest[i] = min(closest[i], squared)
            total += closest[i]
        if total == 0:
            return k + 1
        threshold = np.int64(uniform(seed, k + 1) * total)
        for i in range(len(points)):
            threshold -= closest[i]
            if threshold < 0:
                chosen = i
                break
    return len(out)


@kernel
def add_to_means(points: Any, places: Any, sums: Any, counts: Any) -> None:
    """Add ``points`` (n, D) to ``sums`` (k, D) int64 and ``counts`` (k,) int64 of the centres at ``places`` (n,)."""
    for i in range(len(points)):
        counts[places[i]] += 1
        for d in range(points.shape[1]):
            sums[places[i], d] += points[i, d]
