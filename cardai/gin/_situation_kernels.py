"""A gin situation as numbers, for networks: a hand of ten cards and what is public, before somebody else acts.

Card sets are in gin order (ace low); a view's are in the house's order. A situation stands after a discard (AFTER), before
a draw from the stock (BEFORE), or with a knock to be settled (KNOCKED). Features [0, PUBLIC) tell of the hand and the
discard, the others of what is the same for all discards of a decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._belief_kernels import BELIEF_SIZE, EVENT_KINDS, chances_of
from cardai.gin._melds_kernels import (
    SUITS,
    U0,
    best_melded,
    deadwood_of,
    index_of,
    lowest,
    points_of,
    run_cards,
    size_of,
    to_gin,
)
from cardai.gin._play_kernels import (
    TENS,
    bit_of,
    connected,
    double_cards,
    highest_points,
    least_after_discard,
    repeated_ranks,
    unseen_by,
)
from cardai.gin._style_kernels import STYLES, blend
from cardai.gin.actions import ASK_KNOCK, DISCARD, DRAW, KNOCK, OFFER, TAKE

AFTER = 0
BEFORE = 1
KNOCKED = 2
KINDS = 3
PUBLIC = 36
FEATURES = 88 + STYLES
# where kinds of public features begin
_THROWN = PUBLIC + 13
_OTHER = PUBLIC + 26
_TURN = _OTHER + 9
_SCORE = _OTHER + 20
_STYLE = _OTHER + 26

_MANY = 7  # loose cards and own turns beyond this are not told apart


@kernel
def chance_taken(card: Any, chances: Any) -> Any:
    """Return how likely the opponent has two cards that make a meld with ``card`` (a set), pairs independent.

    ``chances`` (52,) are those of his holding each card.
    """
    index = index_of(card)
    suit = index // 13
    rank = index - 13 * suit
    none = 1.0
    for low in range(max(rank - 2, 0), min(rank, 10) + 1):
        first = 13 * suit + low + (1 if low == rank else 0)
        second = 13 * suit + low + (1 if low == rank - 2 else 2)
        none *= 1.0 - chances[first] * chances[second]
    for one in range(4):
        for two in range(one + 1, 4):
            if one != suit and two != suit:
                none *= 1.0 - chances[13 * one + rank] * chances[13 * two + rank]
    return 1.0 - none


@kernel
def _chance_near(card: Any, chances: Any) -> Any:
    """Return the summed chances of the cards near ``card``: the same rank, and one away in suit."""
    index = index_of(card)
    suit = index // 13
    rank = index - 13 * suit
    total = 0.0
    for other in range(4):
        if other != suit:
            total += chances[13 * other + rank]
    if rank > 0:
        total += chances[index - 1]
    if rank < 12:
        total += chances[index + 1]
    return total


@kernel
def _expected_melds(chances: Any) -> Any:
    """Return the summed chances of the opponent's melds of three cards, cards independent."""
    melds = 0.0
    for suit in range(4):
        for low in range(11):
            k = 13 * suit + low
            melds += chances[k] * chances[k + 1] * chances[k + 2]
    for rank in range(13):
        c = chances[rank]
        d = chances[13 + rank]
        h = chances[26 + rank]
        s = chances[39 + rank]
        melds += c * d * (h + s) + h * s * (c + d)
    return melds


