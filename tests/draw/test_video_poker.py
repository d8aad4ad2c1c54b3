"""Exact video poker against the known returns, brute force and the rules of the game."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import cardai
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.draw import holds
from cardai.draw import video_poker as exact
from cardai.poker.hands.ranking import paying_category
from tests.support import sizes

TABLE = exact.PAY_TABLES["976-9-6"]


@cache
def figures(player: str, game: str = "video_poker", *, symmetric: bool = False) -> exact.Exact:
    made = cardai.game(game)
    policy = exact.policy_of(cardai.agent(player).for_game(made), made, player)
    return exact.evaluate(made.pays, policy, symmetric=symmetric)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("symmetric", "asked"), sizes((True, 134_459), (False, 2_598_960)))
def test_perfect_play_of_976_9_6_returns_just_above_one(symmetric: bool, asked: int) -> None:
    result = figures("video_perfect", symmetric=symmetric)
    # Enumeration in C, made for the design of this project; the table's published return is 1.000000 (Poker-CNN).
    assert result.total == pytest.approx(1.00000019, abs=5e-9)
    assert result.optimal == pytest.approx(1.0, abs=1e-12)
    assert result.asked == asked


def test_perfect_play_of_800_9_6_returns_the_published_995439() -> None:
    # 99.5439 %: https://wizardofodds.com/games/video-poker/tables/jacks-or-better/, the 9/6 table with full stakes.
    result = figures("video_perfect", "video_poker:pay_table=800-9-6", symmetric=True)
    assert result.total == pytest.approx(0.995439, abs=5e-7)


@pytest.mark.long
def test_the_one_rule_player_returns_what_enumeration_in_c_gave() -> None:
    result = figures("video_heuristic")
    assert result.total == pytest.approx(0.915641, abs=5e-7)
    # the same enumeration: 56.0 % optimal holds, 9.7 % big mistakes
    assert result.optimal == pytest.approx(0.560, abs=5e-4)
    assert result.big == pytest.approx(0.097, abs=5e-4)
    assert result.best - result.total == pytest.approx(sum(result.lost), abs=1e-9)


def test_asking_one_hand_for_each_renaming_of_suits_gives_the_same_figures() -> None:
    whole, part = figures("video_heuristic"), figures("video_heuristic", symmetric=True)
    assert part.asked == 134_459  # the classes: https://wizardofodds.com/games/video-poker/methodology/
    assert part.total == pytest.approx(whole.total, abs=1e-9)
    assert (part.tiny, part.small, part.big) == pytest.approx((whole.tiny, whole.small, whole.big), abs=1e-9)


@pytest.mark.parametrize("hold", ["random", "all", "none"])
def test_not_looking_at_the_hand_returns_the_mean_payout(hold: str) -> None:
    # 0.337138 is the mean payout of a five-card hand: all three get a random hand in the end.
    choice = np.full(32, 1 / 32) if hold == "random" else np.eye(32)[31 if hold == "all" else 0]
    result = exact.evaluate(TABLE, lambda hands: np.tile(choice, (len(hands), 1)), symmetric=True)
    assert result.total == pytest.approx(0.33713793, abs=5e-9)


def test_hold_values_equal_brute_force_over_draws_in_any_order_of_cards() -> None:
    hand = np.array(parse_cards("TsAs3dJsQs"), np.int8)
    values = exact.hold_values(TABLE)(hand[None])[0]
    rest = np.setdiff1d(np.arange(52), hand)
    for hold in (31, 27, 26, 2, 16):
        held = [card for i, card in enumerate(hand.tolist()) if hold >> i & 1]
        draws = (
            np.array(list(combinations(rest.tolist(), 5 - len(held))), np.int8).reshape(-1, 5 - len(held))
            if hold < 31
            else np.zeros((1, 0), np.int8)
        )
        hands = np.hstack([np.tile(np.array(held, np.int8), (len(draws), 1)), draws])
        assert values[hold] == pytest.approx(np.array(TABLE)[paying_category(hands)].mean(), rel=1e-12)
    assert holds.best_holds(values[None])[0] == 27  # four to a royal flush


def test_every_hand_comes_once_and_ascending() -> None:
    hands = np.concatenate(list(holds.every_hand(100_001)))
    assert hands.shape == (2_598_960, 5)
    assert (np.diff(hands, axis=1) > 0).all()
    assert (np.diff((1 << hands.astype(np.int64)).sum(axis=1)) > 0).all()


@pytest.mark.parametrize(
    ("hand", "hold"),
    [
        ("9c8d7h6s5c", 31),  # straight
        ("KsKd2c3h4s", 3),  # jacks or better
        ("2s2dKc3c4c", 3),  # three suited cards below ten do not beat a small pair
        ("2s2cKcTcAc", 30),  # four of a suit do
        ("AsKsTs2d3c", 7),  # exactly three of a suit, all ten or better
        ("AsKs9s2d3c", 0),
        ("AsKd9s2d3c", 0),
        ("7s7d7c2h2s", 31),
        ("7s7d7c7h2s", 31),
        ("7s7d7c3h2s", 7),
        ("7s7d3c3h2s", 15),
    ],
)
def test_the_one_rule_player_follows_its_rules(hand: str, hold: int) -> None:
    assert exact.heuristic_holds(np.array([parse_cards(hand)], np.int8)).tolist() == [hold]


def test_a_player_without_probabilities_is_refused_by_name() -> None:
    class Chooser(cardai.core.agent.ScalarAgent):
        pass

    game = cardai.game("video_poker")
    with pytest.raises(UsageError, match="chooser cannot be measured exactly"):
        exact.policy_of(Chooser().for_game(game), game, "chooser")
