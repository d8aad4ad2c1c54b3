"""Leaves of the flop that a network values: checked with a network that makes no mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.arrays import Float32s, Float64s
from cardai.poker.ranges.leaves import CheckedDown
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import Node, tree_after
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.network_leaves import NetworkLeaves
from cardai.poker.values.prepared import EQUITY, MET, Prepared
from cardai.poker.values.situations import HOLDEM_GAME
from tests.poker.chance_nodes import chance_node

BOARD = tuple(parse_cards("KsTh7s"))
HANDS = legal_hands(BOARD)
NO_BETS = menus("none", ["preflop", "flop", "turn", "river"])


class CheckDown:
    """What the turn is worth if both check to the end, which is known exactly."""

    def __init__(self) -> None:
        self.asked = 0

    def values(self, data: Prepared) -> Float32s:
        """Return (n, 2, H)."""
        self.asked += len(data)
        rows = data.hands.astype(np.float32)
        worth = [(2 * rows[:, EQUITY + 1 - s] - 1) * rows[:, MET + 1 - s] for s in range(2)]
        return np.stack(worth, axis=1)


@pytest.fixture(scope="module")
def nodes() -> list[Node]:
    game = cardai.game("acpc_nolimit_2p")
    tree = tree_after(game.betting, (20_000, 20_000), 0, (300, 1, 1), NO_BETS, until=1)
    (checked,) = tree.streets[0].chance
    return [checked, chance_node((20_000, 20_000), 1)]


@pytest.fixture(scope="module")
def reach() -> Float64s:
    return np.random.default_rng(3).random((2, 2, len(HANDS))) ** 4


@pytest.mark.long
def test_a_network_without_mistakes_is_worth_what_is_solved(nodes: list[Node], reach: Float64s) -> None:
    leaves, network = NetworkLeaves(CheckDown(), BOARD, HANDS, HOLDEM_GAME), CheckedDown(BOARD, HANDS)
    for player in range(2):
        found, exact = leaves.evaluate(player, reach, nodes), network.evaluate(player, reach, nodes)
        assert np.abs(found - exact)[0].max() < 2e-3 * np.abs(exact[0]).max()  # ranges and equities are halves
        assert np.abs(found - exact)[1].max() < 1e-5 * np.abs(exact[1]).max()  # all-in: nothing is left to decide
    whole = leaves.evaluate(0, reach, nodes)[0]
    leaves.learn(0, reach, nodes, 1.0)  # then the average of what was said is known, and nobody is asked for each card
    by_card = [leaves.dealt(0, reach, nodes, 0, card) for card in leaves.cards]
    assert np.abs(np.sum(by_card, axis=0)[HANDS] / 45 - whole).max() < 1e-6 * 300 * 600


def test_cards_looked_at_in_turn_say_on_average_what_all_say(nodes: list[Node], reach: Float64s) -> None:
    some, network = NetworkLeaves(CheckDown(), BOARD, HANDS, HOLDEM_GAME, looks=7), CheckDown()
    every, whole = NetworkLeaves(network, BOARD, HANDS, HOLDEM_GAME), np.zeros((2, len(HANDS)))
    for player in range(2):
        whole[player] = every.evaluate(player, reach[:, :1], nodes[:1])[0]
    seen = np.zeros((2, len(HANDS)))
    for _ in range(7):
        for player in range(2):
            seen[player] += some.learn(player, reach[:, :1], nodes[:1], 1.0)[0] / 7
    for player in range(2):
        assert np.abs(some.evaluate(player, reach[:, :1], nodes[:1])[0] - whole[player]).max() < 1e-3 * 600
        assert np.abs(seen[player] - whole[player]).max() < 1e-3 * 600


@pytest.mark.long
def test_both_players_are_valued_at_once(nodes: list[Node], reach: Float64s) -> None:
    network = CheckDown()
    leaves = NetworkLeaves(network, BOARD, HANDS, HOLDEM_GAME, looks=3)
    for player in (0, 1, 0, 1):
        leaves.learn(player, reach, nodes, 1.0)
    assert network.asked == 2 * 3  # iterations x cards, one node that is open
    fresh = NetworkLeaves(network, BOARD, HANDS, HOLDEM_GAME, looks=3)
    fresh.evaluate(0, reach, nodes)
    other = fresh.evaluate(1, 2 * reach, nodes)  # not what was said of another reach
    assert np.abs(other - 2 * fresh.evaluate(1, reach, nodes)).max() < 1e-6 * np.abs(other).max()


def test_what_is_seen_of_some_cards_alone_promises_nothing() -> None:
    limits = [DepthLimit(2, CheckDown(), looks) for looks in (0, 2)]
    assert [[depth_limit.promises(round_) for round_ in range(4)] for depth_limit in limits] == [
        [False, True, True, True],
        [False, False, True, True],
    ]
    assert isinstance(limits[0].leaves(HOLDEM_GAME, 1, BOARD, HANDS, 1), NetworkLeaves)
    assert [limits[0].until(round_, 4) for round_ in range(4)] == [0, 1, 3, 3]


@pytest.mark.long
def test_before_the_flop_nobody_is_asked() -> None:
    assert isinstance(DepthLimit(2, CheckDown(), 0).leaves(HOLDEM_GAME, 0, (), np.arange(1326), 1), CheckedDown)
