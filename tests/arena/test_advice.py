"""An adviser tells what a player would do, with its probabilities, and what it expects of each action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena.advice import Advised, Adviser
from cardai.arena.table import Table
from cardai.core.agent import Agent, ScalarAgent
from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.legal import Legal
from cardai.ui.dialogs import advice_text


class Expecting(Agent):
    """Leduc: calls, and expects 3 of folding, -2 of calling and nothing of raising."""

    values_of = "wishes"

    def policy(self, views: Views, legal: Legal) -> Float64s:
        return np.eye(3)[np.ones(len(views), np.int64)]

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return np.tile([3.0, -2.0, np.nan], (len(views), 1))


class Scalar(ScalarAgent):
    """A player of one table at a time with values."""

    values_of = "hopes"

    def choose(self, view: Any, legal: list[int], rng: Any) -> int:
        return 1

    def action_values(self, views: Views, legal: Legal) -> Float64s:
        return np.tile([0.0, 1.5, -1.0], (len(views), 1))


def test_what_is_done_comes_first_and_then_what_is_valued_most_without_a_probability() -> None:
    game = make.game("leduc")
    told = Adviser(Expecting(), game).advise(Table(game, [None, None]), 0)
    assert [(one.probability, one.value) for one in told] == [(1.0, -2.0), (0.0, 3.0)]


def test_an_agent_of_one_table_at_a_time_can_have_values_too() -> None:
    adviser = Adviser(Scalar(), make.game("leduc"))
    told = adviser.advise(Table(make.game("leduc"), [None, None]), 0)
    assert [(one.probability, one.value) for one in told] == [(1.0, 1.5), (0.0, 0.0), (0.0, -1.0)]
    assert adviser.values_of == "hopes"


def test_a_player_without_values_tells_none() -> None:
    game = make.game("leduc")
    assert {one.value for one in Adviser("random", game).advise(Table(game, [None, None]), 0)} == {None}


@pytest.mark.parametrize("raised", [False, True])
def test_an_amount_is_told_with_its_own_words(raised: bool) -> None:
    game = make.game("holdem_nolimit")
    told = Adviser("always_raise" if raised else "always_call", game).advise(Table(game, [None, None]), 0)
    assert len(told) == 1
    assert told[0].probability == 1.0
    assert ("raise" in told[0].words) is raised


def test_a_hint_shows_values_beside_probabilities_and_says_what_they_are() -> None:
    text = advice_text("p", [Advised("call", 1.0, -2.0), Advised("fold", 0.0, 12.345)], "wishes", "mono").plain
    assert "(values: wishes)" in text
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["100%", "0%"]
    assert "-2.00" in text
    assert "+12.3" in text
    assert "values" not in advice_text("p", [Advised("call", 1.0)], "wishes", "mono").plain


def test_perfect_video_poker_expects_what_its_hold_pays() -> None:
    """Of the hand's 32 holds the played one has the largest value, and holding nothing is worth what its redraws pay."""
    game = make.game("video_poker")
    table = Table(game, [None], seed=3)
    told = Adviser("video_perfect", game).advise(table, 0)
    values = make.agent("video_perfect").for_game(game).action_values(table.views(), table.legal())[0]
    assert told[0].probability == 1.0
    assert told[0].value == max(values)
    assert [one.value for one in told[1:]] == sorted(values)[-2:-7:-1]
    assert Adviser("video_perfect", game).values_of == "mean payout, exact"
