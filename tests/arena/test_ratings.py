"""Ratings: Elo against closed forms and simulation, alpha-rank against OpenSpiel's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.arena.ratings import SCALE, alpha_rank, elo, expected_share, ratings, stationary
from cardai.arena.tournament import Pairing, Standings


def matrix(*rows: list[float]) -> Any:
    return np.array(rows, float)


def pairing(wins: Any, returns: Any = None) -> Pairing:
    count = len(wins)
    results = np.zeros(count) if returns is None else np.asarray(returns, float)
    columns = {"groups": np.arange(count), "hands": np.full(count, 2), "wins": np.asarray(wins), "returns": results}
    found = Pairing("a", "b")
    found.take(columns)
    return found


def test_two_players_are_as_far_apart_as_elo_says() -> None:
    """Ten times the share is 400 points (Elo 1978); the interval is the delta method's on log odds."""
    share, error = 10 / 11, 0.01
    found = elo(matrix([math.nan, share], [1 - share, math.nan]), np.full((2, 2), error), np.full((2, 2), 500.0))
    assert found[0].mean - found[1].mean == pytest.approx(400, abs=1e-6)
    odds = error / (share * (1 - share))  # standard error of log(s / (1 - s))
    assert 2 * found[0].half_width == pytest.approx(1.959964 * SCALE * odds, rel=1e-6)


def test_consistent_shares_give_back_their_ratings_however_many_games_each_pair_played() -> None:
    truth = np.array([120.0, 30.0, -50.0, -100.0])
    shares = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    np.fill_diagonal(shares, np.nan)
    games = np.random.default_rng(1).integers(50, 5000, (4, 4)).astype(float)
    found = elo(shares, np.full((4, 4), 0.01), games + games.T)
    assert [e.mean for e in found] == pytest.approx(truth.tolist(), abs=1e-6)


@pytest.mark.long
def test_intervals_hold_the_truth_95_times_of_100() -> None:
    truth = np.array([60.0, 0.0, -60.0])
    share = 1 / (1 + 10 ** ((truth[None, :] - truth[:, None]) / 400))
    rng, held = np.random.default_rng(4), 0
    for _ in range(400):
        shares, errors, games = np.full((3, 3, 3), np.nan)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            s, e = expected_share(pairing(rng.random(300) < share[i, j]), wins=True)
            shares[i, j], shares[j, i], errors[i, j], errors[j, i] = s, 1 - s, e, e
            games[i, j] = games[j, i] = 300
        held += sum(abs(e.mean - t) <= e.half_width for e, t in zip(elo(shares, errors, games), truth, strict=True))
    assert 0.93 <= held / 1200 <= 0.97


def test_who_won_everything_has_a_finite_rating_that_grows_with_the_games() -> None:
    few, many = (expected_share(pairing(np.ones(n)), wins=True) for n in (10, 1000))
    assert few[0] == pytest.approx(10.5 / 11)
    assert 0 < few[0] < many[0] < 1
    assert few[1] > many[1] > 0


def test_in_games_of_returns_players_are_ordered_by_their_means_not_by_hands_won() -> None:
    returns = np.tile([1.0, 1.0, 1.0, -9.0], 50)  # wins three of four and loses
    share, error = expected_share(pairing(returns > 0, returns), wins=False)
    assert share < 0.5
    deviation = returns.std(ddof=1)
    whole = (200 * 0.5 * (1 + math.erf(returns.mean() / deviation / math.sqrt(2))) + 0.5) / 201
    assert share == pytest.approx(whole)
    assert 0 < error < 0.05


def test_who_has_not_played_has_no_rating_and_then_there_is_no_alpha_rank() -> None:
    nan = math.nan
    shares = matrix([nan, 0.6, nan], [0.4, nan, nan], [nan, nan, nan])
    found = elo(shares, np.where(np.isnan(shares), nan, 0.01), np.where(np.isnan(shares), nan, 100))
    assert [math.isnan(e.mean) for e in found] == [False, False, True]
    assert alpha_rank(shares, shares) == ()


@pytest.mark.long("0")
@pytest.mark.parametrize("seed", range(4))
def test_the_stationary_distribution_is_openspiels(seed: int) -> None:
    alpharank = pytest.importorskip("open_spiel.python.egt.alpharank")
    payoff = np.random.default_rng(seed).uniform(0, 1, (5, 5))
    payoff = np.triu(payoff, 1) + np.tril(1 - payoff.T, -1) + np.eye(5) / 2
    *_, expected, _, _ = alpharank.compute([payoff], use_inf_alpha=True, inf_alpha_eps=0.01)
    assert stationary(payoff[None])[0] == pytest.approx(expected, abs=1e-9)


def test_a_cycle_shares_the_mass_and_who_beats_all_has_nearly_all_of_it() -> None:
    cycle = matrix([0.5, 0.9, 0.2], [0.1, 0.5, 0.7], [0.8, 0.3, 0.5])
    found = alpha_rank(cycle, np.full((3, 3), 0.01))
    assert [e.mean for e in found] == pytest.approx([1 / 3] * 3)
    assert max(e.half_width for e in found) == pytest.approx(0, abs=1e-9)  # every draw is the same cycle
    best = alpha_rank(matrix([0.5, 0.9, 0.8], [0.1, 0.5, 0.7], [0.2, 0.3, 0.5]), np.full((3, 3), 0.01))
    assert best[0].mean > 0.97
    unsure = alpha_rank(matrix([0.5, 0.51], [0.49, 0.5]), np.full((2, 2), 0.05))
    assert unsure[0].half_width > 0.4  # either may be ahead


def test_a_tournaments_ratings_follow_its_pairings() -> None:
    rng = np.random.default_rng(0)
    pairings = {(0, 1): pairing(rng.random(400) < 0.7), (0, 2): pairing(rng.random(400) < 0.8)}
    gin = cardai.game("gin")
    found = ratings(Standings(gin, ("a", "b", "c"), pairings, 800))
    assert found.elo[0].mean > found.elo[1].mean > found.elo[2].mean
    assert found.alpha_rank == ()  # b and c have not met
    pairings[1, 2] = pairing(rng.random(400) < 0.6)
    whole = ratings(Standings(gin, ("a", "b", "c"), pairings, 800))
    assert sum(e.mean for e in whole.alpha_rank) == pytest.approx(1)
