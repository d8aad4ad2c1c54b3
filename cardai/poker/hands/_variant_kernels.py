"""Kernels that rank the hands of hold'em's relatives: short deck, and hands of exactly two hole cards (Omaha).

Values are laid out as in :mod:`cardai.poker.hands._ranking_kernels`: bigger is better, equal values tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._ranking_kernels import (
    CATEGORY_SHIFT,
    FLUSH,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    QUADS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    SUIT_BITS,
    TRIPS,
    TWO_PAIR,
    five_or_more,
    rank_parts,
    set_of,
    straight_top,
    top_bit,
    top_bits,
)

SHORT_FULL_HOUSE, SHORT_FLUSH = FLUSH, FULL_HOUSE  # the two change places
ACE, FIVE = 1 << 12, 1 << 3


@kernel
def short_straight(ranks: Any) -> Any:
    """Return the top rank's bit of the best straight of a deck from the six up, or 0: an ace also stands for the five."""
    return straight_top(ranks | (ranks >> 9) & FIVE, 0)


@kernel
def rank_short_set(cards: Any) -> Any:
    """Return the short-deck value of a uint64 set of 5 to 7 cards, none below the six.

    A flush beats a full house, A-6-7-8-9 is a straight, and a straight beats three of a kind.
    """
    bits = np.int64(cards)
    c, d, h, s = bits & SUIT_BITS, (bits >> 13) & SUIT_BITS, (bits >> 26) & SUIT_BITS, (bits >> 39) & SUIT_BITS
    ranks, quads = c | d | h | s, c & d & h & s
    pairs = (c & d) | (h & s) | ((c | d) & (h | s))
    trips = (c & d & (h | s)) | (h & s & (c | d))
    flush = five_or_more(c) | five_or_more(d) | five_or_more(h) | five_or_more(s)
    if flush != 0:
        top = short_straight(flush)
        if top != 0:
            return (STRAIGHT_FLUSH << CATEGORY_SHIFT) | (top << 13)
        if quads == 0:
            return (SHORT_FLUSH << CATEGORY_SHIFT) | (top_bits(flush, 5) << 13)
    top = short_straight(ranks)
    if top != 0 and (trips == 0 or (pairs & (pairs - 1)) == 0):
        return (STRAIGHT << CATEGORY_SHIFT) | (top << 13)
    value = rank_parts(ranks, pairs, trips, quads, 0, 0)
    if value >> CATEGORY_SHIFT == FULL_HOUSE:
        return value - ((FULL_HOUSE - SHORT_FULL_HOUSE) << CATEGORY_SHIFT)
    return value


@kernel
def straight_of_two(hole: Any, board: Any) -> Any:
    """Return the top rank's bit of the best straight of two ranks of ``hole`` and three of ``board``, or 0 (13-bit sets)."""
    mine, lie = (hole << 1) | (hole >> 12), (board << 1) | (board >> 12)  # bit 0 is the ace below the two
    both = mine | lie
    runs = both & (both >> 1) & (both >> 2) & (both >> 3) & (both >> 4)
    while runs != 0:
        low = top_bit(runs)
        run = low * 31
        rest = run & ~lie  # what the board leaves to the hole
        shared = run & mine
        lying = run & lie
        lying &= lying - 1
        lying &= lying - 1
        rest &= rest - 1
        rest &= rest - 1
        if lying != 0 and rest == 0 and shared & (shared - 1) != 0:
            return low << 3
        runs ^= low
    return 0


@kernel
def full_house_of_two(hole: Any, hole_pairs: Any, board: Any, board_pairs: Any, board_trips: Any) -> Any:
    """Return the best full house's ``first << 13 | second`` of two hole cards and three of the board, or 0."""
    threes = (hole_pairs & board) | (hole & board_pairs) | board_trips
    while threes != 0:
        three = top_bit(threes)
        twos = 0
        if three & hole_pairs & board != 0:
            twos |= board_pairs
        if three & hole & board_pairs != 0:
            twos |= hole & board
        if three & board_trips != 0:
            twos |= hole_pairs
        twos &= ~three
        if twos != 0:
            return (three << 13) | top_bit(twos)
        threes ^= three
    return 0


