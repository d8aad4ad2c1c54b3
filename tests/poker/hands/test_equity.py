"""Equity against published figures, brute force, and itself by another road."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.equity import (
    equity_vs_random,
    hand_equity,
    multiway_equity,
    range_equity,
    river_strengths,
    uniform_range,
)
from cardai.poker.hands.ranking import rank_high

FLOP = parse_cards("2s7h9d")


def single(text: str) -> np.ndarray:
    low, high = sorted(parse_cards(text))
    out = np.zeros(COUNT)
    out[high * (high - 1) // 2 + low] = 1.0
    return out


def random_range(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(COUNT) < 0.3, rng.random(COUNT), 0.0)


def test_aces_against_kings_before_the_flop() -> None:
    result = hand_equity([parse_cards("AsAh"), parse_cards("KsKh")])
    # 0.8262 +- 0.0003: eval7 0.1.11, py_hand_vs_range_monte_carlo, 10 million deals
    assert result.share[0] == pytest.approx(0.8262, abs=5e-4)
    assert result.count == 1_712_304  # C(48, 5)
    assert sum(result.share) == pytest.approx(1.0)


def test_three_hands_on_a_flop_equal_brute_force() -> None:
    hands = [parse_cards("AsAh"), parse_cards("KsKh"), parse_cards("7c2d")]
    rest = [card for card in range(52) if card not in {*FLOP, *itertools.chain(*hands)}]
    boards = np.array([[*FLOP, *two] for two in itertools.combinations(rest, 2)])
    values = np.stack([rank_high(np.hstack([boards, np.tile(hand, (len(boards), 1))])) for hand in hands])
    best = values == values.max(axis=0)
    result = hand_equity(hands, FLOP)
    assert result.count == len(boards) == 903
    assert result.share == pytest.approx((best / best.sum(axis=0)).mean(axis=1).tolist())
    assert result.win == pytest.approx((best & (best.sum(axis=0) == 1)).mean(axis=1).tolist())


def test_ranges_swept_by_strength_equal_all_pairs_compared() -> None:
    board = parse_cards("2s7h9d4c9s")
    first, second = random_range(1), random_range(2)
    strength, cards = river_strengths(board), pairs()
    meets = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
    meets &= (strength[:, None] >= 0) & (strength[None, :] >= 0)
    matchups = meets * np.outer(first, second)
    better = np.sign(strength[:, None] - strength[None, :]) / 2 + 0.5
    result = range_equity(first, second, board)
    assert result.share[0] == pytest.approx(float((matchups * better).sum() / matchups.sum()))
    rows = (first > 0) & (strength >= 0)
    by_hand = (meets * second * better)[rows].sum(axis=1) / (meets * second)[rows].sum(axis=1)
    assert result.by_hand[0][rows] == pytest.approx(by_hand)


def test_a_range_of_one_hand_is_that_hand() -> None:
    result = range_equity(single("AsAh"), single("KsKh"), FLOP)
    exact = hand_equity([parse_cards("AsAh"), parse_cards("KsKh")], FLOP)
    assert result.share == pytest.approx(exact.share)
    assert equity_vs_random(parse_cards("AhAs"), FLOP).share == pytest.approx(
        range_equity(single("AsAh"), uniform_range(), FLOP).share
    )


def test_sides_swapped_give_the_shares_swapped() -> None:
    one = range_equity(random_range(3), random_range(4), FLOP)
    other = range_equity(random_range(4), random_range(3), FLOP)
    assert one.share == pytest.approx(other.share[::-1])
    assert one.by_hand[0] == pytest.approx(other.by_hand[1], nan_ok=True)


def test_sampled_figures_lie_around_the_exact_ones_and_repeat_with_their_seed() -> None:
    exact = range_equity(random_range(5), random_range(6), FLOP)
    boards = range_equity(random_range(5), random_range(6), FLOP, samples=400, seed=1)
    pots = multiway_equity([random_range(5), random_range(6)], FLOP, samples=50_000, seed=1)
    assert abs(boards.share[0] - exact.share[0]) < 2 * boards.half_width < 0.1
    assert abs(pots.share[0] - exact.share[0]) < 2 * pots.half_width[0] < 0.02
    assert pots == multiway_equity([random_range(5), random_range(6)], FLOP, samples=50_000, seed=1)
    hands = hand_equity([parse_cards("AsAh"), parse_cards("KsKh")], samples=50_000, seed=2)
    assert abs(hands.share[0] - 0.8264) < 2 * hands.half_width[0] < 0.02


def test_aces_against_eight_random_hands_equal_shuffled_decks() -> None:
    result = equity_vs_random(parse_cards("AsAh"), opponents=8, samples=20_000, seed=1)
    aces = parse_cards("AsAh")
    rest = np.array([card for card in range(52) if card not in aces])
    decks = rest[np.argsort(np.random.default_rng(1).random((20_000, 50)), axis=1)[:, :21]]
    hands = [np.tile(aces, (20_000, 1)), *(decks[:, 5 + 2 * k : 7 + 2 * k] for k in range(8))]
    values = np.stack([rank_high(np.hstack([decks[:, :5], hand])) for hand in hands])
    best = values == values.max(axis=0)
    share = float((best / best.sum(axis=0))[0].mean())
    assert abs(result.share[0] - share) < 3 * result.half_width[0]
    assert sum(result.share) == pytest.approx(1.0)


def test_dead_cards_do_not_come() -> None:
    # with both other sevens dead a pair of sevens cannot improve to quads
    result = hand_equity([parse_cards("7s7d"), parse_cards("AsAh")], parse_cards("2s9d3cKd"), dead=parse_cards("7c7h"))
    assert result.share == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hand_equity([[0, 1], [1, 2]]), "used twice"),
        (lambda: hand_equity([[0, 1]]), "at least two hands"),
        (lambda: hand_equity([[0, 1], [2, 3]], [4]), "0, 3, 4 or 5"),
        (lambda: range_equity(np.ones(5), np.ones(1326)), "1326 hands"),
        (lambda: range_equity(-uniform_range(), uniform_range()), "not negative"),
        (lambda: range_equity(single("2s2h"), uniform_range(), FLOP), "leaves possible"),
        (lambda: range_equity(single("AsAh"), single("AsAd"), FLOP), "never meet"),
        (lambda: multiway_equity([single("AsAh"), single("AsAd")], samples=10), "nearly always share"),
        (lambda: equity_vs_random([0, 1], opponents=2), "needs samples"),
        (lambda: river_strengths(FLOP), "five cards"),
    ],
)
def test_wrong_cards_and_ranges_are_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
