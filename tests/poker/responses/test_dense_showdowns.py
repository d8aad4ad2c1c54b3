"""Dense products give what sweeps give: at single ends, and for a whole best response."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import public_tree
from cardai.poker.responses.dense_showdowns import DenseShowdowns
from cardai.poker.responses.street_response import Sweeps, Walker
from cardai.poker.rules.betting import Betting

DENSE = DenseShowdowns("cpu")


class Random:
    """Plays every hand at every node by fixed random probabilities."""

    def __init__(self, tree):
        self.tree = tree
        self.table = np.random.default_rng(0).dirichlet(np.ones(tree.child.shape[1]), (len(tree.small), COUNT))

    def range_policy(self, nodes, board):
        rows = [self.table[node, :, : self.tree.num_children[node]].T for node in nodes]
        return np.concatenate([one / one.sum(axis=0) for one in rows])


# many ties (the board is a straight), few, two pairs on a flop
@pytest.mark.parametrize("board", ["Ts9h8d7c6s", "KdQsJh4c3c", "KdKs4c", ""])
def test_ends_are_worth_what_sweeps_say(board):
    hands, rng = board_hands(parse_cards(board)), np.random.default_rng(1)
    weights = np.zeros((6, COUNT))
    weights[:, hands.hands] = rng.random((6, len(hands.hands)))
    showdown, amount = np.arange(6) % 2 == 0, rng.normal(size=6)
    found = DENSE(hands, weights, showdown, amount)
    assert found == pytest.approx(Sweeps()(hands, weights, showdown, amount), abs=1e-9)
    assert np.abs(found[1]).max() > 10  # a fold wins from everybody who can be there


def test_a_best_response_wins_what_it_wins_by_sweeps():
    tree = public_tree(Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 0, 0, 2), (10, 10, 20, 20)))
    player, board = Random(tree), parse_cards("KdQsJh4c3c")
    dense, swept = (Walker(tree, player, one, np.float64).gain(3, board) for one in (DENSE, Sweeps()))
    assert dense == pytest.approx(swept, abs=1e-10)
    assert dense > 0.5


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="torch cannot use the device 'cuda:99'"):
        DenseShowdowns("cuda:99")
