"""Boards in strata and the bootstrap: unbiased, and covering what they say."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.arena.bootstrap import bootstrap, cautious
from cardai.arena.statistics import mean
from cardai.poker.hands.boards import boards
from cardai.poker.responses.board_sample import sample_boards


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_a_stratum_has_its_share_of_the_boards(cards):
    found = sample_boards(cards, 2000, 1)
    assert all(len(set(board)) == cards for board in found.boards.tolist())
    assert found.boards.min() >= 0
    assert found.boards.max() <= 51
    suits = (found.boards // 13 == found.boards[:, :1] // 13).all(axis=1).mean()
    exact = {3: 22 / 425, 4: 44 / 4165, 5: 33 / 16660}[cards]  # all of one suit
    assert suits == pytest.approx(exact, abs=1.01 / 2000)


@pytest.mark.long
def test_each_board_is_as_likely_as_it_is_dealt():
    known = boards(3)
    seen = np.zeros(len(known.cards))
    for seed in range(400):
        for board in sample_boards(3, 50, seed).boards.tolist():
            seen[known.find(board)[0]] += 1
    expected = known.weights / known.weights.sum() * 20_000
    z = (seen - expected) / np.sqrt(expected)
    assert np.abs(z).max() < 5
    assert 0.5 < z.var() < 1.5  # Poisson's would be 1


def test_suits_are_drawn_at_random_and_all_follows_from_the_seed():
    first = sample_boards(4, 1000, 3).boards
    assert np.array_equal(first, sample_boards(4, 1000, 3).boards)
    assert not np.array_equal(first, sample_boards(4, 1000, 4).boards)
    shares = np.bincount((first // 13).ravel(), minlength=4) / first.size
    assert np.abs(shares - 0.25).max() < 0.05


def test_the_interval_covers_a_skewed_mean_and_is_longer_on_the_long_side():
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], 15)
    inside, longer = 0, 0
    for k in range(200):
        found = bootstrap(rng.exponential(size=30), strata, k)
        inside += found.low <= 1.0 <= found.high
        longer += found.high - found.mean > found.mean - found.low
    assert inside >= 184  # 190 expected, standard deviation 3.1; the plain interval of normal errors covers 92 %
    assert longer > 190


def test_differences_between_strata_do_not_widen_the_interval():
    rng = np.random.default_rng(1)
    strata = np.repeat([0, 1], 20)
    values = rng.normal(size=40) + 100 * strata
    inside = bootstrap(values, strata, 0)
    assert inside.high - inside.low < 1.0
    assert bootstrap(values, np.zeros(40, int), 0).high - inside.mean > 10


def test_few_or_equal_values_have_no_interval_or_none_to_speak_of():
    assert np.isnan(bootstrap(np.ones(1), np.zeros(1, int), 0).low)
    assert bootstrap(np.full(9, 2.5), np.arange(9), 0).low == 2.5


def test_four_boards_have_no_interval_and_five_have_one_of_their_size():
    values = np.array([700.0, 760.1, 790.2, 710.3, 805.4])
    assert np.isnan(bootstrap(values[:4], np.zeros(4, np.int64), 0).high)
    for seed in range(20):
        found = bootstrap(values, np.zeros(5, np.int64), seed)
        assert 0 < found.low < found.mean < found.high < 2000


def test_the_cautious_interval_is_the_longer_of_two_on_either_side():
    rng = np.random.default_rng(3)
    for values in (rng.normal(size=40), rng.lognormal(sigma=1.5, size=40), -rng.lognormal(sigma=1.5, size=40)):
        student, boot, both = mean(values), bootstrap(values, None, 1), cautious(values, 1)
        assert (both.low, both.high) == (min(student.low, boot.low), max(student.high, boot.high))
        assert both.mean == pytest.approx(values.mean())
    assert cautious(rng.lognormal(sigma=1.5, size=40), 1).high - both.mean > 0
    assert cautious(np.arange(3.0), 1).low == pytest.approx(mean(np.arange(3.0)).low)  # too few for the bootstrap


def test_the_bootstrap_is_the_same_however_many_values_are_drawn_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    values, strata = np.random.default_rng(4).normal(size=40) ** 3, np.arange(40) % 3
    whole = bootstrap(values, strata, 5)
    for at_once in (1, 100):
        monkeypatch.setattr("cardai.arena.bootstrap._AT_ONCE", at_once)
        assert bootstrap(values, strata, 5) == whole
