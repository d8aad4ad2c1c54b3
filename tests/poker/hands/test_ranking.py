"""Hand ranking against combinatorics and against other people's evaluators."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from cardai.cards.text import card_text, parse_cards
from cardai.poker.hands import _ranking_kernels as single
from cardai.poker.hands.ranking import category_name, low_text, paying_category, rank_deuce_to_seven, rank_high
from tests.support import sizes

with warnings.catch_warnings():  # eval7 0.1.11 uses pyparsing's old names
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7


def all_five_card_hands() -> np.ndarray:
    return np.array(list(combinations(range(52), 5)), np.int8)


def random_hands(count: int, size: int, seed: int) -> np.ndarray:
    return np.argsort(np.random.default_rng(seed).random((count, 52)), axis=1)[:, :size].astype(np.int8)


@pytest.fixture(scope="module")
def five() -> np.ndarray:
    return all_five_card_hands()


def test_all_five_card_hands_fall_into_the_known_categories(five: np.ndarray) -> None:
    # Frequencies: https://en.wikipedia.org/wiki/Poker_probability, five-card hands; royal flushes among straight flushes.
    counts = np.bincount(rank_high(five) >> 26, minlength=9)
    assert counts.tolist() == [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]


def test_there_are_7462_different_five_card_values(five: np.ndarray) -> None:
    # The number of equivalence classes: Kevin Suffecool, "Poker hand evaluator", http://suffe.cool/poker/evaluator.html
    assert len(np.unique(rank_high(five))) == 7_462


def test_video_poker_categories_split_pairs_at_jacks_and_name_the_royal(five: np.ndarray) -> None:
    counts = np.bincount(paying_category(five), minlength=10)
    # 4 of the 13 ranks' pairs pay: 1,098,240 * 4 / 13.
    assert counts.tolist() == [2_062_860, 337_920, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4]


def test_deuce_to_seven_has_no_low_straight(five: np.ndarray) -> None:
    category = (single.BEST_LOW - rank_deuce_to_seven(five)) >> 26
    counts = np.bincount(category, minlength=9)
    # Without A-2-3-4-5 there are 9 straights: 9 * 4 straight flushes and 9 * (4**5 - 4) straights; what is lost joins
    # the flushes and the high cards.
    assert counts.tolist() == [1_302_540 + 1_020, 1_098_240, 123_552, 54_912, 9_180, 5_112, 3_744, 624, 36]


def test_deuce_to_seven_orders_known_hands() -> None:
    names = ["7h5c4d3s2s", "7h6c4d3s2s", "8h5c4d3s2s", "Ah5c4d3s2s", "2h2c5d4s3s", "6h5c4d3s2s", "7h5h4h3h2h"]
    values = rank_deuce_to_seven([parse_cards(name) for name in names])
    assert (np.diff(values) < 0).all()
    assert [low_text(parse_cards(name)) for name in names[3:]] == ["A-5-4-3-2", "pair", "straight", "flush"]


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("count", sizes(50_000, 400_000))
def test_the_order_of_random_hands_is_eval7s(size: int, count: int) -> None:
    hands = random_hands(count, size, seed=size)
    deck = [eval7.Card(card_text(card)) for card in range(52)]
    theirs = np.array([eval7.evaluate([deck[card] for card in hand]) for hand in hands.tolist()])
    ours = rank_high(hands).astype(np.int64)
    assert (np.sign(ours[::2] - ours[1::2]) == np.sign(theirs[::2] - theirs[1::2])).all()


def test_the_order_of_random_hands_is_phevaluators() -> None:
    hands = random_hands(20_000, 7, seed=3)
    # phevaluator numbers cards 4 * rank + suit, and its best hand is 1.
    theirs = -np.array([evaluate_cards(*hand) for hand in (4 * (hands % 13) + hands // 13).tolist()])
    ours = rank_high(hands).astype(np.int64)
    assert (np.sign(ours[::2] - ours[1::2]) == np.sign(theirs[::2] - theirs[1::2])).all()


@settings(deadline=None)  # the first call compiles
@given(st.permutations(range(52)), st.integers(5, 7))
def test_the_batch_agrees_with_the_single_hand_kernel(deck: list[int], size: int) -> None:
    hand = np.array(deck[:size], np.int8)
    assert rank_high(hand[None])[0] == single.rank_cards(hand)
    assert rank_deuce_to_seven(hand[None, :5])[0] == single.deuce_to_seven(hand[:5])
    if size == 7:
        assert single.rank7(hand[0], hand[1], hand[2:]) == single.rank_cards(hand)


@settings(deadline=None)  # the first call compiles
@given(st.permutations(range(52)), st.permutations(range(4)))
def test_values_ignore_the_order_of_cards_and_the_names_of_suits(deck: list[int], suits: list[int]) -> None:
    hand = deck[:7]
    renamed = [13 * suits[card // 13] + card % 13 for card in reversed(hand)]
    assert len(set(rank_high([hand, renamed]).tolist())) == 1


def test_seven_cards_are_worth_their_best_five() -> None:
    hands = random_hands(2_000, 7, seed=4)
    best = np.max([rank_high(hands[:, list(keep)]) for keep in combinations(range(7), 5)], axis=0)
    assert (rank_high(hands) == best).all()


@pytest.mark.parametrize(
    "wrong", [[[0, 1, 2, 3]], [[0.5] * 5], [[0, 1, 2, 3, 52]], [[0, 1, 2, 3, -1]], [0, 1, 2, 3, 4]]
)
def test_what_is_no_hand_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"[Hh]and"):
        rank_high(wrong)
    with pytest.raises(ValueError, match=r"[Hh]and"):
        rank_high(np.array(wrong, np.int8)[..., :4])


def test_impossible_hands_stay_inside_the_tables() -> None:
    for size in (5, 6, 7):
        values = rank_high(np.repeat(np.arange(52, dtype=np.int8)[:, None], size, axis=1))
        assert np.isin(values >> 26, range(9)).all()  # an entry of the tables, not of the memory behind them


def test_categories_have_names() -> None:
    assert category_name(int(rank_high([parse_cards("AsAd2c3h4s")])[0])) == "pair"