@kernel
def pairs_of_two(hole: Any, hole_pairs: Any, board: Any, board_pairs: Any) -> Any:
    """Return the value of the best two pair, pair or high card of two hole cards and three of the board.

    No three of a kind can be made of them, so a rank that is paired on one side does not lie on the other.
    """
    shared = hole & board
    best = 0
    if board_pairs != 0:
        pair = top_bit(board_pairs)
        if hole_pairs != 0:
            own = top_bit(hole_pairs)
            best = (TWO_PAIR << CATEGORY_SHIFT) | ((own | pair) << 13) | top_bit(board ^ pair)
        if shared != 0:
            own = top_bit(shared)
            best = max(best, (TWO_PAIR << CATEGORY_SHIFT) | ((own | pair) << 13) | top_bit(hole ^ own))
    if shared & (shared - 1) != 0:
        first = top_bits(shared, 2)
        best = max(best, (TWO_PAIR << CATEGORY_SHIFT) | (first << 13) | top_bit(board ^ first))
    if best != 0:
        return best
    if hole_pairs != 0:
        best = (PAIR << CATEGORY_SHIFT) | (top_bit(hole_pairs) << 13) | top_bits(board, 3)
    if board_pairs != 0:
        pair = top_bit(board_pairs)
        best = max(best, (PAIR << CATEGORY_SHIFT) | (pair << 13) | top_bits(hole, 2) | top_bit(board ^ pair))
    if shared != 0:
        kickers = top_bit(hole ^ shared) | top_bits(board ^ shared, 2)
        best = max(best, (PAIR << CATEGORY_SHIFT) | (shared << 13) | kickers)
    if best != 0:
        return best
    return (HIGH_CARD << CATEGORY_SHIFT) | ((top_bits(hole, 2) | top_bits(board, 3)) << 13)


@kernel
def rank_two_of_hole(hole: Any, board: Any) -> Any:
    """Return the high value of the best hand of exactly two of ``hole`` and three of ``board`` (uint64 sets; Omaha).

    ``hole`` has 2 or more cards, ``board`` 3 to 5. Categories are tried from the top, each by sets of ranks: no hand is
    enumerated.
    """
    mine, lie = np.int64(hole), np.int64(board)
    c, d, h, s = mine & SUIT_BITS, (mine >> 13) & SUIT_BITS, (mine >> 26) & SUIT_BITS, (mine >> 39) & SUIT_BITS
    held = c | d | h | s
    held_pairs = (c & d) | (h & s) | ((c | d) & (h | s))
    e, f, g, t = lie & SUIT_BITS, (lie >> 13) & SUIT_BITS, (lie >> 26) & SUIT_BITS, (lie >> 39) & SUIT_BITS
    shown = e | f | g | t
    shown_pairs = (e & f) | (g & t) | ((e | f) & (g | t))
    shown_trips = (e & f & (g | t)) | (g & t & (e | f))
    suited = suit_of_two(c, e) | suit_of_two(d, f) | suit_of_two(h, g) | suit_of_two(s, t)
    if suited != 0:
        top = straight_of_two(suited >> 13, suited & SUIT_BITS)
        if top != 0:
            return (STRAIGHT_FLUSH << CATEGORY_SHIFT) | (top << 13)
    if shown_pairs != 0:
        quads = (held_pairs & shown_pairs) | (held & shown_trips)
        if quads != 0:
            quads = top_bit(quads)
            kickers = held if quads & shown_trips != 0 and quads & held_pairs == 0 else shown
            return (QUADS << CATEGORY_SHIFT) | (quads << 13) | top_bit(kickers & ~quads)
        full = full_house_of_two(held, held_pairs, shown, shown_pairs, shown_trips)
        if full != 0:
            return (FULL_HOUSE << CATEGORY_SHIFT) | full
    if suited != 0:
        return (FLUSH << CATEGORY_SHIFT) | ((top_bits(suited >> 13, 2) | top_bits(suited & SUIT_BITS, 3)) << 13)
    top = straight_of_two(held, shown)
    if top != 0:
        return (STRAIGHT << CATEGORY_SHIFT) | (top << 13)
    trips = (held_pairs & shown) | (held & shown_pairs) | shown_trips
    if trips == 0:
        return pairs_of_two(held, held_pairs, shown, shown_pairs)
    trips = top_bit(trips)
    if trips & shown_trips != 0:
        kickers = top_bits(held, 2)
    elif trips & shown_pairs != 0:
        kickers = top_bit(held ^ trips) | top_bit(shown ^ trips)
    else:
        kickers = top_bits(shown ^ trips, 2)
    return (TRIPS << CATEGORY_SHIFT) | (trips << 13) | kickers


@kernel
def suit_of_two(own: Any, common: Any) -> Any:
    """Return ``own << 13 | common``, a suit's ranks, where they hold at least two and three of it, else 0."""
    rest = common & (common - 1)
    if rest & (rest - 1) != 0 and own & (own - 1) != 0:
        return (own << 13) | common
    return 0


@kernel
def rank_short_batch(hands: Any, out: Any) -> None:
    """Fill ``out`` (n,) with the short-deck values of hands (n, 5 to 7)."""
    for i in range(len(hands)):
        out[i] = rank_short_set(set_of(hands[i]))


@kernel
def rank_two_batch(holes: Any, boards: Any, out: Any) -> None:
    """Fill ``out`` (n,) with the values of exactly two of holes (n, 2 to 6) and three of boards (n, 3 to 5)."""
    for i in range(len(holes)):
        out[i] = rank_two_of_hole(set_of(holes[i]), set_of(boards[i]))
