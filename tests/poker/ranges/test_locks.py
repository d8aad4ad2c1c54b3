"""Locks and rake: spots with exact answers by hand, linear programs, and suits' images."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import UsageError
from cardai.poker.notation import parse_range
from cardai.poker.ranges.locks import Lock, parse_lock
from cardai.poker.ranges.solution import Solution, load
from tests.poker.ranges.linear_program import best_response, linear_program

BOARD_2 = "KsTh7s4d2c"
BOARD = "2s3h4d6c7c"
HANDS = "AsAh,QsQh"
# The spots of this file are by hand; b-inary/postflop-solver asserts the same values in src/game/tests.rs.


def hand(solved: Solution, text: str) -> int:
    """Return the column of a hand at the first decision."""
    number = int(np.flatnonzero(parse_range(text))[0])
    return int(np.flatnonzero(solved.at("").hands == number)[0])


def worth(solved: Solution, text: str) -> float:
    """Return what a hand of who acts first wins."""
    root, column = solved.at(""), hand(solved, text)
    return float(root.strategy[:, column] @ root.values[:, column])


def locked_call(fold: float, call: float) -> Solution:
    options = {"pot": 20, "stack": 10, "ranges": (HANDS, "KsKh"), "bets": "allin", "to": 0.0, "iterations": 400}
    return cardai.solve(BOARD, locks=[Lock("a", {"f": fold, "c": call})], **options)


def test_who_folds_a_quarter_is_bet_for_value_alone() -> None:
    solved = locked_call(0.25, 0.75)
    root, queens = solved.at(""), hand(solved, "QsQh")
    assert worth(solved, "AsAh") == pytest.approx(27.5, abs=0.01)  # 0.25 x 20 + 0.75 x 30
    assert worth(solved, "QsQh") == pytest.approx(0.0, abs=0.01)
    assert float(root.values[1, queens]) == pytest.approx(-2.5, abs=0.01)  # 5 - 7.5
    assert solved.values[1] == pytest.approx(6.25, abs=0.01)  # the mean of 20 and -7.5
    assert solved.at("a").frequencies == pytest.approx((0.25, 0.75), abs=1e-9)


def test_who_folds_half_is_bluffed() -> None:
    solved = locked_call(0.5, 0.5)
    assert worth(solved, "QsQh") == pytest.approx(5.0, abs=0.01)
    assert worth(solved, "AsAh") == pytest.approx(25.0, abs=0.01)
    assert solved.values[1] == pytest.approx(5.0, abs=0.01)  # 15 and -5


def test_a_hand_that_is_locked_alone_is_played_around() -> None:
    solved = cardai.solve(
        BOARD, pot=10, stack=10, ranges=(HANDS + ",JsJh", "KsKh"), bets="allin", to=0.0, iterations=4000,
        locks=[parse_lock(": JsJh: x=80% a=20%")],
    )  # fmt: skip
    root = solved.at("")
    bets = [float(root.strategy[1, hand(solved, text)]) for text in ("AsAh", "QsQh", "JsJh")]
    assert bets == pytest.approx([1.0, 0.3, 0.2], abs=0.01)  # bluffs are half of value in all
    assert [worth(solved, text) for text in ("AsAh", "QsQh", "JsJh")] == pytest.approx([15, 0, 0], abs=0.02)
    assert solved.values[1] == pytest.approx(5.0, abs=0.01)


@pytest.mark.long
def test_rake_is_paid_by_who_gets_the_pot() -> None:
    options = {"pot": 60, "stack": 10, "bets": "allin", "rake": 0.05, "rake_cap": 10, "to": 0.0, "iterations": 50}
    same = cardai.solve("2c6dTh", ranges=("AA", "AA"), check_down=True, locks=[": x=1", "x: x=1"], **options)
    assert same.values == pytest.approx((28.5, 28.5), abs=0.01)
    river = cardai.solve("2c6dThTcTd", ranges=("TsAs", "5h4h"), locks=[": x=1", "x: x=1"], **options)
    assert river.values == pytest.approx((57, 0), abs=0.01)


def test_the_cap_of_the_rake_holds_and_a_bet_nobody_called_pays_none() -> None:
    options = {"pot": 60, "stack": 100, "bets": "allin", "rake": 0.05, "to": 0.0, "iterations": 1}
    ranges = ("TsAs", "5h4h")
    called = cardai.solve("2c6dThTcTd", ranges=ranges, rake_cap=10, locks=[": a=1", "a: c=1"], **options)
    assert called.values == pytest.approx((60 + 100 - 10, -100), abs=0.01)  # 5 % of 260 is more than the cap
    folded = cardai.solve("2c6dThTcTd", ranges=ranges, locks=[": a=1", "a: f=1"], **options)
    assert folded.values == pytest.approx((57, 0), abs=0.01)


def test_a_bet_that_is_followed_at_random_brings_37_and_a_half_of_60() -> None:
    solved = cardai.solve(
        "2c6dThTcTd", pot=60, stack=30, bets="first=0.5,button=none", to=0.0, iterations=1,
        locks=[": x=0.5 a=0.5", "a: f=0.5 c=0.5"],
    )  # fmt: skip
    assert solved.values == pytest.approx((37.5, 22.5), abs=0.001)


SMALL = {"pot": 100, "stack": 150, "ranges": ("KTs,77,QJo:0.5,A2s,65s:0.25", "AA,KQo,98s,44"), "bets": "1+allin"}
PROGRAMS = [
    {"locks": ["b100: f=0.6 c=0.3 a=0.1"]},
    {"locks": [": KTs,77: x=1", "x: AA: x=0.5 b100=0.5"]},
    {"locks": ["x: AhAd: x=1", "b100 a: QJo: f=1"]},
    {"stack": (90, 400), "bets": "0.29+0.66+allin"},
    {"bets": "donk=0.3,0.75+allin/2.5x", "aggressor": 1},
    {"pot": 7.5, "stack": 20.25, "bets": "e+0.4/3x+allin", "locks": ["x: 98s,44: b3=1"]},
    {"rake": 0.05, "rake_cap": 8},
    {"rake": 0.1, "locks": ["b100: f=0.5 c=0.5"]},
    {"rake": 0.04, "rake_cap": 5, "stack": (90, 400), "bets": "0.5+allin"},
    {"rake": 0.05, "pot": 55, "bets": "first=0.33,button=0.5+allin", "locks": [": 65s: b18=1", "x: AA: x=1"]},
]


@pytest.mark.parametrize("change", PROGRAMS[:3] + PROGRAMS[4:5] + PROGRAMS[9:])
def test_small_games_with_locks_rake_and_sizes_equal_linear_programs(change: dict[str, Any]) -> None:
    check_program(change, 1500)


@pytest.mark.long
@pytest.mark.parametrize("change", PROGRAMS)
def test_all_ten_linear_programs(change: dict[str, Any]) -> None:
    check_program(change, 6000)


def check_program(change: dict[str, Any], iterations: int) -> None:
    """Zero-sum games have their value by one program; with rake each best response has its own."""
    terms = SMALL | change
    solved = cardai.solve(BOARD_2, **terms, to=0.0, iterations=iterations)
    found, pot = solved.solver.measure(), solved.spot.pot * solved.spot.scale
    assert solved.exploitability < 0.1
    for seat in range(2):
        assert found.responses[seat] == pytest.approx(best_response(solved.solver, seat), abs=1e-4 * pot)
    if "rake" not in change:
        value = linear_program(solved.solver.layout, solved.spot.weights())
        assert found.values[0] == pytest.approx(value, abs=0.002 * pot)


# -- suits' images -------------------------------------------------------------------------------------------------------

SUITED = {"pot": 20, "stack": 20, "ranges": ("AKs,QQ", "AKs,JJ"), "bets": "none,river=1", "to": 0.0, "iterations": 20}
LINE = "x x / {} x x / {}"


def bets_of(solved: Solution, turn: str, river: str) -> dict[str, float]:
    """Return how often each AK suited bets on a run of cards."""
    place = solved.at(LINE.format(turn, river))
    names = {int(np.flatnonzero(parse_range(f"A{s}K{s}"))[0]): s for s in "cdhs"}
    often = zip(place.hands.tolist(), place.strategy[-1].tolist(), strict=True)
    return {names[hand]: share for hand, share in often if hand in names}


STAYS = Lock(LINE.format("2s", "2h"), {"b20": 0.25, "x": 0.75}, "AhKh")


@pytest.fixture(scope="module")
def alone() -> Solution:
    return cardai.solve("2c3c4c", **SUITED, locks=[STAYS])


def test_a_lock_stays_on_its_cards(alone: Solution) -> None:
    assert bets_of(alone, "2s", "2h")["h"] == pytest.approx(0.25, abs=1e-9)
    assert abs(bets_of(alone, "2s", "2d")["d"] - 0.25) > 0.1  # an image, and not locked


@pytest.mark.long
def test_a_lock_that_is_moved_moves_with_the_suits(alone: Solution) -> None:
    free = cardai.solve("2c3c4c", **SUITED)
    assert bets_of(alone, "2s", "2d")["d"] == pytest.approx(bets_of(free, "2s", "2d")["d"], abs=0.1)
    spread = cardai.solve("2c3c4c", **SUITED, locks=[evolve(STAYS, images=True)])
    assert len(spread.solver.layout.boards[2]) == len(free.solver.layout.boards[2])
    for turn, river in itertools.permutations("dhs", 2):
        assert bets_of(spread, f"2{turn}", f"2{river}")[river] == pytest.approx(0.25, abs=1e-6)
        assert bets_of(spread, f"2{turn}", f"2{river}")[turn] == pytest.approx(
            bets_of(spread, "2s", "2h")["s"], abs=1e-6
        )


@pytest.mark.long
def test_a_lock_that_suits_leave_as_it_is_costs_no_more_boards() -> None:
    free = cardai.solve("2c3c4c", **SUITED | {"iterations": 1})
    whole = cardai.solve("2c3c4c", **SUITED | {"iterations": 1}, locks=["x x / * x x / *: AKs: b20=1"])
    assert [len(one) for one in whole.solver.layout.boards] == [len(one) for one in free.solver.layout.boards]
    assert set(bets_of(whole, "9d", "9s").values()) == {1.0}


def test_a_lock_of_one_hand_tells_suits_apart() -> None:
    free, one, every = (
        cardai.solve("2c3c4c", **SUITED | {"iterations": 1}, locks=locks)
        for locks in ([], ["x: AhKh: x=1"], ["x: AKs: x=1"])
    )
    turns = [len(solved.solver.layout.boards[1]) for solved in (free, one, every)]
    assert turns == [10 + 13, 10 + 2 * 13, 10 + 13]  # a club each, and a rank each of the suits that are alike


def test_the_more_particular_lock_holds() -> None:
    locks = ["x x / * x x / *: b20=1", "x x / 9d x x / *: x=1"]
    solved = cardai.solve("2c3c4c", **SUITED | {"iterations": 1}, locks=locks)
    assert set(bets_of(solved, "9d", "8s").values()) == {0.0}
    assert set(bets_of(solved, "9h", "8s").values()) == {1.0}


def test_locks_and_rake_are_kept_with_the_spot(tmp_path: Path) -> None:
    solved = cardai.solve(BOARD_2, **SMALL, rake=0.05, locks=["x: AA: x=1"], iterations=20, to=0.0, out=tmp_path)
    again = load(tmp_path)
    assert again.spot == solved.spot
    assert again.values == solved.values
    assert (again.at("x").strategy == solved.at("x").strategy).all()


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        ("b7: f=1", "cannot go on with 'b7'. Here are known: x, b100, b150"),
        ("b100: f=0.5", "add up to 1"),
        ("b100: f=1.5 c=-0.5", "add up to 1"),
        ("b100: z=1", "cannot fix 'z'. Here are known: f, c, r150"),
        ("b100 f: x=1", "leads to no decision"),
        ("nothing", "says not how often what is done"),
        ("x: x=much", "cannot be read at 'x=much'"),
        ("x: Q2z: x=1", "cannot be read"),
        ("x: 33: x=1", "holds for no hand of who decides there: '33'"),
    ],
)
def test_locks_that_cannot_hold_are_said(lock: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        cardai.solve(BOARD_2, **SMALL, locks=[lock])
    assert message in str(error.value)
