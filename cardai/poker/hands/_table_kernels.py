"""Kernels that rank many hands at once by table.

A hand's key is the sum of its cards' keys: two base-5 numbers that count its ranks (two to eight, nine to ace), a count a
suit, and a count of entries that are no cards. The two numbers index the value of every combination of rank counts; the
rare hand with five cards of a suit is ranked by its suit instead. All values come from
:func:`cardai.poker.hands._ranking_kernels.rank_parts`, so the ranking itself is written once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._ranking_kernels import paying_category, rank_parts

LOW_RANKS = 7  # two to eight; the other six ranks are the high half
HIGH_SHIFT = 20
SUIT_SHIFT = 36
BAD_SHIFT = 56
LOW_SIZE = 7 * 5**6 + 1  # also covers keys of hands with a card in it several times, which have no right value
HIGH_SIZE = 7 * 5**5 + 1

_LOW_MASK = np.uint64((1 << HIGH_SHIFT) - 1)
_HIGH_MASK = np.uint64((1 << (SUIT_SHIFT - HIGH_SHIFT)) - 1)
_HIGH = np.uint64(HIGH_SHIFT)
_THREES = np.uint64(0x3333 << SUIT_SHIFT)  # a suit count of 5 + 3 sets the count's top bit
_SPECIAL = np.uint64(0x8888 << SUIT_SHIFT | 0xFF << BAD_SHIFT)
_BAD = np.uint64(0xFF << BAD_SHIFT)
_NONE = np.uint64(0)


@kernel
def _value_of_codes(low: Any, high: Any, ace_low: Any) -> Any:
    """Return the value, flushes aside, of a hand whose rank counts are the base-5 digits of ``low`` and ``high``."""
    once = 0
    twice = 0
    thrice = 0
    four = 0
    code = low
    for rank in range(13):
        if rank == LOW_RANKS:
            code = high
        count = code % 5
        code //= 5
        bit = 1 << rank
        once |= bit if count >= 1 else 0
        twice |= bit if count >= 2 else 0
        thrice |= bit if count >= 3 else 0
        four |= bit if count >= 4 else 0
    return rank_parts(once, twice, thrice, four, 0, ace_low)


@kernel
def fill_values(lows: Any, highs: Any, start: Any, ace_low: Any, values: Any) -> None:
    """Write the value of every pair of codes (``lows`` (a,), ``highs`` (b,) int64) to ``values[start:]``, row by row."""
    for i in range(len(lows)):
        for k in range(len(highs)):
            values[start + i * len(highs) + k] = _value_of_codes(lows[i], highs[k], ace_low)


@kernel
def fill_flushes(ace_low: Any, values: Any) -> None:
    """Write the value of every 13-bit set of five or more suited ranks to ``values`` (8192,) int32."""
    for ranks in range(8192):
        values[ranks] = rank_parts(ranks, 0, 0, 0, ranks, ace_low)


@kernel
def flush_ranks(hand: Any) -> Any:
    """Return the set of ranks in the suit that has five or more of an array of cards."""
    for suit in range(4):
        bits = np.int64(0)
        count = 0
        for i in range(len(hand)):
            if hand[i] // 13 == suit:
                bits |= np.int64(1) << np.int64(hand[i] % 13)
                count += 1
        if count >= 5:
            return bits
    return 0


@kernel
def is_special(key: Any) -> Any:
    """Whether a key needs a closer look: five cards of a suit, or an entry that is no card."""
    return (key + _THREES) & _SPECIAL != _NONE


@kernel
def value_of_key(key: Any, low_index: Any, high_index: Any, values: Any) -> Any:
    """Return the value of a key that is not special."""
    return values[low_index[key & _LOW_MASK] + high_index[(key >> _HIGH) & _HIGH_MASK]]


@kernel
def rank_batch(hands: Any, tables: Any, out: Any) -> Any:
    """Rank ``hands`` (n, k) uint8 into ``out`` (n,) int32; return the first row with an entry that is no card, or -1.

    ``tables`` is (card keys, index of low ranks, index of high ranks, values, flush values).
    """
    keys, low_index, high_index, values, flushes = tables
    for row in range(hands.shape[0]):
        key = _NONE
        for k in range(hands.shape[1]):
            key += keys[hands[row, k]]
        if is_special(key):
            if key & _BAD != _NONE:
                return row
            out[row] = flushes[flush_ranks(hands[row])]
        else:
            out[row] = value_of_key(key, low_index, high_index, values)
    return -1


@kernel
def paying_categories(values: Any, out: Any) -> None:
    """Write the video-poker category of high values (n,) of five cards to ``out`` (n,) int8."""
    for i in range(len(values)):
        out[i] = paying_category(values[i])
