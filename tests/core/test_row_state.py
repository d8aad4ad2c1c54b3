"""One hand of a fast game: the fused step is the plain one, and states do not share what they may write."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.errors import IllegalActionError
from cardai.core.game import Setup
from cardai.core.numbers import numbers_of
from cardai.core.row_state import RowState, plain_step

GAMES = [
    "leduc",
    "leduc:suits=false,action_mapping=true",  # equal cards, actions that stand for others
    "holdem_limit:players=3",
    "holdem_nolimit:stack=300",
    "holdem_fcpa",
    "gin",
    "gin:melds=choose,wall_turn=true",
    "triple_draw:players=6",  # its deck runs out
    "video_poker",
    "liars_dice:dice=2,faces=3,players=3",
]


def state_of(spec: str) -> RowState:
    state = cardai.game(spec).new_initial_state()
    assert isinstance(state, RowState)
    return state


def plain(state: RowState, action: int) -> tuple[bytes, int, list[int], list[float]]:
    """Return row, current player, choices and returns after ``action`` as the game's separate kernels have them."""
    hand, data = state._hand, state._data.copy()
    choices, payoff = np.empty_like(hand.choices), np.zeros((1, len(hand.seats)))
    current, count = plain_step(hand.tables)(
        data, hand.rules, hand.index, action, np.empty_like(hand.mask), choices, payoff
    )
    return data.tobytes(), current, choices[:count].tolist(), payoff[0].tolist()


@pytest.mark.parametrize("spec", GAMES)
def test_the_fused_step_does_what_the_games_kernels_do_one_by_one(spec: str) -> None:
    rng = random.Random(spec)
    assert state_of(spec)._hand.tables.kernels.step is not None
    for _ in range(12):
        state = state_of(spec)
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            expected = plain(state, action)
            state.apply_action(action)
            found = state._data.tobytes(), state.current_player(), state._listed, state.returns()
            assert found == expected


@pytest.mark.parametrize("spec", ["leduc", "leduc:suits=false", "gin"])
def test_chance_has_each_outcome_once_with_the_share_of_the_cards_left(spec: str) -> None:
    state = state_of(spec)
    while state.is_chance_node():
        left = [int(card) for card in state.row["deck"][state.row["dealt"] :] if card >= 0]
        expected = [(card, left.count(card) / len(left)) for card in sorted(set(left))]
        assert state.chance_outcomes() == expected
        assert state.legal_actions() == [card for card, _ in expected]
        state.apply_action(expected[-1][0])


def test_what_a_state_hands_out_is_the_callers_own() -> None:
    state = state_of("leduc")
    state.legal_actions().append(99)
    with pytest.raises(IllegalActionError, match="99"):
        state.apply_action(99)
    state.returns()[0] = 7.0
    assert state.returns() == [0.0, 0.0]


def test_hands_of_one_game_are_independent() -> None:
    one, two = state_of("holdem_limit"), state_of("holdem_limit")
    one.apply_action(51)
    copy = one.clone()
    copy.apply_action(50)
    facts = [(s.history, s.legal_actions()) for s in (two, one, copy)]
    deck = list(range(52))
    assert facts == [([], deck), ([51], deck[:51]), ([51, 50], deck[:50])]


@pytest.mark.parametrize("action", [1.5, -1, 3, 10**30])
def test_an_action_that_is_none_is_refused_in_words(action: Any) -> None:
    state = state_of("leduc")
    for card in (0, 2):
        state.apply_action(card)
    with pytest.raises(IllegalActionError, match=r"not legal at table 0\. Legal: \[1, 2\]"):
        state.apply_action(action)
    assert state.history == [0, 2]


@pytest.mark.parametrize("action", [2, 199, 250.5, 301])
def test_an_amount_outside_the_bounds_is_refused_with_the_bounds(action: Any) -> None:
    state = state_of("holdem_nolimit:stack=300")
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.legal_actions() == [0, 1, *range(200, 301)]
    with pytest.raises(IllegalActionError, match=r"not legal at table 0\. Legal: \[0, 1, 200 to 300\]"):
        state.apply_action(action)


def test_a_key_says_how_the_hand_began() -> None:
    def key(player: int, setup: Setup) -> bytes:
        state = cardai.game("leduc").new_initial_state(setup)
        state.apply_action(0)
        state.apply_action(4)
        return state.key(player)

    begun = [
        Setup(),
        Setup(starter=1),
        Setup(score=(3.0, -3.0)),
        Setup(score=(-3.0, 3.0)),
        Setup(stacks=(50, 60)),
    ]
    assert len({key(player, setup) for setup in begun for player in (0, 1)}) == 10
    undealt = {cardai.game("leduc").new_initial_state(Setup(starter=starter)).key(0) for starter in (0, 1)}
    assert len(undealt) == 2  # the order of the deal does not say it yet
    assert key(0, Setup()) == key(0, Setup(hand=3))  # which hand it is, a view does not say


@pytest.mark.parametrize("spec", GAMES)
def test_a_view_as_numbers_is_the_view(spec: str) -> None:
    """Numbers that a kernel writes by itself are those that are made of the structured view."""
    rng = random.Random(spec)
    for _ in range(4):
        state = state_of(spec)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            for player in range(state.game.num_players):
                views = state.views(player)
                assert np.array_equal(state.numbers(player), numbers_of(state.game.view_fields).of(views))


@pytest.mark.parametrize("spec", ["leduc:players=3", "gin", "video_poker"])
def test_a_key_says_who_saw_each_card_however_late_it_is_asked(spec: str) -> None:
    rng = random.Random(spec)
    asked, late = state_of(spec), state_of(spec)
    seats = range(asked.game.num_players)
    while not asked.is_terminal():
        watching, outcome = asked.chance_seen_by(), rng.choice(asked.legal_actions())
        chance = asked.is_chance_node()
        for state in (asked, late):
            state.apply_action(outcome)
        keys = [asked.key(seat) for seat in seats]
        if chance:
            assert [key.endswith(f":{outcome}".encode()) for key in keys] == [seat in watching for seat in seats]
    assert [late.clone().key(seat) for seat in seats] == keys == [late.key(seat) for seat in seats]


@pytest.mark.parametrize("spec", ["leduc:suits=false,action_mapping=true", "gin", "triple_draw"])
def test_who_sees_an_action_is_asked_where_a_key_is_wanted_and_of_the_hand_as_it_was(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, state = random.Random(spec), state_of(spec)
    seats, seen, asked = range(state.game.num_players), [], []
    observed = type(state.game).observed
    while not state.is_terminal():
        action, actor = rng.choice(state.legal_actions()), state.current_player()
        seen.append([observed(state.game, state.row, actor, action, p) for p in seats] if actor >= 0 else None)
        with monkeypatch.context() as patch:
            patch.setattr(type(state.game), "observed", lambda *given: asked.append(given))
            state.apply_action(action)
    assert not asked
    found = [list(state._seen(k)) if actors is not None else None for k, actors in enumerate(seen)]
    assert found == seen
