"""The rules of video poker, as kernels on rows (see :class:`cardai.core.rows.RowKernels`)."""

from __future__ import annotations

from typing import Any

from cardai.core.kernel import kernel
from cardai.core.row_state import list_legal, list_outcomes, to_front
from cardai.poker.hands._ranking_kernels import paying_category, rank_cards


@kernel
def _empty_place(hand: Any) -> Any:
    """Return the first place of the hand without a card, or -1."""
    for i in range(5):
        if hand[i] < 0:
            return i
    return -1


@kernel
def _next(row: Any) -> None:
    """Set who acts: chance while a card is missing, then the player while there is a draw left."""
    if _empty_place(row["hand"]) >= 0:
        row["current"] = -1
    elif row["draws_left"] > 0:
        row["current"] = 0
    else:
        row["current"] = -4


@kernel
def start(data: Any, rules: Any, index: Any, setups: Any) -> None:
    """Begin hands."""
    for k in range(len(index)):
        row = data[index[k]]
        for i in range(5):
            row["hand"][i] = -1
        row["draws_left"] = 1
        row["score"] = setups[k]["score"][0]
        row["current"] = -1


@kernel
def deal(data: Any, rules: Any, index: Any) -> None:
    """Deal one card at each row (they wait for one)."""
    for k in range(len(index)):
        deal_one(data[index[k]])


@kernel
def deal_one(row: Any) -> None:
    """Deal one card to the first empty place."""
    row["hand"][_empty_place(row["hand"])] = row["deck"][row["dealt"]]
    row["dealt"] += 1
    _next(row)


@kernel
def apply(data: Any, rules: Any, index: Any, actions: Any) -> None:
    """Play legal actions."""
    for k in range(len(index)):
        play(data[index[k]], actions[k])


@kernel
def play(row: Any, action: Any) -> None:
    """Hold the cards of the mask and discard the others."""
    for i in range(5):
        if not action >> i & 1:
            row["hand"][i] = -1
    row["draws_left"] = 0
    _next(row)


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Every mask is legal once, before the draw."""
    for k in range(len(index)):
        if data[index[k]]["current"] >= 0:
            for action in range(32):
                mask[k, action] = True


@kernel
def views(data: Any, rules: Any, index: Any, player: Any, out: Any) -> None:
    """Show the hand (while cards are missing: those there are, in order)."""
    for k in range(len(index)):
        row = data[index[k]]
        count = 0
        for i in range(5):
            out[k]["hand"][i] = -1
        for i in range(5):
            if row["hand"][i] >= 0:
                out[k]["hand"][count] = row["hand"][i]
                count += 1
        out[k]["draws_left"] = row["draws_left"]
        out[k]["score"][0] = int(row["score"])


@kernel
def returns(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Pay finished hands."""
    for k in range(len(index)):
        row = data[index[k]]
        out[k, 0] = 0.0
        if row["current"] == -4:
            out[k, 0] = rules["pays"][paying_category(rank_cards(row["hand"]))]


@kernel
def step(data: Any, rules: Any, index: Any, action: Any, mask: Any, choices: Any, payoff: Any) -> Any:
    """Take one step of one hand and list what can be played next (see RowKernels.step)."""
    row = data[0]
    options = rules[0]
    if action >= 0 and row["current"] == -1:
        to_front(row["deck"], row["dealt"], action)
        deal_one(row)
    elif action >= 0:
        play(row, action)
    if row["current"] == -1:
        return row["current"], list_outcomes(row, choices)
    if row["current"] == -4:
        returns(data, options, index, payoff)
        return row["current"], 0
    mask[:] = False
    legal(data, options, index, mask)
    return row["current"], list_legal(mask, choices)


@kernel
def outcomes(data: Any, rules: Any, index: Any, out: Any) -> None:
    """Note category and payout of finished hands."""
    for k in range(len(index)):
        row = data[index[k]]
        category = paying_category(rank_cards(row["hand"]))
        out[k]["category"] = category
        out[k]["payout"] = rules["pays"][category]