@kernel
def describe_public(view: Any, chances: Any, target: Any, style: Any, out: Any) -> None:
    """Add to ``out[PUBLIC:]``, which is zero, what is the same for all actions of a decision.

    ``style`` (STYLES,): how likely the opponent is each of the players that are told apart.
    """
    known = to_gin(view["opponent_known"])
    points = 0.0
    for k in range(52):
        rank = k % 13
        out[PUBLIC + rank] += chances[k]
        points += chances[k] * min(rank + 1, 10)
    thrown = to_gin(view["opponent_discards"])
    number = size_of(thrown)
    least = 10
    left = thrown
    while left != U0:
        card = lowest(left)
        left = left ^ card
        out[_THROWN + index_of(card) % 13] += 1.0
        least = min(least, points_of(card))
    out[_OTHER] = size_of(known) / 5.0
    out[_OTHER + 1] = points_of(known) / 30.0
    out[_OTHER + 2] = points / 60.0
    out[_OTHER + 3] = _expected_melds(chances)
    out[_OTHER + 4] = least / 10.0
    out[_OTHER + 5] = points_of(thrown) / (10.0 * max(1, number))
    out[_OTHER + 6] = number / 10.0
    last = view["turns"] - 1
    if last >= 0 and (view["opener"] + last) % 2 == view["player"]:
        last -= 1
    if last >= 0:  # the opponent's last turn
        card = view["history"][last] % 52
        out[_OTHER + 7] = min((card % 13 + 1) % 13 + 1, 10) / 10.0
        out[_OTHER + 8] = 1.0 if view["history"][last] >= 52 else 0.0
    describe_turn(view["own_turns"], out)
    out[_OTHER + 18] = view["stock"] / 31.0
    out[_OTHER + 19] = max(0, 10 - view["stock"]) / 10.0
    _describe_score(view, target, out)
    for s in range(STYLES):
        out[_STYLE + s] = style[s]


@kernel
def _describe_score(view: Any, target: Any, out: Any) -> None:
    """Add the scores, and whose the first offer is, to ``out``."""
    mine = score_of(view, view["player"], target)
    his = score_of(view, 1 - view["player"], target)
    out[_SCORE] = mine / 100.0
    out[_SCORE + 1] = his / 100.0
    out[_SCORE + 2] = 1.0 if mine >= 75 else 0.0
    out[_SCORE + 3] = 1.0 if his >= 75 else 0.0
    if view["phase"] == OFFER:
        out[_SCORE + 4 if view["to_act"] == view["starter"] else _SCORE + 5] = 1.0


@kernel
def describe_turn(turn: Any, out: Any) -> None:
    """Write the number of own turns."""
    out[_TURN] = turn / 10.0
    for k in range(_MANY + 1):
        out[_TURN + 1 + k] = 1.0 if turn == k else 0.0


@kernel
def as_if_drawn(turn: Any, out: Any) -> None:
    """Change what describe_public wrote before a draw to what stands after it, in own turn ``turn``."""
    describe_turn(turn, out)
    out[_SCORE + 4] = 0.0
    out[_SCORE + 5] = 0.0


@kernel
def score_of(view: Any, seat: Any, target: Any) -> Any:
    """Return a seat's score (int64, 0 to 100) if the match went to 100 with as many points to go."""
    return min(max(100 - target + int(view["score"][seat]), 0), 100)


@kernel
def describe_hand(hand: Any, discard: Any, unseen: Any, chances: Any, known: Any, limit: Any, out: Any) -> None:
    """Write to ``out[:PUBLIC]`` what depends on the ten cards and the discard (a set; none before a draw)."""
    for k in range(PUBLIC):
        out[k] = 0.0
    melded = best_melded(hand)
    loose = hand & ~melded
    deadwood = points_of(loose)
    out[0] = deadwood / 40.0
    out[1] = 1.0 if deadwood <= limit else 0.0
    out[2] = min(deadwood, 10) / 10.0
    out[3] = size_of(loose) / 10.0
    out[4 + min(size_of(loose), _MANY)] = 1.0
    _one_draw_ahead(hand, loose, deadwood, unseen, chances, limit, out)
    pairs = double_cards(loose)
    alone = loose & ~pairs
    out[18] = points_of(alone) / 40.0
    out[19] = size_of(alone) / 5.0
    out[20] = size_of(pairs) / 5.0
    out[21] = size_of(loose & TENS) / 5.0
    out[22] = points_of(loose & connected(known)) / 20.0
    out[23] = highest_points(loose) / 10.0
    out[24] = size_of(connected(loose) & unseen) / 10.0
    out[25] = out[13] if deadwood <= limit else 0.0
    sets = size_of(melded & (repeated_ranks(melded & ~run_cards(melded)) * SUITS))
    out[26] = sets / 10.0
    out[27] = (size_of(melded) - sets) / 10.0
    if discard != U0:
        rank = index_of(discard) % 13
        taken = chance_taken(discard, chances)
        out[28] = taken
        out[29] = taken * taken
        out[30] = min(rank + 1, 10) / 10.0
        out[31] = 1.0 if discard & connected(known) != U0 else 0.0
        out[32] = 1.0 if double_cards(known | discard) & discard != U0 else 0.0
        out[33] = taken if deadwood <= 20 else 0.0
        out[34] = 1.0 if rank <= 2 else 0.0
        out[35] = _chance_near(discard, chances) / 3.0


