"""Trainers say which games they take before anything is made for them."""

from __future__ import annotations

import pytest

import cardai
from cardai.core import registry
from cardai.core.errors import UsageError


@pytest.mark.parametrize(
    ("trainer", "taken", "refused", "message"),
    [
        ("nfsp", "leduc", "gin", "is too large to enumerate"),
        ("nfsp", "kuhn", "leduc:players=3", "is for two players"),
        ("bucket_mccfr", "holdem_limit", "leduc", "is for hold'em for two"),
        ("bucket_cfr_br", "holdem_limit", "holdem_limit:players=3", "is for hold'em for two"),
        ("bucket_cfr_br", "holdem_limit", "acpc_nolimit_2p:stack=100,bets=allin", "nothing is decided there"),
        ("cnn_valuation_literal", "holdem_limit", "holdem_limit:players=3", "which of two players wins"),
    ],
)
def test_a_game_that_a_trainer_cannot_take_is_refused_by_its_check(
    trainer: str, taken: str, refused: str, message: str
) -> None:
    pytest.importorskip("torch")
    made = registry.create("trainer", trainer)
    made.check_game(cardai.game(taken))
    with pytest.raises(UsageError, match=message):
        made.check_game(cardai.game(refused))
