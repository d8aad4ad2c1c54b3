"""Looking one draw ahead: the mean deadwood after it, the danger of a discard, and the decisions made by them.

Card sets are in gin order (ace low); a view's are in the house's order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import (
    SUITS,
    U0,
    U1,
    best_melded,
    deadwood_of,
    index_of,
    lowest,
    points_of,
    size_of,
    to_gin,
)
from cardai.gin._play_kernels import (
    allowed_cards,
    bit_of,
    connected,
    highest_points,
    house_number,
    least_after_discard,
    show_best,
    unseen_by,
)
from cardai.gin.actions import (
    ASK_KNOCK,
    DISCARD,
    KNOCK,
    OFFER,
    PASS,
    PLAY_ON,
    SHOW,
    STOCK,
    TAKE,
    WALL,
)

_RUN = np.uint64(7)


@kernel
def mean_after_draw(hand: Any, unseen: Any) -> Any:
    """Return the mean of the least deadwood after drawing a card of ``unseen``, each as likely, and discarding one."""
    near = connected(hand) & unseen
    far = unseen & ~near
    loose = hand & ~best_melded(hand)
    deadwood = points_of(loose)
    highest = highest_points(loose)
    total = deadwood * size_of(far)
    # an unconnected card is better only than a loose card that counts more
    for rank in range(highest - 1):
        total -= (highest - rank - 1) * size_of(far & (SUITS << np.uint64(rank)))
    while near != U0:
        card = lowest(near)
        near = near ^ card
        total += min(deadwood, least_after_discard(hand | card))
    return total / size_of(unseen)


@kernel
def chance_of_meld(card: Any, unseen: Any, known: Any, refused: Any, hidden: Any, factor: Any) -> Any:
    """Return how likely the opponent has two cards that make a meld with ``card`` (a set).

    ``known`` he has; each of ``unseen`` with the same chance, ``hidden`` over their number. A pair that goes with a card
    of ``refused`` (he left it or threw it away) counts ``factor`` times. Pairs are taken as independent.
    """
    chance = min(1.0, hidden / max(1, size_of(unseen)))
    index = index_of(card)
    suit = index // 13
    rank = index - 13 * suit
    held = unseen | known
    none = 1.0
    for low in range(max(rank - 2, 0), min(rank, 10) + 1):
        pair = (_RUN << np.uint64(13 * suit + low)) ^ card
        if pair & held == pair:
            none *= 1.0 - _of_pair(pair, known, refused, chance, factor)
    others = ((SUITS << np.uint64(rank)) & held) & ~card
    while others != U0:
        first = lowest(others)
        others = others ^ first
        rest = others
        while rest != U0:
            second = lowest(rest)
            rest = rest ^ second
            none *= 1.0 - _of_pair(first | second, known, refused, chance, factor)
    return 1.0 - none


@kernel
def _of_pair(pair: Any, known: Any, refused: Any, chance: Any, factor: Any) -> Any:
    """Return how likely the opponent has both cards of ``pair``."""
    out = 1.0
    unknown = pair & ~known
    while unknown != U0:
        out *= chance
        unknown = unknown & (unknown - U1)
    if connected(pair) & refused != U0:
        out *= factor
    return out


@kernel
def act(views: Any, legal: Any, seeds: Any, options: Any, out: Any) -> None:
    """Write one action a view. ``seeds`` (n,) uint64 are the random numbers' streams, ``options`` an array of one
    record: handing a record to a kernel takes longer.
    """
    own = options[0]
    for i in range(len(views)):
        view = views[i]
        phase = view["phase"]
        if phase == DISCARD and legal[i, KNOCK]:
            out[i] = KNOCK  # big gin
        elif phase == DISCARD:
            out[i] = discard(view, legal[i], seeds[i], own)
        elif phase == ASK_KNOCK:
            out[i] = KNOCK if _knocks(view, own) else PLAY_ON
        elif phase == OFFER:
            out[i] = TAKE if _takes(view, own) else PASS
        elif phase == WALL:
            out[i] = TAKE if legal[i, TAKE] else PASS
        elif phase == SHOW:
            out[i] = show_best(view, seeds[i])
        else:
            out[i] = TAKE if _takes(view, own) else STOCK


@kernel
def _takes(view: Any, options: Any) -> Any:
    """Whether the face-up card makes a meld and leaves less deadwood."""
    card = bit_of(view["up_card"])
    hand = to_gin(view["hand"])
    if connected(hand) & card == U0:
        return False
    return least_after_discard(hand | card) < deadwood_of(hand) - options["gain"]


@kernel
def _knocks(view: Any, options: Any) -> Any:
    deadwood = deadwood_of(to_gin(view["hand"]))
    turn = view["own_turns"]
    early = options["knock_from"]
    return deadwood == 0 or (turn <= len(early) and deadwood >= early[turn - 1])


@kernel
def discard(view: Any, legal: Any, seed: Any, options: Any) -> Any:
    """Return the discard of least cost among the cards outside one best arrangement (of all if there are none)."""
    hand = to_gin(view["hand"])
    allowed = allowed_cards(legal)
    melded = best_melded(hand)
    candidates = allowed & ~melded
    if candidates == U0:
        candidates = allowed
    unseen = unseen_by(view)
    known = to_gin(view["opponent_known"])
    refused = to_gin(view["opponent_declined"] | view["opponent_discards"])
    hidden = 10 - size_of(known)
    best = U0
    least = 1e9
    while candidates != U0:
        card = lowest(candidates)
        candidates = candidates ^ card
        left = hand ^ card
        cost = options["present"] * deadwood_of(left) + options["next"] * mean_after_draw(left, unseen)
        if cost < least:
            cost += options["danger"] * chance_of_meld(card, unseen, known, refused, hidden, options["refused"])
        if cost < least:
            least = cost
            best = card
    return house_number(best)
