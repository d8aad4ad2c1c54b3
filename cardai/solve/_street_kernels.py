"""The kernel that walks one street's betting with whole ranges: see :mod:`cardai.solve.street_response`."""

from __future__ import annotations

from typing import Any, NamedTuple

from cardai.cards.poker._public_tree_kernels import DEAL, DECISION, FOLD
from cardai.cards.poker._range_kernels import fold_values, showdown_values
from cardai.core.kernel import kernel


class Street(NamedTuple):
    """One street's subtree of a public tree, m nodes, parents before children."""

    node: Any  # (m, 5) int64: kind, actor, number of children, first row of the policy (decisions), number among DEALs
    child: Any  # (m, A) int64: places within the subtree
    amount: Any  # (m,) float64: FOLD: what the loser has put in; SHOWDOWN: what the better hand wins


@kernel
def reach(street: Street, seat: Any, policy: Any, reaches: Any) -> None:
    """Multiply a range through the subtree: ``reaches`` (m, 1326), the first row given, by the probabilities of ``seat``.

    ``policy`` (rows, 1326) holds a row for each action of each decision node in order.
    """
    hands = reaches.shape[1]
    for i in range(len(street.node)):
        if street.node[i, 0] != DECISION:
            continue
        for k in range(street.node[i, 2]):
            below, row = street.child[i, k], street.node[i, 3] + k
            if street.node[i, 1] == seat:
                for h in range(hands):
                    reaches[below, h] = reaches[i, h] * policy[row, h]
            else:
                for h in range(hands):
                    reaches[below, h] = reaches[i, h]


@kernel
def respond(
    street: Street, seat: Any, best: Any, policy: Any, reaches: Any, cards: Any, after: Any, values: Any
) -> None:
    """Fill ``values`` (m, 1326) with what each hand of ``seat`` wins below each node, times the other's probabilities.

    Args:
        best: at decisions of ``seat`` take the best action for each hand; else follow ``policy``.
        reaches: (m, 1326) the other seat's range at each node, from :func:`reach`.
        cards: pairs (1326, 2), and hands and ends of the board (:class:`cardai.cards.poker.ranges.BoardHands`).
        after: (d, 1326) the values of what follows each DEAL node.
    """
    pairs, hands, ends = cards
    width = values.shape[1]
    for i in range(len(street.node) - 1, -1, -1):
        kind, actor = street.node[i, 0], street.node[i, 1]
        for h in range(width):
            values[i, h] = 0.0
        if kind == DEAL:
            for h in range(width):
                values[i, h] = after[street.node[i, 4], h]
        elif kind == FOLD:
            sign = -1.0 if actor == seat else 1.0
            fold_values(pairs, hands, reaches[i], sign * street.amount[i], values[i])
        elif kind != DECISION:
            showdown_values(pairs, hands, ends, reaches[i], street.amount[i], values[i])
        else:
            for k in range(street.node[i, 2]):
                below, row = street.child[i, k], street.node[i, 3] + k
                if actor != seat:
                    for h in range(width):
                        values[i, h] += values[below, h]
                elif not best:
                    for h in range(width):
                        values[i, h] += values[below, h] * policy[row, h]
                elif k == 0:
                    for h in range(width):
                        values[i, h] = values[below, h]
                else:
                    for h in range(width):
                        values[i, h] = max(values[i, h], values[below, h])
