"""What may become of hands, against playing every end out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.buckets import _kernels as _buckets_kernels
from cardai.poker.buckets.tables import BucketOptions, Buckets
from cardai.poker.hands import _potential_kernels
from cardai.poker.hands.boards import boards, hand_maps
from cardai.poker.hands.combos import COUNT, pair_index, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.hands.strength import win_rates

BINS = 25


def dealt(text: str) -> np.ndarray:
    out = np.full((1, 5), -1, np.int8)
    cards = parse_cards(text)
    out[0, : len(cards)] = cards
    return out


@pytest.mark.parametrize("board", ["9h8h2c7d3s", "9h8h2c7d", "9h8h2c"])
def test_all_ends_of_a_hand_are_counted_by_its_strength_there(board: str) -> None:
    cards, hole = parse_cards(board), parse_cards("ThJh")
    river, rest = boards(5), [card for card in range(52) if card not in {*cards, *hole}]
    ends = [[*cards, *more] for more in itertools.combinations(rest, 5 - len(cards))]
    known = np.zeros((len(river.cards), COUNT), np.uint16)  # filled where this board can lead, to keep the test quick
    classes = sorted({river.find(end)[0] for end in ends})
    some = np.empty((len(classes), COUNT), np.uint16)
    _buckets_kernels.strengths(river.cards[classes], pairs(), batch_tables(7), some)
    known[classes] = some
    out = np.zeros((1, BINS), np.int64)
    tables = known, 1980, river.class_of, river.renaming_of, hand_maps()
    _potential_kernels.count_ends(tables, np.array([hole], np.int8), dealt(board), np.empty(5, np.int64), out)
    wins = win_rates(np.tile(np.array(hole), (len(ends), 1)), np.array(ends))  # exact on the river
    expected = np.bincount(np.rint(1980 * wins).astype(int) * BINS // 1981, minlength=BINS)
    assert len(ends) == {5: 1, 4: 46, 3: 1081}[len(cards)]
    assert out[0].tolist() == expected.tolist()


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
