"""Gin rummy's rules as kernels on rows: deal, offer, draw, discard, knock, show, settle.

A row's card sets are in the house's order (ace high); melds and deadwood are computed in gin order (ace low).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards._melds_kernels import (
    U0,
    U1,
    best_arrangement,
    best_melded,
    count_best,
    deadwood_of,
    from_gin,
    lay_off_best,
    lay_off_first_fit,
    lowest,
    points_of,
    size_of,
    to_gin,
)
from cardai.cards.gin import (
    ASK_KNOCK,
    CAPPED,
    DISCARD,
    DRAW,
    FIRST_MELD,
    GIN,
    KNOCK,
    KNOCKED,
    MELDS,
    NUM_MELDS,
    OFFER,
    OVER,
    PASS,
    PLAY_ON,
    SHOW,
    STOCK,
    TAKE,
    UNDERCUT,
    VOID,
    WALL,
)
from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64

# options as numbers
TIE_UNDERCUT = 0
TIE_PUSH = 1
LAYOFFS_FIRST_FIT = 0
LAYOFFS_BEST = 1
MELDS_RANDOM = 0
MELDS_FIRST = 1
MELDS_CHOOSE = 2

HAND_SIZE = 10
DEALT = 21
SHOWN = 4


@kernel
def start(data: Any, rules: Any, index: Any, setups: Any) -> None:
    """Begin hands before the first card."""
    for i in range(len(index)):
        row = data[index[i]]
        setup = setups[i]
        row["current"] = -1
        row["starter"] = setup["starter"]
        row["in_match"] = setup["in_match"]
        row["opener"] = -1
        row["first_up_card"] = -1
        row["actor"] = setup["starter"]
        row["phase"] = OFFER
        row["offers"] = 0
        row["pile_size"] = 0
        row["pile_set"] = U0
        row["turns"] = 0
        row["drawn"] = -1
        row["taken"] = -1
        row["repeats"] = 0
        row["pile_draws"] = 0
        row["moves"] = 0
        row["wall"] = False
        row["ending"] = -1
        row["knocker"] = -1
        row["layoffs"] = 0
        row["laid_off"] = U0
        row["history"][:] = -1
        row["pile"][:] = -1
        for seat in range(2):
            row["score"][seat] = setup["score"][seat]
            row["hands"][seat] = U0
            row["known"][seat] = U0
            row["declined"][seat] = U0
            row["discarded"][seat] = U0
            row["own_turns"][seat] = 0
            row["able"][seat] = 0
            row["deadwood"][seat] = -1
            row["result"][seat] = 0
            row["shown"][seat] = 0
            row["draws"][seat][:] = -1
            row["melds"][seat][:] = U0


@kernel
def deal(data: Any, rules: Any, index: Any) -> None:
    """Deal one card: to the seats in turn, then the up-card, then to whoever drew from the stock."""
    for i in range(len(index)):
        _deal_one(data[index[i]], rules)


@kernel
def advance(data: Any, rules: Any, index: Any) -> None:
    """Deal until somebody is to act everywhere."""
    for i in range(len(index)):
        row = data[index[i]]
        while row["current"] == -1:
            _deal_one(row, rules)


@kernel
def _deal_one(row: Any, rules: Any) -> None:
    dealt = row["dealt"]
    card = row["deck"][dealt]
    bit = U1 << np.uint64(card)
    row["dealt"] = dealt + 1
    if dealt < 2 * HAND_SIZE:
        row["hands"][dealt & 1] |= bit
    elif dealt == 2 * HAND_SIZE:
        row["first_up_card"] = card
        row["pile"][0] = card
        row["pile_size"] = 1
        row["pile_set"] = bit
        row["current"] = row["starter"]
        if not rules["up_card_phase"]:
            row["phase"] = DRAW
            row["opener"] = row["starter"]
    else:
        seat = row["actor"]
        row["hands"][seat] |= bit
        _note_draw(row, seat, card)
        row["current"] = seat
        row["phase"] = DISCARD


@kernel
def _note_draw(row: Any, seat: Any, card: Any) -> None:
    row["draws"][seat][row["own_turns"][seat]] = card
    row["own_turns"][seat] += 1
    row["drawn"] = card


@kernel
def _take(row: Any, seat: Any) -> None:
    """Take the face-up card."""
    top = row["pile_size"] - 1
    card = row["pile"][top]
    bit = U1 << np.uint64(card)
    row["pile"][top] = -1
    row["pile_size"] = top
    row["pile_set"] ^= bit
    row["hands"][seat] |= bit
    row["known"][seat] |= bit
    row["taken"] = card
    _note_draw(row, seat, card)
    row["phase"] = DISCARD


@kernel
def _decline(row: Any, seat: Any) -> None:
    row["declined"][seat] |= U1 << np.uint64(row["pile"][row["pile_size"] - 1])


@kernel
def _stock(row: Any, seat: Any) -> None:
    """Have chance deal ``seat`` a card."""
    row["actor"] = seat
    row["current"] = -1


@kernel
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions."""
    for i in range(len(index)):
        row = data[index[i]]
        action = actions[i]
        seat = row["current"]
        phase = row["phase"]
        row["moves"] += 1
        if phase == DISCARD:
            _discard(row, rules, seat, action)
        elif phase == DRAW:
            if action == TAKE:
                _take(row, seat)
                row["pile_draws"] += 1
                if row["pile_draws"] == rules["max_upcard_draws"]:
                    _end(row, CAPPED)
            else:
                _decline(row, seat)
                _stock(row, seat)
        elif phase == ASK_KNOCK:
            if action == KNOCK:
                _knock(row, rules, seat)
            else:
                _end_turn(row, rules, seat)
        elif phase == OFFER:
            _answer_offer(row, seat, action)
        elif phase == WALL:
            if action == TAKE:
                row["wall"] = True
                _take(row, seat)
            else:
                _end(row, VOID)
        else:
            _show(row, rules, seat, action)
        if row["moves"] == rules["max_moves"] and row["current"] != -4:
            _end(row, CAPPED)


