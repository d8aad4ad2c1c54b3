"""The kernels of poker with a shared board: dealing, the bet ladder, views, and who wins.

All board games use one rules dtype and two row dtypes, with room for the largest of them, so that a kernel is compiled
once for many; what has the game's own sizes (views, setups) comes in as plain arrays, a column a field. A row's ``hole``
has the same room for every seat (:func:`hole_room`), of which the game's ``hole_cards`` are used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below
from cardai.core.row_state import list_legal, list_outcomes, to_front
from cardai.poker.hands._ranking_kernels import rank7, rank_set, set_of
from cardai.poker.hands._variant_kernels import rank_short_set, rank_two_of_hole
from cardai.poker.rules._betting_kernels import (
    MAX_PLAYERS,
    act,
    can_fold,
    first_to_act,
    payoffs,
    post,
    pot,
    raise_bounds,
    rung_amount,
    seat_at,
    to_call,
)

PAIR = 1000
"""Added to a Leduc hand's rank when it pairs the board."""


@kernel
def hole_room(row: Any) -> Any:
    """Return for how many hole cards a row has room at every seat."""
    return len(row["hole"]) // MAX_PLAYERS


@kernel
def place_row(row: Any, rules: Any, template: Any, seed: Any) -> None:
    """Put the cards that can be needed, shuffled by Fisher and Yates' method, on top of the row's deck."""
    size = len(template)
    deck = row["deck"]
    for k in range(size):
        deck[k] = template[k]
    for k in range(rules["needed"]):
        other = k + below(seed, k, size - k)
        card = deck[k]
        deck[k] = deck[other]
        deck[other] = card
    row["deck_seed"] = seed
    row["dealt"] = 0


@kernel
def start_row(row: Any, rules: Any, starter: Any, score: Any, stacks: Any) -> None:
    """Begin a hand: empty what the last one left, put blinds and antes in, leave ``current`` -1 for the first card."""
    for k in range(row["actions"]):
        row["history"][k] = -1
        row["history_round"][k] = -1
        row["history_seat"][k] = -1
    for k in range(len(row["hole"])):
        row["hole"][k] = -1
    for k in range(len(row["board"])):
        row["board"][k] = -1
    row["button"] = starter
    for seat in range(rules["num_players"]):
        row["stack"][seat] = stacks[seat] if stacks[seat] > 0 else rules["stack"][seat]
        row["score"][seat] = np.int64(np.floor(score[seat] + 0.5))
    row["status"] = post(row, rules)
    row["current"] = -1


