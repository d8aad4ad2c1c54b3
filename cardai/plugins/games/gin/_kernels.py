"""Gin rummy's rules as kernels on rows: deal, offer, draw, discard, knock, show, settle.

A row's card sets are in the house's order (ace high); melds and deadwood are computed in gin order (ace low).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.gin._melds_kernels import (
    U0,
    U1,
    deadwood_of,
    to_gin,
)
from cardai.gin.actions import (
    ASK_KNOCK,
    CAPPED,
    DISCARD,
    DRAW,
    KNOCK,
    OFFER,
    TAKE,
    VOID,
    WALL,
)
from cardai.plugins.games.gin._show_kernels import end, knock, knock_big_gin, knock_limit, show

HAND_SIZE = 10


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
            _start_seat(row, seat)


@kernel
def _start_seat(row: Any, seat: Any) -> None:
    """Begin a seat's hand."""
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
        play(data[index[i]], rules, actions[i])


@kernel
def play_on(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions, and deal until somebody is to act everywhere (see RowKernels.play)."""
    for i in range(len(index)):
        row = data[index[i]]
        play(row, rules[0], actions[i])
        while row["current"] == -1:
            _deal_one(row, rules[0])


@kernel
def play(row: Any, rules: Any, action: Any) -> None:
    """Play a legal action."""
    seat = row["current"]
    phase = row["phase"]
    row["moves"] += 1
    if phase == DISCARD:
        if action == KNOCK:
            knock_big_gin(row, rules, seat)
        else:
            _discard(row, rules, seat, action)
    elif phase == DRAW:
        if action == TAKE:
            _take(row, seat)
            row["pile_draws"] += 1
            if row["pile_draws"] == rules["max_upcard_draws"]:
                end(row, CAPPED)
        else:
            _decline(row, seat)
            _stock(row, seat)
    elif phase == ASK_KNOCK:
        if action == KNOCK:
            knock(row, rules, seat)
        else:
            _end_turn(row, rules, seat)
    elif phase == OFFER:
        _answer_offer(row, seat, action)
    elif phase == WALL:
        if action == TAKE:
            row["wall"] = True
            _take(row, seat)
        else:
            end(row, VOID)
    else:
        show(row, rules, seat, action)
    if row["moves"] == rules["max_moves"] and row["current"] != -4:
        end(row, CAPPED)


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
    if deadwood_of(to_gin(row["hands"][seat])) <= knock_limit(row, rules):
        if row["able"][seat] == 0:
            row["able"][seat] = turns + 1
        if row["wall"]:
            knock(row, rules, seat)
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
        end(row, VOID)
    elif row["turns"] >= rules["max_turns"]:
        end(row, CAPPED)
    elif 52 - row["dealt"] > rules["void_stock"]:
        row["current"] = 1 - seat
        row["phase"] = DRAW
    elif rules["wall_turn"]:
        row["current"] = 1 - seat
        row["phase"] = WALL
    else:
        end(row, VOID)
