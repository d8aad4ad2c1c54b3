"""Situations at random and their labels."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.core.errors import UsageError
from cardai.poker.hands.combos import pairs
from cardai.poker.hands.equity import river_strengths
from cardai.poker.values.situations import INTERVALS, STACK, Situation, labels, pot_law, random_range, situation


@pytest.fixture(scope="module")
def drawn() -> list[Situation]:
    return [situation(7, number, "river") for number in range(60)]


def test_a_number_is_a_situation(drawn: list[Situation]) -> None:
    again = situation(7, 5, "river")
    assert (again.board, again.half_pot) == (drawn[5].board, drawn[5].half_pot)
    assert (again.ranges == drawn[5].ranges).all()
    assert situation(8, 5, "river").board != again.board
    assert len({one.board for one in drawn}) == len(drawn)
    assert len(situation(7, 5).board) == 4


def test_every_pot_of_an_interval_can_come_its_ends_too() -> None:
    for number, (low, high) in enumerate(INTERVALS):
        place = (number + 0.5) / len(INTERVALS)
        assert (pot_law(place, 0.0, INTERVALS), pot_law(place, 1 - 1e-12, INTERVALS)) == (low, high)
    assert {pot_law(0.1, k / 100, (INTERVALS[2], INTERVALS[4])) for k in range(100)} <= set(
        range(INTERVALS[2][0], INTERVALS[2][1] + 1)
    )


def test_pots_are_from_the_five_intervals(drawn: list[Situation]) -> None:
    for one in drawn:
        low, high = INTERVALS[one.interval]
        assert low <= one.half_pot <= high < STACK
    assert {one.interval for one in drawn} == set(range(5))


def test_ranges_are_distributions_over_the_hands_that_the_board_leaves(drawn: list[Situation]) -> None:
    for one in drawn:
        blocked = np.isin(pairs(), one.board).any(axis=1)
        assert (one.ranges[:, blocked] == 0).all()
        assert (one.ranges[:, ~blocked] > 0).all()
        assert one.ranges.sum(axis=1) == pytest.approx(1, abs=1e-12)
        assert not (one.ranges[0] == one.ranges[1]).all()


def test_the_weaker_half_gets_the_uniform_part() -> None:
    # R({a, b, c}, 1), weakest first: {a} gets 0.25, {b, c} the rest, of which b gets 0.4
    out = random_range(3, np.array([0.25, 0.4]))
    assert out == pytest.approx([0.25, 0.75 * 0.4, 0.75 * 0.6])


def test_strength_is_the_order_of_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    from cardai.poker.values import situations

    monkeypatch.setattr(situations, "random_range", lambda count, uniforms: np.arange(1.0, count + 1))
    one = situation(3, 1, "river")  # instead of probabilities the places of hands, the weakest first
    strengths, cards, hands = river_strengths(list(one.board)), pairs(), np.flatnonzero(one.ranges[0])
    meet = ~(cards[hands][:, None, :, None] == cards[hands][None, :, None, :]).any(axis=(2, 3))
    beats = np.sign(strengths[hands][:, None] - strengths[hands][None, :])
    share = ((1 + beats) / 2 * meet).sum(axis=1) / meet.sum(axis=1)  # against a hand at random
    orders = [np.argsort(one.ranges[seat, hands]) for seat in range(2)]
    for order in orders:
        assert (np.diff(share[order]) >= -1e-8).all()
    assert (orders[0] != orders[1]).any()  # ties are broken at random, for each player


def test_labels_are_zero_sum_and_of_every_hand(drawn: list[Situation]) -> None:
    one = next(one for one in drawn if one.interval == 2)
    found = labels(one, 60)
    assert labels(one, 240).exploitability < 0.5 * found.exploitability
    assert (one.ranges[0] @ found.values[0] + one.ranges[1] @ found.values[1]) == pytest.approx(0, abs=1e-4)
    blocked = np.isin(pairs(), one.board).any(axis=1)
    assert (found.values[:, blocked] == 0).all()
    assert (found.values[:, ~blocked] != 0).mean() > 0.99


def test_other_streets_are_refused() -> None:
    with pytest.raises(UsageError, match="flop, the turn, the river"):
        situation(1, 1, "preflop")
