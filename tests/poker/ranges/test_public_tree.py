"""The public tree: the sizes of known games, and agreement with the rules on random walks."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import UsageError
from cardai.poker.ranges.menus import menus
from cardai.poker.ranges.public_tree import (
    DEAL,
    DECISION,
    FOLD,
    FOLLOW,
    SHOWDOWN,
    TERMINATE,
    TERMINATED,
    Action,
    Node,
    betting_tree,
    gadget,
    public_tree,
    street_betting,
    tree_after,
)
from cardai.poker.rules.betting import Betting
from cardai.poker.rules.growing_tree import BettingNode, GrowingTree, rung_amounts

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
    tree = public_tree(game.betting, game.ladder, game.stacks)
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
        public_tree(game.betting, (), game.stacks)
    with pytest.raises(UsageError, match="more than 5,000 nodes"):
        public_tree(ACPC, most=5_000)
    with pytest.raises(UsageError, match="a dead ante is nobody's"):
        public_tree(evolve(ACPC, dead_ante=10))


@pytest.mark.parametrize(
    ("stacks", "bets"),
    [
        ((1050, 1050), "turn=0.5/allin,river=25%+pot"),
        ((80, 117), "1"),
        ((65, 65), "0.1+0.104/none"),  # both sizes are one bet of 10 chips into 100
        ((90, 90), "0.5+1"),  # both go beyond the stack: one all-in
    ],
)
def test_a_tree_to_be_solved_is_the_betting_walked_action_by_action(stacks: tuple[int, int], bets: str) -> None:
    betting, chosen = street_betting(100, 2), menus(bets, ("turn", "river"))
    tree, grown = betting_tree(betting, stacks, chosen), GrowingTree(betting, 1, stacks)
    reached = []

    def compare(node: Node, known: BettingNode, begun: list[int]) -> None:
        reached.append(node.number)
        if node.kind == DEAL:
            assert node.actor == -1
            (below,) = node.children
            compare(below, known, known.row["spent"])
            return
        assert node.spent == tuple(known.row["spent"])
        assert node.begun == tuple(begun)
        if known.actor < 0:
            assert (node.kind, node.actor) == ((SHOWDOWN, -1) if known.contested else (FOLD, known.parent.actor))
            assert node.street == (1 if known.contested else known.parent.round)
            return
        amounts = sorted(set(rung_amounts(known, chosen[known.round](known.row["raises"]))) - {0})
        actions = [Action(0)] * known.can_fold + [Action(1)] + [Action(2, amount) for amount in amounts]
        assert (node.kind, node.actor, node.street, list(node.actions)) == (DECISION, known.actor, known.round, actions)
        for action, child in zip(actions, node.children, strict=True):
            compare(child, grown.after(known, action.amount or action.kind), begun)

    compare(tree.root, grown.root, grown.root.row["spent"])
    assert reached == list(range(tree.size))  # depth first, and every node


def test_a_street_has_its_roots_first_and_then_the_child_behind_each_slot() -> None:
    tree = betting_tree(street_betting(100, 3), (400, 400), menus("1+allin", ("flop", "turn", "river")))
    assert len(tree.streets) == 3
    before = [tree.root]
    for forest in tree.streets:
        assert forest.nodes[: forest.roots] == before
        behind = [child for node in forest.nodes if node.kind == DECISION for child in node.children]
        assert forest.nodes[forest.roots :] == behind
        assert len(behind) == forest.num_slots
        for place, node in enumerate(forest.nodes):
            assert (node.index, node.street) == (place, tree.street[node.number])
            if node.kind == DECISION:
                first = forest.roots + forest.first_slot[place]
                assert [child.index for child in node.children] == list(range(first, first + len(node.children)))
        before = [child for node in forest.chance for child in node.children]
    assert sum(len(forest.nodes) for forest in tree.streets) == tree.size


def test_a_tree_ends_in_the_deals_of_its_last_street() -> None:
    game = cardai.game("acpc_nolimit_2p")
    tree = tree_after(game.betting, (20_000, 20_000), 0, (300, 1, 500), menus("allin", "pftr"), until=1)
    assert (tree.root.spent, tree.root.begun) == ((300, 500), (300, 300))
    assert (tree.root.street, len(tree.streets), len(tree.streets[1].nodes)) == (1, 2, 0)
    assert {(node.street, node.children) for node in tree.streets[0].chance} == {(1, ())}
    assert not (tree.kind == SHOWDOWN).any()  # the turn and the river are still to come


def test_a_gadget_stands_before_the_tree_and_changes_nothing_in_it() -> None:
    tree = betting_tree(street_betting(100, 2), (200, 200), menus("1", ("turn", "river")))
    both = gadget(tree, 1)
    assert [(action.kind, action.amount) for action in both.root.actions] == [(TERMINATE, 0), (FOLLOW, 0)]
    assert (both.root.actor, [node.kind for node in both.root.children]) == (1, [TERMINATED, DECISION])
    assert both.parent.tolist() == [-1, 0, 0, *(tree.parent[1:] + 2)]
    for name in ("kind", "actor", "street", "action", "amount", "spent", "num_children"):
        assert (getattr(both, name)[2:] == getattr(tree, name)).all(), name
    assert (both.child[2:] == np.where(tree.child >= 0, tree.child + 2, -1)).all()
    assert len(both.streets[0].nodes) == len(tree.streets[0].nodes) + 2
