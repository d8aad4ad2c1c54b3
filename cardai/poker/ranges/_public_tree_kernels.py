"""The kernels that lay a betting tree out: see :mod:`cardai.poker.ranges.public_tree`."""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.rules._betting_kernels import act, can_fold, post, pot, raise_bounds, rung_amount, to_call

DECISION, DEAL, SHOWDOWN, FOLD, TERMINATED = 0, 1, 2, 3, 4
_ROUND_OVER, _SHOWDOWN, _UNCONTESTED = 1, 2, 3
ALL, POT, MULTIPLE, EVEN, CHIPS = 0, 1, 2, 3, 4
"""Sizes: all-in; a fraction of the pot after a call; a multiple of the bet of this street; all-in by even growth of the pot
over so many bets (0: one a street to come); chips above the bet."""


class Growth(NamedTuple):
    """What is grown: S streets, L menus on each (the last holds for all later raises), R rungs at most in a menu."""

    until: int  # the last street that is grown; its DEAL nodes have no child
    deals_out: bool  # whether the streets after an early all-in are DEAL nodes
    distinct: bool  # whether rungs of one amount are one bet
    rungs: Any  # (S, L) int64
    fractions: Any  # (S, L, R) float64, ascending, all-in last
    unit: int  # 0: bets are those of the ladder; else those of ``sizes``, rounded to a multiple of it
    aggressor: int  # who bet last before the root, -1 nobody
    counts: Any  # (S, 3, M) int64: how many sizes seat 0, seat 1 and seat 0 after a call have, by raises on the street
    sizes: Any  # (S, 3, M, R, 2) float64: kind and number
    limits: Any  # (3,) float64: add all-in, force all-in, merge (see :class:`~cardai.poker.ranges.sizes.BetPlan`)


class Arrays(NamedTuple):
    """Room for N nodes with A actions of P seats, as in :class:`~cardai.poker.ranges.public_tree.PublicTree`."""

    small: Any  # (N, 5) int32: kind, actor, street, parent, number of children
    child: Any  # (N, A) int32, -1 throughout before
    action: Any  # (N, A) int32, the same
    amount: Any  # (N, A) int32, the same
    spent: Any  # (N, P) int32
    menu: Any  # (depth, R + 2) int64: the bets at each decision of the path under way, -1 after the last
    below: Any  # (1,) int64: how many sizes were below the least raise


@kernel
def play(row: Any, rules: Any, history: Any, opening: Any) -> Any:
    """Post blinds and play the actions ``history`` (n,) as far as betting goes; return what the last one led to.

    ``opening`` (P,) is filled with the chips that seats had put in when the row's street began.
    """
    status = post(row, rules)
    for seat in range(rules["num_players"]):
        opening[seat] = row["spent"][seat]
    for action in history:
        if status >= _SHOWDOWN:
            break
        status = act(row, rules, action)
        if status == _ROUND_OVER:
            for seat in range(rules["num_players"]):
                opening[seat] = row["spent"][seat]
    return status


@kernel
def _take_menu(row: Any, rules: Any, growth: Any) -> None:
    """Make the menu of the seat to act the ladder of ``rules``."""
    level = min(row["raises"], growth.rungs.shape[1] - 1)
    rules["rungs"] = growth.rungs[row["round"], level]
    for k in range(growth.fractions.shape[2]):
        rules["fractions"][k] = growth.fractions[row["round"], level, k]


@kernel
def _amount_of(row: Any, rules: Any, action: Any) -> Any:
    """Return how the history notes ``action`` (0 fold, 1 call, 2 or more a raise or rung) of the seat to act; -1: illegal."""
    if action == 0:
        return 0 if can_fold(row, rules) else -1
    if action == 1:
        return 1
    low, high = raise_bounds(row, rules)
    if high == 0:
        return -1
    if not rules["no_limit"]:
        return 2 if action == 2 else -1
    if action - 2 >= rules["rungs"]:
        return -1
    amount = rung_amount(row, rules, action - 2, low, high)
    return amount if amount > 0 else -1


@kernel
def _last_to_bet(row: Any, street: Any, before: Any) -> Any:
    """Return who bet or raised last on the street before ``street``, -1 nobody; ``before`` the root's first street."""
    if street == 0:
        return before
    for k in range(row["actions"] - 1, -1, -1):
        if row["history_round"][k] == street - 1 and row["history"][k] >= 2:
            return np.int64(row["history_seat"][k])
    return np.int64(-1)


