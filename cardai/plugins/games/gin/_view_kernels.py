"""What players see and may do, as kernels on rows: legal actions, views, returns, outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.row_state import list_legal, list_outcomes, to_front
from cardai.gin._melds_kernels import (
    U0,
    U1,
    deadwood_of,
    from_gin,
    lowest,
    points_of,
    size_of,
    to_gin,
)
from cardai.gin.actions import (
    ASK_KNOCK,
    DISCARD,
    DRAW,
    FIRST_MELD,
    KNOCK,
    MELDS,
    NUM_MELDS,
    OFFER,
    OVER,
    PASS,
    PLAY_ON,
    SHOW,
    STOCK,
    TAKE,
    WALL,
)
from cardai.plugins.games.gin._kernels import HAND_SIZE, deal, play
from cardai.plugins.games.gin._show_kernels import knock_limit, shown_by

SHOWN = 4  # places for a seat's melds


@kernel
def legal(data: Any, rules: Any, index: Any, mask: Any) -> None:
    """Mark the legal actions of the players to act."""
    for i in range(len(index)):
        _legal_at(data[index[i]], rules, mask[i])


@kernel
def _legal_at(row: Any, rules: Any, mask: Any) -> None:
    """Mark the legal actions of the player to act at one table."""
    seat = row["current"]
    if seat < 0:
        return
    phase = row["phase"]
    if phase == DISCARD:
        hand = row["hands"][seat]
        for card in range(52):
            mask[card] = (hand >> np.uint64(card)) & U1 != U0
        if rules["discard_ban"] and row["taken"] >= 0 and not row["wall"]:
            mask[row["taken"]] = False
        if rules["big_gin_bonus"] > 0:
            mask[KNOCK] = not row["wall"] and deadwood_of(to_gin(hand)) == 0
        if row["wall"]:
            limit = knock_limit(row, rules)
            for card in range(52):
                if mask[card] and deadwood_of(to_gin(hand ^ (U1 << np.uint64(card)))) > limit:
                    mask[card] = False
    elif phase == DRAW:
        mask[TAKE] = True
        mask[STOCK] = True
    elif phase == ASK_KNOCK:
        mask[KNOCK] = True
        mask[PLAY_ON] = True
    elif phase == OFFER:
        mask[TAKE] = True
        mask[PASS] = True
    elif phase == WALL:
        mask[PASS] = True
        mask[TAKE] = _can_knock_with(row, rules, seat)
    elif phase == SHOW:
        _legal_melds(row, rules, seat, mask)


@kernel
def _can_knock_with(row: Any, rules: Any, seat: Any) -> Any:
    """Whether the hand and the up-card, less some card, is a legal knock."""
    hand = to_gin(row["hands"][seat] | (U1 << np.uint64(row["pile"][row["pile_size"] - 1])))
    left = hand
    limit = knock_limit(row, rules)
    while left != U0:
        card = lowest(left)
        left ^= card
        if deadwood_of(hand ^ card) <= limit:
            return True
    return False


@kernel
def _legal_melds(row: Any, rules: Any, seat: Any, mask: Any) -> None:
    """Mark the melds that may be laid down next; a knocker must still reach the knock limit."""
    left = to_gin(row["hands"][seat]) & ~shown_by(row, seat)
    knocking = seat == row["knocker"]
    limit = knock_limit(row, rules)
    if size_of(to_gin(row["hands"][seat])) > HAND_SIZE:
        limit = 0  # big gin
    mask[PASS] = not knocking or points_of(left) <= limit
    if row["shown"][seat] == SHOWN:
        return
    for k in range(NUM_MELDS):
        meld = MELDS[k]
        if meld & left == meld and (not knocking or deadwood_of(left ^ meld) <= limit):
            mask[FIRST_MELD + k] = True


@kernel
def views(data: Any, rules: Any, index: Any, player: Any, out: Any) -> None:
    """Write what ``player`` may know."""
    for i in range(len(index)):
        _view_of(data[index[i]], player, out[i])


@kernel
def ask(data: Any, rules: Any, index: Any, seats: Any, mask: Any, out: Any) -> None:
    """Mark the legal actions, and write what ``seats`` may know (see RowKernels.ask)."""
    for i in range(len(index)):
        row = data[index[i]]
        _legal_at(row, rules[0], mask[i])
        _view_of(row, seats[i], out[i])


@kernel
def _view_of(row: Any, player: Any, view: Any) -> None:
    """Write what ``player`` may know at one table."""
    other = 1 - player
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
def step(data: Any, rules: Any, index: Any, action: Any, mask: Any, choices: Any, payoff: Any) -> Any:
    """Take one step of one hand and list what can be played next (see RowKernels.step)."""
    row = data[0]
    options = rules[0]
    if action >= 0 and row["current"] == -1:
        to_front(row["deck"], row["dealt"], action)
        deal(data, options, index)
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
