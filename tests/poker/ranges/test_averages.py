"""What solving averages: values of leaves, discounted as strategies are, and strategies of hands that never come."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.poker.ranges.averaged_leaves import AveragedLeaves
from cardai.poker.ranges.hands import LeducHands, deal_boards
from cardai.poker.ranges.layout import TreeLayout
from cardai.poker.ranges.public_tree import betting_tree
from cardai.poker.ranges.solver import Solver


class Said(AveragedLeaves):
    """Values each card by what stands in ``now``."""

    now: tuple[float, ...] = (0.0, 0.0)

    def boards(self, player: int, reach: Any, nodes: Any, cards: Any) -> Any:
        return np.tile(np.array(self.now)[cards][None, :, None], (len(nodes), 1, len(self.hands)))

    def closed(self, player: int, reach: Any, nodes: Any) -> Any:
        return np.full((len(nodes), len(self.hands)), 50.0)


def leaves() -> tuple[Said, Any, Any]:
    """Return leaves of two cards, each of which can come to any pair of hands, at an open and a closed node."""
    nodes: Any = [SimpleNamespace(spent=(1, 1)), SimpleNamespace(spent=(1, 9))]
    nodes[1].spent = (10, 10)
    return Said(np.arange(3), 3, (7, 8), 2, 10), np.ones((2, 2, 3)), nodes


def test_values_of_leaves_are_averaged_with_the_discounts_of_the_iterations() -> None:
    """Kept 0, then 1/2, then 1/4: values 4, 1, 2 weigh 1/8, 1/4 and 1, of 11/8 in all."""
    said, reach, nodes = leaves()
    for value, keep in ((4.0, 0.0), (1.0, 0.5), (2.0, 0.25)):
        said.now = (value, 10 * value)
        found = said.learn(0, reach, nodes, keep)
        assert found[0] == pytest.approx([11 * value / 2] * 3)  # the iteration's own values
        assert found[1] == pytest.approx([50.0] * 3)
    average = (4.0 / 8 + 1.0 / 4 + 2.0) / (11 / 8)
    assert said.evaluate(0, reach, nodes)[0] == pytest.approx([11 * average / 2] * 3)
    assert said.evaluate(0, reach, nodes)[1] == pytest.approx([50.0] * 3)
    assert said.dealt(0, reach, nodes, 0, 8)[:3] == pytest.approx([10 * average] * 3)
    said.now = (3.0, 3.0)
    assert said.evaluate(1, reach, nodes)[0] == pytest.approx([3.0] * 3)  # nobody has learnt for that player
    said.forget()
    assert said.evaluate(0, reach, nodes)[0] == pytest.approx([3.0] * 3)


def leduc(ranges: Any, iterations: int) -> Solver:
    game = cardai.game("leduc")
    tree = betting_tree(game.betting, (10**6, 10**6), button=0)
    layout = TreeLayout(tree, LeducHands(), deal_boards(LeducHands(), (), 2, ranges, isomorphic=False))
    solver = Solver(layout, ranges)
    solver.run(iterations)
    return solver


def test_hands_that_do_not_come_to_a_decision_play_every_action_as_often() -> None:
    """A strategy is a distribution for every hand: even where a hand is in no range, or nothing was solved yet."""
    ranges = np.ones((2, 6))
    ranges[:, 0] = 0.0
    for iterations in (0, 12):
        solver = leduc(ranges, iterations)
        for node in solver.layout.tree.streets[0].nodes:
            if not node.children or node.actor < 0:
                continue
            numbers, strategy = solver.average((), node)
            assert strategy.sum(axis=0) == pytest.approx(np.ones(len(numbers)))
            absent = strategy[:, numbers == 0]
            assert absent == pytest.approx(np.full(absent.shape, 1 / len(strategy)))
            if not iterations:
                assert strategy == pytest.approx(np.full(strategy.shape, 1 / len(strategy)))
    root = solver.layout.tree.streets[0].nodes[0]
    assert np.abs(solver.average((), root)[1][:, 1:] - 1 / len(root.children)).max() > 0.1
