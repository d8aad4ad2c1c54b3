"""Kernels of external sampling over the public tree and buckets: see :mod:`cardai.plugins.trainers.bucket_mccfr`."""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64, uniform
from cardai.poker.hands._boards_kernels import board_index
from cardai.poker.hands._equity_kernels import board_key, board_set, value_on
from cardai.poker.hands._lookup_kernels import pair_number

KIND, ACTOR, STREET, COUNT, BASE, STRIDE = 0, 1, 2, 3, 4, 5
"""Columns of ``Nodes.node``."""
DECISION, SHOWDOWN = 0, 2
CARDS = 9
"""Two hands and a board."""
_SPAN = 1 << 20
"""Random numbers set aside for the deal of an iteration; those of its two walks come after them."""


class Nodes(NamedTuple):
    """The public tree with DEAL nodes skipped, and where each decision's numbers lie in the tables."""

    node: Any  # (N, 6) int64: kind, actor, street, number of actions, and the place of a bucket's numbers:
    # base + bucket * stride
    child: Any  # (N, A) int32
    payoff: Any  # (N,) float32: FOLD: what seat 0 wins; SHOWDOWN: what the winner wins


class Cards(NamedTuple):
    """How cards become buckets, and who wins."""

    tables: Any  # four tables (boards' classes, 1326) uint16: preflop, flop, turn, river
    classes: Any  # three (C(52, k),) int32: boards' classes, of three to five cards
    renamings: Any  # three (C(52, k),) uint8
    hand_maps: Any  # (24, 1326) int16
    ranking: Any  # cardai.poker.hands.ranking.batch_tables(7)


@kernel
def deal(stream: Any, out: Any) -> None:
    """Fill ``out`` (9,) int64 with different random cards: seat 0's two, seat 1's two, the board in dealt order."""
    taken = np.int64(0)
    drawn = 0
    for k in range(len(out)):
        card = below(stream, drawn, 52)
        drawn += 1
        while (taken >> card) & 1:
            card = below(stream, drawn, 52)
            drawn += 1
        taken |= np.int64(1) << card
        out[k] = card


@kernel
def look_up(cards: Cards, dealt: Any, out: Any) -> None:
    """Fill ``out`` (2, 4) int64 with both seats' buckets on the four streets of a deal (9,)."""
    board = dealt[4:]
    for seat in range(2):
        hand = pair_number(dealt[2 * seat], dealt[2 * seat + 1])
        out[seat, 0] = cards.tables[0][0, hand]
    for street in range(1, 4):
        index = board_index(board, street + 2)
        number = cards.classes[street - 1][index]
        names = cards.hand_maps[cards.renamings[street - 1][index]]
        for seat in range(2):
            hand = pair_number(dealt[2 * seat], dealt[2 * seat + 1])
            out[seat, street] = cards.tables[street][number, names[hand]]


@kernel
def compare(cards: Cards, dealt: Any) -> Any:
    """Return 1 if seat 0 has the better hand on the whole board, -1 if seat 1 has, 0 if they tie."""
    keys, low, high, values, _ = cards.ranking
    key, held = board_key(dealt[4:], keys), board_set(dealt[4:])
    first = value_on(key, held, dealt[0], dealt[1], keys, low, high, values)
    second = value_on(key, held, dealt[2], dealt[3], keys, low, high, values)
    return (first > second) * 1 - (first < second) * 1


class Walk(NamedTuple):
    """Room for one seat's walk of the tree; W nodes at most wait at a time."""

    waiting: Any  # (W,) int64: nodes
    value: Any  # (W,) float64: what the walking seat wins from each of them on
    decision: Any  # (W,) int64: its decisions, in the order of the way down
    slot: Any  # (W,) int64: where each of those waited
    below: Any  # (W,) int64: where its first child waits
    policy: Any  # (A,) float64