@kernel
def deal_one(row: Any, rules: Any) -> None:
    """Deal the next card of the row's deck: hole cards seat by seat from position 0, then the board."""
    k = np.int64(row["dealt"])
    card = row["deck"][k]
    held = rules["hole_cards"]
    before = rules["num_players"] * held
    if k < before:
        row["hole"][seat_at(row, rules, k // held) * hole_room(row) + k % held] = card
    else:
        row["board"][k - before] = card
    row["dealt"] = k + 1
    if k + 1 < before + rules["board_cards"][row["round"]]:
        return
    row["current"] = -4 if row["status"] == 2 else first_to_act(row, rules)


@kernel
def place(data: Any, rules: Any, index: Any, template: Any, seeds: Any) -> None:
    """Put a shuffled deck on each row of ``index``."""
    for i in range(len(index)):
        place_row(data[index[i]], rules, template, seeds[i])


@kernel
def start(data: Any, rules: Any, index: Any, starter: Any, score: Any, stacks: Any) -> None:
    """Begin hands on decks that are in place; no card is dealt."""
    for i in range(len(index)):
        start_row(data[index[i]], rules, starter[i], score[i], stacks[i])


@kernel
def begin(data: Any, rules: Any, index: Any, template: Any, seeds: Any, starter: Any, score: Any, stacks: Any) -> None:
    """Shuffle, begin and deal in one go, as far as the first decision."""
    for i in range(len(index)):
        row = data[index[i]]
        place_row(row, rules, template, seeds[i])
        start_row(row, rules, starter[i], score[i], stacks[i])
        while row["current"] == -1:
            deal_one(row, rules)


@kernel
def begin_one(
    data: Any, rules: Any, index: Any, template: Any, seeds: Any, starter: Any, score: Any, stacks: Any
) -> None:
    """Shuffle, begin and deal one hand (see RowKernels.begin)."""
    begin(data, rules[0], index, template, seeds, starter, score, stacks)


@kernel
def deal(data: Any, rules: Any, index: Any) -> None:
    """Deal one card at each row (they wait for one)."""
    for i in range(len(index)):
        deal_one(data[index[i]], rules)


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Fill the (m, A) mask, which is zero before: fold, call, then raise (limit) or the rungs."""
    for i in range(len(index)):
        row = data[index[i]]
        mapped = rules["mapping"] > 0
        mask[i, 0] = mapped or can_fold(row, rules)
        mask[i, 1] = True
        low, high = raise_bounds(row, rules)
        if rules["rungs"] == 0:
            mask[i, 2] = mapped or high > 0
        elif high > 0:
            for rung in range(rules["rungs"]):
                mask[i, 2 + rung] = rung_amount(row, rules, rung, low, high) > 0


@kernel
def amounts(data: Any, rules: Any, index: Any, kinds: Any, least: Any, most: Any) -> None:
    """Fill the (m, 3) kinds and the (m,) bounds of raises of full no-limit betting."""
    for i in range(len(index)):
        row = data[index[i]]
        low, high = raise_bounds(row, rules)
        kinds[i, 0] = can_fold(row, rules)
        kinds[i, 1] = True
        kinds[i, 2] = high > 0
        least[i] = low
        most[i] = high


@kernel
def meant(row: Any, rules: Any, action: Any) -> Any:
    """Return the betting action that an action of the game stands for: a rung's amount, a mapped fold or raise."""
    if action == 0 and rules["mapping"] > 0 and not can_fold(row, rules):
        return 1
    if action < 2 or (rules["rungs"] == 0 and rules["mapping"] == 0):
        return action
    low, high = raise_bounds(row, rules)
    if high == 0:
        return 1
    if rules["rungs"] == 0:
        return action
    return rung_amount(row, rules, action - 2, low, high)


@kernel
def apply_row(row: Any, rules: Any, action: Any) -> None:
    """Play a legal action; leaves ``current`` -1 where cards of the board come next."""
    status = act(row, rules, np.int64(meant(row, rules, action)))
    row["status"] = status
    if status == 1 or status == 2:
        before = rules["num_players"] * rules["hole_cards"]
        if row["dealt"] < before + rules["board_cards"][row["round"]]:
            row["current"] = -1


@kernel
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions."""
    for i in range(len(index)):
        apply_row(data[index[i]], rules, actions[i])


@kernel
def apply_and_deal(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions and deal what comes next."""
    for i in range(len(index)):
        row = data[index[i]]
        apply_row(row, rules, actions[i])
        while row["current"] == -1:
            deal_one(row, rules)


@kernel
def hand_rank(row: Any, rules: Any, seat: Any) -> Any:
    """Return the value of a seat's hand with the whole board (more is better)."""
    held = rules["hole_cards"]
    first = seat * hole_room(row)
    if rules["ranking"] == 0:
        return leduc_rank(row["hole"][first], row["board"][0])
    if held == 2 and rules["ranking"] == 1 and rules["hole_playing"] == 0:
        return np.int64(rank7(row["hole"][first], row["hole"][first + 1], row["board"]))
    hole = set_of(row["hole"][first : first + held])
    if rules["hole_playing"] == 2:
        return np.int64(rank_two_of_hole(hole, set_of(row["board"])))
    if rules["ranking"] == 2:
        return np.int64(rank_short_set(hole | set_of(row["board"])))
    return np.int64(rank_set(hole | set_of(row["board"])))


@kernel
def leduc_rank(card: Any, board: Any) -> Any:
    """Return the value of a card of Leduc's deck with the one on the board: its rank, more with a pair."""
    rank = np.int64(card // 2)
    if rank == board // 2:
        return rank + PAIR
    return rank


@kernel
def returns(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Fill (m, P) float64 net chips (zeros until a hand is over)."""
    ranks = np.zeros(rules["num_players"], np.int64)
    for i in range(len(index)):
        row = data[index[i]]
        if row["current"] != -4:
            continue
        if row["status"] == 2:
            for seat in range(rules["num_players"]):
                if not row["folded"][seat]:
                    ranks[seat] = hand_rank(row, rules, seat)
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
        apply_row(row, options, action)
    if row["current"] == -1:
        return row["current"], list_outcomes(row, choices)
    if row["current"] == -4:
        returns(data, options, index, payoff)
        return row["current"], 0
    if options["no_limit"] and options["rungs"] == 0:
        return row["current"], list_amounts(row, options, choices)
    mask[:] = False
    legal(data, options, index, mask)
    return row["current"], list_legal(mask, choices)


@kernel
def list_amounts(row: Any, rules: Any, choices: Any) -> Any:
    """Fill ``choices`` with fold and call where they are legal, then the bounds of a raise; return how many."""
    low, high = raise_bounds(row, rules)
    found = 0
    if can_fold(row, rules):
        choices[found] = 0
        found += 1
    choices[found] = 1
    choices[found + 1] = low
    choices[found + 2] = high if high > 0 else -1
    return found + 3


@kernel
def outcomes(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Fill the outcome fields: whether hands were compared, the last round, the pot."""
    for i in range(len(index)):
        row = data[index[i]]
        out[i]["showdown"] = row["status"] == 2
        out[i]["round"] = row["history_round"][row["actions"] - 1] if row["actions"] > 0 else 0
        out[i]["pot"] = pot(row, rules)


@kernel
def views(
    data: Any,
    rules: Any,
    index: Any,
    players: Any,
    seats: Any,
    numbers: Any,
    chips: Any,
    folded: Any,
    cards: Any,
    history: Any,
    when_and_who: Any,
) -> None:
    """Fill views column by column, of the hands ``index`` (m,) as the seats ``players`` (m,) see them; histories hold -1
    throughout before.

    ``seats``: player, button; ``numbers``: round, raises, pot, to_call; ``chips`` (m, P): spent, round_spent, stacks, score;
    ``cards``: hole, board; ``when_and_who``: history_round, history_seat.
    """
    held, shown = cards[0].shape[1], cards[1].shape[1]
    for i in range(len(index)):
        row, player = data[index[i]], players[i]
        seats[0][i] = player
        seats[1][i] = row["button"]
        numbers[0][i] = row["round"]
        numbers[1][i] = row["raises"]
        numbers[3][i] = to_call(row, player) if row["current"] >= 0 else 0
        total = np.int64(0)
        for seat in range(rules["num_players"]):
            spent, stack = row["spent"][seat], row["stack"][seat]
            total += spent + row["dead"][seat]
            chips[0][i, seat] = spent
            chips[1][i, seat] = row["round_spent"][seat]
            chips[2][i, seat] = stack - spent if stack < rules["unlimited"] else 0
            chips[3][i, seat] = row["score"][seat]
            folded[i, seat] = row["folded"][seat] != 0
        numbers[2][i] = total
        for k in range(held):
            cards[0][i, k] = row["hole"][player * hole_room(row) + k]
        for k in range(shown):
            cards[1][i, k] = row["board"][k]
        for k in range(row["actions"]):
            history[i, k] = row["history"][k]
            when_and_who[0][i, k] = row["history_round"][k]
            when_and_who[1][i, k] = row["history_seat"][k]


@kernel
def numbers(data: Any, rules: Any, index: Any, player: Any, at: Any, out: Any) -> None:
    """Fill one view as numbers (see RowKernels.numbers)."""
    players = np.empty(1, np.int64)
    players[0] = player
    numbers_of_many(data, rules[0], index, players, at, out)


@kernel
def numbers_of_many(data: Any, rules: Any, index: Any, players: Any, at: Any, out: Any) -> None:
    """Fill views as numbers (see RowKernels.numbers_of_many); ``at`` has the columns of the fields as :func:`views` takes
    them.
    """
    out[:] = -1
    views(
        data,
        rules,
        index,
        players,
        (out[:, at[0, 0]], out[:, at[1, 0]]),
        (out[:, at[2, 0]], out[:, at[3, 0]], out[:, at[4, 0]], out[:, at[5, 0]]),
        (
            out[:, at[6, 0] : at[6, 1]],
            out[:, at[7, 0] : at[7, 1]],
            out[:, at[8, 0] : at[8, 1]],
            out[:, at[9, 0] : at[9, 1]],
        ),
        out[:, at[10, 0] : at[10, 1]],
        (out[:, at[11, 0] : at[11, 1]], out[:, at[12, 0] : at[12, 1]]),
        out[:, at[13, 0] : at[13, 1]],
        (out[:, at[14, 0] : at[14, 1]], out[:, at[15, 0] : at[15, 1]]),
    )
