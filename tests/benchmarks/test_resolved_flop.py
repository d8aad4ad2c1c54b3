"""A player that solves its river is measured from below and above: what is exact lies between, and is both where all cards are drawn."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.arrays import Float64s
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import holdem_tree
from tests.support import ROOT

BOARD = [3, 17, 30, 44]
TREE = holdem_tree(cardai.game("acpc_limit_2p"), "A test")
RIVERS = [card for card in range(52) if card not in BOARD]


@pytest.fixture
def flop(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the benchmark's module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("resolved_flop")


class Even:
    """Takes every action as often."""

    def range_policy(self, nodes: Any, board: Sequence[int]) -> Float64s:
        counts = TREE.num_children[nodes]
        return np.repeat(np.repeat(1 / counts, counts)[:, None], COUNT, axis=1)


class Known:
    """What rivers are worth to hands that answer best, at random; a player that solves them leaves less by ``less``."""

    def __init__(self, less: float) -> None:
        self.less = less

    def values(self, street: int, board: Sequence[int], roots: Mapping[int, Float64s]) -> dict[int, Float64s]:
        out = {}
        for root in roots:
            rng = np.random.default_rng([root, board[-1]])
            out[root] = 1e5 * rng.normal(size=(2, COUNT)) - self.less * rng.exponential(1e5, (2, COUNT))
        return out

    def averaged(self, street: int, board: Sequence[int], roots: Mapping[int, Float64s]) -> dict[int, Float64s]:
        each = [self.values(3, [*board, card], roots) for card in RIVERS]
        return {root: np.sum([one[root] for one in each], axis=0) / 44 for root in roots}


def measured(flop: Any, less: float, rivers: int) -> tuple[Any, dict[int, Float64s], int]:
    """Return what measures a player whose rivers are ``Known``, the ranges of a line that comes to the turn, and its root."""
    found = flop.Sampled(TREE, Even(), Even(), 2, rivers)
    ranges = found.before.ranges_at(2, BOARD)
    root = list(ranges)[20]
    for name in ("values", "averaged"):
        setattr(found.before, name, getattr(Known(0), name))
        setattr(found.after, name, getattr(Known(less), name))
    return found, {root: ranges[root]}, root


def test_with_every_river_what_is_above_is_exact_and_a_player_that_solves_nothing_is_its_blueprint(flop: Any) -> None:
    found, roots, root = measured(flop, 1, 48)
    known, below, above = found.turn(BOARD, roots, np.random.default_rng(0))[root]
    reaches = found.before.reaches(root, roots[root], BOARD)
    after = found.after.averaged(2, BOARD, found.before.trees[root].below(reaches))
    exact = found._answer(root, reaches, BOARD, after, after)
    assert np.allclose(above, exact, rtol=1e-12)
    assert (below <= exact + 1e-6).all()
    assert known.sum() > exact.sum()
    same, roots, root = measured(flop, 0, 4)
    known, below, above = same.turn(BOARD, roots, np.random.default_rng(0))[root]
    assert np.array_equal(known, below)
    assert np.array_equal(known, above)


def test_what_is_exact_lies_between_the_means(flop: Any) -> None:
    found, roots, root = measured(flop, 1, 4)
    reaches = found.before.reaches(root, roots[root], BOARD)
    after = found.after.averaged(2, BOARD, found.before.trees[root].below(reaches))
    exact = found._answer(root, reaches, BOARD, after, after).sum()
    known = found.before.averaged(2, BOARD, after)
    found.before.averaged = lambda street, board, below: known
    drawn = [found.turn(BOARD, roots, np.random.default_rng(seed))[root].sum(axis=(1, 2)) for seed in range(20)]
    low, high = np.mean(drawn, axis=0)[1:]
    assert low < exact < high


def test_what_decides_is_not_what_counts(flop: Any) -> None:
    """By actions that one half of the cards chose a hand wins what the other half says of them, which is less than its best."""
    found, roots, root = measured(flop, 1, 48)
    reaches = found.before.reaches(root, roots[root], BOARD)
    below = found.before.trees[root].below(reaches)
    one, other = (Known(less).averaged(2, BOARD, below) for less in (0, 3))
    best, chosen = (found._answer(root, reaches, BOARD, choose, other) for choose in (other, one))
    assert (chosen <= best + 1e-6).all()
    assert (chosen < best - 1).any()
