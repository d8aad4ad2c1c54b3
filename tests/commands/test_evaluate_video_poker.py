"""``cardai evaluate video-poker``: exact figures on the command line."""

from __future__ import annotations

import json

import pytest

from tests.commands.conftest import Call


def test_a_players_return_and_mistakes_are_printed(cardai: Call) -> None:
    called = cardai("evaluate", "video-poker", "--agent", "video_heuristic", "--symmetric")
    assert called.code == 0
    assert "return          0.91564137   (perfect play 1.00000019)" in called.out
    assert "big mistakes       9.674%" in called.out
    assert "134,459 hands asked" in called.out


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
