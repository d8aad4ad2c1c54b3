"""The best response, played: it earns what the exact measure says."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.core.errors import UsageError
from cardai.solve.measures import expected_value, measure


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_it_earns_the_best_responses_value_in_each_seat(name: str) -> None:
    game, uniform = cardai.game(name), cardai.agent("random")
    best = cardai.agent("best_response:to=random")
    promised = measure(game, uniform).best_response
    assert expected_value(game, [best, uniform])[0] == pytest.approx(promised[0], abs=1e-12)
    assert expected_value(game, [uniform, best])[1] == pytest.approx(promised[1], abs=1e-12)


def test_played_hands_agree_with_the_promise() -> None:
    promised = np.mean(measure(cardai.game("leduc"), cardai.agent("random")).best_response)
    result = cardai.play("leduc", ["best_response:to=random", "random"], games=20_000, seed=4)
    estimate = result.mean_return(0)
    assert estimate.low - 0.02 < promised < estimate.high + 0.02


def test_a_player_without_a_policy_has_none() -> None:
    with pytest.raises(UsageError, match="human is stateful"):
        cardai.agent("best_response:to=human").for_game(cardai.game("kuhn"))
