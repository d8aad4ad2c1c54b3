"""``cardai evaluate video-poker``: exact figures on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Call


def test_a_players_return_and_mistakes_are_printed(cardai: Call) -> None:
    called = cardai("evaluate", "video-poker", "--agent", "video_heuristic")
    assert called.code == 0
    assert "return          0.91564137   (perfect play 1.00000019)" in called.out
    assert "big mistakes       9.674%" in called.out
    assert "134,459 hands asked" in called.out, "the player says that it treats suits alike"


def test_the_figures_come_as_json_under_any_pay_table(cardai: Call) -> None:
    game = "video_poker:pay_table=800-9-6"
    called = cardai("evaluate", "video-poker", "-a", "video_perfect", "-g", game, "--symmetric", "--json")
    answer = json.loads(called.out)
    assert answer["return"] == pytest.approx(0.995439, abs=5e-7)
    assert answer["optimal"] == pytest.approx(1.0)
    assert sum(answer["mistakes"].values()) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", "random", "-g", "kuhn"), "needs video poker, with a pay table. Got kuhn."),
        (("-a", "human"), "human cannot be measured exactly"),
        (("-a", "draw_heuristic"), "draw_heuristic plays draw games with betting"),
    ],
)
def test_what_cannot_be_measured_is_refused(cardai: Call, arguments: tuple[str, ...], message: str) -> None:
    called = cardai("evaluate", "video-poker", *arguments)
    assert called.code == 2
    assert message in called.err


BOT = """
import numpy as np
from attrs import frozen

from cardai import hookimpl
from cardai.core.agent import Agent


@frozen
class LikesClubs(Agent):
    def policy(self, views, legal):
        return np.eye(32)[((views["hand"] < 13) << np.arange(5)).sum(axis=1)]


@hookimpl
def cardai_agent():
    return {"clubs": LikesClubs}
"""


@pytest.mark.long
def test_a_player_that_says_nothing_of_suits_is_asked_about_every_hand(cardai: Call, tmp_path: Path) -> None:
    file = tmp_path / "clubs.py"
    file.write_text(BOT)
    given = ("evaluate", "video-poker", "--agent", "clubs", "--plugin", str(file), "--json")
    every, some = (json.loads(cardai(*given, *more).out) for more in ((), ("--symmetric",)))
    assert (every["hands_asked"], some["hands_asked"]) == (2_598_960, 134_459)
    assert every["return"] != pytest.approx(some["return"], abs=1e-3)
