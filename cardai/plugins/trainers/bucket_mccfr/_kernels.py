"""Kernels of external sampling over the public tree and buckets: see :mod:`cardai.plugins.trainers.bucket_mccfr`."""

# kernel constants

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.cards.poker._boards_kernels import board_index
from cardai.cards.poker._equity_kernels import board_key, board_set, value_on
from cardai.cards.poker._potential_kernels import pair_number
from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64, uniform

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
    ranking: Any  # cardai.cards.poker.ranking.batch_tables(7)


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


@kernel
def iterate(
    nodes: Nodes, cards: Cards, first: Any, last: Any, seats: Any, seed: Any, regret: Any, seen: Any, average: Any
) -> Any:
    """Do iterations ``first`` to ``last`` - 1 (numbered from 1); return how many nodes were visited.

    An iteration deals once and walks for each seat in turn: all of its own actions, one sampled action of the other's
    (Lanctot et al. 2009, section 3.2). Iteration t weighs t in ``regret`` and ``average`` (S,) float32 (linear CFR: Brown
    and Sandholm 2019). ``seats`` (first, one past the last) are those walked for; the other's actions follow ``seen``
    (S,), which is ``regret`` itself or, where two threads walk for a seat each, its copy. One loop, since handing arrays to a helper costs as much as a node.
    """
    dealt, buckets = np.empty(CARDS, np.int64), np.empty((2, 4), np.int64)
    room = len(nodes.node) * nodes.child.shape[1] + 1
    waiting, value = np.empty(room, np.int64), np.empty(room, np.float64)
    decision, below_it = np.empty(room, np.int64), np.empty(room, np.int64)
    slots = np.empty(room, np.int64)
    policy = np.empty(nodes.child.shape[1], np.float64)
    visited = 0
    for t in range(first, last):
        stream = hash64(seed, t)
        deal(stream, dealt)
        look_up(cards, dealt, buckets)
        result = compare(cards, dealt)
        weight = np.float64(t)
        for seat in range(seats[0], seats[1]):
            sign = 1.0 - 2.0 * seat
            drawn = _SPAN * (seat + 1)
            waiting[0] = 0
            found, decisions, at = 1, 0, 0
            while at < found:
                node = waiting[at]
                while nodes.node[node, KIND] == DECISION and nodes.node[node, ACTOR] != seat:
                    count, street = nodes.node[node, COUNT], nodes.node[node, STREET]
                    place = nodes.node[node, BASE] + buckets[1 - seat, street] * nodes.node[node, STRIDE]
                    total = 0.0
                    for k in range(count):
                        policy[k] = max(np.float64(seen[place + k]), 0.0)
                        total += policy[k]
                    threshold = uniform(stream, drawn)
                    drawn += 1
                    chosen = count - 1
                    if total > 0.0:
                        scale = weight / total
                        threshold *= total
                        for k in range(count):
                            average[place + k] += policy[k] * scale
                        for k in range(count - 1):
                            threshold -= policy[k]
                            if threshold < 0.0:
                                chosen = k
                                break
                        while policy[chosen] <= 0.0:  # rounding only: never play what has no probability
                            chosen -= 1
                    else:
                        for k in range(count):
                            average[place + k] += weight / count
                        chosen = np.int64(threshold * count)
                    visited += 1
                    node = np.int64(nodes.child[node, chosen])
                if nodes.node[node, KIND] == DECISION:
                    decision[decisions], slots[decisions], below_it[decisions] = node, at, found
                    decisions += 1
                    for k in range(nodes.node[node, COUNT]):
                        waiting[found] = nodes.child[node, k]
                        found += 1
                elif nodes.node[node, KIND] == SHOWDOWN:
                    value[at] = sign * result * nodes.payoff[node]
                else:
                    value[at] = sign * nodes.payoff[node]
                visited += 1
                at += 1
            for d in range(decisions - 1, -1, -1):  # and back: v(I) = sum over a of sigma(I, a) v(I, a)
                node, children = decision[d], below_it[d]
                count = nodes.node[node, COUNT]
                place = nodes.node[node, BASE] + buckets[seat, nodes.node[node, STREET]] * nodes.node[node, STRIDE]
                total, mean, plain = 0.0, 0.0, 0.0
                for k in range(count):
                    positive = max(np.float64(regret[place + k]), 0.0)
                    total += positive
                    mean += positive * value[children + k]
                    plain += value[children + k]
                mean = mean / total if total > 0.0 else plain / count
                for k in range(count):
                    regret[place + k] += weight * (value[children + k] - mean)
                value[slots[d]] = mean
    return visited
