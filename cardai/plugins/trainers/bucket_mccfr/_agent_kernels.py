"""Kernels of the players: what a table says of a hand in a bucket."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, COUNT, DECISION, KIND, STREET, STRIDE


@kernel
def write_policy(table: Any, place: Any, count: Any, purify: Any, out: Any) -> None:
    """Fill ``out`` (count,) with the probabilities of the ``count`` actions whose weights lie at ``table[place:]``.

    Weights below 0 count nothing; without any weight all are alike. ``purify``: the likeliest alone, the first of equals.
    """
    total, best = 0.0, 0
    for k in range(count):
        total += max(np.float64(table[place + k]), 0.0)
        if table[place + k] > table[place + best]:
            best = k
    for k in range(count):
        if total <= 0.0:
            out[k] = 1.0 / count
        elif purify:
            out[k] = 1.0 if k == best else 0.0
        else:
            out[k] = max(np.float64(table[place + k]), 0.0) / total


@kernel
def answer(tree: Any, nodes: Any, buckets: Any, table: Any, purify: Any, out: Any) -> None:
    """Fill ``out`` (n, A), zeros before, with the probabilities of the game's actions.

    ``tree`` is ``Nodes.node`` (N, 6) and the actions (N, A) behind each node's children; ``nodes`` and ``buckets`` (n,) say
    where each row is.
    """
    node, action = tree
    chances = np.empty(action.shape[1])
    for i in range(len(nodes)):
        at = nodes[i]
        write_policy(table, node[at, BASE] + buckets[i] * node[at, STRIDE], node[at, COUNT], purify, chances)
        for k in range(node[at, COUNT]):
            out[i, action[at, k]] = chances[k]


@kernel
def all_chances(node: Any, counts: Any, table: Any, purify: Any, out: Any) -> None:
    """Fill ``out`` (S,) with the probabilities that ``table`` (S,) means at all decision nodes, in the same places.

    ``counts`` (4,) are the numbers of buckets of the streets.
    """
    chances = np.empty(node[:, COUNT].max())
    for at in range(len(node)):
        if node[at, KIND] != DECISION:
            continue
        for bucket in range(counts[node[at, STREET]]):
            place = node[at, BASE] + bucket * node[at, STRIDE]
            write_policy(table, place, node[at, COUNT], purify, chances)
            for k in range(node[at, COUNT]):
                out[place + k] = chances[k]


@kernel
def answer_ranges(node: Any, nodes: Any, buckets: Any, chances: Any, out: Any) -> None:
    """Fill ``out`` (rows, 1326): a row an action of each of ``nodes`` (m,), with the probability of every hand.

    ``buckets`` (m, 1326) are the hands' buckets at each node, ``chances`` what :func:`all_chances` gave.
    """
    row = 0
    for i in range(len(nodes)):
        at = nodes[i]
        base, stride = node[at, BASE], node[at, STRIDE]
        for k in range(node[at, COUNT]):
            for h in range(buckets.shape[1]):
                out[row, h] = chances[base + k + buckets[i, h] * stride]
            row += 1
