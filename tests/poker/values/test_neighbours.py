"""Several situations of a solve: neighbours of the one that is solved, by its strategies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import UsageError
from cardai.poker.values import situations
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.recipe import Recipe
from cardai.poker.values.situation_set import produce
from cardai.poker.values.situations import Situation, all_labels, labels, nearby, situation, situation_game
from cardai.poker.values.splits import TEST, TRAIN, UNUSED, parts

LEDUC = situation_game(cardai.game("leduc_deepstack"))


def some(leduc: bool, number: int = 0) -> Situation:
    """Return a situation of Leduc, or of hold'em on the river."""
    return situation(3, number, "second", game=LEDUC) if leduc else situation(3, number, "river", (4,))


@pytest.mark.parametrize("leduc", [True, False])
def test_a_neighbour_with_the_same_ranges_is_worth_the_same(leduc: bool) -> None:
    one = some(leduc)
    solved, again = all_labels([one, one], [30, 30], rows=2)
    alone = labels(one, 30, discounts=(1.5, 0.5, 4.0)) if not leduc else all_labels([one], [30])[0]
    assert solved.values == pytest.approx(alone.values, abs=1e-5)
    assert again.values == pytest.approx(solved.values, abs=1e-5)
    assert again.exploitability == pytest.approx(solved.exploitability, abs=1e-3)


@pytest.mark.parametrize("leduc", [True, False])
def test_strategies_stay_so_that_values_are_linear_in_the_other_range(leduc: bool) -> None:
    one, two = some(leduc), nearby(some(leduc), 1)
    ranges = np.stack([one.ranges[0], 0.25 * one.ranges[1] + 0.75 * two.ranges[1]])
    mixed, other = evolve(one, ranges=ranges), evolve(one, ranges=np.stack([one.ranges[0], two.ranges[1]]))
    base, far, between = (found.values[0] for found in all_labels([one, other, mixed], [30] * 3, rows=3))
    assert between == pytest.approx(0.25 * base + 0.75 * far, abs=1e-4)
    assert np.abs(far - base).max() > 1e-2


@pytest.mark.parametrize("leduc", [True, False])
def test_how_far_strategies_are_from_equilibrium_is_by_the_weight_that_meets(leduc: bool) -> None:
    one, two = some(leduc), nearby(some(leduc), 1)
    thrice = evolve(two, ranges=two.ranges * [[1.0], [3.0]])
    _, once, more = all_labels([one, two, thrice], [30] * 3, rows=3)
    assert more.values[0] == pytest.approx(3 * once.values[0], rel=1e-4, abs=1e-4)
    assert more.exploitability == pytest.approx(once.exploitability, rel=1e-3)


def test_a_neighbour_s_ranges_are_a_weighted_geometric_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    one = some(False)
    monkeypatch.setattr(situations, "_random_ranges", lambda *_: np.full((2, 1326), 1 / 1326))
    there = one.ranges > 1e-12
    slopes = []
    for k in range(1, 9):
        own, near = (np.log(ranges[there]) for ranges in (one.ranges, nearby(one, k).ranges))
        slopes.append(float(np.polyfit(own[:500], near[:500], 1)[0]))
    assert 0.5 <= min(slopes) < 0.7
    assert 0.8 < max(slopes) < 1


def test_neighbours_have_the_board_and_the_pot_and_ranges_of_their_own() -> None:
    recipe = Recipe("river", 3, (3,) * 5, (2, 4), rows=3, per_shard=6)
    alone = Recipe("river", 3, (3,) * 5, (2, 4))
    for solve in range(4):
        members, base = [recipe.situation(3 * solve + k) for k in range(3)], alone.situation(solve)
        assert {(one.board, one.half_pot) for one in members} == {(base.board, base.half_pot)}
        assert (members[0].ranges == base.ranges).all()
        assert [one.number for one in members] == [3 * solve, 3 * solve + 1, 3 * solve + 2]
        apart = [float(np.abs(one.ranges - base.ranges).sum()) for one in members[1:]]
        assert min(apart) > 0
        assert apart[0] != apart[1]
        assert [one.ranges.sum(axis=1) for one in members] == [pytest.approx([1.0, 1.0])] * 3


def test_only_what_was_solved_is_held_out_and_no_neighbour_of_it_is_learned_from(tmp_path: Path) -> None:
    recipe = Recipe("second", 3, (3,) * 5, game="leduc_deepstack", rows=4, per_shard=200)
    found = produce(tmp_path / "set", recipe, 200)
    data = load_prepared(found, found.numbers)
    split = parts(data, 4).reshape(-1, 4)
    held = split[:, 0] != TRAIN
    assert 0 < held.sum() < len(held)
    assert (split[held, 1:] == UNUSED).all()
    assert (split[~held] == TRAIN).all()
    assert TEST in split


def test_a_file_has_whole_solves() -> None:
    with pytest.raises(UsageError, match="no multiple of 4 rows"):
        Recipe("river", 3, (3,) * 5, rows=4, per_shard=6).check()
