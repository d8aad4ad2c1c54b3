"""A hand of five cards in full, as players say it at a showdown: "two pair, aces and kings, queen kicker"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cardai.cards.text import RANK_NAMES

ACE = 12


def full_name(category: str, five: Sequence[int], kickers: bool = True) -> str:
    """Return five cards (of 52) that make a ``category`` (:data:`~cardai.poker.hands.ranking.CATEGORIES`) in full, or
    without the cards beside what makes it (``kickers``).

    >>> from cardai.cards.text import parse_cards
    >>> full_name("full house", parse_cards("9c9d9h5s5d"))
    'full house, nines over fives'
    """
    counts = Counter(card % 13 for card in five)
    ranks = sorted(counts, key=lambda rank: (-counts[rank], -rank))
    first, second = ranks[0], ranks[min(1, len(ranks) - 1)]
    if category in ("straight", "straight flush"):
        top = _top_of_straight(counts)
        return "royal flush" if category == "straight flush" and top == ACE else f"{category}, {RANK_NAMES[top]} high"
    named = {
        "four of a kind": f"four of a kind, {plural(first)}",
        "full house": f"full house, {plural(first)} over {plural(second)}",
        "flush": f"flush, {RANK_NAMES[first]} high",
        "three of a kind": f"three of a kind, {plural(first)}",
        "two pair": f"two pair, {plural(first)} and {plural(second)}",
        "pair": f"pair of {plural(first)}",
        "high card": f"{RANK_NAMES[first]} high",
    }
    beside = {
        "two pair": f", {RANK_NAMES[ranks[-1]]} kicker",
        "pair": f", {RANK_NAMES[second]} kicker",
        "high card": f", then {RANK_NAMES[second]}",
    }
    return named[category] + (beside.get(category, "") if kickers else "")


def _top_of_straight(ranks: Counter[int]) -> int:
    """Return the top rank of a straight; an ace below counts as one (5-4-3-2-A, and 9-8-7-6-A of a short deck)."""
    without = sorted(rank for rank in ranks if rank != ACE)
    return ACE if ACE in ranks and without[-1] == ACE - 1 else without[-1]


def plural(rank: int) -> str:
    """Return a rank in the plural: "sixes"."""
    name = RANK_NAMES[rank]
    return f"{name}es" if name == "six" else f"{name}s"
