"""Plain guesses in betting games: by street and bet, and by strength and price."""

from __future__ import annotations

import numpy as np

from cardai.poker.guesses import by_situation, by_strength
from tests.learn.test_imitation_measures import examples, holdem


def test_a_situation_is_a_street_and_whether_there_is_a_bet() -> None:
    views = holdem(4, round=[0, 0, 1, 1], to_call=[0, 10, 0, 10])
    labels = [2, 0, 1, 2]
    found = by_situation(examples(views, labels), examples(views, labels))
    assert found.argmax(axis=1).tolist() == labels


def test_the_regression_finds_who_bets_by_strength() -> None:
    # river hands: two pair of aces and kings or seven high; who has the first bets
    strong, weak, board = [51, 50], [13 * 1 + 0, 13 * 2 + 1], [12, 24, 5, 19, 7]
    hole = np.array([strong, weak] * 20)
    views = holdem(40, hole=hole, board=board, round=3, pot=40)
    labels = [2, 1] * 20
    given = by_strength(examples(views, labels), examples(views, labels))
    assert given.argmax(axis=1).tolist() == labels
    assert (given.max(axis=1) > 0.8).all()
