"""The kernels that lay a betting tree out: see :mod:`cardai.poker.ranges.public_tree`."""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.rules._betting_kernels import act, can_fold, post, raise_bounds, rung_amount

DECISION, DEAL, SHOWDOWN, FOLD, TERMINATED = 0, 1, 2, 3, 4
_ROUND_OVER, _SHOWDOWN, _UNCONTESTED = 1, 2, 3


class Growth(NamedTuple):
    """What is grown: S streets, L menus on each (the last holds for all later raises), R rungs at most in a menu."""

    until: int  # the last street that is grown; its DEAL nodes have no child
    deals_out: bool  # whether the streets after an early all-in are DEAL nodes
    distinct: bool  # whether rungs of one amount are one bet
    rungs: Any  # (S, L) int64
    fractions: Any  # (S, L, R) float64, ascending, all-in last


class Arrays(NamedTuple):
    """Room for N nodes with A actions of P seats, as in :class:`~cardai.poker.ranges.public_tree.PublicTree`."""

    small: Any  # (N, 5) int32: kind, actor, street, parent, number of children
    child: Any  # (N, A) int32, -1 throughout before
    action: Any  # (N, A) int32, the same
    amount: Any  # (N, A) int32, the same
    spent: Any  # (N, P) int32


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
        _take_menu(rows[top], rules, growth)
        written, k = _amount_of(rows[top], rules, tried), small[node, 4]
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
