"""The kernels of poker with a shared board: dealing, the bet ladder, views, and who wins.

All games of this folder use one row dtype and one rules dtype, with room for the largest of them, so that a kernel is
compiled once for all; what has the game's own sizes (views, setups) comes in as plain arrays, a column a field.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards._betting_kernels import (
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
from cardai.cards._ranking_kernels import rank7
from cardai.core.kernel import kernel
from cardai.core.rng import below

MAX_HOLE = 2
PAIR = 1000
"""Added to a Leduc hand's rank when it pairs the board."""


@kernel
def place(data: Any, rules: Any, index: Any, template: Any, seeds: Any) -> None:
    """Put the cards that can be needed, shuffled by Fisher and Yates' method, on top of each row's deck."""
    size = len(template)
    for i in range(len(index)):
        row = data[index[i]]
        deck = row["deck"]
        for k in range(size):
            deck[k] = template[k]
        for k in range(rules["needed"]):
            other = k + below(seeds[i], k, size - k)
            card = deck[k]
            deck[k] = deck[other]
            deck[other] = card
        row["deck_seed"] = seeds[i]
        row["dealt"] = 0


@kernel
def start(data: Any, rules: Any, index: Any, starter: Any, score: Any, stacks: Any) -> None:
    """Begin hands: empty what the last hand left, put blinds and antes in, leave ``current`` -1 for the first card."""
    for i in range(len(index)):
        row = data[index[i]]
        for k in range(row["actions"]):
            row["history"][k] = -1
            row["history_round"][k] = -1
            row["history_seat"][k] = -1
        for k in range(len(row["hole"])):
            row["hole"][k] = -1
        for k in range(len(row["board"])):
            row["board"][k] = -1
        row["button"] = starter[i]
        for seat in range(rules["num_players"]):
            row["stack"][seat] = stacks[i, seat] if stacks[i, seat] > 0 else rules["stack"][seat]
            row["score"][seat] = score[i, seat]
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
        row["hole"][seat_at(row, rules, k // held) * 2 + k % held] = card
    else:
        row["board"][k - before] = card
    row["dealt"] = k + 1
    if k + 1 < before + rules["board_cards"][row["round"]]:
        return
    row["current"] = -4 if row["status"] == 2 else first_to_act(row, rules)


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
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions; leaves ``current`` -1 where cards of the board come next."""
    for i in range(len(index)):
        row = data[index[i]]
        status = act(row, rules, np.int64(meant(row, rules, actions[i])))
        row["status"] = status
        if status == 1 or status == 2:
            before = rules["num_players"] * rules["hole_cards"]
            if row["dealt"] < before + rules["board_cards"][row["round"]]:
                row["current"] = -1


@kernel
def hand_rank(row: Any, rules: Any, seat: Any) -> Any:
    """Return the value of a seat's hand with the whole board (more is better)."""
    if rules["ranking"] == 1:
        return np.int64(rank7(row["hole"][seat * 2], row["hole"][seat * 2 + 1], row["board"]))
    rank = np.int64(row["hole"][seat * 2] // 2)
    if rank == row["board"][0] // 2:
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
def outcomes(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Fill the outcome fields: whether hands were compared, the last round, the pot."""
    for i in range(len(index)):
        row = data[index[i]]
        out[i]["showdown"] = row["status"] == 2
        out[i]["round"] = row["history_round"][row["actions"] - 1] if row["actions"] > 0 else 0
        out[i]["pot"] = pot(row, rules)


@kernel
def view_numbers(data: Any, rules: Any, index: Any, player: Any, seats: Any, counts: Any, chips: Any) -> None:
    """Fill a view's single values: (player, button), (round, raises), (pot, to_call)."""
    for i in range(len(index)):
        row = data[index[i]]
        seats[0][i] = player
        seats[1][i] = row["button"]
        counts[0][i] = row["round"]
        counts[1][i] = row["raises"]
        chips[0][i] = pot(row, rules)
        chips[1][i] = to_call(row, player) if row["current"] >= 0 else 0


@kernel
def view_seats(
    data: Any, rules: Any, index: Any, spent: Any, round_spent: Any, stacks: Any, folded: Any, score: Any
) -> None:
    """Fill a view's (m, P) values."""
    for i in range(len(index)):
        row = data[index[i]]
        for seat in range(rules["num_players"]):
            spent[i, seat] = row["spent"][seat]
            round_spent[i, seat] = row["round_spent"][seat]
            unlimited = row["stack"][seat] >= rules["unlimited"]
            stacks[i, seat] = 0 if unlimited else row["stack"][seat] - row["spent"][seat]
            folded[i, seat] = row["folded"][seat] != 0
            score[i, seat] = np.int64(np.floor(row["score"][seat] + 0.5))


@kernel
def view_lists(data: Any, rules: Any, index: Any, player: Any, cards: Any, history: Any, when_and_who: Any) -> None:
    """Fill a view's lists: (hole, board), history, (history_round, history_seat); histories are -1 before."""
    for i in range(len(index)):
        row = data[index[i]]
        for k in range(cards[0].shape[1]):
            cards[0][i, k] = row["hole"][player * 2 + k]
        for k in range(cards[1].shape[1]):
            cards[1][i, k] = row["board"][k]
        for k in range(row["actions"]):
            history[i, k] = row["history"][k]
            when_and_who[0][i, k] = row["history_round"][k]
            when_and_who[1][i, k] = row["history_seat"][k]
