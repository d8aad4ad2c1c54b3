"""Hold'em's options, presets, ladders and matches; chips are conserved whatever is played."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.arena import match
from cardai.core import registry
from cardai.core.errors import IllegalActionError, OptionError
from cardai.core.game import Amounts, Setup
from cardai.core.rng import Rows, derive_many
from cardai.core.row_state import RowState


def make(spec):
    return registry.create("game", spec)


def dealt(spec, setup=None):
    """Return a state at its first decision: every seat's cards in order from the deck's low end."""
    state = make(spec).new_initial_state(setup)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    return state


@pytest.mark.parametrize(
    ("spec", "blinds", "first", "sizes", "stack"),
    [  # the competition's game files: blind, firstPlayer (from 1), raiseSize, stack, all by position after the button
        ("acpc_limit_2p", (10, 5), (2, 1, 1, 1), (10, 10, 20, 20), None),
        ("acpc_limit_3p", (5, 10, 0), (3, 1, 1, 1), (10, 10, 20, 20), None),
        ("acpc_nolimit_2p", (100, 50), (2, 1, 1, 1), None, 20000),
        ("acpc_nolimit_3p", (50, 100, 0), (3, 1, 1, 1), None, 20000),
        ("acpc_nolimit_6p", (50, 100, 0, 0, 0, 0), (3, 1, 1, 1), None, 20000),
    ],
)
def test_presets_are_the_competitions_game_files(spec, blinds, first, sizes, stack):
    game = make(spec)
    assert game.betting.blinds == blinds
    assert tuple(f + 1 for f in game.betting.first) == first
    if sizes:
        assert (game.betting.raise_sizes, game.betting.max_raises) == (sizes, (3, 4, 4, 4))
    else:
        assert set(game.stacks) == {stack}
        assert game.amounts


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_flop_only():
    state = dealt("holdem_limit", Setup(starter=1))
    view = state.view(0)
    assert (view["button"], view["spent"], state.current_player()) == (1, [10, 5], 1)
    state.apply_action(1)
    state.apply_action(1)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert state.current_player() == 0
    old = dealt("holdem_limit:reverse_blinds=false", Setup(starter=1))
    assert (old.view(0)["spent"], old.current_player()) == ([5, 10], 0)


def test_poker_cnns_game_has_four_bets_a_round_with_the_blind():
    state = dealt("poker_cnn_limit")
    for _ in range(3):
        state.apply_action(2)
    assert state.view(0)["spent"] == [400, 300]
    assert state.legal_actions() == [0, 1]
    # the most that a seat can put in: 4 bets of 100, 4 of 100, 4 of 200, 4 of 200
    assert max(f.maximum for f in state.game.view_fields if f.name == "spent") == 2400


def test_full_no_limit_offers_amounts_and_names_them_when_it_refuses():
    game = make("holdem_nolimit")
    tables = game.tables(3)
    tables.reset(derive_many(0, "d", count=3))
    rows = np.arange(3)
    legal = tables.legal(rows)
    assert isinstance(legal, Amounts)
    assert (legal.min_amount.tolist(), legal.max_amount.tolist()) == ([200] * 3, [20000] * 3)
    with pytest.raises(IllegalActionError, match=r"199 is not legal at table 1.*\[0, 1, 200 to 20000\]"):
        tables.apply(rows, np.array([200, 199, 1]))
    assert tables.views(0, rows)["history"].max() == -1  # nothing was played anywhere


@pytest.mark.parametrize(
    ("bets", "raised"),
    [  # blinds 50/100: the pot after a call is 200, so a pot bet raises to 100 + 200
        ("pot+allin", {2: 300, 3: 2000}),
        ("0.5+1+2+allin", {2: 200, 3: 300, 4: 500, 5: 2000}),
        ("0.1+pot", {3: 300}),  # a tenth of the pot is below the least raise
        ("pot+20+30", {2: 300, 3: 2000}),  # twenty pots are all-in; thirty are nothing else
        ("pot+20+allin", {2: 300, 4: 2000}),
    ],
)
def test_a_ladder_maps_rungs_to_legal_amounts(bets, raised):
    game = make(f"holdem_nolimit:stack=2000,bets={bets}")
    state = dealt(f"holdem_nolimit:stack=2000,bets={bets}")
    assert state.legal_actions() == [0, 1, *raised]
    assert not game.amounts
    for action, amount in raised.items():
        child = state.clone()
        child.apply_action(action)
        assert child.view(0)["spent"][0] == amount
        assert child.view(0)["history"] == [amount]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("holdem_limit:players=11", "players"),
        ("holdem_limit:blinds=5+10+20", "blinds"),
        ("holdem_limit:raise_sizes=10+20", "four numbers"),
        ("holdem_limit:raise_sizes=0+0+0+0", "positive"),
        ("holdem_limit:stack=7", "must cover"),
        ("holdem_nolimit:stack=100+200+300", "one number, or one for each"),
        ("holdem_nolimit:bets=pot+half", "ascend"),
        ("holdem_nolimit:bets=-1", "rung"),
    ],
)
def test_wrong_options_are_refused_by_name(spec, says):
    with pytest.raises(OptionError, match=says):
        make(spec)


SPECS = ("holdem_limit", "acpc_limit_3p", "holdem_fcpa:stack=1500", "acpc_nolimit_6p:stack=500+900+1250+333+700+210")


@given(st.sampled_from(SPECS), st.integers(0, 2**63))
@settings(max_examples=30, deadline=None)
def test_random_hands_conserve_chips_and_replay_from_their_history(spec, seed):
    game = make(spec)
    tables = game.tables(16)
    tables.reset(derive_many(seed, "decks", count=16))
    agent = registry.create("agent", "random")
    actions = [[] for _ in range(16)]
    for step in range(game.betting.history_length + 1):
        current = tables.current_players()
        rows = np.flatnonzero(current >= 0)
        if not len(rows):
            break
        for seat in np.unique(current[rows]):
            at = np.flatnonzero(current == seat)
            views = tables.views(int(seat), at)
            assert (views["pot"] == views["spent"].sum(axis=1)).all()
            assert (views["to_call"] >= 0).all()
            chosen = agent.act(views, tables.legal(at), Rows(derive_many(seed, "a", step, count=len(at))))
            tables.apply(at, chosen)
            for row, action in zip(at, chosen, strict=True):
                actions[row].append(int(action))
    every = np.arange(16)
    returns = tables.returns(every)
    assert returns.sum(axis=1) == pytest.approx(np.zeros(16))
    last = tables.views(0, every)
    assert (returns >= -last["spent"]).all()
    again = game.tables(16)
    again.reset(derive_many(seed, "other", count=16), [tables.deck(row) for row in range(16)])
    for row in range(16):
        for action in actions[row]:
            again.apply(np.array([row]), np.array([action]))
    assert np.array_equal(again.returns(every), returns)
    assert again.views(0, every).tobytes() == last.tobytes()


def test_the_state_of_an_all_in_deals_the_board_card_by_card():
    state = dealt("holdem_fcpa")
    state.apply_action(3)
    state.apply_action(1)
    assert isinstance(state, RowState)
    assert state.is_chance_node()
    for count in range(5):
        assert len(state.view(0)["board"]) == count
        assert state.chance_seen_by() == (0, 1)
        state.apply_action(state.legal_actions()[-1])
    assert state.is_terminal()
    assert abs(state.returns()[0]) in (0, 20000)
    assert state.outcome() == {"showdown": True, "round": 0, "pot": 40_000}  # nobody acted after the first round


def test_a_match_of_many_hands_moves_the_button_and_shows_the_score():
    result = match.play("holdem_limit:hands=5", ["always_raise", "random"], games=4, seed=2)
    assert len(result.hands) == 20
    assert result.hands["starter"][:5].tolist() == [0, 1, 0, 1, 0]
    label, text = result.summary(0)[0]
    assert label == "mbb/g"
    mean = float(result.hands["returns"][np.arange(20), result.seats(0)].mean()) * 100  # a big blind is 10 chips
    assert text.startswith(f"{mean:+.1f} ± ")
    game = make("holdem_limit:hands=2")
    state = game.new_initial_state(Setup(hand=1, starter=1, score=(-20.0, 20.0)))
    assert state.view(0)["score"] == [-20, 20]


def test_a_person_sees_the_table_as_the_competition_writes_it():
    state = dealt("holdem_nolimit")
    for action in (300, 1):
        state.apply_action(action)
    text = state.game.draw(state.view(0))
    assert text is not None
    assert "hole 2c 3c   board -   pot 600" in text or "hole 4c 5c   board -   pot 600" in text
    assert "seat 0: 300 in, 19700 behind (you, button)" in text
    assert "betting r300c/; 0 to call" in text


def test_straddles_without_a_seat_to_post_them_are_refused_by_their_number() -> None:
    with pytest.raises(OptionError, match="Got 3 of them for 2 players"):
        registry.create("game", "holdem_nolimit:straddles=200")
