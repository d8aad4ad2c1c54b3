"""Kernels of CFR-BR on the river: whole ranges, and best replies to the learner's buckets, in several subtrees at once.

The subtrees of a *forest* have one shape, and what a hand has at one node lies side by side for all of them: (n, columns,
lanes), a lane a subtree. So the steps of one hand through the shape, and the sweeps over the hands, are sums of whole
lines of memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardai.core.kernel import kernel
from cardai.plugins.trainers.bucket_mccfr._kernels import ACTOR, BASE, COUNT, KIND, STREET, STRIDE
from cardai.poker.hands._range_kernels import sweep


class Shape(NamedTuple):
    """A subtree's shape: m nodes, e edges (actions), d decisions and t ends; parents before children."""

    edge: Any  # (e, 5) int64: parent, child, seat that acts, the number of the end it leads to or -1, and the
    # number of the action among all of that seat's
    decision: Any  # (d, 4) int64: node, seat, first edge, one past the last
    end: Any  # (t, 2) int64: node, and the seat that folded, -1 at a showdown


class Lanes(NamedTuple):
    """The subtrees side by side, s of them."""

    amount: Any  # (t, s) float32: what is won at each end
    base: Any  # (d, s) int64: where a decision's numbers lie in the tables: base + bucket * stride
    stride: Any  # (s,) int64


@kernel
def place_hands(
    ends: Any, start: Any, sums: Any, met: Any, won: Any, a: Any, b: Any, own: Any, equity: Any, out: Any
) -> None:
    """Fill ``out`` (2, n, s) with each hand's bucket by its place in the ranges ``start`` (2, n, s) of both seats.

    The first of two numbers, 0 to ``own`` - 1, is how much of the seat's own range is weaker (equal hands count half);
    the second, 0 to ``equity`` - 1, the hand's equity against the other's range. The bucket is the pair. A range without
    weight counts as one in which all hands are alike. The rest is room for :func:`cardai.poker.hands._range_kernels.sweep`.
    """
    n, lanes = start.shape[1], start.shape[2]
    lower, level = np.zeros(lanes), np.zeros(lanes)
    for seat in range(2):
        sweep(a, b, ends, start[1 - seat], sums, met, won)
        lower[:] = 0.0
        first = 0
        total = np.zeros(lanes)
        for k in range(n):
            for s in range(lanes):
                total[s] += start[seat, k, s]
        while first < n:
            last = ends[first]
            level[:] = 0.0
            for k in range(first, last):
                for s in range(lanes):
                    level[s] += start[seat, k, s]
            for k in range(first, last):
                for s in range(lanes):
                    if total[s] > 0.0:
                        weaker = (lower[s] + 0.5 * level[s]) / total[s]
                    else:
                        weaker = 0.5 * (first + last) / n
                    share = 0.5
                    if met[k, s] > 0.0:
                        share = 0.5 + 0.5 * np.float64(won[k, s]) / np.float64(met[k, s])
                    one = min(max(np.int64(weaker * own), 0), own - 1)
                    other = min(max(np.int64(share * equity), 0), equity - 1)
                    out[seat, k, s] = one * equity + other
            for s in range(lanes):
                lower[s] += level[s]
            first = last


@kernel
def match_hands(shape: Shape, lanes: Lanes, seat: Any, bucket: Any, regret: Any, policy: Any) -> None:
    """Fill ``policy`` (n, actions, s) with regret matching at ``seat``'s decisions; ``bucket`` (n, s) are its hands'."""
    for h in range(len(bucket)):
        for d in range(len(shape.decision)):
            if shape.decision[d, 1] != seat:
                continue
            first, count = shape.decision[d, 2], shape.decision[d, 3] - shape.decision[d, 2]
            row = shape.edge[first, 4]
            for s in range(bucket.shape[1]):
                place = lanes.base[d, s] + bucket[h, s] * lanes.stride[s]
                total = np.float32(0.0)
                for k in range(count):
                    total += max(regret[place + k], np.float32(0.0))
                for k in range(count):
                    if total > 0.0:
                        policy[h, row + k, s] = max(regret[place + k], np.float32(0.0)) / total
                    else:
                        policy[h, row + k, s] = np.float32(1.0) / np.float32(count)


