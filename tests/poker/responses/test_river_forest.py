"""The river walked in forests, beside each subtree by itself."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import frozen

from cardai.cards.text import parse_cards
from cardai.poker.hands.combos import COUNT
from cardai.poker.range_policy import TablePolicy
from cardai.poker.ranges.public_tree import public_tree
from cardai.poker.responses.river_forest import RiverForest
from cardai.poker.responses.street_response import Sweeps, Walker
from cardai.poker.rules.betting import Betting

LIMIT = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 1, 0, 2), (10, 10, 20, 20))
BOARD = parse_cards("KdQsJh4c3c")


@frozen
class Alone(Sweeps):
    """Each subtree by itself, as a GPU walks them."""


class Tabled:
    """Plays by a table of 7 buckets, which differ by seat, subtree and board; hands fall into them by their number."""

    def bucket_count(self, street):
        return 7

    def places_in_ranges(self):
        return None

    def __init__(self, tree):
        self.tree = tree
        self.table = np.random.default_rng(3).dirichlet(np.ones(tree.child.shape[1]), (len(tree.small), 7))

    def bucket_policy(self, nodes):
        rows = []
        for node in nodes:
            chances = self.table[node, :, : self.tree.num_children[node]]
            rows.append((chances / chances.sum(axis=1, keepdims=True)).T)
        return np.concatenate(rows).astype(np.float32)

    def buckets_at(self, roots, board, hands):
        seats = np.arange(2)[:, None, None]
        return (hands[None, :, None] + seats * 3 + roots + sum(board)) % 7

    def range_policy(self, nodes, board):
        hands = np.arange(COUNT)
        out = []
        for node in nodes:
            buckets = self.buckets_at(self.tree.roots[[node]], board, hands)[self.tree.actor[node], :, 0]
            out.append(self.bucket_policy([node])[:, buckets])
        return np.concatenate(out)


class Asked:
    """The same without tables."""

    def __init__(self, player):
        self.range_policy = player.range_policy


@pytest.fixture(scope="module")
def player():
    return Tabled(public_tree(LIMIT))


@pytest.mark.long
@pytest.mark.parametrize("tables", [True, False])
def test_forests_win_what_subtrees_by_themselves_do(player, tables):
    assert isinstance(player, TablePolicy)
    assert not isinstance(Asked(player), TablePolicy)
    asked = player if tables else Asked(player)
    each = Walker(player.tree, Asked(player), Alone())
    assert each.forest is None
    roots = {root: ranges for root, ranges in each.ranges_at(3, BOARD).items() if ranges.any(axis=1).all()}
    assert len(roots) > 16  # more than one block
    expected = each.values(3, BOARD, roots)
    exact = Walker(player.tree, asked, dtype=np.float64).values(3, BOARD, roots)
    quick = Walker(player.tree, asked).values(3, BOARD, roots)
    for root, values in expected.items():
        assert exact[root] == pytest.approx(values, abs=1e-5 * np.abs(values).max())  # the table is float32
        assert quick[root] == pytest.approx(values, abs=1e-5 * np.abs(values).max())
    assert min(np.abs(values).max() for values in expected.values()) > 1


def test_a_thousandth_of_a_milli_blind_is_lost_at_most(player):
    each, forest = Walker(player.tree, player, Alone()), Walker(player.tree, player)
    assert (forest.gain(3, BOARD) - each.gain(3, BOARD)) * 1000 / 10 == pytest.approx(0, abs=1e-3)


def test_from_the_turn_the_cards_are_dealt_as_before(player):
    rivers = [root for root in player.tree.subtrees if player.tree.street[root] == 2][:1]
    ranges = np.random.default_rng(0).uniform(0, 1, (2, COUNT))
    ranges *= ~np.isin(np.arange(COUNT), np.flatnonzero(Walker(player.tree, player).ranges_at(0, BOARD[:4])[0][0] == 0))
    expected = Walker(player.tree, player, Alone()).values(2, BOARD[:4], {rivers[0]: ranges})[rivers[0]]
    found = Walker(player.tree, player).values(2, BOARD[:4], {rivers[0]: ranges})[rivers[0]]
    assert found == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())


@pytest.mark.long
def test_what_is_packed_comes_back(player):
    forest = RiverForest(player.tree, player)
    ranges = {int(root): np.random.default_rng(root).uniform(0, 1, (2, COUNT)) for root in forest.roots[[0, 17, -1]]}
    back = forest.by_root([one.astype(np.float64) for one in forest.pack(ranges)], ranges)
    for root, one in ranges.items():
        assert back[root] == pytest.approx(one, rel=1e-6)
