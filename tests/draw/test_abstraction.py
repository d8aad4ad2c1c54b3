"""Abstract actions: how many cards to keep, and which cards those become."""

from __future__ import annotations

import numpy as np

import cardai
from cardai.core.fields import empty_views
from cardai.draw.abstraction import DrawCountAbstraction
from cardai.learn.abstraction import ActionAbstraction


def views_of_draws(count: int) -> np.ndarray:
    views = empty_views(cardai.game("triple_draw").view_fields, count)
    rng = np.random.default_rng(1)
    views["hand"] = np.argsort(rng.random((count, 52)), axis=1)[:, :5]
    return views


def test_a_number_of_cards_becomes_the_best_discard_of_that_size() -> None:
    worth = np.random.default_rng(2).random((40, 32))
    abstraction = DrawCountAbstraction(lambda views: worth[: len(views)])
    views = views_of_draws(40)
    chosen = np.arange(40) % 9
    actions = abstraction.concrete(views, np.where(chosen < 3, 3, chosen))
    for row, action in enumerate(actions):
        size = max(chosen[row], 3) - 3
        holds = [hold for hold in range(32) if hold.bit_count() == size]
        assert 31 - (action - 3) == max(holds, key=lambda hold: worth[row, hold])
    assert np.array_equal(abstraction.abstract(actions), np.where(chosen < 3, 3, chosen))
    assert abstraction.abstract(np.array([0, 2, 3, 34])).tolist() == [
        0,
        2,
        8,
        3,
    ]  # no discard keeps five, all keep none


def test_probabilities_go_to_the_actions() -> None:
    abstraction = DrawCountAbstraction(lambda views: np.tile(np.arange(32.0), (len(views), 1)))
    views = views_of_draws(2)
    legal = np.zeros((2, 35), bool)
    legal[0, :3] = legal[1, 3:] = True
    offered = abstraction.legal(legal)
    assert offered[0].tolist() == [True] * 3 + [False] * 6
    assert offered[1].tolist() == [False] * 3 + [True] * 6
    assert np.array_equal(abstraction.same_kind(offered), offered)
    spread = abstraction.concrete_policy(views, offered / offered.sum(axis=1, keepdims=True), legal)
    assert np.allclose(spread.sum(axis=1), 1)
    assert np.allclose(spread[1, 3], 1 / 6)  # stand pat
    assert (spread[~legal] == 0).all()
    assert np.array_equal(ActionAbstraction(3).concrete_policy(views, spread[:, :3], legal[:, :3]), spread[:, :3])


def test_values_of_numbers_of_cards_are_those_of_the_best_discards() -> None:
    abstraction = DrawCountAbstraction(lambda views: np.tile(np.arange(32.0), (len(views), 1)))
    views = views_of_draws(2)
    legal = np.zeros((2, 35), bool)
    legal[0, :3] = legal[1, 3:] = True
    values = np.where(abstraction.legal(legal), np.arange(18.0).reshape(2, 9), np.nan)
    told = abstraction.concrete_values(views, values, legal)
    assert told[0, :3].tolist() == [0, 1, 2]
    assert np.isnan(told[0, 3:]).all()
    best = abstraction.best_holds(views)[0][1]
    assert told[1, best].tolist() == [12, 13, 14, 15, 16, 17]
    assert np.isnan(np.delete(told[1], best)).all()