@kernel
def spread(shape: Shape, seat: Any, start: Any, policy: Any, nodes: Any, q: Any) -> None:
    """Take the ranges (n, s) of ``seat`` to the ends by ``policy`` (n, actions, s): fill ``q`` (n, t, s)."""
    for h in range(len(start)):
        chances, line = policy[h], q[h]
        nodes[0] = start[h]
        for e in range(len(shape.edge)):
            above, end = nodes[shape.edge[e, 0]], shape.edge[e, 3]
            below = line[end] if end >= 0 else nodes[shape.edge[e, 1]]
            if shape.edge[e, 2] == seat:
                chance = chances[shape.edge[e, 4]]
                for s in range(len(above)):
                    below[s] = above[s] * chance[s]
            else:
                below[:] = above


@kernel
def put_ends(shape: Shape, lanes: Lanes, seat: Any, met: Any, won: Any, nodes: Any) -> None:
    """Write what one hand of ``seat`` wins at the ends into ``nodes`` (m, s); ``met`` and ``won`` (t, s) are its lines."""
    for t in range(len(shape.end)):
        out, amount, loser = nodes[shape.end[t, 0]], lanes.amount[t], shape.end[t, 1]
        line = won[t] if loser < 0 else met[t]
        if loser == seat:
            for s in range(len(amount)):
                out[s] = -amount[s] * line[s]
        else:
            for s in range(len(amount)):
                out[s] = amount[s] * line[s]


@kernel
def reply(
    shape: Shape, lanes: Lanes, seat: Any, start: Any, met: Any, won: Any, values: Any, nodes: Any, q: Any
) -> None:
    """Let every hand of ``seat`` take its best actions: fill ``q`` (n, t, s) with its range, ``start`` (n, s), at the ends.

    ``values`` and ``nodes`` (m, s) are room. Of equal actions the first is taken.
    """
    for h in range(len(start)):
        put_ends(shape, lanes, seat, met[h], won[h], values)
        for d in range(len(shape.decision) - 1, -1, -1):
            first, value = shape.decision[d, 2], values[shape.decision[d, 0]]
            value[:] = values[shape.edge[first, 1]]
            for e in range(first + 1, shape.decision[d, 3]):
                earned = values[shape.edge[e, 1]]
                if shape.decision[d, 1] == seat:
                    for s in range(len(value)):
                        value[s] = earned[s] if earned[s] > value[s] else value[s]
                else:
                    for s in range(len(value)):
                        value[s] += earned[s]
        line = q[h]
        nodes[0] = start[h]
        for e in range(len(shape.edge)):  # what is left of a node's range goes on to the next action
            end, above = shape.edge[e, 3], nodes[shape.edge[e, 0]]
            below = line[end] if end >= 0 else nodes[shape.edge[e, 1]]
            if shape.edge[e, 2] != seat:
                below[:] = above
                continue
            value, earned = values[shape.edge[e, 0]], values[shape.edge[e, 1]]
            for s in range(len(above)):
                below[s] = above[s] if earned[s] >= value[s] else np.float32(0.0)
            for s in range(len(above)):
                above[s] -= below[s]


@kernel
def learn(
    shape: Shape, lanes: Lanes, seat: Any, start: Any, bucket: Any, policy: Any, met: Any, won: Any, weight: Any,
    values: Any, nodes: Any, regret: Any, average: Any,
) -> None:  # fmt: skip
    """Add what ``seat``'s hands regret to ``regret`` and their policy, by the range that comes there, to ``average``.

    ``met`` and ``won`` (n, t, s) are against the other's best replies; both additions are times ``weight``.
    """
    for h in range(len(start)):
        chances, own = policy[h], bucket[h]
        put_ends(shape, lanes, seat, met[h], won[h], values)
        for d in range(len(shape.decision) - 1, -1, -1):
            first, last, value = shape.decision[d, 2], shape.decision[d, 3], values[shape.decision[d, 0]]
            if shape.decision[d, 1] != seat:  # the other's range is in the values
                value[:] = values[shape.edge[first, 1]]
                for e in range(first + 1, last):
                    earned = values[shape.edge[e, 1]]
                    for s in range(len(value)):
                        value[s] += earned[s]
                continue
            value[:] = 0.0
            for e in range(first, last):
                earned, chance = values[shape.edge[e, 1]], chances[shape.edge[e, 4]]
                for s in range(len(value)):
                    value[s] += earned[s] * chance[s]
            for s in range(len(value)):
                place = lanes.base[d, s] + own[s] * lanes.stride[s]
                for e in range(first, last):
                    regret[place + e - first] += weight * (values[shape.edge[e, 1], s] - value[s])
        nodes[0] = start[h]
        remember(shape, lanes, seat, own, chances, weight, nodes, average)


