"""Best responses to players that do not look at their cards: against whole ranges walked through, and a closed form."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

import cardai
from cardai.cards.text import card_set, parse_cards
from cardai.core.errors import UsageError
from cardai.poker.buckets import _kernels as table_kernels
from cardai.poker.buckets.tables import starting_classes
from cardai.poker.hands._boards_kernels import board_index
from cardai.poker.hands.boards import COUNTS, boards
from cardai.poker.hands.combos import COUNT, compatible, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.hands.strength import PREFLOP
from cardai.poker.range_policy import blind_policy, range_player
from cardai.poker.ranges.public_tree import holdem_tree, public_tree
from cardai.poker.responses.blind_response import BlindResponder, blind_response
from cardai.poker.responses.street_response import Walker
from cardai.poker.rules.betting import Betting

LATE = Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 1, 1, 1), (10, 10, 20, 20))
ACPC = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))
BOARD = parse_cards("KdQsJh4c")


class Blind:
    """Plays all hands by the same random probabilities."""

    def __init__(self, tree):
        self.tree = tree
        chances = np.random.default_rng(0).random(tree.child.shape) * (tree.child >= 0)
        self.table = chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)

    def range_policy(self, nodes, board):
        rows = np.concatenate([self.table[node, : self.tree.num_children[node]] for node in nodes])
        return np.repeat(rows[:, None], COUNT, axis=1)


def strengths_after(board):
    """Return (134459, 1326) strengths of hands, of which those on the rivers after ``board`` alone are filled in."""
    river, out = boards(5), np.empty((COUNTS[5], COUNT), np.uint16)
    later = [np.array([*board, card]) for card in range(52) if card not in board]
    classes = np.unique([river.class_of[board_index(five, 5)] for five in later])
    found = np.empty((len(classes), COUNT), np.uint16)
    table_kernels.strengths(river.cards[classes], pairs(), batch_tables(7), found)
    out[classes] = found
    return out


def test_turns_are_worth_what_walking_whole_ranges_says():
    strengths = strengths_after(BOARD)
    tree = public_tree(LATE)
    player = Blind(tree)
    assert blind_policy(player, tree)[tree.decisions] == pytest.approx(player.table[tree.decisions])
    walker = Walker(tree, player, dtype=np.float64)
    even = compatible(np.array([card_set(BOARD)], np.uint64))[0].astype(float)
    roots = [one.root for one in walker.streets[2]]
    walked = walker.values(2, BOARD, {root: np.stack([even, even]) for root in roots})
    for seat in range(2):
        responder = BlindResponder(tree, player.table, seat)
        rivers, river_of = responder.rivers()
        turns, turn_of = responder.different(2, river_of)
        found = responder.on_turns(np.array([BOARD]), turns, river_of, rivers, strengths)
        for root in roots:  # the other's hands are 1,035 where own cards and the board are known
            assert found[0, :, turn_of[root]] * 1035 == pytest.approx(walked[root][seat], abs=1e-6)


def test_subtrees_that_differ_in_nothing_are_worked_out_once():
    tree = public_tree(LATE)
    even = (tree.child >= 0) / np.maximum(tree.num_children, 1)[:, None]
    responder = BlindResponder(tree, even, 0)
    rivers, river_of = responder.rivers()
    turns, turn_of = responder.different(2, river_of)
    assert (len(turn_of), len(turns)) == (9, 3)  # with 10, 20 or 30 chips of each in the pot
    assert (len(river_of), rivers.shape[1]) == (27, 5)  # 10 to 50


def test_each_hand_meets_every_flop_and_turn_that_it_leaves_once():
    tree = public_tree(Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 0, 0, 0), (10, 10, 20, 20)))
    responder = BlindResponder(tree, (tree.action == 1).astype(float), 0)
    _, river_of = responder.rivers()
    turns, turn_of = responder.different(2, river_of)
    flops, _ = responder.different(1, turn_of)
    ones = compatible(np.array([card_set(board) for board in boards(4).cards.tolist()], np.uint64))[:, :, None]
    found = responder.flop_values(flops, turn_of, np.repeat(ones, len(turns), axis=2).astype(np.float32))
    hands, classes = np.bincount(starting_classes()), starting_classes()
    for column in found.T:  # each class of flops was met under one of its names: hands that are alike share them
        assert np.bincount(classes, column) / hands == pytest.approx(np.full(169, comb(50, 3)))


@pytest.mark.long
def test_betting_before_the_flop_alone_is_a_matter_of_win_rates():
    tree = public_tree(Betting(2, 4, (10, 5), (1, 0, 0, 0), (1, 0, 0, 0), (10, 10, 20, 20)))
    caller = (tree.action == 1).astype(float)
    cards = pairs().astype(int)
    high, low = (cards % 13).max(axis=1), (cards % 13).min(axis=1)
    suited = cards[:, 0] // 13 == cards[:, 1] // 13
    edge = 2 * np.where(suited, PREFLOP[high, low], PREFLOP[low, high]) - 1
    first, second = np.maximum(-5, np.maximum(10 * edge, 20 * edge)), np.maximum(10 * edge, 20 * edge)
    assert blind_response(tree, caller) == pytest.approx((first.mean() + second.mean()) / 2, abs=1e-3)


def test_subtrees_with_other_chips_are_never_taken_for_one_another():
    """A player that always raises comes to subtrees that differ in the chips put in and share some of what follows."""
    tree = public_tree(ACPC)
    raiser = np.zeros(tree.child.shape)
    raiser[tree.decisions, tree.num_children[tree.decisions] - 1] = 1.0  # the last action: raise, or call at the cap
    responder = BlindResponder(tree, raiser, 0)
    _, river_of = responder.rivers()
    turns, turn_of = responder.different(2, river_of)
    for one in responder.streets[2]:
        stands = turns[turn_of[one.root]]
        assert tree.spent[one.root].tolist() == tree.spent[stands.root].tolist()


def test_players_that_look_at_their_cards_are_told_apart():
    game = cardai.game("holdem_limit:max_raises=1+0+0+1")
    tree = holdem_tree(game, "it")
    caller = blind_policy(range_player(game, cardai.agent("always_call"), tree), tree)
    assert np.array_equal(caller > 0, tree.action == 1)
    assert blind_policy(range_player(game, cardai.agent("threshold"), tree), tree) is None


def test_hands_that_are_all_in_early_are_refused():
    tree = holdem_tree(cardai.game("holdem_fcpa"), "it")
    with pytest.raises(UsageError, match="all-in before the river"):
        blind_response(tree, np.zeros(tree.child.shape))
