"""Intervals: against closed forms and by their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardai.core.statistics import group_sums, mean, ratio, student_t, wilson


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    # two-sided 95% points of Student's t, from the usual tables
    [(4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984), (10**6, 1.960)],
)
def test_student_t(degrees: int, quantile: float) -> None:
    assert student_t(degrees) == pytest.approx(quantile, abs=0.01)


def test_the_mean_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for sample in rng.normal(3, 2, size=(2000, 12)):
        estimate = mean(sample)
        inside += estimate.low <= 3 <= estimate.high
    assert 0.935 < inside / 2000 < 0.965


def test_few_values_have_no_interval() -> None:
    assert math.isnan(mean(np.array([])).mean)
    alone = mean(np.array([2.0]))
    assert alone.mean == 2
    assert math.isnan(alone.half_width)
    assert alone.text(1, "%") == "2.0 ± ? %"


def test_a_ratio_weighs_groups_by_their_size() -> None:
    estimate = ratio(np.array([10.0, 0.0]), np.array([5.0, 20.0]))
    assert estimate.mean == pytest.approx(0.4)
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(1000):
        sizes = rng.integers(1, 20, 60).astype(float)
        estimate = ratio(rng.normal(1.5 * sizes, np.sqrt(sizes)), sizes)
        inside += estimate.low <= 1.5 <= estimate.high
    assert 0.93 < inside / 1000 < 0.97


def test_wilson_against_a_published_example() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_group_sums_follow_the_groups() -> None:
    assert list(group_sums(np.array([7, 3, 7, 3]), np.array([1.0, 2.0, 3.0, 4.0]))) == [6.0, 4.0]