@kernel
def remember(
    shape: Shape, lanes: Lanes, seat: Any, own: Any, chances: Any, weight: Any, nodes: Any, average: Any
) -> None:
    """Take one hand of ``seat`` from the roots, ``nodes[0]`` (s,), down by its ``chances``, and add that to ``average``.

    ``own`` (s,) are its buckets; the additions are times ``weight``.
    """
    for e in range(len(shape.edge)):
        above, below = nodes[shape.edge[e, 0]], nodes[shape.edge[e, 1]]
        if shape.edge[e, 2] == seat:
            chance = chances[shape.edge[e, 4]]
            for s in range(len(above)):
                below[s] = above[s] * chance[s]
        else:
            below[:] = above
    for d in range(len(shape.decision)):
        if shape.decision[d, 1] == seat:
            first, last = shape.decision[d, 2], shape.decision[d, 3]
            for s in range(len(own)):
                place = lanes.base[d, s] + own[s] * lanes.stride[s]
                for e in range(first, last):
                    average[place + e - first] += weight * nodes[shape.edge[e, 1], s]


@kernel
def cfr_br(
    shape: Shape, lanes: Lanes, seat: Any, cards: Any, start: Any, bucket: Any, weight: Any, regret: Any, average: Any,
    room: Any,
) -> None:  # fmt: skip
    """Let ``seat`` learn against the other's best replies (Johanson et al. 2012).

    Args:
        cards: a, b and ends of :func:`cardai.poker.hands._range_kernels.sweep`.
        start: (2, n, s) both seats' ranges at the subtrees' roots; bucket: (n, s) the buckets of ``seat``'s hands.
        room: q, met, won (n, t, s), sums (2, 53, t * s), policy (n, actions, s), values and nodes (m, s), float32.
    """
    a, b, ends = cards
    q, met, won, sums, policy, values, nodes = room
    flat = (len(ends), sums.shape[2])
    match_hands(shape, lanes, seat, bucket, regret, policy)
    spread(shape, seat, start[seat], policy, nodes, q)
    sweep(a, b, ends, q.reshape(flat), sums, met.reshape(flat), won.reshape(flat))
    reply(shape, lanes, 1 - seat, start[1 - seat], met, won, values, nodes, q)
    sweep(a, b, ends, q.reshape(flat), sums, met.reshape(flat), won.reshape(flat))
    learn(shape, lanes, seat, start[seat], bucket, policy, met, won, weight, values, nodes, regret, average)


@kernel
def trunk(node: Any, child: Any, order: Any, slot: Any, buckets: Any, average: Any, reaches: Any) -> None:
    """Take both seats' ranges from the root down to the nodes ``order`` (k,), ascending, by the average policy.

    Args:
        node, child: those of ``Nodes``.
        slot: (N,) each node's place in ``order``, -1 for those that are not wanted.
        buckets: (3, n) the hands' buckets before the flop, on the flop and on the turn.
        average: (S,) weights.
        reaches: (k, 2, n) the ranges; every hand starts with 1.
    """
    n = buckets.shape[1]
    reaches[0] = 1.0
    for i in range(len(order)):
        at = order[i]
        street, seat = node[at, STREET], node[at, ACTOR]
        if node[at, KIND] != 0 or street >= len(buckets):
            continue
        count, base, stride = node[at, COUNT], node[at, BASE], node[at, STRIDE]
        for k in range(count):
            below = slot[child[at, k]]
            if below < 0:
                continue
            for h in range(n):
                place = base + buckets[street, h] * stride
                total = np.float32(0.0)
                for j in range(count):
                    total += average[place + j]
                chance = average[place + k] / total if total > 0.0 else np.float32(1.0) / np.float32(count)
                reaches[below, seat, h] = reaches[i, seat, h] * chance
                reaches[below, 1 - seat, h] = reaches[i, 1 - seat, h]