@kernel
def _one_draw_ahead(hand: Any, loose: Any, deadwood: Any, unseen: Any, chances: Any, limit: Any, out: Any) -> None:
    """Write what one draw may bring, each unseen card weighed with the chance that it lies in the stock."""
    near = connected(hand) & unseen
    own = connected(loose)
    highest = highest_points(loose)
    total = 1e-6
    mean = 0.0
    gin = 0.0
    knock = 0.0
    touching = 0.0
    touching_loose = 0.0
    gone = 0.0
    left = unseen
    while left != U0:
        card = lowest(left)
        left = left ^ card
        index = index_of(card)
        weight = 1.0 - chances[index]
        total += weight
        if card & near != U0:
            after = min(deadwood, least_after_discard(hand | card))
            touching += weight
            if card & own != U0:
                touching_loose += weight
            if after == 0:
                gin += weight
            gone += weight * (deadwood - after)
        else:
            after = deadwood + min(0, min(index % 13 + 1, 10) - highest)
        if after <= limit:
            knock += weight
        mean += weight * after
    out[12] = mean / total / 40.0
    out[13] = gin / total
    out[14] = knock / total
    out[15] = touching / total
    out[16] = touching_loose / total
    out[17] = gone / total / 10.0


@kernel
def limit_of(view: Any, limits: Any) -> Any:
    """Return the most deadwood to knock with; ``limits`` (52,) by the first up-card."""
    return limits[max(0, view["first_up_card"])]


@kernel
def _told(view: Any, hand: Any) -> Any:
    """Whether the situation before a draw is an example: the face-up card can make a meld, or one turn in four."""
    return connected(hand) & bit_of(view["up_card"]) != U0 or view["turns"] % 4 == 0


@kernel
def situations(
    views: Any, actions: Any, styles: Any, limits: Any, target: Any, belief: Any, features: Any, kinds: Any
) -> None:
    """Write the situation (n, F) after each action and its kind (n,), -1 where the action leads to none.

    Before draws only where the face-up card could make a meld, and some of the others. ``styles`` (n, STYLES) are the
    opponents', ``belief`` (STYLES, BELIEF_SIZE) what each style's turns tell of his hand.
    """
    weights = np.zeros(BELIEF_SIZE)
    counts = np.zeros((52, EVENT_KINDS), np.int64)
    chances = np.zeros(52)
    for i in range(len(views)):
        view = views[i]
        action = actions[i]
        phase = view["phase"]
        hand = to_gin(view["hand"])
        limit = limit_of(view, limits)
        kind = -1
        discard = U0
        if phase == DISCARD and action < 52:
            discard = bit_of(action)
            hand = hand ^ discard
            if deadwood_of(hand) > limit:
                kind = AFTER
        elif phase == ASK_KNOCK:
            discard = bit_of(view["up_card"])
            kind = KNOCKED if action == KNOCK else AFTER
        elif phase in (OFFER, DRAW) and action != TAKE and _told(view, hand):
            kind = BEFORE
        kinds[i] = kind
        if kind >= 0:
            out = features[i]
            out[:] = np.float32(0.0)
            known = to_gin(view["opponent_known"])
            blend(belief, styles[i], weights)
            chances_of(view, weights, counts, chances)
            describe_public(view, chances, target, styles[i], out)
            describe_hand(hand, discard, unseen_by(view), chances, known, limit, out)
