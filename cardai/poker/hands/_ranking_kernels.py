"""Kernels that rank poker hands. The checked front doors are in :mod:`cardai.poker.hands.ranking`.

A *value* is an int: category << 26 | first << 13 | second, where ``first`` and ``second`` are 13-bit sets of ranks (bit 0
the two, bit 12 the ace) that decide within the category, for instance the trips' rank and the two kickers. Two sets of
equal size compare as ints as their ranks do from the top, so a bigger value is a better hand and equal values tie.
Everything is an int64: nothing here depends on whether it is compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
CATEGORY_SHIFT = 26
SUIT_BITS = 8191  # 13 ones
BEST_LOW = 1 << 30  # a deuce-to-seven value is this minus the high value, so that bigger is better there too
DECIDING = (1 << CATEGORY_SHIFT) - 1  # a value without its category
JACKS = 1 << (13 + 9)  # a pair's value holds the pair's rank at bits 13 to 25
ACE_HIGH = 1 << (13 + 12)

# Video poker's paying categories, jacks or better.
NOTHING, JACKS_OR_BETTER = 0, 1
ROYAL_FLUSH = 9


@kernel
def top_bit(bits: Any) -> Any:
    """Return the highest set bit of a set of at most 16 bits (0 for none)."""
    bits |= bits >> 1
    bits |= bits >> 2
    bits |= bits >> 4
    bits |= bits >> 8
    return bits ^ (bits >> 1)


@kernel
def top_bits(bits: Any, count: Any) -> Any:
    """Return the ``count`` highest set bits (all, where there are fewer)."""
    out = 0
    for _ in range(count):
        highest = top_bit(bits)
        out |= highest
        bits ^= highest
    return out


@kernel
def five_or_more(bits: Any) -> Any:
    """Return ``bits`` if at least five are set, else 0."""
    rest = bits & (bits - 1)
    rest &= rest - 1
    rest &= rest - 1
    rest &= rest - 1
    return bits if rest != 0 else 0


@kernel
def straight_top(ranks: Any, ace_low: Any) -> Any:
    """Return the top rank's bit of the best straight in a set of ranks, or 0; ``ace_low`` 1 allows 5-4-3-2-A."""
    line = (ranks << 1) | ((ranks >> 12) & ace_low)  # bit 0 is the ace below the two
    line = line & (line >> 1) & (line >> 2) & (line >> 3) & (line >> 4)
    return top_bit(line) << 3


@kernel
def rank_parts(ranks: Any, pairs: Any, trips: Any, quads: Any, flush: Any, ace_low: Any) -> Any:
    """Return the high value from the ranks held at least once, twice, three and four times, and the flush's ranks.

    ``flush`` is the set of ranks in a suit of five or more cards, 0 if there is none.
    """
    if flush != 0:
        top = straight_top(flush, ace_low)
        if top != 0:
            return (STRAIGHT_FLUSH << CATEGORY_SHIFT) | (top << 13)
    if trips != 0:
        if quads != 0:
            return (QUADS << CATEGORY_SHIFT) | (quads << 13) | top_bit(ranks ^ quads)
        first = top_bit(trips)
        second = top_bit(pairs ^ first)
        if second != 0:
            return (FULL_HOUSE << CATEGORY_SHIFT) | (first << 13) | second
    if flush != 0:
        return (FLUSH << CATEGORY_SHIFT) | (top_bits(flush, 5) << 13)
    top = straight_top(ranks, ace_low)
    if top != 0:
        return (STRAIGHT << CATEGORY_SHIFT) | (top << 13)
    if trips != 0:
        return (TRIPS << CATEGORY_SHIFT) | (trips << 13) | top_bits(ranks ^ trips, 2)
    if pairs != 0:
        first = top_bits(pairs, 2)
        if first & (first - 1) != 0:
            return (TWO_PAIR << CATEGORY_SHIFT) | (first << 13) | top_bit(ranks ^ first)
        return (PAIR << CATEGORY_SHIFT) | (first << 13) | top_bits(ranks ^ first, 3)
    return (HIGH_CARD << CATEGORY_SHIFT) | (top_bits(ranks, 5) << 13)


@kernel
def rank_suits(c: Any, d: Any, h: Any, s: Any, ace_low: Any) -> Any:
    """Return the high value of the best five cards of four 13-bit sets of ranks, a set a suit (5 to 7 cards)."""
    flush = five_or_more(c) | five_or_more(d) | five_or_more(h) | five_or_more(s)
    pairs = (c & d) | (h & s) | ((c | d) & (h | s))
    trips = (c & d & (h | s)) | (h & s & (c | d))
    return rank_parts(c | d | h | s, pairs, trips, c & d & h & s, flush, ace_low)


@kernel
def rank_set(cards: Any) -> Any:
    """Return the high value of a uint64 set of 5 to 7 cards."""
    bits = np.int64(cards)
    return rank_suits(bits & SUIT_BITS, (bits >> 13) & SUIT_BITS, (bits >> 26) & SUIT_BITS, (bits >> 39) & SUIT_BITS, 1)


@kernel
def rank_low_set(cards: Any) -> Any:
    """Return the deuce-to-seven value of a uint64 set of 5 cards: bigger is better (lower)."""
    bits = np.int64(cards)
    return BEST_LOW - rank_suits(
        bits & SUIT_BITS, (bits >> 13) & SUIT_BITS, (bits >> 26) & SUIT_BITS, (bits >> 39) & SUIT_BITS, 0
    )


@kernel
def set_of(cards: Any) -> Any:
    """Return an array of cards as an int64 set (negative entries are left out)."""
    bits = np.int64(0)
    for i in range(len(cards)):
        if cards[i] >= 0:
            bits |= np.int64(1) << np.int64(cards[i])
    return bits


@kernel
def rank_cards(cards: Any) -> Any:
    """Return the high value of an array of 5 to 7 cards (-1 entries are left out)."""
    return rank_set(set_of(cards))


@kernel
def rank7(first: Any, second: Any, board: Any) -> Any:
    """Return the high value of two hole cards and a board of 3 to 5 cards (an array, -1 where not dealt)."""
    hole = (np.int64(1) << np.int64(first)) | (np.int64(1) << np.int64(second))
    return rank_set(hole | set_of(board))


@kernel
def deuce_to_seven(cards: Any) -> Any:
    """Return the deuce-to-seven value of an array of 5 cards: bigger is better (lower)."""
    return rank_low_set(set_of(cards))


@kernel
def paying_category(value: Any) -> Any:
    """Return the video-poker category, 0 (nothing) to 9 (royal flush), of the high value of five cards."""
    category = value >> CATEGORY_SHIFT
    if category == HIGH_CARD:
        return NOTHING
    if category == PAIR:
        return JACKS_OR_BETTER if value & DECIDING >= JACKS else NOTHING
    if category == STRAIGHT_FLUSH:
        return ROYAL_FLUSH if value & ACE_HIGH != 0 else STRAIGHT_FLUSH
    return category
