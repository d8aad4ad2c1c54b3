"""Plain guesses in betting games: by street and bet, and by strength and price."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.poker.guesses import by_cuts, by_situation, by_strength
from cardai.poker.hands.strength import win_rates
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


def test_two_cuts_find_who_decides_by_strength_in_every_situation() -> None:
    rng, board = np.random.default_rng(2), [12, 24, 5, 19, 7]
    rest = [card for card in range(52) if card not in board]
    hole = np.array([rng.permutation(rest)[:2] for _ in range(400)])
    to_call = np.array([0, 20] * 200)
    views = holdem(400, hole=hole, board=board, round=3, pot=40, to_call=to_call)
    strength = win_rates(views["hole"], views["board"], 200)
    low, high = np.where(to_call > 0, 0.5, 0.0), np.where(to_call > 0, 0.9, 0.6)
    labels = ((strength >= low).astype(int) + (strength >= high)).tolist()
    train, test = np.arange(400) < 300, np.arange(400) >= 300
    whole = examples(views, labels)
    given, situations = by_cuts(whole.take(train), whole.take(test))
    assert situations == 2
    assert (given.argmax(axis=1) == np.array(labels)[test]).mean() > 0.97
    assert given.sum(axis=1) == pytest.approx(1.0)


def test_cuts_of_a_situation_that_was_not_seen_are_those_of_all() -> None:
    strong, weak, board = [51, 50], [13 * 1 + 0, 13 * 2 + 1], [12, 24, 5, 19, 7]
    views = holdem(8, hole=np.array([strong, weak] * 4), board=board, round=3, pot=40)
    labels = [2, 1] * 4
    other = holdem(8, hole=np.array([strong, weak] * 4), board=board, round=3, pot=60, to_call=20)
    given, _ = by_cuts(examples(views, labels), examples(other, labels))
    assert given.argmax(axis=1).tolist() == labels