@kernel
def _sized(row: Any, rules: Any, growth: Any, size: Any, called: Any, high: Any) -> Any:
    """Return what a size raises to, rounded; ``called`` the pot after a call."""
    kind, value, top = np.int64(size[0]), size[1], np.int64(row["max_spent"])
    seat = row["current"]
    begun = np.int64(row["spent"][seat]) - np.int64(row["round_spent"][seat])
    if kind == ALL:
        return high
    if kind == MULTIPLE:
        to = value * (top - begun)
    elif kind == EVEN:
        bets = value if value > 0 else float(rules["num_rounds"] - row["round"])
        to = (top - begun) + called * (((called + 2.0 * (high - top)) / called) ** (1.0 / bets) - 1.0) / 2.0
    elif kind == CHIPS:
        to = (top - begun) + value
    else:
        to = (top - begun) + value * called
    return begun + np.int64(np.floor(to / growth.unit + 0.5 + 1e-9)) * growth.unit


@kernel
def _fill_menu(row: Any, rules: Any, growth: Any, menu: Any, below: Any) -> None:
    """Write the bets of the seat to act into ``menu``, ascending, each once, -1 behind the last."""
    low, high = raise_bounds(row, rules)
    menu[:] = -1
    if high == 0:
        return
    street, seat = np.int64(row["round"]), np.int64(row["current"])
    donk = seat == 0 and row["raises"] == 0 and _last_to_bet(row, street, np.int64(growth.aggressor)) == 1
    who, level = np.int64(2) if donk else seat, min(np.int64(row["raises"]), growth.counts.shape[2] - 1)
    top, called = np.int64(row["max_spent"]), float(pot(row, rules) + to_call(row, seat))
    count = 0
    for k in range(growth.counts[street, who, level] + 1):
        if k < growth.counts[street, who, level]:
            amount = _sized(row, rules, growth, growth.sizes[street, who, level, k], called, np.int64(high))
        elif growth.limits[0] > 0 and high - top <= growth.limits[0] * called:
            amount = np.int64(high)
        else:
            continue
        if amount <= top or (amount < low and amount < high):
            below[0] += 1
            continue
        if high - amount <= growth.limits[1] * (called + 2.0 * (amount - top)):
            amount = np.int64(high)
        place = count
        while place > 0 and menu[place - 1] > amount:
            place -= 1
        if place > 0 and menu[place - 1] == amount:
            continue
        for later in range(count, place, -1):
            menu[later] = menu[later - 1]
        menu[place] = amount
        count += 1
    _merge(menu, count, top, called, growth.limits[2])


@kernel
def _merge(menu: Any, count: Any, top: Any, called: Any, merge: Any) -> None:
    """Leave out bets that are close to a larger one."""
    if merge <= 0.0:
        return
    kept = count - 1  # from the largest down: the place of the last that is kept, filled from the back
    for k in range(count - 2, -1, -1):
        if (called + (menu[kept] - top)) / (called + (menu[k] - top)) < 1.0 + merge:
            continue
        kept -= 1
        menu[kept] = menu[k]
    for k in range(count - kept):
        menu[k] = menu[kept + k]
    menu[count - kept :] = -1


@kernel
def _choice(row: Any, rules: Any, growth: Any, tried: Any, menu: Any, below: Any) -> Any:
    """Return how the history notes the action ``tried``; -1: there is none. A decision's first action fills its menu."""
    if growth.unit == 0:
        _take_menu(row, rules, growth)
    elif tried == 0:
        _fill_menu(row, rules, growth, menu, below)
    if growth.unit > 0 and tried >= 2:
        return menu[tried - 2]
    return np.int64(_amount_of(row, rules, tried))


