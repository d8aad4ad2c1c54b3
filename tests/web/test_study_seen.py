"""What the study shows before all is solved, and of hands that are locked one by one."""

from __future__ import annotations

import pytest

from cardai.core.errors import UsageError
from cardai.poker.ranges.locks import parse_lock
from cardai.poker.ranges.solution import Solution, prepare, solve
from cardai.poker.ranges.spot import Spot
from cardai.web.study import drawn

SPOT = Spot("KsTh7s4d2c", 100, (150, 150), ("QQ+,AKs", "JJ,KJo"), "1+allin")


@pytest.fixture(scope="module")
def glimpses() -> tuple[Solution, list[drawn.Plain]]:
    """Return a river that was stopped at the first look, and what was seen then."""
    seen: list[drawn.Plain] = []

    def looked(now: Solution) -> bool:
        seen.append(drawn.glimpse(now, "x"))
        return False

    solution = prepare(SPOT)
    solve(solution, 0.0, 1000, looked)
    return solution, seen


def test_what_is_seen_while_it_is_solved_is_what_stands_there_when_it_is_stopped(
    glimpses: tuple[Solution, list[drawn.Plain]],
) -> None:
    solution, (seen,) = glimpses
    position = solution.at("x")
    assert solution.iterations < 1000
    assert (seen["who"], [one["words"] for one in seen["actions"]]) == (drawn.SEATS[1], list(position.actions))
    assert [float(one["often"]) for one in seen["actions"]] == pytest.approx(
        [100 * one for one in position.frequencies], abs=0.06
    )
    assert sum(float(bar["w"]) for bar in seen["bars"]) == pytest.approx(100, abs=0.05)
    with pytest.raises(UsageError):
        drawn.glimpse(solution, "b7")


@pytest.mark.parametrize(
    ("locks", "queens"),
    [([], ""), (["QhQc"], "some"), (["QhQc", "QhQd"], "some"), (["QQ"], "all"), (["QhQc,QdQc", "QhQd,QsQh,QsQd,QsQc"], "all")],
)  # fmt: skip
def test_a_class_of_hands_is_marked_by_how_many_of_them_are_locked(
    glimpses: tuple[Solution, list[drawn.Plain]], locks: list[str], queens: str
) -> None:
    _, (seen,) = glimpses
    rows = [[dict(cell, bars=cell["bars"] or ["x"]) for cell in row] for row in seen["grid"]]
    found = drawn.marked(rows, [parse_lock(f"x: {hands}: x=1") for hands in locks], "x")
    assert found[2][2]["locked"] == queens
    assert [cell["locked"] for k, row in enumerate(found) for j, cell in enumerate(row) if (k, j) != (2, 2)] == [
        ""
    ] * 168
    assert drawn.marked(rows, [parse_lock(f"b100: {hands}: x=1") for hands in locks], "x")[2][2]["locked"] == ""
