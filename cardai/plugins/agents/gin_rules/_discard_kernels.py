"""The rule-based gin players' discards: least deadwood, offensive metrics, safety counts, Heisenbot's mixture.

Card sets are in gin order (ace low); a view's are in the house's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import (
    SUIT,
    SUITS,
    U0,
    U1,
    U13,
    U26,
    U39,
    best_melded,
    index_of,
    lowest,
    to_gin,
)
from cardai.gin._play_kernels import (
    NOT_A,
    NOT_K,
    bit_of,
    double_cards,
    min_deadwood_discards,
    pick,
    repeated_ranks,
)

# discard policies
BY_DEADWOOD = 0
BY_VALUE = 1
BY_MELDS = 2
BY_TRIANGLES = 3
BY_SAFETY = 4
BY_CLASSES = 5

_NOBODY = 99


@kernel
def triangle_cards(loose: Any) -> Any:
    """Return the cards in triangles: two of a rank and a neighbour in suit of one of the two."""
    pairs = loose & (repeated_ranks(loose) * SUITS)
    neighbours = ((loose & NOT_K) << U1) | ((loose & NOT_A) >> U1)
    corners = pairs & neighbours
    ranks = (corners | (corners >> U13) | (corners >> U26) | (corners >> U39)) & SUIT
    ends = ((corners & NOT_K) << U1) | ((corners & NOT_A) >> U1)
    return loose & ((ranks * SUITS) | ends)


# -- knock and show ------------------------------------------------------------------------------------------------


@kernel
def discard(view: Any, options: Any, seed: Any, likelihood: Any) -> Any:
    hand = to_gin(view["hand"])
    taken = U0
    if view["taken_card"] >= 0:
        taken = bit_of(view["taken_card"])
    policy = options["discard"]
    if policy != BY_DEADWOOD:
        loose = hand & ~best_melded(hand)
        allowed = loose & ~taken
        if allowed != U0:
            candidates = allowed
            if policy == BY_CLASSES:
                candidates = _by_class(loose, allowed, view["own_turns"], options)
            elif policy == BY_TRIANGLES:
                apart = allowed & ~triangle_cards(loose)
                candidates = apart if apart != U0 else allowed
            return pick(_best_of(view, hand, candidates, options, likelihood), seed)
    banned = taken
    if taken != U0:
        banned = banned | _played_pairs(view)
    left = min_deadwood_discards(hand, hand & ~banned)
    if left == U0:
        left = min_deadwood_discards(hand, hand & ~taken)
    return pick(left, seed)


@kernel
def _played_pairs(view: Any) -> Any:
    """Return the cards that would repeat a {drawn, discarded} pair of this hand.

    That can only happen with a card drawn face up that the player discarded before.
    """
    drawn = view["drawn_card"]
    first = 0 if view["opener"] == view["player"] else 1
    pairs = U0
    for k in range(view["own_turns"] - 1):
        thrown = view["history"][first + 2 * k] % 52
        if view["draws"][k] == drawn:
            pairs = pairs | bit_of(thrown)
        if thrown == drawn:
            pairs = pairs | bit_of(view["draws"][k])
    return pairs


@kernel
def _by_class(loose: Any, allowed: Any, own_turn: Any, options: Any) -> Any:
    """Return the candidates of Heisenbot's discard: deadwood before doubles before triangles, low ranks kept."""
    triangles = triangle_cards(loose)
    apart = loose & ~triangles
    doubles = double_cards(apart)
    if own_turn >= options["doubles_until"]:
        doubles = U0
    chosen = apart & ~doubles & allowed
    if chosen == U0:
        chosen = doubles & allowed
    if chosen == U0:
        chosen = triangles & allowed
    kept = ((U1 << np.uint64(options["protect_ranks"])) - U1) * SUITS
    if chosen & ~kept != U0:
        return chosen & ~kept
    if allowed & ~kept != U0:
        return allowed & ~kept
    return chosen


