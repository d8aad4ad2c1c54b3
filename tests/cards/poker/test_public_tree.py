"""The public tree: the sizes of known games, and agreement with the rules on random walks."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.cards.poker.betting import Betting
from cardai.cards.poker.public_tree import DEAL, DECISION, FOLD, SHOWDOWN, public_tree
from cardai.core.errors import UsageError

ACPC = Betting(2, 4, (10, 5), (1, 0, 0, 0), (3, 4, 4, 4), (10, 10, 20, 20))


def test_acpc_limit_has_the_published_number_of_betting_sequences():
    tree = public_tree(ACPC)
    by_street = [int(((tree.kind == DECISION) & (tree.street == s)).sum()) for s in range(4)]
    # 7, 63 and 567 ways to reach flop, turn and river; 8, 10, 10 and 10 decisions in a street's subtree
    assert by_street == [8, 70, 630, 5670]
    assert [int(((tree.kind == DEAL) & (tree.street == s)).sum()) for s in range(4)] == [7, 63, 567, 0]
    assert int(((tree.kind == FOLD) | (tree.kind == SHOWDOWN)).sum()) == 10_206
    assert tree.edges == 16_583


@pytest.mark.parametrize(
    "spec",
    [
        "acpc_limit_2p",
        "holdem_limit:stack=65",
        "holdem_fcpa",
        "holdem_nolimit:bets=0.5+pot,stack=1500",
        "holdem_limit:players=3,max_raises=1+1+1+1",
    ],
)
def test_random_walks_agree_with_the_game(spec):
    game = cardai.game(spec)
    tree = public_tree(game.betting, game.ladder(), game.seat_stacks())
    rng = np.random.default_rng(3)
    ends = set()
    for _ in range(30):
        state, node, history = game.new_initial_state(), 0, []
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([card for card, _ in state.chance_outcomes()])))
                continue
            if tree.kind[node] == DEAL:
                assert tree.num_children[node] == 1
                node = int(tree.child[node, 0])
            assert tree.kind[node] == DECISION
            count = int(tree.num_children[node])
            assert tree.action[node, :count].tolist() == state.legal_actions()
            assert tree.actor[node] == state.current_player()
            assert tree.street[node] == state.row["round"]
            assert tree.spent[node].tolist() == state.row["spent"][: game.num_players].tolist()
            padded = np.full((1, 40), -1)
            padded[0, : len(history)] = history
            assert tree.find(padded)[0] == node
            k = int(rng.integers(count))
            state.apply_action(int(tree.action[node, k]))
            history.append(int(state.row["history"][len(history)]))
            node = int(tree.child[node, k])
        compared = state.outcome()["showdown"]
        assert tree.kind[node] == (SHOWDOWN if compared else FOLD)
        assert tree.spent[node].tolist() == state.row["spent"][: game.num_players].tolist()
        if not compared:
            assert state.row["folded"][tree.actor[node]]
        ends.add(int(tree.kind[node]))
    assert ends == {SHOWDOWN, FOLD}


def test_a_streets_subtree_begins_behind_its_deal():
    tree = public_tree(ACPC)
    for node in tree.decisions[::37]:
        root = tree.roots[node]
        assert tree.street[root] == tree.street[node]
        assert root == 0 or tree.kind[tree.parent[root]] == DEAL
    assert len(np.unique(tree.roots[(tree.street == 3)])) == 567


def test_a_history_that_is_not_in_the_tree_is_found_nowhere():
    tree = public_tree(ACPC)
    assert tree.find(np.array([[2, 2, 2, 2, -1], [0, -1, -1, -1, -1], [1, 1, 1, 2, -1]]))[:2].tolist() == [-1, -1]
    assert tree.find(np.array([[-1, -1]])).tolist() == [0]


def test_what_is_too_rich_is_refused_with_a_reason():
    game = cardai.game("acpc_nolimit_2p")
    with pytest.raises(UsageError, match="give the game a ladder"):
        public_tree(game.betting, (), game.seat_stacks())
    with pytest.raises(UsageError, match="more than 5,000 nodes"):
        public_tree(ACPC, most=5_000)
