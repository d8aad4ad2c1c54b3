"""Kuhn poker against OpenSpiel, node by node, and its published value."""

from __future__ import annotations

import pyspiel
import pytest

import cardai
from cardai.core.errors import IllegalActionError
from cardai.core.game import State


def _same_tree(ours: State, theirs: pyspiel.State) -> int:
    assert ours.current_player() == theirs.current_player()
    assert ours.history == theirs.history()
    assert ours.returns() == theirs.returns()
    nodes = 1
    if ours.is_terminal():
        return nodes
    assert ours.legal_actions() == theirs.legal_actions()
    if ours.is_chance_node():
        assert dict(ours.chance_outcomes()) == pytest.approx(dict(theirs.chance_outcomes()))
    for action in ours.legal_actions():
        child = ours.clone()
        child.apply_action(action)
        nodes += _same_tree(child, theirs.child(action))
    return nodes


def test_the_whole_tree_is_openspiels():
    # 1 root, 3 first cards, 6 deals with 9 nodes of play each
    assert (
        _same_tree(cardai.game("kuhn").new_initial_state(), pyspiel.load_game("kuhn_poker").new_initial_state()) == 58
    )


def _value(state: State, first: dict[bytes, float]) -> float:
    """The first player's value when bets happen with the probabilities ``first`` (by key)."""
    if state.is_terminal():
        return state.returns()[0]
    if state.is_chance_node():
        weighted = state.chance_outcomes()
    else:
        bet = first[state.key(state.current_player())]
        weighted = [(0, 1 - bet), (1, bet)]
    total = 0.0
    for action, probability in weighted:
        child = state.clone()
        child.apply_action(action)
        total += probability * _value(child, first)
    return total


def test_its_equilibrium_value_is_minus_one_eighteenth():
    # Kuhn 1950, alpha = 1/3: bet jack 1/3, queen never, king always; call a bet after passing with the queen 2/3,
    # the king always. Seat 1: bet jack 1/3 after a pass, call with the queen 1/3, with the king always.
    bets = {
        (0, 0, ()): 1 / 3, (0, 1, ()): 0, (0, 2, ()): 1,
        (0, 0, (0, 1)): 0, (0, 1, (0, 1)): 2 / 3, (0, 2, (0, 1)): 1,
        (1, 0, (0,)): 1 / 3, (1, 1, (0,)): 0, (1, 2, (0,)): 1,
        (1, 0, (1,)): 0, (1, 1, (1,)): 1 / 3, (1, 2, (1,)): 1,
    }  # fmt: skip
    policy = {
        repr({"player": player, "card": card, "history": list(history)}).encode(): bet
        for (player, card, history), bet in bets.items()
    }
    assert _value(cardai.game("kuhn").new_initial_state(), policy) == pytest.approx(-1 / 18)


def test_it_speaks_plainly():
    game = cardai.game("kuhn")
    assert [game.action_to_string(a) for a in range(2)] == ["pass", "bet"]
    assert game.chance_to_string(2) == "king"


def test_an_illegal_action_is_refused():
    state = cardai.game("kuhn").new_initial_state()
    state.apply_action(1)
    with pytest.raises(IllegalActionError, match=r"1 is not legal here. Legal: \[0, 2\]"):
        state.apply_action(1)
