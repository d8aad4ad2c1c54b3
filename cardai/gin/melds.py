"""Gin rummy's melds, checked: minimum deadwood, the best arrangements of a hand, layoffs.

A meld is a run of three or more neighbours of a suit (the ace is low only) or a set of three or four of a rank. Cards are
the house's ints (13*suit + rank, ace high); card points are 1 for the ace, 10 for court cards. The kernels behind these
functions are in :mod:`cardai.gin._melds_kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.cards.text import cards_of
from cardai.gin import _melds_kernels as kernels

LARGEST_HAND = 13
"""The most cards these functions take (a hand has 10, 11 between draw and discard)."""


def card_points(card: int) -> int:
    """Return the deadwood points of one card: ace 1, two to nine their number, ten and court cards 10."""
    if not 0 <= card < 52:
        raise ValueError(f"A card must be a whole number from 0 to 51. Got {card!r} instead.")
    return min((card % 13 + 1) % 13 + 1, 10)


def _gin_set(cards: Iterable[int]) -> np.uint64:
    listed = [int(card) for card in cards]
    mask = 0
    for card in listed:
        if not 0 <= card < 52:
            raise ValueError(f"A card must be a whole number from 0 to 51. Got {card!r} instead.")
        mask |= 1 << card
    if mask.bit_count() != len(listed) or len(listed) > LARGEST_HAND:
        raise ValueError(f"A hand must hold at most {LARGEST_HAND} different cards. Got {listed} instead.")
    return np.uint64(kernels.to_gin(np.uint64(mask)))


def _cards(gin_set: np.uint64) -> list[int]:
    """Return the cards of a gin-order set by suit and then from the ace up."""
    listed = cards_of(int(kernels.from_gin(np.uint64(gin_set))))
    return sorted(listed, key=lambda card: (card // 13, (card % 13 + 1) % 13))


def deadwood(cards: Iterable[int]) -> int:
    """Return the least deadwood points of any arrangement of ``cards`` into disjoint melds.

    Raises:
        ValueError: a card out of range, a card twice, or more than 13 cards.
    """
    return int(kernels.deadwood_of(_gin_set(cards)))


def _checked_sets(hands: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    sets = np.asarray(hands)
    if sets.ndim != 1 or sets.dtype != np.uint64:
        raise ValueError(f"Hands must be card sets, an array (n,) of uint64. Got {sets.dtype} of shape {sets.shape}.")
    wrong = np.flatnonzero((sets >> np.uint64(52) != 0) | (kernels.sizes_of(sets) > LARGEST_HAND))
    if len(wrong):
        raise ValueError(
            f"A hand must hold at most {LARGEST_HAND} cards of 0 to 51. Got {int(sets[wrong[0]]):#x} at {wrong[0]}."
        )
    return sets


def deadwoods(hands: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the least deadwood points of each hand, (n,) int64, for card sets (n,) uint64 (bit ``card`` set).

    The same as :func:`deadwood`, some millions of hands a second. Raises ValueError for what is no hand, with its place.
    """
    return np.asarray(kernels.deadwoods_of(_checked_sets(hands)))


def melded(hands: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return which cards of each hand are in melds, in one arrangement with the least deadwood, (n,) uint64 sets.

    The arrangement is always the same one for a hand. Raises ValueError as :func:`deadwoods` does.
    """
    return np.asarray(kernels.melded_of(_checked_sets(hands)))


def best_arrangements(cards: Iterable[int]) -> list[list[list[int]]]:
    """Return every arrangement with the least deadwood: each a list of melds, each meld a list of cards.

    Runs come first (by suit and lowest card), then sets by rank. A run of six and the same cards as two runs of three
    are two arrangements. Raises ValueError as :func:`deadwood` does.
    """
    hand = _gin_set(cards)
    melds = np.zeros(kernels.MAX_MELDS, np.uint64)
    found = []
    for number in range(int(kernels.count_best(hand))):
        count = int(kernels.best_arrangement(hand, number, melds))
        found.append([_cards(meld) for meld in melds[:count]])
    return found


def is_meld(cards: Iterable[int]) -> bool:
    """Whether the cards together are one meld."""
    gin_set = _gin_set(cards)
    size = int(gin_set).bit_count()
    held = [int(gin_set) >> 13 * suit & 0x1FFF for suit in range(4)]
    suits = [ranks for ranks in held if ranks]
    if size < 3:
        return False
    if len(suits) == 1:
        block = suits[0] // (suits[0] & -suits[0])
        return block & (block + 1) == 0
    return len(set(suits)) == 1 and suits[0].bit_count() == 1


def _meld_array(melds: Sequence[Iterable[int]]) -> npt.NDArray[np.uint64]:
    for meld in melds:
        if not is_meld(meld):
            raise ValueError(f"Each meld must be a run of three or more or a set. Got {list(meld)} instead.")
    return np.array([_gin_set(meld) for meld in melds], np.uint64)


def layoffs(loose: Iterable[int], melds: Sequence[Iterable[int]], best: bool = False) -> list[int]:
    """Return which of a defender's cards go on the knocker's melds.

    First fit (the default): ``loose`` are the cards outside the defender's melds; they are scanned upwards, each put on
    the first meld in the order given that takes it, until nothing fits. ``best``: ``loose`` is the defender's whole
    hand; the cards are chosen so that, the rest melded at its best, the least deadwood is left.

    Raises:
        ValueError: cards or melds that cannot be.
    """
    cards, table = _gin_set(loose), _meld_array(melds)
    laid = (kernels.lay_off_best if best else kernels.lay_off_first_fit)(cards, table, len(table))
    return _cards(laid)
