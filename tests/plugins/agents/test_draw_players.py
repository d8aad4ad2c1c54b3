"""Poker-CNN's reference players of triple draw."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.arena.match import play
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.core.fields import Views, pack_views
from cardai.core.game import Amounts

GAME = cardai.game("triple_draw")


def view_of(hand: str, *, draws_left: int = 3, button: int = 1, round_: int = 0, raises: int = 0) -> Views:
    state = GAME.new_initial_state()
    for card in range(10):
        state.apply_action(card)
    view = state.view(0)
    view.update(hand=parse_cards(hand), draws_left=draws_left, button=button, round=round_, raises=raises)
    return pack_views(GAME.view_fields, [view])


def policy(view: Views, *legal: int) -> np.ndarray:
    mask = np.zeros((1, 35), np.bool_)
    mask[0, list(legal)] = True
    return cardai.agent("draw_heuristic").for_game(GAME).policy(view, mask)[0]


def test_weights_follow_the_published_formula() -> None:
    # v = 1.0 (the best hand, pat), b = 0.40: raise 2 + 30 * 0.6 + 0.5 (no bet yet), call 2, fold 0.5 - 5 * 0.6 -> 0
    best = policy(view_of("7s5h4d3s2c"), 0, 1, 2)
    assert best[:3] == pytest.approx(np.array([0.0, 2.0, 20.5]) / 22.5)
    # a final pair, v = 0.075, b = 0.40 + 0.20 + 0.05 * 2 + 0.05: on the button with two bets before it
    worst = policy(view_of("KsKhKdQsQh", draws_left=0, button=0, round_=3, raises=2), 0, 1, 2)
    below = 0.75 - 0.075
    weights = np.array([0.5 + 5 * below - 0.25, 1.0 + 0.5, 0.0])
    assert worst[:3] == pytest.approx(weights / weights.sum())


def test_what_is_not_legal_goes_to_the_tamer_action() -> None:
    free = policy(view_of("7s5h4d3s2c"), 1)
    assert free[:3].tolist() == [0.0, 1.0, 0.0]


def test_draws_keep_what_is_worth_most() -> None:
    discards = list(range(3, 35))
    assert policy(view_of("7s5h4d3s2c"), *discards)[3] == 1.0  # pat
    assert policy(view_of("KsKh4d3s2c"), *discards)[3 + 0b00011] == 1.0  # both kings
    assert policy(view_of("9c8d7h3s2s", draws_left=1), *discards)[3] == 1.0
    assert policy(view_of("9c8d7h3s2s", draws_left=3), *discards)[3 + 0b00001] == 1.0


@pytest.mark.long
def test_the_published_margin_over_an_always_calling_player_is_met() -> None:
    # 57.7 +- 3.2 (one standard error) chips a hand: the authors' player, re-implemented in NumPy, 4,000 hands
    won = play("triple_draw", ["draw_heuristic", "draw_caller"], games=20_000, seed=1).mean_return(0)
    assert abs(won.mean - 57.7) < 2 * 3.2 + won.half_width


def test_a_drawn_fold_is_drawn_once_more_half_the_time() -> None:
    player = cardai.agent("random_refold").for_game(GAME)
    mask = np.zeros((2, 35), np.bool_)
    mask[0, :3] = True
    mask[1, 3:] = True
    chances = player.policy(view_of("7s5h4d3s2c").repeat(2), mask)
    assert chances[0, :3] == pytest.approx([1 / 6 + 1 / 18, 1 / 3 + 1 / 18, 1 / 3 + 1 / 18])
    assert chances[1, 3:] == pytest.approx(1 / 32)
    kinds = Amounts(np.array([[False, True, True]]), np.array([2]), np.array([9]))
    assert player.policy(view_of("7s5h4d3s2c"), kinds).tolist() == [[0.0, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("player", "game"),
    [
        ("draw_heuristic", "kuhn"),
        ("random_refold", "video_poker"),
        ("video_perfect", "triple_draw"),
        ("video_heuristic", "kuhn"),
    ],
)
def test_players_refuse_games_they_cannot_play(player: str, game: str) -> None:
    with pytest.raises(UsageError, match=player):
        cardai.agent(player).for_game(cardai.game(game))
