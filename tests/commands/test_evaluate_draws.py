"""``cardai evaluate draws``, and ``evaluate best-response --from last`` for draw poker."""

from __future__ import annotations

import json

import pytest

from tests.commands.conftest import Call


@pytest.mark.long
def test_the_commands_print_tables_and_bounds(cardai: Call) -> None:
    shown = cardai("evaluate", "draws", "--agent", "draw_heuristic", "--hands", "300", "--least", "5").out
    assert "Draw 1, first to draw; the other was last seen to draw" in shown
    assert "four to a 7" in shown
    plain = json.loads(cardai("evaluate", "draws", "--agent", "draw_caller", "--hands", "50", "--json").out)
    assert sum(row["cases"] for row in plain["draws"]) == 300
    assert {row["order"] for row in plain["draws"]} == {"first to draw", "last to draw"}
    asked = ("evaluate", "best-response", "--from", "last", "--game", "triple_draw", "--agent", "draw_caller")
    found = json.loads(cardai(*asked, "--hands", "3", "--json").out)
    assert (found["hands"], found["reached"], found["from"]) == (3, 3, "last")
    assert "A best response from the last round to draw_caller" in cardai(*asked, "--hands", "3").out


def test_where_nothing_came_up_often_enough_it_says_so_in_the_table_s_place(cardai: Call) -> None:
    shown = cardai("evaluate", "draws", "--agent", "draw_heuristic", "--hands", "10").out
    assert shown.count("Nothing came up 20 times: take more --hands.") == shown.count("Draw ") > 0
    assert "holding" not in shown


@pytest.mark.parametrize("option", [("--boards", "6"), ("--bets", "1+allin")])
def test_options_of_hold_em_are_refused_in_the_last_round(option: tuple[str, str], cardai: Call) -> None:
    asked = ("evaluate", "best-response", "--from", "last", "--game", "triple_draw", "--agent", "draw_caller")
    found = cardai(*asked, *option)
    assert found.code == 2
    assert f"{option[0]} is of hold'em. In draw poker's last round --hands says along how many hands." in found.err
