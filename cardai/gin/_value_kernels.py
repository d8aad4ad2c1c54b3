"""Gin by values, as kernels: three networks of one hidden layer, and the decisions by what they say of situations.

A network says how a hand's result is distributed over RESULTS classes; a table of the chance to win the match from every
pair of scores makes that one number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import uniform
from cardai.gin._belief_kernels import BELIEF_SIZE, EVENT_KINDS, chances_of
from cardai.gin._melds_kernels import U0, best_melded, deadwood_of, lowest, to_gin
from cardai.gin._play_kernels import (
    allowed_cards,
    bit_of,
    connected,
    house_number,
    pick,
    show_best,
    unseen_by,
)
from cardai.gin._situation_kernels import (
    AFTER,
    BEFORE,
    FEATURES,
    KINDS,
    KNOCKED,
    PUBLIC,
    as_if_drawn,
    describe_hand,
    describe_public,
    limit_of,
    score_of,
)
from cardai.gin._style_kernels import STYLES, blend
from cardai.gin.actions import ASK_KNOCK, DISCARD, DRAW, KNOCK, OFFER, PASS, PLAY_ON, SHOW, STOCK, TAKE, WALL

RESULTS = 21


class Nets(NamedTuple):
    """The networks by kind of situation, float32, and what makes a number of what they say."""

    hidden_weight: Any  # (KINDS, F, H)
    hidden_bias: Any  # (KINDS, H)
    head_weight: Any  # (KINDS, H, R)
    head_bias: Any  # (KINDS, R)
    results: Any  # (R,) float64: the mean points of each class
    wins: Any  # (STYLES, 101, 101) float64: the chance to win from (own, other's) score, by the opponent's style
    belief: Any  # (STYLES, BELIEF_SIZE) float64
    styles: Any  # (STYLES, EVIDENCE) float64: how often each style plays each kind of hand
    limits: Any  # (52,) int64: the most deadwood to knock with, by first up-card
    target: Any  # int


class ValueBuffers(NamedTuple):
    """Scratch memory of a decision."""

    counts: Any  # (52, EVENT_KINDS) int64
    chances: Any  # (52,) float64
    belief: Any  # (BELIEF_SIZE,) float64: the opponent's, as far as his style is known
    features: Any  # (F,) float32
    public: Any  # (KINDS, H) float32: the hidden layer before what depends on the hand
    ready: Any  # (KINDS,) bool: whether that is up to date
    hidden: Any  # (H,) float32
    classes: Any  # (R,) float32
    utility: Any  # (R,) float32


class Knowledge(NamedTuple):
    """What is the same for all actions of a decision."""

    unseen: Any
    known: Any
    limit: Any


@kernel
def _bring_public(nets: Any, kind: Any, work: Any) -> None:
    """Fill ``work.public[kind]`` with what public features bring to the hidden layer."""
    first = nets.hidden_weight[kind]
    public = work.public[kind]
    width = len(public)
    for h in range(width):
        public[h] = nets.hidden_bias[kind, h]
    for k in range(PUBLIC, FEATURES):
        value = work.features[k]
        if value != np.float32(0.0):
            for h in range(width):
                public[h] += value * first[k, h]


@kernel
def expected(nets: Any, kind: Any, work: Any) -> Any:
    """Return the expected utility (float32) of ``work.features``: the classes' softmax times ``work.utility``.

    What public features bring is computed once a decision: ``work.ready`` says where it stands.
    """
    first = nets.hidden_weight[kind]
    hidden = work.hidden
    width = len(hidden)
    if not work.ready[kind]:
        work.ready[kind] = True
        _bring_public(nets, kind, work)
    for h in range(width):
        hidden[h] = work.public[kind, h]
    for k in range(PUBLIC):
        value = work.features[k]
        if value != np.float32(0.0):
            for h in range(width):
                hidden[h] += value * first[k, h]
    second = nets.head_weight[kind]
    out = work.classes
    for r in range(RESULTS):
        out[r] = nets.head_bias[kind, r]
    for h in range(width):
        if hidden[h] > np.float32(0.0):
            for r in range(RESULTS):
                out[r] += hidden[h] * second[h, r]
    most = out.max()
    total = np.float32(0.0)
    worth = np.float32(0.0)
    for r in range(RESULTS):
        weight = np.exp(out[r] - most)
        total += weight
        worth += weight * work.utility[r]
    return worth / total


@kernel
def _utilities(view: Any, nets: Any, style: Any, out: Any) -> None:
    """Fill ``out`` (R,): the chance to win the match after each class of results."""
    mine = score_of(view, view["player"], nets.target)
    his = score_of(view, 1 - view["player"], nets.target)
    for r in range(RESULTS):
        low = int(np.floor(nets.results[r]))
        share = nets.results[r] - low
        chance = 0.0
        for s in range(STYLES):
            if style[s] > 0.0:
                after = _after(mine, his, low, nets.wins[s])
                chance += style[s] * (after + share * (_after(mine, his, low + 1, nets.wins[s]) - after))
        out[r] = chance


@kernel
def _after(mine: Any, his: Any, points: Any, wins: Any) -> Any:
    if points >= 0:
        return wins[min(mine + points, 100), his]
    return wins[mine, min(his - points, 100)]


@kernel
def _begin(view: Any, style: Any, nets: Any, work: Any) -> Any:
    """Fill ``work`` with what is the same for all actions, and return the rest of it."""
    blend(nets.belief, style, work.belief)
    chances_of(view, work.belief, work.counts, work.chances)
    work.features[:] = np.float32(0.0)
    work.ready[:] = False
    describe_public(view, work.chances, nets.target, style, work.features)
    _utilities(view, nets, style, work.utility)
    return Knowledge(unseen_by(view), to_gin(view["opponent_known"]), limit_of(view, nets.limits))


@kernel
def _worth(hand: Any, discard: Any, kind: Any, knowledge: Any, nets: Any, work: Any) -> Any:
    """Return what a situation is worth to its owner, who may knock after a discard if he can, and does with gin."""
    describe_hand(hand, discard, knowledge.unseen, work.chances, knowledge.known, knowledge.limit, work.features)
    worth = expected(nets, kind, work)
    if kind == AFTER and work.features[1] > np.float32(0.5):
        knocked = expected(nets, KNOCKED, work)
        if knocked > worth or work.features[3] == np.float32(0.0):
            return knocked
    return worth


@kernel
def candidates_of(hand: Any, allowed: Any) -> Any:
    """Return the cards outside one best arrangement, or all that are allowed if there are none."""
    candidates = allowed & ~best_melded(hand)
    return candidates if candidates != U0 else allowed


@kernel
def _best_discard(hand: Any, allowed: Any, knowledge: Any, nets: Any, work: Any) -> Any:
    """Return (card as a set, its worth): the best discard of eleven cards."""
    candidates = candidates_of(hand, allowed)
    best = U0
    most = np.float32(-1.0)
    while candidates != U0:
        card = lowest(candidates)
        candidates = candidates ^ card
        worth = _worth(hand ^ card, card, AFTER, knowledge, nets, work)
        if worth > most:
            most = worth
            best = card
    return best, most


@kernel
def _work(width: Any) -> Any:
    return ValueBuffers(
        np.zeros((52, EVENT_KINDS), np.int64),
        np.zeros(52),
        np.zeros(BELIEF_SIZE),
        np.zeros(FEATURES, np.float32),
        np.zeros((KINDS, width), np.float32),
        np.zeros(KINDS, np.bool_),
        np.zeros(width, np.float32),
        np.zeros(RESULTS, np.float32),
        np.zeros(RESULTS, np.float32),
    )


@kernel
def act_by_values(views: Any, legal: Any, styles: Any, seeds: Any, nets: Any, out: Any) -> None:
    """Write one action a view: the one after which the chance to win the match is best.

    ``styles`` (n, STYLES): how likely each opponent is each of the players that are told apart.
    """
    work = _work(nets.hidden_bias.shape[1])
    for i in range(len(views)):
        view = views[i]
        style = styles[i]
        phase = view["phase"]
        if phase == SHOW:
            out[i] = show_best(view, seeds[i])
        elif phase == WALL:
            out[i] = TAKE if legal[i, TAKE] else PASS
        elif phase == DISCARD:
            out[i] = KNOCK if legal[i, KNOCK] else _discard(view, legal[i], style, nets, work)  # big gin
        elif phase == ASK_KNOCK:
            out[i] = KNOCK if _knocks(view, style, nets, work) else PLAY_ON
        elif phase == OFFER:
            out[i] = TAKE if _takes(view, style, nets, work) else PASS
        else:
            out[i] = TAKE if _takes(view, style, nets, work) else STOCK


@kernel
def worths(views: Any, legal: Any, styles: Any, nets: Any, every: Any, out: Any) -> None:
    """Fill ``out`` (n, actions) with the chance to win the match after each action worth a thought, -1 elsewhere.

    ``every``: also after what is hardly worth one, to judge what somebody did: discards from melds, taking a card that makes
    no meld, playing on with gin. Big gin, the wall and what melds are laid down are left out.
    """
    work = _work(nets.hidden_bias.shape[1])
    out[:] = -1.0
    for i in range(len(views)):
        view = views[i]
        phase = view["phase"]
        hand = to_gin(view["hand"])
        card = bit_of(max(view["up_card"], 0))
        if phase == DISCARD and not legal[i, KNOCK]:
            knowledge = _begin(view, styles[i], nets, work)
            left = allowed_cards(legal[i]) if every else candidates_of(hand, allowed_cards(legal[i]))
            while left != U0:
                card = lowest(left)
                left = left ^ card
                out[i, house_number(card)] = _worth(hand ^ card, card, AFTER, knowledge, nets, work)
        elif phase == ASK_KNOCK and (every or deadwood_of(hand) > 0):
            knowledge = _begin(view, styles[i], nets, work)
            describe_hand(hand, card, knowledge.unseen, work.chances, knowledge.known, knowledge.limit, work.features)
            out[i, PLAY_ON] = expected(nets, AFTER, work)
            out[i, KNOCK] = expected(nets, KNOCKED, work)
        elif phase in (OFFER, DRAW) and (every or connected(hand) & card != U0):
            knowledge = _begin(view, styles[i], nets, work)
            out[i, PASS if phase == OFFER else STOCK] = _worth(hand, U0, BEFORE, knowledge, nets, work)
            as_if_drawn(view["own_turns"] + 1, work.features)
            work.ready[:] = False
            _, taken = _best_discard(hand | card, hand, knowledge, nets, work)
            out[i, TAKE] = taken


@kernel
def _discard(view: Any, legal: Any, style: Any, nets: Any, work: Any) -> Any:
    knowledge = _begin(view, style, nets, work)
    best, _ = _best_discard(to_gin(view["hand"]), allowed_cards(legal), knowledge, nets, work)
    return house_number(best)


@kernel
def _knocks(view: Any, style: Any, nets: Any, work: Any) -> Any:
    hand = to_gin(view["hand"])
    if deadwood_of(hand) == 0:
        return True
    knowledge = _begin(view, style, nets, work)
    card = bit_of(view["up_card"])
    describe_hand(hand, card, knowledge.unseen, work.chances, knowledge.known, knowledge.limit, work.features)
    stay = expected(nets, AFTER, work)
    return expected(nets, KNOCKED, work) > stay


@kernel
def _takes(view: Any, style: Any, nets: Any, work: Any) -> Any:
    """Whether the face-up card can make a meld and the best discard after it is worth more than a draw."""
    hand = to_gin(view["hand"])
    card = bit_of(view["up_card"])
    if connected(hand) & card == U0:
        return False
    knowledge = _begin(view, style, nets, work)
    stay = _worth(hand, U0, BEFORE, knowledge, nets, work)
    as_if_drawn(view["own_turns"] + 1, work.features)
    work.ready[:] = False
    _, taken = _best_discard(hand | card, hand, knowledge, nets, work)
    return taken > stay


@kernel
def try_others(views: Any, legal: Any, seeds: Any, rates: Any, out: Any) -> None:
    """Replace actions in ``out`` (n,) by drawn ones: discards, draws, knocks with the chances ``rates`` (3,)."""
    for i in range(len(views)):
        view = views[i]
        phase = view["phase"]
        hand = to_gin(view["hand"])
        luck = uniform(seeds[i], 11)
        half = uniform(seeds[i], 12) < 0.5
        if phase == DISCARD and luck < rates[0]:
            out[i] = pick(candidates_of(hand, allowed_cards(legal[i])), seeds[i])
        elif phase in (OFFER, DRAW) and luck < rates[1] and connected(hand) & bit_of(view["up_card"]) != U0:
            other = PASS if phase == OFFER else STOCK
            out[i] = TAKE if half else other
        elif phase == ASK_KNOCK and luck < rates[2] and deadwood_of(hand) > 0:
            out[i] = KNOCK if half else PLAY_ON