@kernel
def _answer_offer(row: Any, seat: Any, action: Any) -> None:
    if action == TAKE:
        row["opener"] = seat
        _take(row, seat)
        return
    _decline(row, seat)
    row["offers"] += 1
    if row["offers"] == 1:
        row["current"] = 1 - seat
    else:
        row["opener"] = row["starter"]
        _stock(row, row["starter"])


@kernel
def _discard(row: Any, rules: Any, seat: Any, card: Any) -> None:
    bit = U1 << np.uint64(card)
    top = row["pile_size"]
    turns = row["turns"]
    row["hands"][seat] ^= bit
    row["known"][seat] &= ~bit
    row["discarded"][seat] |= bit
    row["pile"][top] = card
    row["pile_size"] = top + 1
    row["pile_set"] |= bit
    row["history"][turns] = card + 52 if row["taken"] >= 0 else card
    row["turns"] = turns + 1
    if deadwood_of(to_gin(row["hands"][seat])) <= rules["knock_limit"]:
        if row["able"][seat] == 0:
            row["able"][seat] = turns + 1
        if row["wall"]:
            _knock(row, rules, seat)
        else:
            row["phase"] = ASK_KNOCK
    else:
        _end_turn(row, rules, seat)


@kernel
def _end_turn(row: Any, rules: Any, seat: Any) -> None:
    if row["taken"] >= 0 and row["taken"] == row["pile"][row["pile_size"] - 1]:
        row["repeats"] += 1
    else:
        row["repeats"] = 0
    row["drawn"] = -1
    row["taken"] = -1
    if rules["repeated_discard_draw"] and row["repeats"] == 2:
        _end(row, VOID)
    elif row["turns"] >= rules["max_turns"]:
        _end(row, CAPPED)
    elif 52 - row["dealt"] > rules["void_stock"]:
        row["current"] = 1 - seat
        row["phase"] = DRAW
    elif rules["wall_turn"]:
        row["current"] = 1 - seat
        row["phase"] = WALL
    else:
        _end(row, VOID)


@kernel
def _end(row: Any, ending: Any) -> None:
    row["current"] = -4
    row["phase"] = OVER
    row["ending"] = ending


@kernel
def _knock(row: Any, rules: Any, seat: Any) -> None:
    row["knocker"] = seat
    if rules["melds"] == MELDS_CHOOSE:
        row["phase"] = SHOW
        return
    _show_best(row, rules, seat)
    if rules["layoffs"] == LAYOFFS_FIRST_FIT or row["deadwood"][seat] == 0:
        _show_best(row, rules, 1 - seat)
    _settle(row, rules)


