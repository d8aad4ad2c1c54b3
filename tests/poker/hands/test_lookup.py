"""Buckets of many hands at once."""

from __future__ import annotations

import numpy as np

from cardai.poker.buckets.tables import BucketOptions, Buckets
from cardai.poker.hands.boards import boards
from cardai.poker.hands.combos import COUNT, pair_index


def test_buckets_of_many_hands_are_those_of_one_board_at_a_time() -> None:
    rng = np.random.default_rng(4)
    tables = tuple(rng.integers(0, 500, (len(boards(size).cards), COUNT)).astype(np.uint16) for size in (0, 3, 4))
    made = Buckets(BucketOptions(), (169, 500, 500, 500), tables)
    decks = np.array([rng.permutation(52)[:7] for _ in range(60)], np.int8)
    board = decks[:, 2:].copy()
    sizes = np.repeat([0, 3, 4], 20)
    board[np.arange(5) >= sizes[:, None]] = -1
    board[21:24], decks[21:24, :2] = board[20], [[51, 3], [0, 30], [17, 5]]  # hands that follow on one board
    hands = pair_index(decks[:, 0], decks[:, 1])
    expected = [int(made.of(row[row >= 0].tolist(), [hand])[0]) for row, hand in zip(board, hands, strict=True)]
    assert made.of_hands(decks[:, :2], board).tolist() == expected
