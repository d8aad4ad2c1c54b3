"""What hands win from ranges: sweeps against adding up every pair."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import river_strengths

MEET = ~(pairs()[:, None, :, None] == pairs()[None, :, None, :]).any(axis=(2, 3))


@pytest.mark.parametrize("board", ["2c2d2h2sAs", "KdQsJh4c3c", "TsJsQsKsAs"])
def test_sweeps_are_sums_over_all_pairs_that_can_meet(board):
    cards = parse_cards(board)
    ranks, hands = river_strengths(cards), board_hands(cards)
    weights = np.where(ranks >= 0, np.random.default_rng(1).random(COUNT), 0.0)
    open_hands = ranks >= 0
    sign = np.sign(ranks[:, None] - ranks[None, :])
    fold, showdown = (MEET * weights).sum(axis=1), (MEET * sign * weights).sum(axis=1)
    assert hands.fold(weights, 3.0)[open_hands] == pytest.approx(3 * fold[open_hands], abs=1e-9)
    assert hands.showdown(weights, 3.0)[open_hands] == pytest.approx(3 * showdown[open_hands], abs=1e-9)
    assert not hands.fold(weights)[~open_hands].any()
    assert not hands.showdown(weights)[~open_hands].any()


def test_hands_of_a_whole_board_are_in_order_of_strength():
    cards = parse_cards("KdQsJh4c3c")
    hands, ranks = board_hands(cards), river_strengths(cards)
    ordered = ranks[hands.hands]
    assert len(hands.hands) == 1081
    assert (np.diff(ordered) >= 0).all()
    assert all(ordered[end - 1] == ordered[k] for k, end in enumerate(hands.ends))
    assert all(end == 1081 or ordered[end] > ordered[k] for k, end in enumerate(hands.ends))


def test_before_the_river_every_open_hand_is_there():
    hands = board_hands(parse_cards("Kd7s2c"))
    assert len(hands.hands) == 1176
    assert len(board_hands(()).hands) == COUNT