@kernel
def _show_best(row: Any, rules: Any, seat: Any) -> None:
    """Lay down one arrangement with the least deadwood: drawn from all of them, or always the first.

    The draw is a hash of the cards dealt so far, so that a hand replays from its chance outcomes and actions.
    """
    hand = to_gin(row["hands"][seat])
    _show_one_of(row, rules, seat, hand)
    row["deadwood"][seat] = points_of(hand & ~_shown_by(row, seat))


@kernel
def _show_one_of(row: Any, rules: Any, seat: Any, cards: Any) -> None:
    number = 0
    if rules["melds"] == MELDS_RANDOM:
        ways = count_best(cards)
        if ways > 1:
            seed = U0
            for k in range(row["dealt"]):
                seed = hash64(seed, row["deck"][k])
            number = below(seed, seat, ways)
    row["shown"][seat] = best_arrangement(cards, number, row["melds"][seat])


@kernel
def _shown_by(row: Any, seat: Any) -> Any:
    """Return the cards ``seat`` has laid down in melds (gin order)."""
    melds = row["melds"][seat]
    return melds[0] | melds[1] | melds[2] | melds[3]


@kernel
def _show(row: Any, rules: Any, seat: Any, action: Any) -> None:
    """Lay down one chosen meld, or finish."""
    if action != PASS:
        row["melds"][seat][row["shown"][seat]] = MELDS[action - FIRST_MELD]
        row["shown"][seat] += 1
        return
    row["deadwood"][seat] = points_of(to_gin(row["hands"][seat]) & ~_shown_by(row, seat))
    if seat == row["knocker"]:
        row["current"] = 1 - seat
    else:
        _settle(row, rules)


@kernel
def _settle(row: Any, rules: Any) -> None:
    """Lay off and score."""
    knocker = row["knocker"]
    other = 1 - knocker
    if row["deadwood"][knocker] > 0:
        _lay_off(row, rules, knocker, other)
    difference = row["deadwood"][other] - row["deadwood"][knocker]
    ending = KNOCKED
    points = difference
    if row["deadwood"][knocker] == 0:
        ending = GIN
        points = difference + rules["gin_bonus"]
    elif difference < 0 or (difference == 0 and rules["tie"] == TIE_UNDERCUT):
        ending = UNDERCUT
        points = difference - rules["undercut_bonus"]
    row["result"][knocker] = points
    row["result"][other] = -points
    row["drawn"] = -1
    row["taken"] = -1
    _end(row, ending)


