from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai import make
from cardai.core.errors import UsageError
from cardai.core.fields import empty_views
from cardai.core.legal import Amounts
from cardai.core.rng import Rows
from cardai.plugins.agents.opponent_model import CALL, FOLD, RAISE, opponent_actions

RNG = Rows(np.zeros(1, np.uint64))


def bound(game: str = "holdem_limit", options: str = "") -> Any:
    return make.agent(f"opponent_model{options}").for_game(make.game(game)).new_match(0)


def hand(*actions: tuple[int, int, int], player: int = 0, button: int = 1) -> dict[str, Any]:
    """Return what a view says of a hand's (action, round, seat)."""
    names = ("history", "history_round", "history_seat")
    return {"player": player, "button": button, **{name: [a[k] for a in actions] for k, name in enumerate(names)}}


def river(**fields: Any) -> Any:
    """Return a view on the river: seven high on a dry board, or what ``fields`` change."""
    views = empty_views(make.game("holdem_limit").view_fields, 1)
    cards = {"hole": [0, 14], "board": [12, 24, 36, 7, 20], "round": 3, "pot": 40, "player": 0, "button": 1}
    for name, value in (cards | fields).items():
        views[name] = value
    return views


def test_the_opponents_actions_are_read_with_street_and_bet() -> None:
    # the button (seat 1) raises, is called; the other checks the flop, the button bets, is raised and folds
    played = hand((2, 0, 1), (1, 0, 0), (1, 1, 0), (2, 1, 1), (2, 1, 0), (0, 1, 1))
    assert opponent_actions(played) == [(0, True, RAISE), (1, False, RAISE), (1, True, FOLD)]
    other = hand((1, 0, 1), (1, 0, 0), player=1)
    assert opponent_actions(other) == [(0, False, CALL)]  # the big blind had nothing to call
    amounts = hand((300, 0, 1), (900, 0, 0), (1, 0, 1))
    assert opponent_actions(amounts) == [(0, True, RAISE), (0, True, CALL)]


def test_counts_are_kept_by_street_and_begin_anew_in_a_new_match() -> None:
    agent = bound()
    before = agent.frequencies()
    for _ in range(90):
        agent.hand_finished(hand((1, 0, 1), (1, 0, 0), (2, 1, 0), (0, 1, 1)), [10.0, -10.0])
    after = agent.frequencies()
    assert after[1, 1, FOLD] == pytest.approx((1 + 90) / (10 + 90))  # a prior of ten, one of them a fold
    assert (after[2:] == before[2:]).all()
    assert (agent.new_match(0).frequencies() == before).all()


def test_it_bluffs_who_folds_and_not_who_calls() -> None:
    legal = np.array([[False, True, True]])
    agent, other = bound(), bound()
    for _ in range(100):
        agent.hand_finished(hand((2, 3, 0), (0, 3, 1)), [0.0, 0.0])
        other.hand_finished(hand((2, 3, 0), (1, 3, 1)), [0.0, 0.0])
    assert agent.act(river(), legal, RNG).tolist() == [RAISE]
    assert other.act(river(), legal, RNG).tolist() == [CALL]


def test_it_believes_a_raise_of_who_seldom_raises() -> None:
    legal = np.array([[True, True, True]])
    pair = {"hole": [13 * 0 + 5, 13 * 2 + 9], "pot": 60, "to_call": 20}  # a pair of sevens with the board
    bet = {"history": -1, "history_round": -1, "history_seat": -1}
    views = river(**pair, **bet)
    views["history"][0, :1], views["history_round"][0, :1], views["history_seat"][0, :1] = 2, 3, 1
    views["board"] = [12, 24, 36, 13 * 1 + 5, 20]
    rare, often = bound(options=":trust=0.7"), bound()
    for _ in range(200):
        rare.hand_finished(hand((1, 3, 1)), [0.0, 0.0])
        often.hand_finished(hand((2, 3, 1)), [0.0, 0.0])
    assert rare.act(views, legal, RNG).tolist() == [FOLD]
    assert often.act(views, legal, RNG).tolist() != [FOLD]


def test_a_no_limit_raise_is_of_the_pot() -> None:
    agent = bound("holdem_nolimit")
    for _ in range(100):
        agent.hand_finished(hand((300, 3, 0), (0, 3, 1)), [0.0, 0.0])
    views = empty_views(make.game("holdem_nolimit").view_fields, 1)
    cards = {
        "hole": [0, 14],
        "board": [12, 24, 36, 7, 20],
        "round": 3,
        "pot": 400,
        "spent": 200,
        "button": 1,
        "player": 0,
    }
    for name, value in cards.items():
        views[name] = value
    legal = Amounts(np.array([[False, True, True]]), np.array([300]), np.array([20_000]))
    assert agent.act(views, legal, RNG).tolist() == [600]  # 200 and the pot of 400


def test_it_plays_whole_matches_and_refuses_other_games() -> None:
    result = cardai.play("holdem_limit:hands=5", ["opponent_model", "acpc_mix"], games=4, seed=1)
    assert len(result.hands) == 20
    with pytest.raises(UsageError, match="for two"):
        make.agent("opponent_model").for_game(make.game("holdem_limit:players=3"))
    with pytest.raises(UsageError, match="hold'em"):
        make.agent("opponent_model").for_game(make.game("leduc"))


def test_on_a_ladder_it_takes_a_raise_that_is_legal() -> None:
    """A deck on which a pot raise is not legal."""
    assert len(cardai.play("holdem_fcpa", ["opponent_model", "holdem_heuristic"], games=20, seed=0).hands) == 20


@pytest.mark.long
def test_it_beats_rule_players_in_long_matches() -> None:
    """1,200 hands, of which the interval is well above 0."""
    result = cardai.play("acpc_limit_2p:hands=200", ["opponent_model", "acpc_mix"], games=6, seed=2)
    assert result.mean_return(0).low > 5  # chips: a best response would win 25
