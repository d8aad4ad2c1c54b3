"""What gin's players share as kernels: least deadwood after a discard, cards that connect, melds that an opponent may make.

Card sets are in gin order (ace low, bit 13*suit + rank); a view's are in the house's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below
from cardai.gin._melds_kernels import (
    MAX_MELDS,
    SUIT,
    SUITS,
    U0,
    U1,
    U2,
    U13,
    U26,
    U39,
    best_arrangement,
    best_melded,
    count_best,
    deadwood_of,
    index_of,
    lowest,
    nth_card,
    points_of,
    size_of,
    to_gin,
)
from cardai.gin.actions import FIRST_MELD, MELDS, PASS

NOT_A = np.uint64(sum(0x1FFE << 13 * suit for suit in range(4)))
NOT_A2 = np.uint64(sum(0x1FFC << 13 * suit for suit in range(4)))
NOT_K = np.uint64(sum(0x0FFF << 13 * suit for suit in range(4)))
NOT_KQ = np.uint64(sum(0x07FF << 13 * suit for suit in range(4)))
_FULL = np.uint64((1 << 52) - 1)
TENS = np.uint64(sum(0x1E00 << 13 * suit for suit in range(4)))


@kernel
def bit_of(card: Any) -> Any:
    """Return one card (house number) as a set in gin order."""
    return to_gin(U1 << np.uint64(card))


@kernel
def house_number(single: Any) -> Any:
    """Return the house number of the only card of a gin-order set."""
    card = index_of(single)
    suit = card // 13
    return 13 * suit + (card - 13 * suit + 12) % 13


@kernel
def pick(cards: Any, seed: Any) -> Any:
    """Return the house number of a card drawn uniformly."""
    if cards & (cards - U1) == U0:
        return house_number(cards)
    return house_number(nth_card(cards, below(seed, 0, size_of(cards))))


@kernel
def repeated_ranks(cards: Any) -> Any:
    """Return the ranks (13 bits) held at least twice."""
    c = cards & SUIT
    d = (cards >> U13) & SUIT
    h = (cards >> U26) & SUIT
    s = (cards >> U39) & SUIT
    return (c & d) | (h & s) | ((c | d) & (h | s))


@kernel
def highest_points(cards: Any) -> Any:
    """Return the points (int64) of the card of a set that counts most, 0 of none."""
    if cards & TENS != U0:
        return 10
    ranks = (cards | (cards >> U13) | (cards >> U26) | (cards >> U39)) & SUIT
    points = 0
    while ranks != U0:
        ranks = ranks >> U1
        points += 1
    return points


@kernel
def least_after_discard(hand: Any) -> Any:
    """Return the least deadwood (int64) that discarding one card of ``hand`` can leave.

    Discarding card x leaves at least the hand's deadwood less x's points, so melded cards are tried only where they count
    more than the highest loose one.
    """
    melded = best_melded(hand)
    loose = hand & ~melded
    saved = highest_points(loose)
    deadwood = points_of(loose)
    least = deadwood - saved
    if loose == U0:
        least = 1000
    others = melded
    while others != U0:
        card = lowest(others)
        others = others ^ card
        if deadwood - points_of(card) < least:
            left = deadwood_of(hand ^ card)
            if left < least:
                least = left
    return least


@kernel
def connected(hand: Any) -> Any:
    """Return the cards outside ``hand`` with which some three cards are a meld: a third of a rank, an end or gap of a run."""
    up1 = (hand & NOT_K) << U1
    up2 = (hand & NOT_KQ) << U2
    down1 = (hand & NOT_A) >> U1
    down2 = (hand & NOT_A2) >> U2
    return ((up1 & up2) | (down1 & down2) | (up1 & down1) | (repeated_ranks(hand) * SUITS)) & ~hand


@kernel
def double_cards(loose: Any) -> Any:
    """Return the cards with another of the same rank, or of the same suit one or two ranks away."""
    near = (
        ((loose & NOT_K) << U1)
        | ((loose & NOT_A) >> U1)
        | ((loose & NOT_KQ) << U2)
        | ((loose & NOT_A2) >> U2)
        | (repeated_ranks(loose) * SUITS)
    )
    return loose & near


@kernel
def min_deadwood_discards(hand: Any, allowed: Any) -> Any:
    """Return the cards of ``allowed`` whose discard leaves the least deadwood.

    Discarding a card outside one best arrangement keeps all its melds; that is a bound for every other card.
    """
    melded = best_melded(hand)
    deadwood = points_of(hand & ~melded)
    loose = allowed & ~melded
    best = U0
    least = 1000
    saved = 0
    if loose != U0:
        best = loose & TENS
        saved = 10
        rank = 8
        while best == U0:
            best = loose & (SUITS << np.uint64(rank))
            saved = rank + 1
            rank -= 1
        least = deadwood - saved
    others = allowed & melded
    while others != U0:
        card = lowest(others)
        others = others ^ card
        value = points_of(card)
        if value < saved:
            continue
        left = deadwood_of(hand ^ card)
        if left < least:
            least = left
            best = card
        elif left == least:
            best = best | card
    return best


@kernel
def unseen_by(view: Any) -> Any:
    """Return the cards that the viewer has not seen: in the stock, or the opponent's and never face up."""
    return _FULL & ~to_gin(view["hand"] | view["discard_set"] | view["opponent_known"])


@kernel
def allowed_cards(legal: Any) -> Any:
    """Return the legal discards as a set."""
    allowed = U0
    for card in range(52):
        if legal[card]:
            allowed = allowed | bit_of(card)
    return allowed


@kernel
def least_deadwood(view: Any, legal: Any, seed: Any) -> Any:
    """Return a legal discard with the least deadwood."""
    hand = to_gin(view["hand"])
    return pick(min_deadwood_discards(hand, allowed_cards(legal)), seed)


@kernel
def show_best(view: Any, seed: Any) -> Any:
    """Lay down the melds of an arrangement with the least deadwood, one at a time."""
    left = to_gin(view["hand"])
    for k in range(4):
        left = left & ~to_gin(view["melds"][4 * view["player"] + k])
    melds = np.zeros(MAX_MELDS, np.uint64)
    if best_arrangement(left, below(seed, 0, count_best(left)), melds) == 0:
        return PASS
    for k in range(len(MELDS)):
        if MELDS[k] == melds[0]:
            return FIRST_MELD + k
    return PASS
