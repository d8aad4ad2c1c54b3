"""``cardai evaluate``: exact numbers on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai.solve.tree import NODE_LIMIT
from tests.commands.conftest import Call


def test_exploitability_prints_each_seat_in_the_games_unit(cardai: Call) -> None:
    called = cardai("evaluate", "exploitability", "--game", "kuhn", "--agent", "random")
    assert called.code == 0
    assert "random in kuhn, exactly, in chips a hand:" in called.out
    assert "exploitability 0.458333333  (NashConv 0.916666667)" in called.out


def test_exploitability_as_json(cardai: Call) -> None:
    answer = json.loads(cardai("evaluate", "exploitability", "-g", "leduc", "-a", "random", "--json").out)
    assert answer["best_response"] == pytest.approx([2.0875, 2.659722222])
    assert answer["expected"] == pytest.approx([-0.078125, 0.078125])
    assert answer["exploitability"] == pytest.approx(2.373611111)
    assert answer["unit"] == "chips"


def test_a_run_is_measured_like_any_agent(cardai: Call, tmp_path: Path) -> None:
    run = str(tmp_path / "x")
    assert cardai("train", "--trainer", "cfr_plus", "--game", "kuhn", "--steps", "500", "--out", run).code == 0
    answer = json.loads(cardai("evaluate", "exploitability", "-g", "kuhn", "-a", run, "--json").out)
    assert answer["exploitability"] < 1e-3
    answer = json.loads(cardai("evaluate", "value", "-g", "kuhn", "-a", run, "--vs", "random", "--json").out)
    assert answer["mean"] == pytest.approx(sum(answer["seats"]) / 2)
    assert answer["mean"] > 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-g", "kuhn", "-a", "lowest"), "The agent lowest has no policy, only single actions"),
        (("-g", "holdem_limit", "-a", "random"), "too large to enumerate"),
        (("-g", "holdem_nolimit", "-a", "random"), "20001 distinct actions"),
        (("-g", "kuhn"), "needs --agent"),
        (("-g", "kuhn", "-a", "random", "-a", "lowest"), "exploitability takes --agent once. It is given 2 times."),
        (("-g", "leduc", "-a", "random", "--limit", "9000"), "Leduc has more than 9,000 nodes"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_line(
    cardai: Call, bots: str, arguments: tuple[str, ...], message: str
) -> None:
    called = cardai("evaluate", "exploitability", *arguments, "--plugin", bots)
    assert called.code == 2
    assert message in called.err
    assert called.err.count("\n") == 1


def test_the_group_alone_says_what_is_missing(cardai: Call) -> None:
    assert "See 'cardai evaluate --help'" in cardai("evaluate").err
    assert " exploitability " in cardai("evaluate", "--help").out


def test_the_value_of_each_seat_is_that_seats(cardai: Call) -> None:
    # against uniform Kuhn a best response earns 1 / 2 in the first seat and 5 / 12 in the second: OpenSpiel's exploitability
    # of the uniform policy, 0.458333, is their mean
    call = ("evaluate", "value", "-g", "kuhn", "-a", "best_response:to=random", "--vs", "random")
    answer = json.loads(cardai(*call, "--json").out)
    assert answer["seats"] == pytest.approx([0.5, 5 / 12])
    assert answer["mean"] == pytest.approx(0.458333, abs=1e-6)
    lines = [line.split() for line in cardai(*call).out.splitlines()]
    assert ["0", "+0.500000"] in lines
    assert ["1", "+0.416667"] in lines


def test_a_small_limit_is_enough_for_a_small_game(cardai: Call) -> None:
    called = cardai("evaluate", "exploitability", "-g", "leduc", "-a", "random", "--limit", "9457", "--json")
    assert json.loads(called.out)["exploitability"] == pytest.approx(2.373611111)


def test_the_usual_limit_is_the_solvers(cardai: Call) -> None:
    shown = cardai("evaluate", "exploitability", "--help").out
    assert f"[default: {NODE_LIMIT}]" in " ".join(shown.split())


def test_a_group_refuses_what_is_given_twice_too(cardai: Call) -> None:
    called = cardai("evaluate", "value", "-g", "kuhn", "-a", "random", "--vs", "random", "--vs", "best_response")
    assert (called.code, called.out) == (2, "")
    assert "cardai evaluate value takes --vs once. It is given 2 times." in called.err
