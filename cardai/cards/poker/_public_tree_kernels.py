"""The kernel that lays a betting tree out: see :mod:`cardai.cards.poker.public_tree`."""

# kernel constants

from __future__ import annotations

from typing import Any

from cardai.cards.poker._betting_kernels import act, can_fold, post, raise_bounds, rung_amount
from cardai.core.kernel import kernel

DECISION, DEAL, SHOWDOWN, FOLD = 0, 1, 2, 3
_ROUND_OVER, _SHOWDOWN, _UNCONTESTED = 1, 2, 3


@kernel
def amount_of(row: Any, rules: Any, action: Any) -> Any:
    """Return how the history notes ``action`` (0 fold, 1 call, 2 or more a raise or rung) of the seat to act; -1: illegal."""
    if action == 0:
        return 0 if can_fold(row, rules) else -1
    if action == 1:
        return 1
    low, high = raise_bounds(row, rules)
    if high == 0:
        return -1
    if rules["rungs"] == 0:
        return 2 if action == 2 else -1
    amount = rung_amount(row, rules, action - 2, low, high)
    return amount if amount > 0 else -1


@kernel
def lay_out(rules: Any, rows: Any, waiting: Any, small: Any, child: Any, action: Any, amount: Any, spent: Any) -> Any:
    """Fill a tree in depth-first order, node by node; return how many nodes it has, or -1 if there is too little room.

    Args:
        rules: the rules' record with the ladder (``rungs``, ``fractions``).
        rows: (depth,) hands, the first one ready for ``post``: the hand at each level of the path under way.
        waiting: (depth, 3) int64 room: a node of the path, the next action to try there, its children so far.
        small: (N, 5) int32: kind, actor, street, parent, number of children.
        child, action, amount: (N, A) int32, -1 throughout before.
        spent: (N, P) int32.
    """
    status = post(rows[0], rules)
    count = _add(rows[0], rules, 0 if status == 0 else _SHOWDOWN, -1, 0, small, spent)
    if status != 0:
        return count
    top = 0
    waiting[0, 0], waiting[0, 1] = 0, 0
    while top >= 0:
        node, tried = waiting[top, 0], waiting[top, 1]
        if tried == child.shape[1]:
            top -= 1
            continue
        waiting[top, 1] = tried + 1
        written = amount_of(rows[top], rules, tried)
        if written < 0:
            continue
        if count + 2 > len(small):
            return -1
        row = rows[top + 1]
        rows[top + 1] = rows[top]
        street, seat = row["round"], row["current"]
        status = act(row, rules, written)
        k = small[node, 4]
        child[node, k], action[node, k], amount[node, k] = count, tried, written
        small[node, 4] = k + 1
        if status == _ROUND_OVER:
            count = _add(row, rules, DEAL, node, count, small, spent)
            small[count - 1, 1], small[count - 1, 2], small[count - 1, 4] = -1, street, 1
            child[count - 1, 0] = count
            node = count - 1
        count = _add(row, rules, status if status > 1 else 0, node, count, small, spent)
        if status == _SHOWDOWN:
            small[count - 1, 1], small[count - 1, 2] = -1, street
        elif status == _UNCONTESTED:
            small[count - 1, 1], small[count - 1, 2] = seat, street
        else:
            top += 1
            waiting[top, 0], waiting[top, 1] = count - 1, 0
    return count


@kernel
def _add(row: Any, rules: Any, kind: Any, parent: Any, count: Any, small: Any, spent: Any) -> Any:
    """Write a node with what its row says; return the number of nodes then."""
    small[count, 0], small[count, 1], small[count, 2] = kind, row["current"], row["round"]
    small[count, 3], small[count, 4] = parent, 0
    for seat in range(rules["num_players"]):
        spent[count, seat] = row["spent"][seat]
    return count + 1


@kernel
def find_nodes(history: Any, small: Any, child: Any, amount: Any, out: Any) -> None:
    """Fill ``out`` (n,) with the decision nodes that histories (n, L) of actions lead to, -1 where one leaves the tree."""
    for i in range(len(history)):
        node = 0
        for k in range(history.shape[1]):
            written = history[i, k]
            if written < 0:
                break
            found = -1
            for j in range(small[node, 4]):
                if amount[node, j] == written:
                    found = child[node, j]
                    break
            node = found
            if node < 0:
                break
            if small[node, 0] == DEAL:
                node = child[node, 0]
        out[i] = node if node >= 0 and small[node, 0] == DECISION else -1
