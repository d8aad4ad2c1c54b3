"""The kernel of the player of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards.poker._boards_kernels import board_index
from cardai.core.kernel import kernel
from cardai.plugins.trainers.bucket_mccfr._kernels import BASE, COUNT, STREET, STRIDE, pair_number


@kernel
def answer(tree: Any, cards: Any, nodes: Any, hole: Any, board: Any, table: Any, purify: Any, out: Any) -> None:
    """Fill ``out`` (n, A), zeros before, with the probabilities of actions.

    Args:
        tree: ``Nodes.node`` (N, 6) and the game's actions (N, A) behind each node's children.
        cards: tables, classes, renamings and hand maps, as in ``Cards``.
        nodes: (n,) decision nodes.
        hole, board: (n, 2) and (n, 5) cards, -1 where not dealt. Hands that share cards with the board get some answer.
        table: (S,) float32 weights; what is not positive counts nothing.
        purify: play the likeliest action alone (the first of equals).
    """
    node, action = tree
    tables, classes, renamings, hand_maps = cards
    previous, number, renaming = np.int64(-1), np.int64(0), np.int64(0)
    for i in range(len(nodes)):
        at = nodes[i]
        street, count = node[at, STREET], node[at, COUNT]
        hand = pair_number(np.int64(hole[i, 0]), np.int64(hole[i, 1]))
        bucket = np.int64(0)
        if street == 0:
            bucket = np.int64(tables[0][0, hand])
        else:
            key = np.int64(street)
            for k in range(street + 2):
                key = key * 64 + np.int64(board[i, k])
            if key != previous:  # whole ranges are asked on one board
                index = board_index(board[i], street + 2)
                if street == 1:
                    number, renaming = np.int64(classes[0][index]), np.int64(renamings[0][index])
                elif street == 2:
                    number, renaming = np.int64(classes[1][index]), np.int64(renamings[1][index])
                else:
                    number, renaming = np.int64(classes[2][index]), np.int64(renamings[2][index])
                previous = key
            name = hand_maps[renaming, hand]
            if street == 1:
                bucket = np.int64(tables[1][number, name])
            elif street == 2:
                bucket = np.int64(tables[2][number, name])
            else:
                bucket = np.int64(tables[3][number, name])
        place = node[at, BASE] + bucket * node[at, STRIDE]
        total, best = 0.0, 0
        for k in range(count):
            total += max(np.float64(table[place + k]), 0.0)
            if table[place + k] > table[place + best]:
                best = k
        for k in range(count):
            if total <= 0.0:
                out[i, action[at, k]] = 1.0 / count
            elif purify:
                out[i, action[at, k]] = 1.0 if k == best else 0.0
            else:
                out[i, action[at, k]] = max(np.float64(table[place + k]), 0.0) / total


@kernel
def answer_ranges(node: Any, nodes: Any, buckets: Any, table: Any, purify: Any, out: Any) -> None:
    """Fill ``out`` (rows, 1326) float64: a row an action of each of ``nodes`` (m,), the probability of every hand.

    ``node`` is ``Nodes.node``, ``buckets`` (1326,) the hands' buckets on the board.
    """
    row = 0
    for i in range(len(nodes)):
        at = nodes[i]
        count = node[at, COUNT]
        for h in range(len(buckets)):
            place = node[at, BASE] + buckets[h] * node[at, STRIDE]
            total, best = 0.0, 0
            for k in range(count):
                total += max(np.float64(table[place + k]), 0.0)
                if table[place + k] > table[place + best]:
                    best = k
            for k in range(count):
                if total <= 0.0:
                    out[row + k, h] = 1.0 / count
                elif purify:
                    out[row + k, h] = 1.0 if k == best else 0.0
                else:
                    out[row + k, h] = max(np.float64(table[place + k]), 0.0) / total
        row += count
