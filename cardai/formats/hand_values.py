"""What hold'em hands of files are worth, by the rules themselves run as plain Python: nothing is compiled for a few hands."""

from __future__ import annotations

from collections.abc import Iterable

from cardai.core.kernel import interpreted_copy

ranking = interpreted_copy("cardai.poker.hands._ranking_kernels")
_SUIT = 8191  # 13 ones


def card_set(cards: Iterable[int]) -> int:
    """Return cards as a set of bits."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def set_value(bits: int) -> int:
    """Return the high value of a set of 5 to 7 cards: bigger is better, equal values tie."""
    return int(ranking.rank_suits(bits & _SUIT, bits >> 13 & _SUIT, bits >> 26 & _SUIT, bits >> 39, 1))
