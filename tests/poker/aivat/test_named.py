"""Value functions by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.errors import OptionError, UsageError
from cardai.poker.aivat import named as aivat_values
from cardai.poker.aivat.named import values_named
from cardai.poker.aivat.played import PlayedValues
from cardai.poker.aivat.values import EquityValues, StateValues

LIMIT, LEDUC, MIX = cardai.game("acpc_limit_2p"), cardai.game("leduc"), cardai.agent("acpc_mix")
PLUGIN = '''
"""Knows what its hands are worth."""
import numpy as np
from cardai import hookimpl
from cardai.core.agent import Agent


class Knows(Agent):
    def policy(self, views, legal):
        return legal / legal.sum(axis=1, keepdims=True)

    def hand_values(self, situation):
        return np.full(1326, float(situation.stake))


@hookimpl
def cardai_agent():
    return Knows
'''


def test_names_give_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aivat_values, "HANDS", 10)
    assert values_named(None, LIMIT, MIX) is None
    assert values_named("equity", LIMIT, MIX) == EquityValues()
    own, other = values_named("played:hands=10", LIMIT, MIX), values_named("acpc_mix", LIMIT, cardai.agent("random"))
    against = values_named("played:hands=10,opponent=always_call", LIMIT, MIX)
    assert isinstance(own, PlayedValues)
    assert isinstance(other, PlayedValues)
    assert isinstance(against, PlayedValues)
    for kind, found in own.coefficients.items():  # those of a player are what it learns against itself
        np.testing.assert_array_equal(found, other.coefficients[kind])
    assert max(kind[2] for kind in against.coefficients) <= max(kind[2] for kind in own.coefficients)
    assert isinstance(values_named("always_call", LEDUC, MIX), Agent)


def test_a_player_that_knows_what_its_hands_are_worth_is_asked(tmp_path: Any) -> None:
    (tmp_path / "knows.py").write_text(PLUGIN)
    registry.add_file(str(tmp_path / "knows.py"))
    found = values_named("knows", LIMIT, MIX)
    assert isinstance(found, StateValues)
    assert found.function.__self__.__class__.__name__ == "Knows"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "game", "error", "message"),
    [
        ("equity", LEDUC, UsageError, "are of two-player games of two hole cards, and Leduc is none"),
        (
            "equity",
            cardai.game("holdem_limit:players=3"),
            UsageError,
            "are of two-player games of two hole cards, and HoldemLimit.* is none",
        ),
        ("played:hands=1", LIMIT, OptionError, "hands"),
        ("played:cards=1", LIMIT, OptionError, "Its options: hands, opponent, seed"),
        ("played", cardai.game("short_deck"), UsageError, "is for hold'em for two: .* ShortDeck is 36 cards"),
        ("always_call", cardai.game("short_deck"), UsageError, "is for hold'em for two: .* ShortDeck is 36 cards"),
        ("human", LIMIT, UsageError, "human is a person"),
    ],
)
def test_wrong_values_are_refused(spec: str, game: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        values_named(spec, game, MIX)
