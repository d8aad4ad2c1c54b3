"""Intervals: against closed forms and by their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardai.arena.statistics import Estimate, group_sums, mean, rate, ratio, student_t, wilson


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    # two-sided 95% points of Student's t, from the usual tables
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (99, 1.984), (10**6, 1.960)],
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


def test_winning_every_game_does_not_mean_certainty() -> None:
    assert rate(np.ones(20)).half_width == pytest.approx(0.1611, abs=1e-4)  # Newcombe's 0 of 20, mirrored
    assert rate(np.full(20, 0.5)).half_width == 0  # a player against its clone on duplicate deals


def test_an_unknown_half_width_reads_as_a_question_mark() -> None:
    assert Estimate(1000.0, math.nan, 1).text(1, sign=True) == "+1000.0 ± ?"
    assert Estimate(-2.5, 0.25, 9).text(2, "chips", sign=True) == "-2.50 ± 0.25 chips"


def test_the_intervals_of_ten_numbers_are_those_of_the_textbook() -> None:
    # 0 to 9: the sample's standard deviation is sqrt(82.5 / 9), Student's t with 9 degrees of freedom 2.262
    estimate = mean(np.arange(10.0))
    assert (estimate.mean, estimate.count) == (4.5, 10)
    assert estimate.half_width == pytest.approx(2.262157 * math.sqrt(82.5 / 9) / math.sqrt(10), rel=1e-3)
    # of equal denominators a ratio is a mean; of others its residuals count: 1 2 3 4 over 1 1 2 4 is 10 / 8
    assert ratio(np.arange(10.0), np.ones(10)).half_width == pytest.approx(estimate.half_width)
    residual = np.array([1.0, 2.0, 3.0, 4.0]) - 1.25 * np.array([1.0, 1.0, 2.0, 4.0])
    unequal = ratio(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 2.0, 4.0]))
    assert unequal.mean == 1.25
    assert unequal.half_width == pytest.approx(student_t(3) * math.sqrt((residual**2).sum() / 3) * 2 / 8)


def test_losing_every_game_is_no_more_certain_than_winning_every_game() -> None:
    for share in (0.0, 1.0):
        estimate = rate(np.full(20, share))
        assert (estimate.mean, estimate.count) == (share, 20)
        assert estimate.half_width == pytest.approx(0.1611, abs=1e-4)  # Newcombe's 0 of 20
