"""Answers before the flop: exact over a whole population of flops, bounded from both sides by a sample of it."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import cardai
from cardai.cli import load_command
from cardai.poker.buckets.tables import starting_classes
from cardai.poker.hand_classes import CLASSES
from cardai.poker.ranges.public_tree import public_tree
from cardai.poker.responses.measure import measure
from cardai.poker.responses.preflop_response import FLOPS, PreflopGame, two_sided
from cardai.poker.responses.street_response import Walker, pairings
from cardai.poker.responses.street_samples import StreetOptions
from cardai.poker.rules.betting import Betting

SMALL = Betting(2, 4, (10, 5), (1, 0, 0, 0), (2, 0, 0, 0), (10, 10, 20, 20))


class Leaning:
    """Raises and folds by class of hand, suits alike; from the flop on it is never asked here."""

    ignores_suits = True

    def __init__(self, tree):
        self.tree, self.lean = tree, np.random.default_rng(3).dirichlet([1, 1, 1], 169)[starting_classes()]

    def range_policy(self, nodes, board):
        counts = self.tree.num_children[nodes]
        return np.concatenate([self.lean.T[:count] / self.lean.T[:count].sum(axis=0) for count in counts])


@pytest.fixture(scope="module")
def game():
    tree = public_tree(SMALL)
    walker = Walker(tree, Leaning(tree), dtype=np.float64)
    return walker, PreflopGame.of(walker)


def _population(roots: int, flops: int, seed: int) -> np.ndarray:
    """What follows on each of some flops, (flops, roots, 2, 169): a level of each class and a spread between flops."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1500, (1, roots, 2, CLASSES))
    return level + rng.normal(0, 6000, (flops, roots, 2, CLASSES))


def _by_hands(walker, sums):
    """Return exploitability with the 1,326 hands one by one, each answering by the mean of its class's later values."""
    classes, one, ones = starting_classes(), walker.streets[0][0], np.ones(1326)
    each = sums / np.bincount(classes) / comb(48, 3)
    reaches = walker.reaches(one.root, np.stack([ones, ones]), [])
    places = [walker.flop_roots.index(int(deal)) for deal in one.deals]
    won = 0.0
    for seat in range(2):
        later = np.ascontiguousarray(each[places, seat][:, classes])
        (ends,) = walker.at_the_ends([one], seat, [reaches[1 - seat]], [])
        won += float(walker._respond(one, seat, ends, later).sum())
    return won / 2 / pairings(0)


def test_over_all_flops_it_is_exploitability_itself(game):
    walker, preflop = game
    flops = _population(len(walker.flop_roots), 40, 1)
    won, answers = preflop.best(flops.mean(axis=0))
    assert won.mean() == pytest.approx(_by_hands(walker, flops.mean(axis=0) * FLOPS), rel=1e-12)
    assert preflop.score(flops.mean(axis=0), answers) == pytest.approx(won, rel=1e-12)
    assert all(len(seat) for seat in answers)


def test_no_other_answers_win_more(game):
    walker, preflop = game
    follows = _population(len(walker.flop_roots), 1, 2)[0]
    won, answers = preflop.best(follows)
    rng = np.random.default_rng(4)
    for _ in range(20):
        other = [
            {node: np.where(rng.random(CLASSES) < 0.1, 0, chosen) for node, chosen in seat.items()} for seat in answers
        ]
        assert (preflop.score(follows, other) <= won + 1e-9).all()


def test_samples_bound_a_whole_small_hold_em_from_both_sides(game):
    """All of 400 flops are known here: the exact figure lies between the means of both estimates, which are unbiased and too high."""
    walker, preflop = game
    flops = _population(len(walker.flop_roots), 400, 5)
    exact = preflop.best(flops.mean(axis=0))[0].mean()
    rng, found = np.random.default_rng(6), []
    for _ in range(120):
        found.append(two_sided(preflop, flops[rng.permutation(400)[:20]]))
    lower, upper = np.array([one.lower.mean() for one in found]), np.array([one.upper for one in found])
    error = lower.std(ddof=1) / np.sqrt(len(lower))
    assert lower.mean() + 2 * error < exact < upper.mean() - 2 * error
    assert (lower < upper).all()
    chosen = [preflop.best(flops[half::2].mean(axis=0))[1] for half in range(2)]
    whole = two_sided(preflop, flops)
    expected = [preflop.score(flops[half::2].mean(axis=0), chosen[1 - half]).mean() for half in range(2)]
    assert whole.lower.mean() == pytest.approx(np.mean(expected), rel=1e-12)
    assert whole.upper == pytest.approx(exact, rel=1e-12)
    assert exact - whole.lower.mean() < (exact - lower.mean()) / 2  # more flops, a closer bound


def test_of_one_flop_nothing_is_said_from_below(game):
    walker, preflop = game
    found = two_sided(preflop, _population(len(walker.flop_roots), 1, 7))
    assert found.lower.shape == (0,)
    assert np.isfinite(found.upper)


@pytest.mark.long
def test_sampled_flops_are_kept_and_reported(game, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Walker, "flop_values", _by_first_card)
    spec = "holdem_limit:max_raises=2+0+0+0"
    options = StreetOptions(spec, "always_call", 0, 12, seed=3)
    found = measure(options, out=tmp_path / "kept.npz")
    assert (found.done, len(found.gains), found.exact) == (12, 12, False)
    assert found.upper is not None
    assert found.chips.low <= found.chips.mean <= found.upper
    monkeypatch.setattr(Walker, "flop_values", _never)
    assert measure(options, out=tmp_path / "kept.npz") == found
    words = ["--agent", "always_call", "--game", spec, "--from", "preflop", "--boards", "12", "--seed", "3"]
    load_command("evaluate").main(["best-response", *words, "--out", str(tmp_path / "kept.npz")], standalone_mode=False)
    said = " ".join(capsys.readouterr().out.split())
    assert f"wins at least {found.mbb.text(1)} mbb a hand" in said
    assert f"Upper estimate {found.upper * 1000 / found.big_blind:.1f} mbb a hand" in said


def _by_first_card(walker, flop, label=""):
    return np.full((len(walker.flop_roots), 2, CLASSES), 100.0 * flop[0] - 2000.0)


def _never(walker, flop, label=""):
    raise AssertionError("it was kept")


def test_players_that_know_suits_are_bounded_by_sampled_flops_alone(monkeypatch):
    game = cardai.game("holdem_limit:max_raises=1+0+0+0")
    from tests.poker.responses.test_street_samples import Clubs

    sampler = StreetOptions(game, Clubs(), 0, 4).sampler()
    assert sampler.pieces == 4
