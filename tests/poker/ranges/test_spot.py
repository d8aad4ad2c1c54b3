"""Spots: solved, kept, gone on with, looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.core.errors import DamagedFileError, UsageError
from cardai.poker.ranges import solution as solutions
from cardai.poker.ranges.solution import Solution, load, prepare
from cardai.poker.ranges.spot import Spot

RANGES = ("QQ+,AKs,T9s,KQo:0.5", "JJ,AQs,76s,KJo")


@pytest.fixture(scope="module")
def turn() -> Solution:
    return cardai.solve_spot("Ks7s4s2h", pot=100, stack=150, ranges=RANGES, bets="1+allin", to=1.0)


def test_a_spot_is_solved_to_what_was_asked(turn: Solution) -> None:
    assert turn.exploitability <= 1.0
    assert sum(turn.values) == pytest.approx(100, abs=0.01)


def test_a_decision_adds_up(turn: Solution) -> None:
    root = turn.at("")
    assert root.actions == ("check", "bet 100", "all-in 150")
    assert root.tokens == ("x", "b100", "b150")
    assert sum(root.frequencies) == pytest.approx(1, abs=1e-6)
    assert root.value == pytest.approx(turn.values[0], abs=0.01)
    assert turn.at("b100").values[0] == pytest.approx(0.0, abs=1e-3)  # a fold is worth nothing from there on


def test_a_solved_card_that_stands_for_others_is_looked_at_under_their_names(turn: Solution) -> None:
    whole = prepare(Spot("Ks7s4s2h", 100, (150, 150), RANGES, "1+allin", isomorphic=False))
    whole.solver.run(turn.iterations)
    short = turn.solver.layout.boards[1]
    assert len(short) < 48
    for card in ("5c", "5d", "2c", "Qd"):
        one, other = (solution.at(f"x b100 c / {card}") for solution in (turn, whole))
        assert sorted(one.hands.tolist()) == sorted(other.hands.tolist())
        order, wanted = np.argsort(one.hands), np.argsort(other.hands)
        assert one.strategy[:, order] == pytest.approx(other.strategy[:, wanted], abs=0.02)
        assert one.weights[:, order] == pytest.approx(other.weights[:, wanted], abs=0.02)
        assert one.board == other.board


def test_a_spot_goes_on_where_it_was_stopped(turn: Solution, tmp_path: Path) -> None:
    straight, stopped = (prepare(turn.spot) for _ in range(2))
    straight.solver.run(20)
    stopped.solver.run(12)
    stopped.measure()
    stopped.save(tmp_path)
    again = load(tmp_path)
    assert (again.iterations, again.exploitability) == (12, stopped.exploitability)
    again.solver.run(8)
    again.save(tmp_path)
    assert [file.name for file in tmp_path.glob("*.npz")] == ["solution-20.npz"]
    for name, array in straight.solver.arrays().items():
        assert (array == load(tmp_path).solver.arrays()[name]).all(), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"iterations": -1}, "iterations must be from 0"),
        ({"arrays": "../x.npz"}, "is damaged or foreign"),
        ({"format": "other"}, "its format is 'other'"),
        ({"spot": {"board": "KsKs", "pot": 2, "stacks": [1, 1]}}, "is damaged or foreign: The board"),
    ],
)
def test_damaged_spots_are_refused_by_name(
    turn: Solution, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    turn.save(tmp_path)
    head = json.loads((tmp_path / "spot.json").read_text())
    (tmp_path / "spot.json").write_text(json.dumps(head | change))
    with pytest.raises(DamagedFileError, match=r"spot\.json") as error:
        load(tmp_path)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("spot", "message"),
    [
        (Spot("KsTh", 100, (150, 150)), "A board has 3, 4 or 5 cards. Got 2"),
        (Spot("KsThKs", 100, (150, 150)), "name Ks twice"),
        (Spot("KsTh7s4d2c", 0, (150, 150)), "The pot must hold chips. Got 0"),
        (Spot("KsTh7s4d2c", 100, (0, 0)), "Both stacks must hold chips"),
        (Spot("KsTh7s4d2c", 100, (30, 30), bets="none"), "Nobody can bet"),
        (Spot("KsTh7s4d2c", 100, (150, 150), ("KsTh", "AA")), "holds no hand that the board KsTh7s4d2c leaves"),
        (Spot("KsTh7s4d2c", 100, (150, 150), ("AA",)), "Two ranges are needed"),
        (Spot("KsTh7s4d", 100, (150, 150), limit=(2,)), "a size for each street to come (turn, river): 2. Got 1: 2."),
        (Spot("KsTh7s4d2c", 100, (150, 150), rake=1.5), "share of the pot from 0 to below 1"),
        (Spot("KsTh7s4d2c", 100.005, (150, 150)), "at most two digits behind the point"),
        (Spot("KsTh7s4d2c", 100, (150, 150), bets="2x+1"), "hold '2x', which is of a bet before it"),
        (Spot("KsTh7s4d2c", 2, (2**31 - 1, 2**31 - 1)), "at most"),
        (Spot("KsTh7s4d2c", 100, (150, 150), minimum=-100), "A minimum is a whole number from 0 to"),
        (Spot("KsTh7s4d2c", 100, (150, 150), cap=2**64), "A cap is a whole number from 0 to"),
        (Spot("KsTh7s4d2c", 100, (150, 150), limit=(-1,)), "A size of limit bets is a whole number from 1 to"),
        (Spot("KsTh7s4d2c", 100, (150, 150), limit=(0,)), "from 1 to 100,000,000. Got 0."),
        (Spot("KsTh7s4d2c", 100, (150, 150), minimum=2.5), "A minimum is a whole number"),  # type: ignore[arg-type]
    ],
)
def test_spots_that_make_no_sense_are_refused_in_a_sentence(spot: Spot, message: str) -> None:
    with pytest.raises(UsageError) as error:
        prepare(spot)
    assert message in str(error.value)


def test_a_tree_larger_than_memory_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solutions, "free_memory", lambda: 1 << 16)
    with pytest.raises(UsageError, match=r"needs 0\.0 GiB of memory.*Leave out bets"):
        prepare(Spot("KsTh7s4d2c", 2000, (19000, 19000)))


def test_bets_up_to_the_stack_and_all_in_are_no_mistake() -> None:
    assert len(prepare(Spot("KsTh7s4d2c", 2000, (900, 5000), bets="0.5+1")).solver.layout.tree.root.actions) == 2
    assert len(prepare(Spot("KsTh7s4d2c", 2000, (1000, 5000), bets="0.5+1")).solver.layout.tree.root.actions) == 2
    assert len(prepare(Spot("KsTh7s4d2c", 2000, (900, 5000), bets="0.5+allin")).solver.layout.tree.root.actions) == 2


def test_a_solution_that_no_longer_fits_is_not_called_damaged(
    turn: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn.save(tmp_path)
    monkeypatch.setattr(solutions, "free_memory", lambda: 1 << 16)
    with pytest.raises(UsageError, match="of memory"):
        load(tmp_path)


def test_chips_out_of_bounds_are_said() -> None:
    for chips in ({"pot": -4, "stack": 5}, {"pot": 4, "stack": (5, 2**40)}, {"pot": 2**40, "stack": 5}):
        with pytest.raises(UsageError, match="must be from 1 to"):
            cardai.solve("KsTh7s4d2c", **chips)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b77", "cannot go on with 'b77'. Here are known: x, b100, b150"),
        ("x x", "a card comes: add it"),
        ("x x / Kx", "needs a card where it says 'Kx'"),
        ("x x / Ks", "deals Ks, which lies on the board"),
        ("b100 f", "the hand is over: a fold"),
        ("b100 f x", "goes on with 'x' after the hand is over"),
    ],
)
def test_lines_that_lead_nowhere_are_said(turn: Solution, line: str, message: str) -> None:
    for look in (turn.at, turn.check_line):
        with pytest.raises(UsageError) as error:
            look(line)
        assert message in str(error.value)


def test_a_flop_that_is_checked_down_is_worth_its_equity() -> None:
    from cardai.cards.text import parse_cards
    from cardai.poker.hands.equity import range_equity
    from cardai.poker.notation import parse_range

    spot = Spot("KsTh7s", 100, (2, 2), ("AA", "T9s"), "allin", checked_down=True)
    solution = prepare(spot)
    solution.solver.run(1)  # with two chips behind, nobody gives up a pot of a hundred
    equity = range_equity(parse_range("AA"), parse_range("T9s"), parse_cards("KsTh7s")).share[0]
    solution.measure()
    assert solution.values[0] == pytest.approx(100 * equity, abs=2.1)


def test_a_small_flop_is_solved_to_the_end() -> None:
    found = cardai.solve(
        "Ks7h4d", pot=100, stack=100, ranges=("AA,KQs,87s", "QQ,KJs,65s"), bets="1/none", to=1.0, iterations=400
    )
    assert found.exploitability <= 1.0
    boards = found.solver.layout.boards
    assert [len(one.boards[0]) for one in boards] == [3, 4, 5]
    assert sum(found.values) == pytest.approx(100, abs=1e-3)


def test_what_one_stack_has_more_is_not_played_for() -> None:
    solution = prepare(Spot("Ks7s4s2h3d", 100, (300, 150), ("QQ+", "JJ,AQs"), "0.75+1+2+allin"))
    assert solution.at("").tokens == ("x", "b75", "b100", "b150")
    assert solution.at("b150").actions == ("fold", "call 150")
    assert solution.at("b100").actions == ("fold", "call 100", "all-in 150")


@pytest.mark.parametrize(
    ("pot", "stack", "tokens", "words"),
    [
        (100, 400, ["x", "b29", "b400"], "bet 29"),  # 0.29 of 100 rounds to 29, though the product is 28.999...
        (55, 400, ["x", "b16", "b400"], "bet 16"),
        (7.5, 20.25, ["x", "b2.18", "b20.25"], "bet 2.18"),
    ],
)
def test_any_pot_and_cents_are_played_for(pot: float, stack: float, tokens: list[str], words: str) -> None:
    solved = cardai.solve(
        "Ks7s4s2h3d", pot=pot, stack=stack, ranges=("QQ+", "JJ,AQs"), bets="0.29+allin", iterations=20
    )
    root = solved.at("")
    assert (list(root.tokens), root.actions[1], root.pot) == (tokens, words, pot)
    assert sum(solved.values) == pytest.approx(pot, abs=1e-4)
    assert solved.at(tokens[1]).pot == pytest.approx(pot + float(tokens[1][1:]))


def test_an_older_spot_is_read(turn: Solution, tmp_path: Path) -> None:
    turn.save(tmp_path)
    head = json.loads((tmp_path / "spot.json").read_text())
    fields = ("board", "pot", "stacks", "ranges", "bets", "limit", "cap", "minimum", "checked_down", "isomorphic")
    old = {**head, "format": "cardai spot 1", "spot": {name: head["spot"][name] for name in fields}}
    (tmp_path / "spot.json").write_text(json.dumps(old))
    assert load(tmp_path).spot == turn.spot


def test_the_function_has_the_name_of_a_room_whichever_came_first() -> None:
    import importlib

    import cardai.solve.measures

    assert callable(cardai.solve)
    assert importlib.import_module("cardai.solve").measures is cardai.solve.measures
