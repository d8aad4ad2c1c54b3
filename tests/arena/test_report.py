"""Results as people read them: estimates, tables as text and for notebooks."""

from __future__ import annotations

import io
import math

import pytest

from cardai.arena import match
from cardai.arena.report import columns, match_parts, match_rows, percent, signed
from cardai.core.console import Console
from cardai.core.statistics import Estimate


@pytest.mark.parametrize(
    ("mean", "half_width", "text"),
    [
        (1.2345, 0.31, "+1.23 ± 0.31 chips"),
        (1.2345, 0.031, "+1.234 ± 0.031 chips"),
        (-1234.5, 31.0, "-1234 ± 31 chips"),
        (12.0, 0.0, "+12.00 ± 0.00 chips"),
        (-0.04, 3.0, "+0.0 ± 3.0 chips"),  # no minus nothing
        (-0.0, 0.0, "+0.00 ± 0.00 chips"),
        (2.0, math.nan, "+2.00 ± ? chips"),
    ],
)
def test_a_mean_has_as_many_digits_as_its_interval_is_worth(mean: float, half_width: float, text: str) -> None:
    assert signed(Estimate(mean, half_width, 9), "chips") == text


def test_a_rate_whose_interval_is_everything_has_a_question_mark() -> None:
    assert percent(Estimate(0.591, 0.029, 9)) == "59.1 ± 2.9 %"
    assert percent(Estimate(0.5, 0.5, 2)) == "50.0 ± ? %"


def test_clones_are_numbered() -> None:
    assert columns(["a", "b", "a"]) == ["a (1)", "b", "a (2)"]


@pytest.mark.parametrize(("width", "tables"), [(120, 1), (80, 2), (45, 3)])
def test_every_figure_of_many_players_is_shown_whole_beside_what_it_is(width: int, tables: int) -> None:
    names = [f"a player with a name {k}" for k in range(3)]
    result = match.play("kuhn:players=3", ["random"] * 3, games=12, names=names)
    console = Console(file=io.StringIO(), width=width)
    for part in match_parts(result):
        console.print(part)
    lines = console.file.getvalue().split("\n")  # type: ignore[attr-defined]
    for label, figures in match_rows(result):
        found = [line for line in lines if line.startswith(label)]
        assert len(found) == tables
        assert " ".join(line.removeprefix(label).strip() for line in found).split() == " ".join(figures).split()
