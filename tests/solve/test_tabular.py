"""Table players: found by what the player sees, whatever the order; never a guess."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.core.rng import derive_many
from cardai.core.states import StateTables
from cardai.solve.sequence_form import game_form, policy_table, uniform_behaviour
from cardai.solve.tabular import TabularAgent, tabular_agent
from cardai.solve.tree import game_tree
from tests.solve.small_games import Coin, Hide


def numbered(name: str) -> tuple[TabularAgent, np.ndarray, np.ndarray]:
    """Return an agent whose rows are all different, its views and its table."""
    tree = game_tree(cardai.game(name))
    table = tree.infosets.legal * (1.0 + np.arange(len(tree.infosets))[:, None])
    return TabularAgent(tree.game, tree.infosets.views, table), tree.infosets.views, table


def test_each_view_finds_its_own_row_in_any_order() -> None:
    agent, views, table = numbered("leduc")
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(views)), 2))
    assert np.array_equal(agent.policy(views[order], np.ones((len(order), 3), bool)), table[order])


def test_views_of_tables_in_play_are_known() -> None:
    game = cardai.game("leduc")
    agent = tabular_agent(game_tree(game), uniform_behaviour(game_form(game)[1]))
    tables = game.tables(50)
    tables.reset(derive_many(7, count=50))
    while len(rows := np.flatnonzero(tables.current_players() >= 0)):
        player = int(tables.current_players()[rows[0]])
        rows = rows[tables.current_players()[rows] == player]
        legal = tables.legal(rows)
        policy = agent.policy(tables.views(player, rows), legal)
        assert isinstance(legal, np.ndarray)
        assert np.allclose(policy, legal / legal.sum(axis=1, keepdims=True))
        tables.apply(rows, policy.argmax(axis=1))


def test_the_score_of_a_match_does_not_matter_but_all_else_does() -> None:
    agent, views, table = numbered("leduc")
    later = views[:5].copy()
    later["score"] = 17
    assert np.array_equal(agent.policy(later, np.ones((5, 3), bool)), table[:5])
    later["pot"] += 1
    with pytest.raises(UsageError, match="does not know this view"):
        agent.policy(later, np.ones((5, 3), bool))


def test_another_game_is_refused() -> None:
    agent, _, _ = numbered("kuhn")
    assert agent.for_game(cardai.game("kuhn")) is agent
    with pytest.raises(UsageError, match=r"was solved for Kuhn: it cannot play Leduc"):
        agent.for_game(cardai.game("leduc"))


def test_views_that_forget_what_keys_remember_are_refused() -> None:
    tree, form = game_form(Coin(blind=True))
    with pytest.raises(UsageError, match="Coin's views forget: two information sets with different keys look alike"):
        tabular_agent(tree, uniform_behaviour(form))


def test_a_plain_python_game_is_played_through_the_default_tables() -> None:
    game = Hide()
    tree, form = game_form(game)
    agent = tabular_agent(tree, uniform_behaviour(form))
    tables = StateTables(game, 4)
    tables.reset(derive_many(1, count=4))
    rows = np.arange(4)
    assert np.allclose(agent.policy(tables.views(0, rows), tables.legal(rows)), 1 / 3)
    assert policy_table(tree, uniform_behaviour(form)).shape == (2, 3)
