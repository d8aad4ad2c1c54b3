"""The kernel that walks one street's betting with whole ranges: see :mod:`cardai.poker.responses.street_response`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.hands._range_kernels import sweep
from cardai.poker.ranges._public_tree_kernels import DEAL, DECISION


class ResponseStreet(NamedTuple):
    """One street's subtree of a public tree, m nodes, parents before children."""

    node: Any  # (m, 5) int64: kind, actor, number of children, first row of the policy (decisions), number among the
    # DEALs (those) or among the ends of the hand (FOLD and SHOWDOWN)
    child: Any  # (m, A) int64: places within the subtree


@kernel
def reach(street: ResponseStreet, seat: Any, policy: Any, reaches: Any) -> None:
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
def terminal_values(cards: Any, weights: Any, showdown: Any, amount: Any, values: Any) -> None:
    """Fill ``values`` (t, 1326) with what each hand wins at ``t`` ends of a hand from opposing ranges; 0 for blocked hands.

    Args:
        cards: pairs (1326, 2), and hands and ends of the board (:class:`cardai.poker.hands.board_hands.BoardHands`).
        weights: (t, 1326) the ranges.
        showdown: (t,) whether cards are compared there, else one has folded.
        amount: (t,) what the better hand wins, or what every hand wins by the fold.
    """
    pairs, hands, ends = cards
    n, count = len(hands), len(weights)
    a, b = np.empty(n, np.int64), np.empty(n, np.int64)
    q, met, won = np.empty((n, count)), np.empty((n, count)), np.empty((n, count))
    for k in range(n):
        hand = hands[k]
        a[k], b[k] = pairs[hand, 0], pairs[hand, 1]
        for t in range(count):
            q[k, t] = weights[t, hand]
    sweep(a, b, ends, q, np.empty((2, 53, count)), met, won)
    values[:] = 0.0
    for k in range(n):
        hand = hands[k]
        for t in range(count):
            values[t, hand] = amount[t] * (won[k, t] if showdown[t] else met[k, t])


@kernel
def respond(street: ResponseStreet, seat: Any, ends: Any, after: Any, values: Any) -> None:
    """Fill ``values`` (m, 1326) with what each hand of ``seat`` wins below each node, times the other's probabilities.

    Args:
        ends: (t, 1326) the values at the ends of the hand, from :func:`terminal_values`.
        after: (d, 1326) the values of what follows each DEAL node.
    """
    width = values.shape[1]
    for i in range(len(street.node) - 1, -1, -1):
        kind, actor = street.node[i, 0], street.node[i, 1]
        if kind == DEAL:
            values[i] = after[street.node[i, 4]]
        elif kind != DECISION:
            values[i] = ends[street.node[i, 4]]
        else:
            for k in range(street.node[i, 2]):
                below = street.child[i, k]
                if k == 0:
                    values[i] = values[below]
                elif actor != seat:
                    for h in range(width):
                        values[i, h] += values[below, h]
                else:
                    for h in range(width):
                        values[i, h] = max(values[i, h], values[below, h])
