"""What a person types is understood, or answered with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.core.game import Amounts
from cardai.plugins.agents.human import understood

MASK = np.ones((1, 3), np.bool_)
NAMES = ["draw from the stock", "discard 7♣", "discard 7♦"]
BETTING = Amounts(np.array([[True, True, True]]), np.array([200]), np.array([20_000]))
BETS = ["fold", "check or call", "raise to 200..20,000 (type the amount)"]


@pytest.mark.parametrize(
    ("typed", "action"), [("1", 50), ("3", 52), ("draw", 50), ("7c", 51), ("7♦", 52), ("DISCARD 7D", 52)]
)
def test_a_number_a_name_or_a_part_of_it_is_an_action(typed: str, action: int) -> None:
    assert understood(typed, [50, 51, 52], NAMES, MASK) == action


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("discard", "'discard' could be discard 7♣, discard 7♦. Type its number."),
        ("4", "There is no action '4' here. Type 1 to 3, ? for help, q to stop."),
        ("0", "There is no action '0' here. Type 1 to 3, ? for help, q to stop."),
        ("", "There is no action '' here. Type 1 to 3, ? for help, q to stop."),
    ],
)
def test_anything_else_is_answered(typed: str, answer: str) -> None:
    assert understood(typed, [50, 51, 52], NAMES, MASK) == answer


@pytest.mark.parametrize(
    ("typed", "action"),
    [("1", 0), ("call", 1), ("300", 300), ("r 300", 300), ("raise to 1,500", 1500), ("all in", 20_000), ("min", 200)],
)
def test_amounts_are_typed_in_no_limit_games(typed: str, action: int) -> None:
    assert understood(typed, [0, 1, 2], BETS, BETTING) == action


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("3", "Raise to how much? Type raise to 200..20,000."),
        ("100", "A raise goes to 200 at least and 20,000 at most."),
        ("raise", "There is no action 'raise' here. Type 1 to 3, ? for help, q to stop."),
    ],
)
def test_amounts_out_of_range_are_answered(typed: str, answer: str) -> None:
    assert understood(typed, [0, 1, 2], BETS, BETTING) == answer
