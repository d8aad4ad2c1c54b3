"""One hand against all others: against enumerating boards one by one."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.cards.text import parse_cards
from cardai.poker.hands.combos import COUNT, pair_index, pairs
from cardai.poker.hands.equity import hand_equity
from cardai.poker.hands.ranking import rank_high
from cardai.poker.hands.runouts import Runouts, before_flop, sampled_before_flop, without

HAND = parse_cards("Qh9h")
FLOP = parse_cards("Th8h2c")
TURN, RIVER = parse_cards("Js3d")
OTHERS = [parse_cards(text) for text in ("AsAd", "Tc2d", "KhJh", "Kd4c")]


def number(hand: list[int]) -> int:
    return int(pair_index(np.array(hand[:1]), np.array(hand[1:]))[0])


@pytest.fixture(scope="module")
def runouts() -> Runouts:
    return Runouts((HAND[0], HAND[1]), (FLOP[0], FLOP[1], FLOP[2]))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_equities_are_those_of_all_boards(runouts: Runouts, size: int) -> None:
    found = [runouts.on_flop, runouts.on_turn(TURN), runouts.on_river(TURN, RIVER)][size - 3]
    board = [*FLOP, TURN, RIVER][:size]
    for other in OTHERS:
        share = hand_equity([other, HAND], board).share[0]
        assert found.x[number(other)] == pytest.approx(2 * share - 1, abs=1e-6)
    blocked = (np.isin(pairs(), [*HAND, *board])).any(axis=1)
    assert not found.x[blocked].any()
    assert found.strong == pytest.approx(0.5 - found.x[~blocked].mean() / 2)


def test_strength_on_a_whole_board_is_a_count(runouts: Runouts) -> None:
    board = [*FLOP, TURN, RIVER]
    free = [hand for hand in pairs().tolist() if not {*hand} & {*board, *HAND}]
    values = rank_high(np.array([[*board, *hand] for hand in free]))
    found = runouts.ranked(TURN, RIVER)
    for k in range(0, len(free), 97):
        share = ((values < values[k]).sum() + (values <= values[k]).sum()) / (2 * len(free))
        assert found[number(free[k])] == pytest.approx(share)


@pytest.mark.long
def test_a_sample_before_the_flop_has_the_right_mean() -> None:
    """Blocked boards count nothing, so without their factor 1.237 every figure would lie a fifth too low."""
    free = np.setdiff1d(np.arange(52), HAND)
    rng = np.random.default_rng(0)
    parts = [
        sampled_before_flop(HAND, np.array([rng.choice(free, 5, replace=False) for _ in range(500)])) for _ in range(8)
    ]
    for other in OTHERS[:2]:
        exact = 2 * hand_equity([other, HAND]).share[0] - 1
        found = [part[number(other)] for part in parts]
        assert abs(np.mean(found) - exact) < 3 * 1.1 / np.sqrt(
            4000
        )  # an outcome of -1, 0, 1 has at most this deviation
    assert sampled_before_flop(HAND, np.array([free[:5]]))[number(HAND)] == 0


@pytest.mark.long
def test_before_the_flop_the_rough_figures_are_near_the_exact_ones_and_symmetric() -> None:
    found = before_flop(HAND)
    for other in OTHERS[1:3]:
        exact = 2 * hand_equity([other, HAND]).share[0] - 1
        assert abs(found.x[number(other)] - exact) < 0.25  # a hand that dominates another is told too low
        assert before_flop(other).x[number(HAND)] == pytest.approx(-found.x[number(other)])


def test_hands_without_a_card() -> None:
    assert without(51).sum() == COUNT - 51
