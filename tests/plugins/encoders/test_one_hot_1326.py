"""Hands as one of 1,326, ranges, and the board."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.fields import empty_views
from cardai.poker.hands.combos import COUNT, pair_index, pairs


def test_pairs_and_indices_are_inverse() -> None:
    hands = pairs()
    assert hands.shape == (COUNT, 2)
    assert np.array_equal(pair_index(hands[:, 0], hands[:, 1]), np.arange(COUNT))
    assert np.array_equal(pair_index(hands[:, 1], hands[:, 0]), np.arange(COUNT))
    assert list(pair_index(np.array([-1, 3]), np.array([4, 3]))) == [-1, -1]


def test_hand_range_and_board_have_their_slices() -> None:
    game = cardai.game("holdem_limit")
    layout: Any = cardai.encoder("one_hot_1326").for_game(game)
    views = empty_views(game.view_fields, 1)
    views["hole"] = [[51, 0]]
    views["board"][0, :3] = [1, 2, 3]
    code = layout.encode(views)
    assert code.shape == (1, 2 * COUNT + 52)
    assert code[0, :COUNT].sum() == 1
    assert code[0, pair_index(np.array([0]), np.array([51]))[0]] == 1
    spread = code[0, COUNT : 2 * COUNT]
    assert spread.sum() == pytest.approx(1, abs=1e-5)
    assert (spread > 0).sum() == 47 * 46 // 2  # five cards are known
    decoded = layout.decode(code[0])
    assert decoded["hole"] == [0, 51]
    assert decoded["board"] == [1, 2, 3]
    other = np.zeros((1, COUNT))
    other[0, 7] = 1
    assert layout.with_ranges(code, other)[0, COUNT + 7] == 1
    with pytest.raises(ValueError, match="ranges must have shape"):
        layout.with_ranges(code, other[:, :5])


def test_other_games_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"shows two hole cards of 52\. The views of Leduc hold others"):
        cardai.encoder("one_hot_1326").for_game(cardai.game("leduc"))
    with pytest.raises(UsageError, match="TripleDraw hold others"):
        cardai.encoder("one_hot_1326").for_game(cardai.game("triple_draw"))
    with pytest.raises(UsageError, match=r"family 'poker'\. Gin speaks 'gin'"):
        cardai.encoder("one_hot_1326").for_game(cardai.game("gin"))
