"""Fictitious play over the whole tree: the paper's pace, and best responses that are best."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.registry import create
from cardai.solve.measures import measure_plan


def test_leduc_falls_as_published() -> None:
    # Heinrich and Silver 2016, figure 1, read off by a third party: NashConv 0.112 after 1,063 iterations
    training = create("trainer", "xfp").start(cardai.game("leduc"), None, 0)
    training.iterate(1_063)
    assert 2 * training.metrics()["exploitability"] == pytest.approx(0.112, abs=0.02)


def test_kuhn_is_solved() -> None:
    training = create("trainer", "xfp").start(cardai.game("kuhn"), None, 0)
    training.iterate(20_000)
    assert training.metrics()["exploitability"] < 2e-3
    assert training.metrics()["value"] == pytest.approx(-1 / 18, abs=2e-3)


def test_responses_earn_the_best_responses_value() -> None:
    training = create("trainer", "xfp").start(cardai.game("leduc"), None, 0)
    training.iterate(10)
    before = training.arrays["average"].copy()
    best = measure_plan(training.form, before).best_response
    training.step = 10
    training.iterate(1)
    for player in range(2):
        own = slice(*training.form.sequence_start[player : player + 2])
        mixed = before.copy()
        mixed[own] = training.arrays["response"][own]
        assert measure_plan(training.form, mixed).expected[player] == pytest.approx(best[player], abs=1e-12)


def test_the_average_stays_a_plan() -> None:
    training = create("trainer", "xfp:gamma=1").start(cardai.game("leduc"), None, 0)
    training.iterate(50)
    form, plan = training.form, training.arrays["average"]
    for i, (first, end) in enumerate(zip(form.first, form.end, strict=True)):
        assert plan[first:end].sum() == pytest.approx(plan[form.parent[i]], abs=1e-12)


@pytest.mark.parametrize(("gamma", "weights"), [(0, [1, 1, 1, 1]), (1, [1, 2, 3, 4])])
def test_the_average_weighs_the_first_plan_and_all_responses_as_it_says(gamma: int, weights: list[float]) -> None:
    # the step is (gamma + 1) / (gamma + 1 + j): of j + 1 plans the last has that share, 1 / (j + 1) where gamma is 0
    training = create("trainer", f"xfp:gamma={gamma}").start(cardai.game("kuhn"), None, 0)
    plans = [training.arrays["average"].copy()]
    for step in range(3):
        training.iterate(1)
        training.step = step + 1
        plans.append(training.arrays["response"].copy())
    if gamma == 1:  # 2 / 3, 2 / 4, 2 / 5: of plan 0 is left 1/3 1/2 3/5, of the next 2/3 1/2 3/5, ...
        shares = np.array([1 / 10, 2 / 10, 3 / 10, 4 / 10])
    else:
        shares = np.array([1 / 4] * 4)
    assert shares * sum(weights) == pytest.approx(weights)
    assert training.arrays["average"] == pytest.approx(shares @ np.array(plans), abs=1e-12)
