"""The champion plays gin at once by the values in the box, refuses other games, and is as strong as reported."""

from __future__ import annotations

import numpy as np
import pytest

import cardai
from cardai.arena import match
from cardai.arena.advice import Adviser
from cardai.arena.table import Table
from cardai.core.errors import UsageError
from cardai.plugins.agents.champion import WEIGHTS
from tests.support import sizes


def test_its_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 4_000_000


def test_other_games_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"champion plays gin rummy.*Leduc"):
        cardai.agent("champion").for_game(cardai.game("leduc"))


def test_it_plays_every_kind_of_gin() -> None:
    for game in (
        "gin:melds=choose,target=30",
        "gin:oklahoma=true,big_gin_bonus=31,up_card_phase=false,target=250",
        "gin:wall_turn=true,void_stock=12,discard_ban=false,target=30",
    ):
        for player in ("champion", "champion:memory=false"):
            assert len(match.play(game, [player, "simple"], games=4, seed=1).scores) == 4


def test_it_says_what_it_expects_of_each_action() -> None:
    game = cardai.game("gin")
    for name in ("champion", "champion:memory=false", "champion:rollouts=2"):
        adviser = Adviser(name, game)
        assert adviser.values_of == "chance to win the match, %"
        table = Table(game, [None, "simple"], seed=1)
        asked = 0
        while table.to_act is not None:
            told = adviser.advise(table, 0)
            values = [one.value for one in told if one.value is not None]
            assert all(0 <= value <= 100 for value in values)
            if len(values) > 1 and "rollouts" not in name:
                asked += 1
                assert values[0] == max(values)
            table.act(int(np.flatnonzero(table.legal()[0])[-1]))
        assert asked > 3 or "rollouts" in name


# Per cent of games won: experiments/gin_champion/report. Below: three standard errors.
@pytest.mark.parametrize(("other", "rate"), [("simple", 82.4), ("gin_lookahead", 76.4)])
@pytest.mark.parametrize("games", sizes(120, 1000))
def test_it_is_as_strong_as_reported(other: str, rate: float, games: int) -> None:
    found = match.play("gin", ["champion", other], games=games, seed=1).win_rate(0).scaled(100)
    assert found.mean > rate - 3 * np.sqrt(rate * (100 - rate) / games)
