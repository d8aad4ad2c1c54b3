"""Kernels of the players: which bucket a hand is in, and what a table says there."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards.poker._boards_kernels import board_index
from cardai.core.kernel import kernel
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, COUNT, DECISION, KIND, STREET, STRIDE, pair_number


@kernel
def find_buckets(cards: Any, streets: Any, hole: Any, board: Any, out: Any) -> None:
    """Fill ``out`` (n,) int64 with the buckets of hands.

    Args:
        cards: tables, classes, renamings and hand maps, as in ``Cards``.
        streets: (n,) 0 to 3.
        hole, board: (n, 2) and (n, 5) cards, -1 where not dealt. Hands that share cards with the board get some bucket.
    """
    tables, classes, renamings, hand_maps = cards
    previous, number, renaming = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(len(streets)):
        street = streets[i]
        hand = pair_number(np.int64(hole[i, 0]), np.int64(hole[i, 1]))
        if street == 0:
            out[i] = tables[0][0, hand]
            continue
        key = np.int64(street)
        for k in range(street + 2):
            key = key * 64 + np.int64(board[i, k])
        if key != previous:  # whole ranges are asked on one board
            index = board_index(board[i], street + 2)
            number, renaming = np.int64(classes[street - 1][index]), np.int64(renamings[street - 1][index])
            previous = key
        out[i] = tables[street][number, hand_maps[renaming, hand]]


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
