"""Best responses along played hands: counted out against a caller, and the mean over all boards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cards.poker.combos import left_by
from cardai.cards.text import parse_cards
from cardai.core.errors import UsageError
from cardai.solve.response_measure import Question, best_response
from cardai.subgames.holdem_resolving import apart, showdowns
from cardai.subgames.late_response import Start, late_response

GAME = cardai.game("acpc_limit_2p")
BOARD = tuple(int(card) for card in parse_cards("KsTh7s4d2c"))
CHECKED = (1, 1, 1, 1)


def start(player: Any, board: tuple[int, ...], path: tuple[int, ...]) -> Start:
    reach = np.random.default_rng(0).uniform(0, 1, (2, 1326)) * left_by(board)
    return Start(GAME, player, board, path, reach)


@pytest.mark.parametrize("seat", [0, 1])
def test_from_a_caller_each_hand_wins_a_bet_more_or_checks(seat: int) -> None:
    """5 and 10 are the blinds: 10 each lie in the pot, and a bet of 20 is called."""
    came = start(cardai.agent("always_call"), BOARD, (*CHECKED, 1, 1))
    ahead = showdowns(BOARD) @ came.reach[1 - seat]
    assert came.best(seat) == pytest.approx(np.maximum(10 * ahead, 30 * ahead), abs=1e-9)


def test_on_the_turn_the_rivers_are_averaged_where_both_hands_leave_them() -> None:
    came = start(cardai.agent("always_call"), BOARD[:4], CHECKED)
    hands = [int(k) for k in np.flatnonzero(left_by(BOARD[:4]))[[5, 300, 900]]]
    found = came.best(0)
    for hand in hands:
        after = np.zeros((48, 2))
        for row, card in enumerate(card for card in range(52) if card not in BOARD[:4]):
            board = (*BOARD[:4], card)
            ahead = (showdowns(board) @ (came.reach[1] * left_by(board)))[hand] * left_by(board)[hand]
            for bet in (0, 1):
                after[row, bet] = max((10 + 20 * bet) * ahead, (30 + 20 * bet) * ahead)
        assert found[hand] == pytest.approx(after.sum(axis=0).max() / 44)


def test_folding_gives_what_was_put_in() -> None:
    came = start(cardai.agent("always_fold"), BOARD, (*CHECKED, 1, 1))
    met = left_by(BOARD) * (apart() @ came.reach[1])
    assert came.best(0) == pytest.approx(10 * met)  # a bet ends it


def test_the_mean_over_hands_is_that_over_boards() -> None:
    found = late_response(GAME, cardai.agent("always_call"), 3, hands=60, seed=1)
    known = best_response(Question("acpc_limit_2p", "always_call", 3, 12, 0)).mbb
    assert found.reached == 60  # it never folds
    assert abs(found.mbb.mean - known.mean) < 1.5 * found.mbb.half_width < 20


def test_the_same_seed_gives_the_same_gains_and_more_hands_only_add_to_them() -> None:
    mix = cardai.agent("acpc_mix")
    few = late_response(GAME, mix, 3, hands=4, seed=3).gains.tolist()
    assert late_response(GAME, mix, 3, hands=6, seed=3).gains.tolist()[:4] == few
    assert late_response(GAME, mix, 3, hands=4, seed=4).gains.tolist() != few


@pytest.mark.parametrize(
    ("game", "agent", "options", "message"),
    [
        ("leduc", "always_call", {}, "is for hold'em of two players. Leduc is not"),
        ("acpc_nolimit_2p", "always_call", {}, "has raises to any amount"),
        ("acpc_limit_2p", "human", {}, "has no policy, only act"),
        ("acpc_limit_2p", "always_call", {"hands": 0}, "There must be 1 hand at least"),
        ("acpc_limit_2p", "always_call", {"street": 1}, "begins on the turn .* or the river"),
    ],
)
def test_what_cannot_be_measured_is_refused(game: str, agent: str, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        late_response(cardai.game(game), cardai.agent(agent), **{"street": 3, **options})