@kernel
def _lay_off(row: Any, rules: Any, knocker: Any, other: Any) -> None:
    table = row["melds"][knocker].copy()
    hand = to_gin(row["hands"][other])
    if rules["layoffs"] == LAYOFFS_BEST and rules["melds"] != MELDS_CHOOSE:
        laid = lay_off_best(hand, table, row["shown"][knocker])
        _show_one_of(row, rules, other, hand & ~laid)
    else:
        laid = lay_off_first_fit(hand & ~_shown_by(row, other), table, row["shown"][knocker])
    row["layoffs"] = size_of(laid)
    row["laid_off"] = from_gin(laid)
    row["deadwood"][other] = points_of(hand & ~_shown_by(row, other) & ~laid)


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Mark the legal actions of the players to act."""
    for i in range(len(index)):
        row = data[index[i]]
        seat = row["current"]
        if seat < 0:
            continue
        phase = row["phase"]
        if phase == DISCARD:
            hand = row["hands"][seat]
            for card in range(52):
                mask[i, card] = (hand >> np.uint64(card)) & U1 != U0
            if rules["discard_ban"] and row["taken"] >= 0 and not row["wall"]:
                mask[i, row["taken"]] = False
            if row["wall"]:
                for card in range(52):
                    if mask[i, card] and deadwood_of(to_gin(hand ^ (U1 << np.uint64(card)))) > rules["knock_limit"]:
                        mask[i, card] = False
        elif phase == DRAW:
            mask[i, TAKE] = True
            mask[i, STOCK] = True
        elif phase == ASK_KNOCK:
            mask[i, KNOCK] = True
            mask[i, PLAY_ON] = True
        elif phase == OFFER:
            mask[i, TAKE] = True
            mask[i, PASS] = True
        elif phase == WALL:
            mask[i, PASS] = True
            mask[i, TAKE] = _can_knock_with(row, rules, seat)
        elif phase == SHOW:
            _legal_melds(row, rules, seat, mask[i])


@kernel
def _can_knock_with(row: Any, rules: Any, seat: Any) -> Any:
    """Say whether the hand and the up-card, less some card, is a legal knock."""
    hand = to_gin(row["hands"][seat] | (U1 << np.uint64(row["pile"][row["pile_size"] - 1])))
    left = hand
    while left != U0:
        card = lowest(left)
        left ^= card
        if deadwood_of(hand ^ card) <= rules["knock_limit"]:
            return True
    return False


@kernel
def _legal_melds(row: Any, rules: Any, seat: Any, mask: Any) -> None:
    """Mark the melds that may be laid down next; a knocker must still reach the knock limit."""
    left = to_gin(row["hands"][seat]) & ~_shown_by(row, seat)
    knocking = seat == row["knocker"]
    mask[PASS] = not knocking or points_of(left) <= rules["knock_limit"]
    if row["shown"][seat] == SHOWN:
        return
    for k in range(NUM_MELDS):
        meld = MELDS[k]
        if meld & left == meld and (not knocking or deadwood_of(left ^ meld) <= rules["knock_limit"]):
            mask[FIRST_MELD + k] = True


@kernel
def views(data: Any, rules: Any, index: Any, player: Any, out: Any) -> None:
    """Write what ``player`` may know."""
    other = 1 - player
    for i in range(len(index)):
        row = data[index[i]]
        view = out[i]
        turns = row["turns"]
        view["player"] = player
        view["starter"] = row["starter"]
        view["opener"] = row["opener"]
        view["phase"] = row["phase"]
        view["hand"] = row["hands"][player]
        view["up_card"] = row["pile"][row["pile_size"] - 1] if row["pile_size"] > 0 else -1
        view["first_up_card"] = row["first_up_card"]
        view["discard_set"] = row["pile_set"]
        view["opponent_known"] = row["known"][other]
        view["opponent_discards"] = row["discarded"][other]
        view["opponent_declined"] = row["declined"][other]
        view["stock"] = min(52 - row["dealt"], 31)
        view["turns"] = turns
        view["own_turns"] = row["own_turns"][player]
        view["to_act"] = max(row["current"], -1)
        # what was drawn this turn is its owner's alone; a card taken face up is in the known cards for the other
        mine = row["current"] == player
        view["drawn_card"] = row["drawn"] if mine else -1
        view["taken_card"] = row["taken"] if mine else -1
        view["knocker"] = row["knocker"]
        # a knocker's cards lie open once his melds are down, everybody's when it is over
        shown = row["knocker"] >= 0 and (row["phase"] == OVER or (row["knocker"] == other and mine))
        view["revealed"] = row["hands"][other] if shown else U0
        view["laid_off"] = row["laid_off"]
        for seat in range(2):
            view["score"][seat] = row["score"][seat] if row["in_match"] else 0
        melds = view["melds"]
        for seat in range(2):
            for k in range(SHOWN):
                melds[seat * SHOWN + k] = from_gin(row["melds"][seat][k])
        view["discards"][:] = row["pile"]
        view["draws"][:] = row["draws"][player]
        view["history"][:] = row["history"]


@kernel
def returns(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Write the zero-sum points of the hands."""
    for i in range(len(index)):
        for seat in range(2):
            out[i, seat] = data[index[i]]["result"][seat]


@kernel
def outcomes(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Write how the hands ended."""
    for i in range(len(index)):
        row = data[index[i]]
        view = out[i]
        view["ending"] = row["ending"]
        view["knocker"] = row["knocker"]
        view["turns"] = row["turns"]
        view["layoffs"] = row["layoffs"]
        view["points"] = abs(row["result"][0])
        for seat in range(2):
            view["deadwood"][seat] = row["deadwood"][seat]
            view["able"][seat] = row["able"][seat]


@kernel
def melded_in(cards: Any) -> Any:
    """Return the cards (house order) melded in one best arrangement of ``cards``, for displays and players."""
    return from_gin(best_melded(to_gin(cards)))
