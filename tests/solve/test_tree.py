"""Trees as arrays: the right nodes and information sets, and clear refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import cardai
from cardai.core.errors import UsageError
from cardai.solve.sequence_form import game_form
from cardai.solve.tree import build_tree, game_tree
from tests.solve.small_games import Coin, Forgetful, Hide
from tests.solve.spiel import SpielGame


@pytest.mark.parametrize("game", [SpielGame("leduc_poker"), cardai.game("leduc")])
def test_leduc_has_openspiels_nodes_and_information_sets(game: Any) -> None:
    # counted through OpenSpiel 2.0.2's leduc_poker
    assert game_tree(game).counts() == {
        "nodes": 9457,
        "chance nodes": 157,
        "decision nodes": 3780,
        "finished nodes": 5520,
        "information sets": 936,
        "sequences": 2 * 1093,
    }


def test_leduc_without_suits_has_288_information_sets_and_1116_payoff_cells() -> None:
    tree, form = game_form(cardai.game("leduc:suits=false"))
    assert len(tree.infosets) == 288
    assert len(form.payoff) == 2 * 1116


def test_the_public_tree_of_deepstack_leduc_has_653_nodes() -> None:
    # DeepStack-Leduc (Moravcik et al. 2017, supplementary code): 653 public nodes, 591 without the unprompted fold
    assert len(list(game_tree(cardai.game("leduc_deepstack")).public_histories())) == 653
    assert len(list(game_tree(cardai.game("leduc_deepstack:fold_anytime=false")).public_histories())) == 591


def test_a_tree_is_walked_once_for_a_game_and_its_options() -> None:
    assert game_tree(cardai.game("kuhn")) is game_tree(cardai.game("kuhn"))
    assert game_tree(Coin(heads=0.25)) is game_tree(Coin(heads=0.25))
    assert game_tree(Coin(heads=0.25)) is not game_tree(Coin(heads=0.75))


def test_parents_come_before_children() -> None:
    tree = game_tree(SpielGame("leduc_poker"))
    assert (tree.parent[1:] < np.arange(1, len(tree.parent))).all()
    sets = tree.infosets
    assert (sets.parent_sequence < sets.first_sequence).all()
    assert (np.diff(sets.first_sequence) > 0).all()


def test_terminal_reach_sums_to_one_where_players_have_one_way() -> None:
    tree = game_tree(cardai.game("kuhn"))
    first = (tree.terminal_sequences == tree.terminal_sequences[0]).all(axis=1)
    assert 0 < tree.terminal_reach[first].sum() <= 1


def test_imperfect_recall_is_refused_with_both_histories() -> None:
    with pytest.raises(UsageError, match=r"Forgetful has imperfect recall: .* by \[0\] and by \[1\]"):
        game_tree(Forgetful())


def test_equal_keys_with_different_actions_are_refused() -> None:
    with pytest.raises(UsageError, match="has different legal actions"):
        game_tree(Hide(unequal=True))


def test_a_large_game_is_refused_before_it_is_walked() -> None:
    with pytest.raises(UsageError, match=r"too large to enumerate: about 10\^\d+ nodes"):
        game_tree(SpielGame("leduc_poker"), limit=3)
    with pytest.raises(UsageError, match="more than 5,000 nodes"):
        game_tree(SpielGame("leduc_poker"), limit=5_000)


def test_chance_that_cannot_be_listed_is_refused() -> None:
    with pytest.raises(UsageError, match="no chance_outcomes"):
        build_tree(Coin(heads=-1.0))


def test_chance_that_does_not_sum_to_one_is_refused() -> None:
    with pytest.raises(UsageError, match="sum to"):
        build_tree(Coin(heads=2.0))


def test_games_without_a_mask_are_refused() -> None:
    @frozen
    class Wide(Coin):
        num_distinct_actions = 20_001

    with pytest.raises(UsageError, match="20001 distinct actions"):
        game_tree(Wide())


@pytest.mark.parametrize(("heads", "face"), [(0.0, 0), (1.0, 1)])
def test_what_chance_never_does_is_not_in_the_tree(heads: float, face: int) -> None:
    tree = build_tree(Coin(heads=heads), 100)
    assert tree.action[tree.first_child[0] : tree.first_child[0] + tree.num_children[0]].tolist() == [face]
    assert tree.counts()["nodes"] == 1 + 5  # the coin; then fold, or double and two answers
    assert len(tree.infosets) == 2
    assert tree.terminal_reach.tolist() == [1.0, 1.0, 1.0]
