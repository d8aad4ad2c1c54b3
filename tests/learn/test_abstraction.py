"""Abstract actions: how many cards to keep, and which cards those become."""

from __future__ import annotations

import numpy as np

import cardai
from cardai.core.fields import empty_views
from cardai.learn.abstraction import ActionAbstraction, DrawCountAbstraction
from cardai.learn.views import canonical_form


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


def test_views_up_to_suits_show_own_cards_and_board_under_one_renaming() -> None:
    game = cardai.game("holdem_limit")
    views = empty_views(game.view_fields, 50)
    cards = np.argsort(np.random.default_rng(3).random((50, 52)), axis=1)[:, :7]
    views["hole"], views["board"] = cards[:, :2], np.where(np.arange(5) < 4, cards[:, 2:], -1)
    other = views.copy()
    renaming = np.array([2, 0, 3, 1])
    other["hole"] = (renaming[views["hole"] // 13] * 13 + views["hole"] % 13)[:, ::-1]
    renamed = renaming[views["board"] // 13] * 13 + views["board"] % 13
    renamed = np.where(views["board"] < 0, -1, renamed)
    other["board"] = renamed[:, [2, 0, 1, 3, 4]]  # the flop has no order, turn and river have
    shown = canonical_form(game)
    first, second = shown(views)[0], shown(other)[0]
    assert np.array_equal(first["hole"], second["hole"])
    assert np.array_equal(first["board"], second["board"])
    assert np.array_equal(first["board"][:, 3] % 13, views["board"][:, 3] % 13)
    assert (first["board"][:, 4] == -1).all()


def test_discards_are_renamed_with_the_hand() -> None:
    views = views_of_draws(20)
    views["discarded"] = np.uint64(1) << np.uint64(51)
    shown, order = canonical_form(cardai.game("triple_draw"))(views)
    assert order is not None
    for row in range(20):
        new_suit = {int(views["hand"][row, order[row, k]]) // 13: int(shown["hand"][row, k]) // 13 for k in range(5)}
        bit = int(shown["discarded"][row]).bit_length() - 1
        assert bit % 13 == 12
        assert bit // 13 == new_suit.get(3, bit // 13)


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