@kernel
def lay_out(rules: Any, rows: Any, waiting: Any, growth: Any, status: Any, arrays: Any) -> Any:
    """Fill a tree in depth-first order, node by node; return how many nodes it has, or -1 if there is too little room.

    Args:
        rules: the rules' record, with room for a ladder (``rungs``, ``fractions``).
        rows: (depth,) hands, the first one at the root: the hand at each level of the path under way.
        waiting: (depth, 2) int64 room: a node of the path, the next action to try there.
        status: what led to the root (see :func:`play`).
    """
    small, child, action, amount = arrays.small, arrays.child, arrays.action, arrays.amount
    count, parent, first = np.int64(0), np.int64(-1), np.int64(0)  # one type each, so that kernels are compiled once
    if status == _SHOWDOWN:
        return _compare(rows[0], rules, growth, parent, first, count, arrays)
    count = _add(rows[0], rules, parent, np.int64(rows[0]["round"]), count, arrays)
    small[0, 1] = rows[0]["current"]
    top = 0
    waiting[0, 0], waiting[0, 1] = 0, 0
    while top >= 0:
        node, tried = waiting[top, 0], waiting[top, 1]
        if tried == child.shape[1]:
            top -= 1
            continue
        waiting[top, 1] = tried + 1
        written, k = _choice(rows[top], rules, growth, tried, arrays.menu[top], arrays.below), small[node, 4]
        if written < 0 or (growth.distinct and tried > 2 and written == amount[node, k - 1]):
            continue
        if count + rules["num_rounds"] + 1 > len(small):
            return -1
        rows[top + 1] = rows[top]
        row = rows[top + 1]
        street, seat = np.int64(row["round"]), row["current"]
        status = act(row, rules, written)
        child[node, k], action[node, k], amount[node, k], small[node, 4] = count, tried, written, k + 1
        if status in (_SHOWDOWN, _UNCONTESTED):
            count = _end(status, seat, row, rules, growth, node, street, count, arrays)
            continue
        if status == _ROUND_OVER:
            count = _deal(row, rules, growth, node, street, count, arrays)
            if street == growth.until:
                continue
            node = count - 1
        count = _add(row, rules, node, np.int64(row["round"]), count, arrays)
        small[count - 1, 1] = row["current"]
        top += 1
        waiting[top, 0], waiting[top, 1] = count - 1, 0
    return count


@kernel
def _end(
    status: Any, seat: Any, row: Any, rules: Any, growth: Any, parent: Any, street: Any, count: Any, arrays: Any
) -> Any:
    """Write the end of a hand, by a showdown or the fold of ``seat``; return the number of nodes then."""
    if status == _SHOWDOWN:
        return _compare(row, rules, growth, parent, street, count, arrays)
    count = _add(row, rules, parent, street, count, arrays)
    arrays.small[count - 1, 0], arrays.small[count - 1, 1] = FOLD, seat
    return count


@kernel
def _compare(row: Any, rules: Any, growth: Any, parent: Any, street: Any, count: Any, arrays: Any) -> Any:
    """Write a showdown, behind the streets that are still to be dealt where they are; return the number of nodes then."""
    while growth.deals_out and street + 1 < rules["num_rounds"]:
        count = _deal(row, rules, growth, parent, street, count, arrays)
        if street == growth.until:
            return count
        parent, street = count - 1, street + 1
    count = _add(row, rules, parent, street, count, arrays)
    arrays.small[count - 1, 0] = SHOWDOWN
    return count


@kernel
def _deal(row: Any, rules: Any, growth: Any, parent: Any, street: Any, count: Any, arrays: Any) -> Any:
    """Write a DEAL node, whose child is the next node unless the tree ends there; return the number of nodes then."""
    arrays.small[count, 0] = DEAL
    if street < growth.until:
        arrays.small[count, 4], arrays.child[count, 0] = 1, count + 1
    return _add(row, rules, parent, street, count, arrays)


@kernel
def _add(row: Any, rules: Any, parent: Any, street: Any, count: Any, arrays: Any) -> Any:
    """Write a node in which nobody acts; return the number of nodes then."""
    small = arrays.small
    small[count, 1], small[count, 2], small[count, 3] = -1, street, parent
    for seat in range(rules["num_players"]):
        arrays.spent[count, seat] = row["spent"][seat]
    return count + 1


@kernel
def find_nodes(history: Any, small: Any, child: Any, amount: Any, out: Any) -> None:
    """Fill ``out`` (n,) with the decision nodes that histories (n, L) of actions lead to, -1 where one leaves the tree."""
    for i in range(len(history)):
        node = 0
        for k in range(history.shape[1]):
            written = history[i, k]
            if written < 0 or node < 0:
                break
            found = -1
            for j in range(small[node, 4]):
                if amount[node, j] == written:
                    found = child[node, j]
                    break
            node = found
            if node >= 0 and small[node, 0] == DEAL:
                node = child[node, 0]
        out[i] = node if node >= 0 and small[node, 0] == DECISION else -1