@kernel
def _best_of(view: Any, hand: Any, candidates: Any, options: Any, likelihood: Any) -> Any:
    """Return the candidates with the lowest score, of these the highest rank."""
    if candidates & (candidates - U1) == U0:
        return candidates
    policy = options["discard"]
    blocked = hand | to_gin(view["discard_set"])
    if policy == BY_MELDS:
        blocked = to_gin(view["discard_set"] | view["opponent_known"])
    guess = policy == BY_CLASSES and options["prognosticate"]
    if guess:
        _likelihoods(view, likelihood)
    best = U0
    lowest_score = _NOBODY
    best_rank = -1
    while candidates != U0:
        card = lowest(candidates)
        candidates = candidates ^ card
        index = index_of(card)
        rank = index % 13
        if policy == BY_VALUE:
            score = -min(rank, 9)
        elif policy == BY_TRIANGLES:
            score = 0
        else:
            score = _possible_melds(index, blocked, guess, likelihood, options["least_likelihood"])
        if policy == BY_VALUE:
            rank = 0
        if score < lowest_score or (score == lowest_score and rank > best_rank):
            lowest_score = score
            best_rank = rank
            best = card
        elif score == lowest_score and rank == best_rank:
            best = best | card
    return best


@kernel
def _possible_melds(index: Any, blocked: Any, guess: Any, likelihood: Any, least: Any) -> Any:
    """Return the number of three-card melds with card ``index`` whose other two cards are not blocked.

    With ``guess`` a meld counts only if the likelihoods of the two sum to ``least`` or more.
    """
    suit = index // 13
    rank = index - 13 * suit
    count = 0
    for low in range(max(rank - 2, 0), min(rank, 10) + 1):
        first = 13 * suit + low + (1 if low == rank else 0)
        second = 13 * suit + low + (1 if low == rank - 2 else 2)
        count += _possible(first, second, blocked, guess, likelihood, least)
    for one in range(4):
        for two in range(one + 1, 4):
            if one != suit and two != suit:
                count += _possible(13 * one + rank, 13 * two + rank, blocked, guess, likelihood, least)
    return count


@kernel
def _possible(first: Any, second: Any, blocked: Any, guess: Any, likelihood: Any, least: Any) -> Any:
    if ((blocked >> np.uint64(first)) | (blocked >> np.uint64(second))) & U1 != U0:
        return 0
    if guess and likelihood[first] + likelihood[second] < least:
        return 0
    return 1


@kernel
def _likelihoods(view: Any, likelihood: Any) -> None:
    """Fill (52,) int64, gin order: how likely the opponent holds each card, -4..4, 5 known to (Heisenbot's table 1)."""
    likelihood[:] = 0
    first = 1 if view["opener"] == view["player"] else 0
    for turn in range(first, view["turns"], 2):
        event = view["history"][turn]
        if event >= 52:
            taken = view["history"][turn - 1] % 52 if turn > 0 else view["first_up_card"]
            _spread(likelihood, taken, 1)
        _spread(likelihood, event % 52, -1)
    known = to_gin(view["opponent_known"])
    while known != U0:
        card = lowest(known)
        known = known ^ card
        likelihood[index_of(card)] = 5


@kernel
def _spread(likelihood: Any, card: Any, sign: Any) -> None:
    """Note that the opponent took (+1) or discarded (-1) a card: its rank and neighbours by 2, two ranks away by 1."""
    suit = card // 13
    rank = (card - 13 * suit + 1) % 13
    for other in range(4):
        if other != suit:
            _add(likelihood, 13 * other + rank, 2 * sign)
    for gap in range(1, 3):
        step = sign if gap == 2 else 2 * sign
        if rank >= gap:
            _add(likelihood, 13 * suit + rank - gap, step)
        if rank + gap <= 12:
            _add(likelihood, 13 * suit + rank + gap, step)


@kernel
def _add(likelihood: Any, index: Any, step: Any) -> None:
    likelihood[index] = min(max(likelihood[index] + step, -4), 4)
