"""The rules of deuce-to-seven triple draw: dealing, drawing, the reshuffle, and what everybody sees.

Betting is that of :mod:`cardai.poker.rules.betting`. All options share one row dtype and one rules dtype with room for six
players, and views and setups come in as plain arrays, a column a field, so that a kernel is compiled once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import hash64
from cardai.core.row_state import list_legal, list_outcomes, to_front
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.poker.hands._ranking_kernels import deuce_to_seven
from cardai.poker.rules._betting_kernels import (
    act,
    can_fold,
    first_to_act,
    payoffs,
    post,
    pot,
    raise_bounds,
    seat_at,
    to_call,
)

MAX_PLAYERS = 6
MAX_DRAWN = 20 * MAX_PLAYERS  # five cards and three draws of five for everybody
DRAWS = 3
CARDS = 5

DEALING, BETTING, DRAWING, REPLACING = 0, 1, 2, 3  # phases
SHOWDOWN = 2  # what betting says when it is over and two or more hands are compared
UNCONTESTED = 3
_RESHUFFLES = 1000  # numbers of a deck seed's stream that order reshuffled cards begin here


@kernel
def start(data: Any, rules: Any, index: Any, starter: Any, score: Any, stacks: Any) -> None:
    """Begin hands: empty what the last hand left, put the blinds in, leave ``current`` -1 for the first card."""
    for i in range(len(index)):
        row = data[index[i]]
        for k in range(row["actions"]):
            row["history"][k] = -1
            row["history_round"][k] = -1
            row["history_seat"][k] = -1
        for seat in range(rules["num_players"]):
            row["stack"][seat] = stacks[i, seat] if stacks[i, seat] > 0 else rules["stack"]
            row["score"][seat] = score[i, seat]
            row["discarded"][seat] = np.uint64(0)
            for k in range(CARDS):
                row["hands"][seat * CARDS + k] = -1
            for k in range(DRAWS):
                row["kept"][seat * DRAWS + k] = -1
        row["button"] = starter[i]
        row["status"] = post(row, rules)
        row["phase"] = DEALING
        row["draw"] = 0
        row["drawer"] = -1
        row["taken"] = 0
        row["reshuffles"] = 0
        row["current"] = -1


@kernel
def empty_place(row: Any, seat: Any) -> Any:
    """Return the first place of a seat's hand without a card (an index of ``hands``), or -1."""
    for k in range(seat * CARDS, seat * CARDS + CARDS):
        if row["hands"][k] < 0:
            return k
    return -1


@kernel
def in_play(row: Any, rules: Any) -> Any:
    """Return as an int64 set the cards that a reshuffle leaves out: hands, and what the drawer has just discarded."""
    cards = row["fresh"]
    for seat in range(rules["num_players"]):
        if not row["folded"][seat]:
            for k in range(seat * CARDS, seat * CARDS + CARDS):
                if row["hands"][k] >= 0:
                    cards |= np.int64(1) << np.int64(row["hands"][k])
    return cards


@kernel
def reshuffle(row: Any, rules: Any) -> None:
    """Make a new deck of discards and folded hands, in the order of a hash of (deck seed, reshuffle number, card)."""
    held = in_play(row, rules)
    seed = hash64(row["deck_seed"], _RESHUFFLES + row["reshuffles"])
    row["reshuffles"] += 1
    deck = row["deck"]
    top = 52
    for card in range(52):
        if (held >> card) & 1:
            continue
        place = top
        top -= 1
        while place < 52 and hash64(seed, deck[place]) < hash64(seed, card):
            deck[place - 1] = deck[place]
            place += 1
        deck[place - 1] = card
    row["dealt"] = top
    for place in range(top, 52):  # cards that were asked for come first
        if row["taken"] + place - top >= MAX_DRAWN:
            break
        wanted = row["given"][row["taken"] + place - top]
        for other in range(place, 52):
            if deck[other] == wanted:
                deck[other] = deck[place]
                deck[place] = wanted
                break


@kernel
def want_card(row: Any, rules: Any) -> None:
    """Leave the row to chance, with a deck that has a card."""
    row["current"] = -1
    if row["dealt"] >= 52:
        reshuffle(row, rules)


