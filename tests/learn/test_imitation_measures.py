from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cardai.core.fields import empty_views
from cardai.learn.imitation.examples import Examples
from cardai.learn.imitation.measures import (
    brier,
    by_class,
    by_features,
    by_group,
    ceiling,
    divergences,
    half_width,
    scores,
)

PROBABILITIES = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.5, 0.3], [0.0, 0.5, 0.5]])
LABELS = np.array([0, 1, 2, 1])


def examples(views: Any, labels: list[int], legal: Any = None) -> Examples:
    n = len(labels)
    whole = {name: np.zeros(n, np.int64) for name in ("action", "hand", "player", "later", "deal")}
    allowed = np.ones((n, 3), bool) if legal is None else np.array(legal, bool)
    values: dict[str, Any] = {
        "label": np.array(labels),
        "legal": allowed,
        "value": np.zeros(n),
        "test": np.zeros(n, bool),
    }
    return Examples(views, **whole, **values)


def holdem(n: int, **fields: Any) -> Any:
    from cardai import make

    views = empty_views(make.game("holdem_limit").view_fields, n)
    for name, value in fields.items():
        views[name] = value
    return views


def test_scores_are_those_counted_by_hand() -> None:
    found = scores(PROBABILITIES, LABELS)  # guesses 0, 1, 1, 1: three right
    assert (found.count, found.accuracy) == (4, 0.75)
    assert found.macro_f1 == pytest.approx((1.0 + 2 * 2 / (2 + 3) + 0.0) / 3)
    assert found.log_loss == pytest.approx(-(math.log(0.7) + math.log(0.6) + math.log(0.3) + math.log(0.5)) / 4)


def test_the_ceiling_is_the_mean_largest_chance_and_no_player_diverges_from_itself() -> None:
    assert ceiling(PROBABILITIES) == pytest.approx((0.7 + 0.6 + 0.5 + 0.5) / 4)
    assert divergences(PROBABILITIES, PROBABILITIES).tolist() == [0.0] * 4
    other = np.full((4, 3), 1 / 3)
    expected = sum(p * math.log(3 * p) for row in PROBABILITIES for p in row if p) / 4
    assert divergences(PROBABILITIES, other).mean() == pytest.approx(expected)


def test_an_interval_is_of_hands_since_the_decisions_of_one_hang_together() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=400)
    alone = half_width(values, np.arange(400))
    assert alone == pytest.approx(1.96 * values.std() / 20, rel=1e-4)
    # every value four times in one hand says no more than once
    assert half_width(np.repeat(values, 4), np.repeat(np.arange(400), 4)) == pytest.approx(alone)
    found = scores(np.repeat(PROBABILITIES, 2, axis=0), np.repeat(LABELS, 2), np.repeat(np.arange(4), 2))
    once = scores(PROBABILITIES, LABELS)
    assert found.accuracy_half_width == pytest.approx(1.96 * (0.75 * 0.25 / 4) ** 0.5, rel=1e-4)
    assert (found.accuracy_half_width, found.log_loss_half_width) == pytest.approx(
        (once.accuracy_half_width, once.log_loss_half_width)
    )


def test_briers_score_of_a_certain_mistake_is_two() -> None:
    assert brier(np.array([[1.0, 0.0, 0.0]]), np.array([1])) == 2.0
    assert brier(np.array([[0.5, 0.5, 0.0]]), np.array([0])) == 0.5


def test_plain_guesses_are_shares_over_what_is_legal() -> None:
    train = examples(holdem(4), [0, 1, 1, 2])
    test = examples(holdem(2), [1, 1], [[True, True, True], [False, True, True]])
    found = by_class(train, test)
    assert found[0] == pytest.approx([0.25, 0.5, 0.25], abs=1e-3)
    assert found[1] == pytest.approx([0.0, 2 / 3, 1 / 3], abs=1e-3)


def test_a_guess_by_groups_is_the_share_of_the_same_group() -> None:
    train, test = examples(holdem(4), [0, 0, 1, 2]), examples(holdem(2), [0, 0], [[True] * 3, [False, True, True]])
    found = by_group(train, np.array([0, 0, 1, 1]), test, np.array([0, 1]))
    assert found[0] == pytest.approx([1.0, 0.0, 0.0], abs=2e-3)
    assert found[1] == pytest.approx([0.0, 0.5, 0.5], abs=1e-3)


def test_a_regression_finds_who_bets_by_its_features() -> None:
    x = np.column_stack([np.ones(40), np.tile([1.0, -1.0], 20)])
    data = examples(holdem(40), [2, 1] * 20)
    given = by_features(data, x, data, x)
    assert given.argmax(axis=1).tolist() == [2, 1] * 20
    assert (given.max(axis=1) > 0.8).all()