@kernel
def iterate(
    nodes: Nodes, cards: Cards, first: Any, last: Any, seats: Any, seed: Any, regret: Any, seen: Any, average: Any
) -> Any:
    """Do iterations ``first`` to ``last`` - 1 (numbered from 1); return how many nodes were visited.

    An iteration deals once and walks for each seat in turn: all of its own actions, one sampled action of the other's
    (Lanctot et al. 2009, section 3.2). Iteration t weighs t in ``regret`` and ``average`` (S,) float32 (linear CFR: Brown
    and Sandholm 2019). ``seats`` (first, one past the last) are those walked for; the other's actions follow ``seen``
    (S,), which is ``regret`` itself or, where two threads walk for a seat each, its copy.
    """
    dealt, buckets = np.empty(CARDS, np.int64), np.empty((2, 4), np.int64)
    room, visited = len(nodes.node) * nodes.child.shape[1] + 1, 0
    walk = Walk(
        np.empty(room, np.int64),
        np.empty(room, np.float64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(nodes.child.shape[1], np.float64),
    )
    for t in range(first, last):
        stream = hash64(seed, t)
        deal(stream, dealt)
        look_up(cards, dealt, buckets)
        result = compare(cards, dealt)
        for seat in range(seats[0], seats[1]):
            won = result * (1.0 - 2.0 * seat)
            decisions, passed = walk_down(nodes, walk, seat, buckets, won, stream, np.float64(t), seen, average)
            walk_back(nodes, walk, decisions, buckets[seat], np.float64(t), regret)
            visited += passed
    return visited


@kernel
def walk_down(
    nodes: Nodes, walk: Walk, seat: Any, buckets: Any, won: Any, stream: Any, weight: Any, seen: Any, average: Any
) -> Any:
    """Go down all of ``seat``'s actions and a sampled one of the other's, and value the ends.

    ``won`` is 1 where the seat wins at showdown, -1 where it loses, 0 where they tie. Returns the number of the seat's
    decisions, which ``walk`` then holds, and of nodes visited.
    """
    drawn, policy = _SPAN * (seat + 1), walk.policy
    walk.waiting[0] = 0
    found, decisions, at = 1, 0, 0
    while at < found:
        node = walk.waiting[at]
        while nodes.node[node, KIND] == DECISION and nodes.node[node, ACTOR] != seat:
            count = nodes.node[node, COUNT]
            place = nodes.node[node, BASE] + buckets[1 - seat, nodes.node[node, STREET]] * nodes.node[node, STRIDE]
            total = match(seen, place, count, policy)
            remember(average, place, count, policy, total, weight)
            node = np.int64(nodes.child[node, pick(policy, count, total, uniform(stream, drawn))])
            drawn += 1
        if nodes.node[node, KIND] == DECISION:
            walk.decision[decisions], walk.slot[decisions], walk.below[decisions] = node, at, found
            decisions += 1
            for k in range(nodes.node[node, COUNT]):
                walk.waiting[found] = nodes.child[node, k]
                found += 1
        elif nodes.node[node, KIND] == SHOWDOWN:
            walk.value[at] = won * nodes.payoff[node]
        else:
            walk.value[at] = (1.0 - 2.0 * seat) * nodes.payoff[node]
        at += 1
    return decisions, found + drawn - _SPAN * (seat + 1)


@kernel
def match(regret: Any, place: Any, count: Any, policy: Any) -> Any:
    """Fill ``policy`` with the positive regrets of an information set's ``count`` actions; return their sum."""
    total = 0.0
    for k in range(count):
        policy[k] = max(np.float64(regret[place + k]), 0.0)
        total += policy[k]
    return total


@kernel
def remember(average: Any, place: Any, count: Any, policy: Any, total: Any, weight: Any) -> None:
    """Add the policy (n, of sum ``total``; uniform if that is 0) to the average, ``weight`` in all."""
    scale = weight / total if total > 0.0 else 0.0
    for k in range(count):
        average[place + k] += policy[k] * scale if total > 0.0 else weight / count


@kernel
def pick(policy: Any, count: Any, total: Any, threshold: Any) -> Any:
    """Return the action on which ``threshold`` in [0, 1) falls; never one of probability 0."""
    if total <= 0.0:
        return np.int64(threshold * count)
    chosen, left = count - 1, threshold * total
    for k in range(count - 1):
        left -= policy[k]
        if left < 0.0:
            chosen = k
            break
    while policy[chosen] <= 0.0:  # rounding only
        chosen -= 1
    return chosen


@kernel
def walk_back(nodes: Nodes, walk: Walk, decisions: Any, buckets: Any, weight: Any, regret: Any) -> None:
    """Add the regrets of a walk's decisions, last first: v(I) = sum over a of sigma(I, a) v(I, a)."""
    value = walk.value
    for d in range(decisions - 1, -1, -1):
        node, children = walk.decision[d], walk.below[d]
        count = nodes.node[node, COUNT]
        place = nodes.node[node, BASE] + buckets[nodes.node[node, STREET]] * nodes.node[node, STRIDE]
        total, mean, plain = 0.0, 0.0, 0.0
        for k in range(count):
            positive = max(np.float64(regret[place + k]), 0.0)
            total += positive
            mean += positive * value[children + k]
            plain += value[children + k]
        mean = mean / total if total > 0.0 else plain / count
        for k in range(count):
            regret[place + k] += weight * (value[children + k] - mean)
        value[walk.slot[d]] = mean
