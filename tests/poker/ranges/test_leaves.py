"""Checking to the end: one leaf for any declared hands, beside counts that look at every pair and every board."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cardai.poker.contract import SHORT, SHORT_HIGH
from cardai.poker.hands.combos import pair_index
from cardai.poker.ranges.hands import HOLDEM, Hands, HoleCards, LeducHands
from cardai.poker.ranges.leaves import CheckedDown, apart, showdowns
from tests.poker.chance_nodes import chance_node


def slow(hands: Hands, board: tuple[int, ...], own: int, other: int) -> float:
    """Return how often a hand beats another, less how often it loses, by looking at all boards that leave both."""
    if set(hands.cards[own]) & set(hands.cards[other]):
        return 0.0
    held = {int(card) for hand in (own, other) for card in hands.cards[hand] if card in hands.deck}
    left = [card for card in hands.deck if card not in board and card not in held]
    found = []
    for added in itertools.combinations(left, hands.whole - len(board)):
        strengths = hands.strengths([*board, *added])
        found.append(np.sign(strengths[own] - strengths[other]))
    return float(np.mean(found))


@pytest.mark.parametrize(
    ("hands", "board"),
    [
        (HOLDEM, (50, 24, 9, 2)),
        (LeducHands(), ()),
        (LeducHands(4), ()),
        (HoleCards(SHORT.cards, SHORT_HIGH), (50, 24, 9, 38)),
    ],
)
def test_every_pair_is_worth_its_showdowns(hands: Hands, board: tuple[int, ...]) -> None:
    alive = np.flatnonzero(~np.isin(hands.cards, board).any(axis=1))
    drawn = np.random.default_rng(1).choice(alive, (12, 2))
    numbers = np.unique(drawn)
    leaves = CheckedDown(board, numbers, hands, np.float64)
    node = chance_node((70, 30))
    for own, other in drawn:
        reach = np.zeros((2, 1, len(numbers)))
        reach[1, 0, np.searchsorted(numbers, other)] = 0.5
        found = leaves.evaluate(0, reach, [node])[0, np.searchsorted(numbers, own)]
        assert found == pytest.approx(30 * 0.5 * slow(hands, board, own, other), abs=1e-5)


def test_blocked_hands_and_hands_that_collide_win_nothing() -> None:
    board = (50, 24, 9, 2)
    wins, blocked = showdowns(board), np.isin(HOLDEM.cards, board).any(axis=1)
    assert not wins[blocked].any()
    assert not wins[:, blocked].any()
    assert not wins[apart() == 0].any()
    assert (wins == -wins.T).all()


@pytest.mark.long
def test_before_the_flop_random_boards_come_near_what_is_known() -> None:
    aces, kings = (int(pair_index(*np.array([[low], [high]]))[0]) for low, high in ((12, 25), (11, 24)))
    # AcAd against KcKd: 82.637 % won, 0.544 % shared (all 1,712,304 boards); here of some 2,500 that block neither
    assert showdowns(())[aces, kings] == pytest.approx(2 * 0.82637 + 0.00544 - 1, abs=0.04)