@kernel
def ask_drawer(row: Any, rules: Any, position: Any) -> None:
    """Ask the next live player from ``position`` on to draw; after the last, go on with the hand."""
    n = rules["num_players"]
    while row["draw"] < DRAWS:
        for place in range(position, n):
            seat = seat_at(row, rules, place)
            if not row["folded"][seat]:
                row["phase"] = DRAWING
                row["drawer"] = seat
                row["current"] = seat
                return
        row["draw"] += 1
        row["drawer"] = -1
        row["phase"] = BETTING
        if row["status"] != SHOWDOWN:
            row["current"] = first_to_act(row, rules)
            return
        position = 0  # nobody can bet any more: the next draw follows at once
    row["current"] = -4


@kernel
def after_drawer(row: Any, rules: Any) -> None:
    """Go on behind the player who has just drawn."""
    n = rules["num_players"]
    position = (row["drawer"] - row["button"] - rules["offset"] + 2 * n) % n
    ask_drawer(row, rules, position + 1)


@kernel
def deal_one(row: Any, rules: Any) -> None:
    """Deal the next card: five to each seat from position 0, later one to the drawer's first empty place."""
    card = row["deck"][row["dealt"]]
    taken = np.int64(row["taken"])
    row["dealt"] += 1
    row["drawn"][taken] = card
    row["taken"] = taken + 1
    if row["phase"] == REPLACING:
        row["hands"][empty_place(row, row["drawer"])] = card
        if empty_place(row, row["drawer"]) >= 0:
            want_card(row, rules)
        else:
            after_drawer(row, rules)
        return
    row["hands"][seat_at(row, rules, taken // CARDS) * CARDS + taken % CARDS] = card
    if taken + 1 == rules["num_players"] * CARDS:
        row["phase"] = BETTING
        if row["status"] == SHOWDOWN:
            ask_drawer(row, rules, 0)
        else:
            row["current"] = first_to_act(row, rules)


@kernel
def deal(data: Any, rules: Any, index: Any) -> None:
    """Deal one card at each row (they wait for one)."""
    for i in range(len(index)):
        deal_one(data[index[i]], rules)


@kernel
def deal_all(data: Any, rules: Any, index: Any) -> None:
    """Deal all cards that rows wait for."""
    for i in range(len(index)):
        row = data[index[i]]
        while row["current"] == -1:
            deal_one(row, rules)


@kernel
def discard(row: Any, rules: Any, mask: Any) -> None:
    """Discard the cards of a mask from the drawer's hand and note it."""
    seat = row["drawer"]
    count = 0
    fresh = np.int64(0)
    for k in range(CARDS):
        if mask >> k & 1:
            place = seat * CARDS + k
            fresh |= np.int64(1) << np.int64(row["hands"][place])
            row["hands"][place] = -1
            count += 1
    row["fresh"] = fresh
    row["discarded"][seat] |= np.uint64(fresh)
    row["kept"][seat * DRAWS + row["draw"]] = CARDS - count
    k = row["actions"]
    row["history"][k] = FIRST_DISCARD + count
    row["history_round"][k] = row["round"]
    row["history_seat"][k] = seat
    row["actions"] = k + 1
    if count > 0:
        row["phase"] = REPLACING
        want_card(row, rules)
    else:
        after_drawer(row, rules)


@kernel
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions."""
    for i in range(len(index)):
        play(data[index[i]], rules, np.int64(actions[i]))


@kernel
def play(row: Any, rules: Any, action: Any) -> None:
    """Play a legal action."""
    if row["phase"] == DRAWING:
        discard(row, rules, action - FIRST_DISCARD)
        return
    row["status"] = act(row, rules, action)
    if row["status"] == 1 or (row["status"] == SHOWDOWN and row["draw"] < DRAWS):
        ask_drawer(row, rules, 0)


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Fill the (m, 35) mask, which is zero before."""
    for i in range(len(index)):
        row = data[index[i]]
        if row["phase"] == DRAWING:
            for action in range(FIRST_DISCARD, FIRST_DISCARD + HOLDS):
                mask[i, action] = True
        elif row["current"] >= 0:
            mask[i, 0] = can_fold(row, rules)
            mask[i, 1] = True
            _, high = raise_bounds(row, rules)
            mask[i, 2] = high > 0


@kernel
def returns(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Fill (m, P) float64 net chips (zeros until a hand is over)."""
    ranks = np.zeros(MAX_PLAYERS, np.int64)
    for i in range(len(index)):
        row = data[index[i]]
        if row["current"] != -4:
            continue
        if row["status"] == SHOWDOWN:
            for seat in range(rules["num_players"]):
                if not row["folded"][seat]:
                    ranks[seat] = deuce_to_seven(row["hands"][seat * CARDS : seat * CARDS + CARDS])
        payoffs(row, rules, ranks, out[i])


@kernel
def step(data: Any, rules: Any, index: Any, action: Any, mask: Any, choices: Any, payoff: Any) -> Any:
    """Take one step of one hand and list what can be played next (see RowKernels.step)."""
    row = data[0]
    options = rules[0]
    if action >= 0 and row["current"] == -1:
        to_front(row["deck"], row["dealt"], action)
        deal_one(row, options)
    elif action >= 0:
        play(row, options, action)
    if row["current"] == -1:
        return row["current"], list_outcomes(row, choices)
    if row["current"] == -4:
        returns(data, options, index, payoff)
        return row["current"], 0
    mask[:] = False
    legal(data, options, index, mask)
    return row["current"], list_legal(mask, choices)


@kernel
def outcomes(data: Any, rules: Any, index: Any, showdown: Any, last_round: Any, chips: Any) -> None:
    """Fill the outcome fields: whether hands were compared, the last betting round, the pot."""
    for i in range(len(index)):
        row = data[index[i]]
        showdown[i] = row["status"] == SHOWDOWN
        last_round[i] = 0
        for k in range(row["actions"]):
            if row["history"][k] < FIRST_DISCARD:
                last_round[i] = row["history_round"][k]
        chips[i] = pot(row, rules)


@kernel
def view_numbers(data: Any, rules: Any, index: Any, player: Any, seats: Any, counts: Any, chips: Any) -> None:
    """Fill a view's single values: (player, button), (round, raises, draws_left), (pot, to_call)."""
    for i in range(len(index)):
        row = data[index[i]]
        seats[0][i] = player
        seats[1][i] = row["button"]
        counts[0][i] = row["round"]
        counts[1][i] = row["raises"]
        drawn = row["draw"]
        if drawn < DRAWS and row["kept"][player * DRAWS + drawn] >= 0:
            drawn += 1
        counts[2][i] = DRAWS - drawn
        chips[0][i] = pot(row, rules)
        chips[1][i] = to_call(row, player) if row["current"] >= 0 else 0


@kernel
def view_seats(
    data: Any, rules: Any, index: Any, flags: Any, spent: Any, round_spent: Any, stacks: Any, score: Any, kept: Any
) -> None:
    """Fill a view's values by seat; ``flags`` is (drawing, folded)."""
    for i in range(len(index)):
        row = data[index[i]]
        flags[0][i] = row["phase"] >= DRAWING
        for seat in range(rules["num_players"]):
            spent[i, seat] = row["spent"][seat]
            round_spent[i, seat] = row["round_spent"][seat]
            unlimited = row["stack"][seat] >= rules["unlimited"]
            stacks[i, seat] = 0 if unlimited else row["stack"][seat] - row["spent"][seat]
            flags[1][i, seat] = row["folded"][seat]
            score[i, seat] = np.int64(np.floor(row["score"][seat] + 0.5))
            for k in range(seat * DRAWS, seat * DRAWS + DRAWS):
                kept[i, k] = row["kept"][k]


@kernel
def view_lists(data: Any, index: Any, player: Any, hand: Any, discarded: Any, history: Any, when_and_who: Any) -> None:
    """Fill a view's cards and lists: hand, discarded, history, (history_round, history_seat).

    While cards of the hand are missing, those there are come first.
    """
    for i in range(len(index)):
        row = data[index[i]]
        held = 0
        for k in range(CARDS):
            hand[i, k] = -1
        for k in range(player * CARDS, player * CARDS + CARDS):
            if row["hands"][k] >= 0:
                hand[i, held] = row["hands"][k]
                held += 1
        discarded[i] = row["discarded"][player]
        count = row["actions"]
        for k in range(count):
            history[i, k] = row["history"][k]
            when_and_who[0][i, k] = row["history_round"][k]
            when_and_who[1][i, k] = row["history_seat"][k]
        for k in range(count, history.shape[1]):
            history[i, k] = -1
            when_and_who[0][i, k] = -1
            when_and_who[1][i, k] = -1
