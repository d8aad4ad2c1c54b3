"""Hand ranking: the checked front doors. A bigger value is a better hand, and equal values tie.

>>> from cardai.cards.text import parse_cards
>>> flush, straight = rank_high([parse_cards("AsKsTs7s2s"), parse_cards("9c8d7h6s5c")])
>>> bool(flush > straight), category_name(int(flush)), category_name(int(straight))
(True, 'flush', 'straight')
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.cards.text import RANKS
from cardai.core.arrays import Int8s, Int64s, Uint64s
from cardai.poker.hands import _ranking_kernels as single
from cardai.poker.hands import _table_kernels as batch
from cardai.poker.hands import _variant_kernels as variants

Values = npt.NDArray[np.int32]

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The names of the high hand's categories, worst first: ``value >> 26`` is the index."""

SHORT_DECK_CATEGORIES = (*CATEGORIES[:5], "full house", "flush", *CATEGORIES[7:])
"""The names of short deck's categories, worst first."""

PAYING_HANDS = (
    "nothing",
    "jacks or better",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
"""The names of video poker's categories, in the order of :func:`paying_category`."""


Tables = tuple[Uint64s, npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]


@cache
def _card_keys() -> Uint64s:
    keys = np.full(256, 1 << batch.BAD_SHIFT, np.uint64)
    for card in range(52):
        suit, rank = divmod(card, 13)
        low = 5**rank if rank < batch.LOW_RANKS else 5 ** (rank - batch.LOW_RANKS) << batch.HIGH_SHIFT
        keys[card] = low + (1 << batch.SUIT_SHIFT + 4 * suit)
    return keys


def _digit_sums(digits: int) -> Int64s:
    codes = np.arange(5**digits)
    return np.asarray(sum(codes // 5**k % 5 for k in range(digits)), np.int64)


@cache
def batch_tables(size: int, ace_low: int = 1) -> Tables:
    """Return the tables that :func:`cardai.poker.hands._table_kernels.value_of` needs for hands of ``size`` cards.

    ``ace_low`` 0: A-2-3-4-5 is no straight.
    """
    low_sums, high_sums = _digit_sums(batch.LOW_RANKS), _digit_sums(13 - batch.LOW_RANKS)
    low_index = np.zeros(batch.LOW_SIZE, np.int32)
    high_index = np.zeros(batch.HIGH_SIZE, np.int32)
    values = np.zeros(100_000, np.int32)
    start = 0
    for total in range(size + 1):
        lows, highs = np.flatnonzero(low_sums == total), np.flatnonzero(high_sums == size - total)
        low_index[lows] = start + len(highs) * np.arange(len(lows))
        high_index[highs] = np.arange(len(highs))
        batch.fill_values(lows, highs, start, ace_low, values)
        start += len(lows) * len(highs)
    flushes = np.zeros(8192, np.int32)
    batch.fill_flushes(ace_low, flushes)
    # The room behind the last value keeps keys of impossible hands (a card held twice) inside the table.
    return _card_keys(), low_index, high_index, values[: start + len(high_sums)].copy(), flushes


def _as_hands(hands: Any, sizes: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    array = np.asarray(hands)
    if array.ndim != 2 or array.shape[1] not in sizes or array.dtype.kind not in "iu":
        wanted = " or ".join(f"(n, {size})" for size in sizes)
        raise ValueError(f"Hands must be an array of cards of shape {wanted}. Got {array.dtype} {array.shape}.")
    if array.dtype.itemsize == 1:
        return np.ascontiguousarray(array).view(np.uint8)
    return np.where((array < 0) | (array > 51), 255, array).astype(np.uint8)


def _refuse(hands: npt.NDArray[np.uint8], row: int) -> None:
    raise ValueError(f"A card is a number from 0 to 51. Hand {row} is {hands[row].view(np.int8).tolist()}.")


def _rank(cards: npt.NDArray[np.uint8], tables: Tables) -> Values:
    out = np.empty(len(cards), np.int32)
    bad = int(batch.rank_batch(cards, tables, out))
    if bad >= 0:
        _refuse(cards, bad)
    return out


def rank_high(hands: Any) -> Values:
    """Return (n,) int32 values of high hands: the best five of each row's cards.

    ``hands`` is (n, 5), (n, 6) or (n, 7) cards of any integer type, distinct within a row (which is not checked).
    ``value >> 26`` is the category (:data:`CATEGORIES`).

    Raises:
        ValueError: another shape, or an entry that is no card.
    """
    cards = _as_hands(hands, (5, 6, 7))
    return _rank(cards, batch_tables(cards.shape[1]))


def rank_deuce_to_seven(hands: Any) -> Values:
    """Return (n,) int32 values of deuce-to-seven lows: bigger is better, 7-5-4-3-2 of several suits is best.

    ``hands`` is (n, 5) cards. Straights and flushes count against the hand; aces are high only, so A-2-3-4-5 is an
    ace-high hand and no straight.

    Raises:
        ValueError: another shape, or an entry that is no card.
    """
    return np.asarray(single.BEST_LOW - _rank(_as_hands(hands, (5,)), batch_tables(5, 0)), np.int32)


def rank_short_deck(hands: Any) -> Values:
    """Return (n,) int32 short-deck values of hands from the 36 cards from the six up: the best five of each row's cards.

    ``hands`` is (n, 5), (n, 6) or (n, 7) cards, distinct within a row (which is not checked). A flush beats a full house,
    A-6-7-8-9 is a straight; ``value >> 26`` is the category (:data:`SHORT_DECK_CATEGORIES`).

    Raises:
        ValueError: another shape, or an entry that is no card of the deck.
    """
    cards = _as_hands(hands, (5, 6, 7))
    bad = np.flatnonzero(((cards > 51) | (cards % 13 < 4)).any(axis=1))
    if len(bad):
        raise ValueError(
            f"Short deck has the cards from the six up. Hand {bad[0]} is {cards[bad[0]].view(np.int8).tolist()}."
        )
    out = np.empty(len(cards), np.int32)
    variants.rank_short_batch(cards, out)
    return out


def rank_omaha(holes: Any, boards: Any) -> Values:
    """Return (n,) int32 high values of the best hands of exactly two hole cards and three of the board.

    ``holes`` is (n, 2) to (n, 6) cards, ``boards`` (n, 3) to (n, 5), all distinct within a row (which is not checked).
    ``value >> 26`` is the category (:data:`CATEGORIES`).

    Raises:
        ValueError: other shapes, or an entry that is no card.
    """
    own, common = _as_hands(holes, (2, 3, 4, 5, 6)), _as_hands(boards, (3, 4, 5))
    if len(own) != len(common):
        raise ValueError(f"There must be a board for each hand. Got {len(own)} hands and {len(common)} boards.")
    for cards in (own, common):
        bad = np.flatnonzero((cards > 51).any(axis=1))
        if len(bad):
            _refuse(cards, int(bad[0]))
    out = np.empty(len(own), np.int32)
    variants.rank_two_batch(own, common, out)
    return out


def paying_category(hands: Any) -> Int8s:
    """Return (n,) int8 video-poker categories (:data:`PAYING_HANDS`) of (n, 5) cards.

    Raises:
        ValueError: another shape, or an entry that is no card.
    """
    values = rank_high(_as_hands(hands, (5,)))
    out = np.empty(len(values), np.int8)
    batch.paying_categories(values, out)
    return out


def category_name(value: int) -> str:
    """Return the category of a high value in words."""
    return CATEGORIES[value >> single.CATEGORY_SHIFT]


def low_text(hand: Any) -> str:
    """Return a deuce-to-seven hand of five cards in words: "8-6-4-3-2", or its category ("pair", "straight")."""
    value = single.BEST_LOW - int(rank_deuce_to_seven([list(hand)])[0])
    if value >> single.CATEGORY_SHIFT != single.HIGH_CARD:
        return category_name(value)
    return "-".join(RANKS[card % 13] for card in sorted(hand, key=lambda card: -(int(card) % 13)))
