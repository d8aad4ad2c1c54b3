"""Best responses of whole ranges from the river: against dense matrices, closed forms, and the player itself."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.core.progress import listening
from cardai.poker.buckets.tables import starting_classes
from cardai.poker.hands.board_hands import board_hands
from cardai.poker.hands.boards import RENAMINGS
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import range_equity, river_strengths
from cardai.poker.hands.strength import PREFLOP
from cardai.poker.ranges.public_tree import DEAL, DECISION, FOLD, public_tree
from cardai.poker.responses.preflop_response import FLOPS, PreflopGame
from cardai.poker.responses.street_response import Walker, next_cards, pairings
from cardai.poker.rules.betting import Betting
from tests.support import sizes

SMALL = Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 0, 0, 2), (10, 10, 20, 20))  # betting before the flop and on the river
ACPC = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))
BOARD = parse_cards("KdQsJh4c3c")


class Caller:
    """Checks and calls whatever it holds."""

    def __init__(self, tree):
        self.tree = tree

    def range_policy(self, nodes, board):
        taken = np.concatenate([self.tree.action[n, : self.tree.num_children[n]] == 1 for n in nodes])
        return np.repeat(taken[:, None], COUNT, axis=1).astype(float)


class Random:
    """Plays every hand at every node by fixed random probabilities."""

    def __init__(self, tree, seed=0):
        self.tree = tree
        rng = np.random.default_rng(seed)
        self.table = rng.dirichlet(np.ones(tree.child.shape[1]), (len(tree.small), COUNT))

    def probabilities(self, node):
        chances = self.table[node, :, : self.tree.num_children[node]]
        return (chances / chances.sum(axis=1, keepdims=True)).T

    def range_policy(self, nodes, board):
        return np.concatenate([self.probabilities(node) for node in nodes])


def dense_values(tree, player, node, seat, other, best, meet, sign):
    """Return (1326,) what hands of ``seat`` win below ``node`` against the range ``other``: by matrices, recursively."""
    kind, actor = tree.kind[node], tree.actor[node]
    if kind == DEAL:
        return dense_values(tree, player, tree.child[node, 0], seat, other, best, meet, sign)
    if kind == FOLD:
        return (-1 if actor == seat else 1) * tree.spent[node, actor] * (meet @ other)
    if kind != DECISION:
        return tree.spent[node].min() * ((meet * sign) @ other)
    chances = player.probabilities(node)
    children = tree.child[node, : tree.num_children[node]]
    if actor != seat:
        return sum(
            dense_values(tree, player, c, seat, other * p, best, meet, sign)
            for c, p in zip(children, chances, strict=True)
        )
    below = np.stack([dense_values(tree, player, c, seat, other, best, meet, sign) for c in children])
    return below.max(axis=0) if best and tree.street[node] == 3 else (chances * below).sum(axis=0)


def test_what_is_gained_on_the_river_is_what_dense_matrices_say():
    tree = public_tree(SMALL)
    player = Random(tree)
    ranks = river_strengths(BOARD)
    is_open = ranks >= 0
    meet = MEET * (is_open & is_open[:, None])
    sign = np.sign(ranks[:, None] - ranks[None, :])
    gains = []
    for seat in range(2):
        # the responder plays on as the player before the river, so its own range weighs the river's subtrees
        expected = []
        for choose in (False, True):
            values = dense_values(tree, player, 0, seat, is_open.astype(float), choose, meet, sign)
            expected.append(float(values[is_open].sum()) / pairings(5))
        gains.append(expected[1] - expected[0])
    assert Walker(tree, player, dtype=np.float64).gain(3, BOARD) == pytest.approx(np.mean(gains), abs=1e-9)
    assert min(gains) > 0.5


def test_against_a_caller_every_hand_that_is_ahead_bets_once():
    tree = public_tree(ACPC)
    hands = board_hands(BOARD)
    ahead = np.maximum(hands.showdown(np.ones(COUNT)), 0.0).sum() / pairings(5)
    # of the 20 chips at stake anyhow both win as much as they lose; the bet of 20 is what answering adds
    assert Walker(tree, Caller(tree), dtype=np.float64).gain(3, BOARD) == pytest.approx(20 * ahead, abs=1e-9)


def slow_values(tree, player, node, seat, own, other, board, first):
    """Return (1326,) what hands of ``seat`` win below ``node``, cards dealt one by one, answering best from street ``first``."""
    kind, actor, street = tree.kind[node], tree.actor[node], tree.street[node]
    if kind == DEAL:
        out = np.zeros(COUNT)
        for card in range(52):
            if card not in board:
                free = ~(pairs() == card).any(axis=1)
                below = tree.child[node, 0]
                out += free * slow_values(tree, player, below, seat, own * free, other * free, [*board, card], first)
        return out / (52 - len(board) - 4)
    if kind == FOLD:
        return (-1 if actor == seat else 1) * tree.spent[node, actor] * (MEET @ other)
    if kind != DECISION:
        return tree.spent[node].min() * (compared(tuple(board)).astype(float) @ other)
    chances = player.probabilities(node)
    children = tree.child[node, : tree.num_children[node]]
    below = []
    for c, p in zip(children, chances, strict=True):
        mine, theirs = (own * p, other) if actor == seat else (own, other * p)
        below.append(slow_values(tree, player, c, seat, mine, theirs, board, first))
    if actor != seat:
        return sum(below)
    return np.max(below, axis=0) if street >= first else (chances * below).sum(axis=0)


@lru_cache(maxsize=48)
def compared(board):
    """Return (1326, 1326), int8: 1 where the first hand beats the second, -1 where it loses; 0: tied, or they never meet."""
    ranks = river_strengths(board)
    return (MEET * np.sign(ranks[:, None] - ranks[None, :])).astype(np.int8)


MEET = (~(pairs()[:, None, :, None] == pairs()[None, :, None, :]).any(axis=(2, 3))).astype(float)
LATE = Betting(2, 4, (10, 5), (1, 0, 0, 0), (0, 0, 1, 1), (10, 10, 20, 20))  # calls before the turn


@pytest.mark.long
def test_from_the_turn_all_rivers_are_dealt():
    tree = public_tree(LATE)
    player = Random(tree, 2)
    walker, told = Walker(tree, player, dtype=np.float64), []
    with listening(lambda *at: told.append(at)):
        gain = walker.gain(2, BOARD[:4], "This board")
    assert told == [("This board", k, 48) for k in range(1, 49)]
    roots = walker.ranges_at(2, BOARD[:4])
    expected = 0.0
    for root, ranges in roots.items():
        for seat in range(2):
            found = slow_values(tree, player, root, seat, ranges[seat], ranges[1 - seat], BOARD[:4], 2)
            expected += float(ranges[seat] @ found)
    assert gain == pytest.approx(expected / 2 / pairings(4), abs=1e-9)
    assert gain > 0.5


class ByClass(Random):
    """Plays hands by their class and the highest rank that they share with the board: suits do not matter."""

    def range_policy(self, nodes, board):
        ranks = pairs().astype(int) % 13
        shared = np.isin(ranks, [card % 13 for card in board]) * (ranks + 1)
        same = starting_classes() + 169 * shared.max(axis=1) % 1326
        return np.concatenate([self.probabilities(node)[:, same % 1326] for node in nodes])


# two suits of one rank swap; the two suits that are not there; three of them; on the turn: two, none
@pytest.mark.parametrize(
    ("board", "cards", "all_of_them"),
    [("KdKs4c", 37, 49), ("KdQd4c", 36, 49), ("KdQd4d", 23, 49), ("KdQd4c2c", 35, 48), ("KdQd4c2h", 48, 48)],
)
def test_cards_that_differ_by_names_of_suits_stand_for_one_another(board, cards, all_of_them):
    found = next_cards(parse_cards(board), True)
    assert len(found) == cards
    assert sum(len(namings) for _, namings in found) == all_of_them == len(next_cards(parse_cards(board), False))
    images = {int(RENAMINGS[n][card // 13]) * 13 + card % 13 for card, namings in found for n in namings}
    assert images == set(range(52)) - set(parse_cards(board))


@pytest.mark.parametrize(("street", "board"), sizes((2, "KdQd4c2c"), (1, "KdQd4d")))
def test_boards_that_differ_by_names_of_suits_need_not_be_worked_out_twice(street, board):
    tree = public_tree(
        Betting(2, 4, (10, 5), (1, 0, 0, 0), (0, 1, 0, 1) if street == 2 else (0, 1, 0, 0), (10, 10, 20, 20))
    )
    every, once, told = ByClass(tree), ByClass(tree), []
    once.ignores_suits = True
    expected = Walker(tree, every, dtype=np.float64).gain(street, parse_cards(board))
    with listening(lambda label, *at: told.append(at)):
        found = Walker(tree, once, dtype=np.float64).gain(street, parse_cards(board))
    assert found == pytest.approx(expected, abs=1e-9)
    assert told[-1] == ((48, 48) if street == 2 else (2352, 2352))
    assert len(told) < told[-1][1]


@pytest.mark.parametrize(("cards", "ignores_suits"), sizes(("KdKcKh", True), ("KdQd4c", False)))
def test_flops_are_summed_over_all_that_can_follow(cards, ignores_suits):
    tree = public_tree(Betting(2, 4, (10, 5), (1, 0, 0, 0), (0, 0, 0, 0), (10, 10, 20, 20)))
    player, flop = Caller(tree), parse_cards(cards)
    player.ignores_suits = ignores_suits
    walker = Walker(tree, player, dtype=np.float64)
    found = walker.flop_values(flop)
    assert found.shape == (1, 2, 169)
    equity = range_equity(np.ones(COUNT), np.ones(COUNT), flop).by_hand[0]
    hands = board_hands(flop).hands  # 1,081 each hand can meet; what is put in is 10 each
    expected = np.bincount(starting_classes()[hands], 10 * 1081 * (2 * equity[hands] - 1), 169)
    for seat in range(2):
        assert found[0, seat] == pytest.approx(expected, abs=1e-6)


def test_before_the_flop_the_classes_of_hands_answer_best():
    tree = public_tree(Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 0, 0, 0), (10, 10, 20, 20)))
    walker = Walker(tree, Caller(tree), dtype=np.float64)
    cards = pairs()[[np.flatnonzero(starting_classes() == c)[0] for c in range(169)]].astype(int)
    high, low = (cards % 13).max(axis=1), (cards % 13).min(axis=1)
    suited = cards[:, 0] // 13 == cards[:, 1] // 13
    edge, size = 2 * np.where(suited, PREFLOP[high, low], PREFLOP[low, high]) - 1, np.bincount(starting_classes())
    sums = np.zeros((len(walker.flop_roots), 2, 169))
    for k, root in enumerate(walker.flop_roots):  # each hand meets 1,225 others on 17,296 flops
        for seat in range(2):
            others = tree.path(root)[int(seat == tree.actor[0]) :: 2]
            if set(others) <= {1}:  # else the caller does not come here
                sums[k, seat] = size * 1225 * comb(48, 3) * tree.spent[root].min() * edge
    first, second = np.maximum(-5, np.maximum(10 * edge, 20 * edge)), np.maximum(10 * edge, 20 * edge)
    assert PreflopGame.of(walker).best(sums / FLOPS)[0].mean() == pytest.approx(
        (first + second) @ size / 1326 / 2, abs=1e-9
    )
