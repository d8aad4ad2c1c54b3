"""Libraries of spots, reports over flops, and what is read in a solution."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import asdict, evolve

import cardai
from cardai.cards.text import cards_text, parse_cards
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import digest_of, read_json, write_json
from cardai.poker.hands.combos import pairs
from cardai.poker.ranges import flops, reading
from cardai.poker.ranges.categories import blocker, draw, made
from cardai.poker.ranges.cfr import Measured
from cardai.poker.ranges.flop_report import Goal, chosen, columns, kept_reports, mean, reports
from cardai.poker.ranges.flop_report import rows as each_row
from cardai.poker.ranges.library import Entry, Library, Start, canonical, image
from cardai.poker.ranges.locks import parse_lock
from cardai.poker.ranges.sizes import plain_bets
from cardai.poker.ranges.solution import Solution, load
from cardai.poker.ranges.spot import Spot

RIVER = Spot("7sKsTh4d2c", 100, (150, 150), ("AKs,QQ", "JJ,KQs"), "1+allin")
FLOP = Spot("2c3d4h", 100, (100, 100), ("AA,KQs", "QQ,AKs"), "1/none")
FEW = flops.Subset(("KsTh7s", "2c2d9h"), (0.75, 0.25), 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    found = Library(tmp_path_factory.mktemp("library"))
    found.solve(RIVER, 1.0, position="BTN-BB", raised="single")
    return found


@pytest.fixture(scope="module")
def rows(library: Library) -> list[dict[str, Any]]:
    return list(reports(library, FLOP, FEW, Goal(20.0, 20), label={"position": "BTN-BB"}))


def test_the_same_spot_is_solved_once_however_it_is_written(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.poker.ranges.library.solve", None)
    again = evolve(RIVER, board="ThKs7s4d2c", ranges=("QQ,AKs", "KQs,JJ"), bets="allin+100%", stacks=(150, 900))
    assert library.place(again) == library.place(RIVER)
    assert library.solve(again, 1.0).exploitability <= 1.0
    locked = evolve(RIVER, locks=(parse_lock("x: JJ: x=1"),))
    assert library.place(evolve(again, locks=locked.locks)) == library.place(locked)
    for other in (
        locked,
        evolve(RIVER, pot=101),
        evolve(RIVER, board="7sKsTh2c4d"),
        evolve(RIVER, rake=0.05),
        evolve(RIVER, bets="1"),
    ):
        assert library.place(other) != library.place(RIVER)
    trees = [evolve(RIVER, bets=bets).tree() for bets in ("a+pot/2.50x+60%,donk=", plain_bets("a+pot/2.50x+60%,donk="))]
    assert trees[0].size == trees[1].size > 10
    assert np.array_equal(trees[0].spent, trees[1].spent)


def test_what_is_less_exact_does_not_replace_what_is_kept(tmp_path: Path) -> None:
    known, turn = Library(tmp_path), evolve(RIVER, board="KsTh7s4d")
    river, few = known.solve(RIVER, 1.0), flops.Subset(("KsTh7s4d",), (1.0,), 0.0, 0.0, 0.0)
    (row,) = reports(known, turn, few, Goal(1.0, 1000))
    assert river.exploitability <= 1.0 >= row["exploitability"]
    assert known.solve(RIVER, 0.001, iterations=2).iterations == river.iterations
    assert list(reports(known, turn, few, Goal(0.001, 2))) == [row]
    known.keep(
        cardai.solve(RIVER.board, pot=100, stack=150, ranges=[*RIVER.ranges], bets=RIVER.bets, to=0.001, iterations=2)
    )
    assert max(one.exploitability for one in known) <= 1.0


def test_folders_that_are_called_by_bets_as_they_were_written_are_found(library: Library, tmp_path: Path) -> None:
    """As libraries had them once, and as they lie on people's disks."""
    written, known = evolve(image(RIVER)[0], bets="allin+1", stacks=(150, 200)), Library(tmp_path / "lib")
    old = known.directory / "spots" / digest_of(asdict(written))[:24]
    shutil.copytree(library.place(RIVER), old)
    head = old / "spot.json"
    told = json.loads(head.read_text())
    told["spot"] |= {"bets": "allin+1", "stacks": [150, 200]}
    head.write_text(json.dumps(told))
    assert known.place(written) != old
    found = known.get(evolve(RIVER, bets="allin+1", stacks=(150, 200)))
    assert found is not None
    assert known.get(RIVER) is None


@pytest.mark.parametrize("ranges", [("AK,QQ", "JJ,KQ"), ("AhKh,QsQc,QdQh", "JJ,KsQs,9c8c")])
def test_a_spot_is_found_by_other_names_of_its_suits(
    ranges: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Solved with one set of names, looked at with another: every hand's numbers are those of the hand that was renamed."""
    names = str.maketrans("cdhs", "hscd")
    one = Spot("KsTh7s4d", 100, (150, 150), ranges, "1+allin")
    other = evolve(one, board=one.board.translate(names), ranges=tuple(text.translate(names) for text in ranges))
    Library(tmp_path).solve(one, 20.0, 20)
    first = Library(tmp_path).get(one)
    assert first is not None
    assert Library(tmp_path).place(other) == Library(tmp_path).place(one)
    monkeypatch.setattr("cardai.poker.ranges.library.solve", None)
    again = Library(tmp_path).solve(other, 20.0)
    for line in ("", "x x 2c x", "x a"):
        here, there = first.at(line), again.at(line.replace("2c", "2h"))
        assert [card % 13 for card in here.board] == [card % 13 for card in there.board]
        assert there.board[3:] == tuple(parse_cards("4s2h"))[: len(there.board) - 3]
        hands = {cards_text(hand).translate(names): k for k, hand in enumerate(pairs()[here.hands])}
        order = [hands.get(cards_text(hand), hands.get(cards_text(hand[::-1]))) for hand in pairs()[there.hands]]
        assert np.allclose(there.strategy, here.strategy[:, order])
        assert np.allclose(there.weights, here.weights[:, order])
        assert np.allclose(there.values, here.values[:, order], equal_nan=True)
    assert {one["card"] for one in reading.next_cards(again, "x x")}.isdisjoint({"Kd", "Tc", "7d", "4s"})
    assert [entry.spot.board for entry in Library(tmp_path).find(board="KdTc7d4s")] == [image(one)[0].board]
    again.label = {}
    assert Library(tmp_path).keep(again) == Library(tmp_path).place(one)


def test_spots_that_differ_by_more_than_names_are_two(library: Library) -> None:
    alike = evolve(RIVER, ranges=("AhKh,QQ", "JJ,KQs"))
    for other in (evolve(alike, board="7hKsTh4d2c"), evolve(alike, ranges=("AsKs,QQ", "JJ,KQs"))):
        assert library.place(other) != library.place(alike)
    assert library.place(evolve(alike, ranges=("AdKd,QQ", "JJ,KQs"))) != library.place(
        alike
    )  # h is on the board once, d too
    locked = evolve(RIVER, locks=(parse_lock("x: JJ: x=1"),))
    assert image(locked)[0] == canonical(locked)


def test_spots_are_found_and_copied(library: Library, tmp_path: Path) -> None:
    (found,) = library.find(board="KsTh7s4d2c", position="BTN-BB", raised="single")
    assert found.spot == canonical(RIVER)
    assert found.exploitability <= 1.0
    assert library.find(board="KsTh7s4d2c", position="CO-BB") == []
    library.solve(RIVER, found.exploitability / 2)
    (found,) = library.find(board="KsTh7s4d2c", position="BTN-BB", raised="single")
    shutil.copytree(library.directory, tmp_path / "copy")
    copy = Library(tmp_path / "copy")
    assert copy.get(RIVER).values == library.get(RIVER).values  # type: ignore[union-attr]
    (file,) = copy.place(RIVER).glob("spot.json")
    file.write_text(json.dumps({"format": "other"}))
    assert copy.find(board="KsTh7s4d2c") == []
    assert "spot.json" in copy.damaged[0]


def test_ranges_are_kept_by_position(tmp_path: Path) -> None:
    known, start = Library(tmp_path), Start("BTN-BB", "single", "22+,A2s+", "random", 5.5, (97.5, 97.5))
    path = known.add(start)
    assert known.start("BTN-BB", "single") == start
    with pytest.raises(UsageError, match=r"Known: BTN-BB single\. Add some"):
        known.start("CO-BB", "single")
    with pytest.raises(
        UsageError, match=r"A position is at most 41 letters, digits, -, _ and \+, such as BTN-BB\. Got 'BTN\.a'"
    ):
        known.add(evolve(start, position="BTN.a", raised="b"))  # its file was that of BTN in a pot called a.b
    for wrong in ({"position": "../x"}, {"first": "ZZ"}, {"pot": 0}):
        with pytest.raises(UsageError):
            known.add(evolve(start, **wrong))
    path.write_text(path.read_text().replace("BTN-BB", "CO-BB"))
    with pytest.raises(DamagedFileError):
        known.start("BTN-BB", "single")


def test_a_report_has_a_row_a_flop_and_their_weighted_mean(rows: list[dict[str, Any]], library: Library) -> None:
    assert [row["flop"] for row in rows] == ["KsTh7s", "9h2d2c"]
    assert [row["texture"] for row in rows] == ["two-tone", "rainbow paired"]
    last = mean(rows)
    for row in [*rows, last]:
        assert row["equity_first"] + row["equity_button"] == pytest.approx(100)
        assert row["ev_first"] + row["ev_button"] == pytest.approx(100, abs=0.5)
        assert row["check"] + row["all-in 100"] == pytest.approx(100)
        assert row["reached"] == pytest.approx(100)
    assert last["ev_first"] == pytest.approx(0.75 * rows[0]["ev_first"] + 0.25 * rows[1]["ev_first"])
    assert columns(rows)[-4:] == ["check", "all-in 100", "reached", "exploitability"]
    assert [row["flop"] for row in chosen(rows, "paired", "")] == ["9h2d2c"]
    by_worth = [row["ev_first"] for row in chosen(rows, "", "-ev_first")]
    assert by_worth == sorted(by_worth)
    with pytest.raises(UsageError, match="no column 'luck'"):
        chosen(rows, "", "luck")


def test_another_line_of_a_report_solves_nothing(
    rows: list[dict[str, Any]], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.poker.ranges.flop_report.Work", None)
    later = list(reports(library, FLOP, FEW, Goal(20.0, 20), "x"))
    for row, first in zip(later, rows, strict=True):
        assert row["reached"] == pytest.approx(first["check"], abs=1e-6)
        assert row["ev_first"] + row["ev_button"] == pytest.approx(100)


@pytest.mark.parametrize("small", [False, True])
def test_with_rake_a_row_has_what_each_seat_wins_and_not_what_the_house_takes(tmp_path: Path, small: bool) -> None:
    """Who checks is worth after it what the check is worth: the root says it of the seat that does not act behind it."""
    ranges = ("QQ,AsKs,76s", "JJ,KQs,AsQs")
    turn = cardai.solve("KsTh7s4d", pot=20, stack=30, ranges=ranges, bets="1/none", rake=0.1, to=5.0)
    turn.save(tmp_path, small=small)
    solved = load(tmp_path)
    root = turn.at("")
    checks = root.weights[0] * root.met * root.strategy[0]
    for line in ("x", "x x 2c x"):
        (found,) = each_row(solved, line, 1.0)
        if line == "x":
            assert found["ev_first"] == pytest.approx(root.values[0] @ checks / checks.sum(), abs=0.01)
        assert 20 * 0.9 - 0.01 > found["ev_first"] + found["ev_button"] > 20 - 0.1 * 80


@pytest.mark.long
def test_a_line_with_any_card_has_a_row_a_card_and_is_reached_as_often_as_the_cards_come(
    rows: list[dict[str, Any]], library: Library
) -> None:
    (after,) = reports(library, FLOP, flops.Subset(("KsTh7s",), (1.0,), 0.0, 0.0, 0.0), Goal(20.0, 20), "x")
    cards = list(reports(library, FLOP, flops.Subset(("KsTh7s",), (1.0,), 0.0, 0.0, 0.0), Goal(20.0, 20), "x x / *"))
    assert len({row["flop"] for row in cards}) == 49
    assert mean(cards)["reached"] == pytest.approx(after["reached"] * after["check"] / 100, abs=0.01)
    assert {row["flop"]: row["texture"] for row in cards}["KsTh7sAs"] == "overcard flush"
    assert all(row["ev_first"] + row["ev_button"] == pytest.approx(100, abs=0.5) for row in cards)
    with pytest.raises(UsageError, match="one \\* at most"):
        list(reports(library, FLOP, FEW, Goal(20.0, 20), "x x * x x *"))


def test_a_line_that_is_never_reached_has_an_empty_row_and_no_say_in_the_mean(
    rows: list[dict[str, Any]], library: Library
) -> None:
    never = evolve(FLOP, locks=(parse_lock(": x=1"),))
    (found,) = reports(library, never, flops.Subset(("2c2d9h",), (1.0,), 0.0, 0.0, 0.0), Goal(50.0, 10), "b100")
    assert found == {key: found[key] for key in ("flop", "texture", "weight", "reached", "exploitability")}
    assert found["reached"] == 0
    assert set(mean([found])) == set(found)
    both = mean([rows[0], found])
    assert both["equity_first"] == pytest.approx(rows[0]["equity_first"])
    assert both["weight"] == 1.75


def test_a_library_s_reports_are_its_spots_that_differ_in_the_flop_alone() -> None:
    measured = Measured((0.0, 0.0), (1.0, 1.0))

    def entries(boards: tuple[str, ...], spot: Spot) -> list[Any]:
        return [Entry(Path(board), evolve(spot, board=board), 1, measured, exploitability=0.5) for board in boards]

    def board_of(flop: str) -> str:
        return image(evolve(FLOP, board=flop))[0].board

    few = flops.subset(25)
    other = next(flop for flop in flops.subset(1755).flops if board_of(flop) not in map(board_of, few.flops))
    left_out = [
        *entries(("2c3d4h",), evolve(FLOP, pot=50)),
        *entries(("2c3d4h", "KsTh7s"), evolve(FLOP, checked_down=True)),
    ]
    box, own = kept_reports(
        [*entries((*few.flops, other), FLOP), *entries(("2c3d4h", "KsTh7s"), evolve(FLOP, rake=0.05)), *left_out]
    )  # type: ignore[arg-type]
    assert (box.chosen, box.flops.weights, len(box.entries)) == (True, few.weights, 26)
    assert (own.chosen, own.flops.flops, own.flops.weights) == (
        False,
        tuple(sorted(map(board_of, ("2c3d4h", "KsTh7s")))),
        (0.5, 0.5),
    )
    assert evolve(box.entries[box.flops.flops[0]].spot, board="") == evolve(FLOP, board="")


def test_what_two_solutions_do_differently_is_told_hand_by_hand(library: Library) -> None:
    first, locked = library.get(RIVER), evolve(RIVER, locks=(parse_lock(": QQ: x=0.5 b100=0.5"),))
    assert first is not None
    both = (
        first.at(""),
        cardai.solve(
            locked.board, pot=100, stack=150, ranges=locked.ranges, bets="1+allin", locks=locked.locks, to=1.0
        ).at(""),
    )
    found = reading.compared(*both)
    apart = 0.5 * np.abs(both[1].strategy - both[0].strategy).sum(axis=0)
    own = both[0].weights[0] * (both[0].met > 0)
    assert found["distance"] == pytest.approx(float(apart @ own / own.sum()))
    assert [one["distance"] for one in found["hands"]] == sorted(apart[own > 0].tolist(), reverse=True)
    queens = next(one for one in found["hands"] if one["hand"] == "QsQh")
    assert queens["frequencies"][1] == pytest.approx([0.5, 0.5, 0.0])
    assert [one["change"] for one in found["actions"]] == pytest.approx(
        [b - a for a, b in zip(*(one.frequencies for one in both), strict=True)]
    )
    with pytest.raises(UsageError, match="other players act"):
        reading.compared(first.at(""), first.at("x"))


def test_a_flop_that_is_named_twice_has_one_row_with_both_weights(rows: list[dict[str, Any]], library: Library) -> None:
    twice = flops.Subset(("KsTh7s", "7sThKs"), (0.5, 0.5), 0.0, 0.0, 0.0)
    (found,) = reports(library, FLOP, twice, Goal(20.0, 20))
    assert (found["flop"], found["weight"]) == ("KsTh7s", 1.0)


def test_the_flops_of_the_box_are_flops_with_weights_that_say_their_error() -> None:
    for size in flops.SIZES:
        found = flops.subset(size)
        assert len(set(found.flops)) == size
        assert sum(found.weights) == pytest.approx(1, abs=1e-4)
        assert min(found.weights) > 0
        assert found.error < 0.5 * found.random
        assert sum(flops.tones(found).values()) == pytest.approx(sum(found.weights))
        every = flops.tones(flops.subset(1755))
        assert all(abs(share - every[tone]) < 0.012 for tone, share in flops.tones(found).items())
    every = flops.subset(1755)
    assert sum(every.weights) == pytest.approx(1)
    of_22100 = {"monotone": 4 * 286, "two-tone": 12 * 78 * 13, "rainbow": 4 * 13**3}
    found = flops.turns(flops.subset(25))
    assert (len(set(found.flops)), found.flops[0][:6]) == (25 * 49, flops.subset(25).flops[0])
    assert sum(found.weights) == pytest.approx(1, abs=1e-4)
    assert flops.tones(every) == pytest.approx({tone: count / 22100 for tone, count in of_22100.items()})
    with pytest.raises(UsageError, match="There are subsets of 25"):
        flops.subset(26)


@pytest.mark.long
def test_flops_are_chosen_better_than_at_random() -> None:
    apart = np.random.default_rng(3).normal(size=(1755, 12))
    weights = flops.classes()[1] / flops.classes()[1].sum()
    apart -= weights @ apart
    found = flops.choose(apart, 10, rounds=30)
    assert found.error < 0.2 * found.random
    assert sum(found.weights) == pytest.approx(1, abs=1e-4)


def test_hands_are_called_as_players_call_them() -> None:
    board = "KsTh7s"
    called = {
        "KdKc": "set", "AcAd": "overpair", "KdQd": "top pair", "TcTd": "set", "JcTc": "middle pair", "7c6c": "low pair",
        "KcTc": "two pair", "JcJd": "middle pair", "2c2d": "low pair", "AcQc": "ace high", "QsJs": "nothing",
    }  # fmt: skip
    assert {hand: made(parse_cards(hand), parse_cards(board)) for hand in called} == called
    draws = {
        "QsJs": "flush draw and open-ended", "AsQs": "flush draw and gutshot", "As2s": "flush draw", "QcJc": "open-ended",
        "AcQc": "gutshot", "2c2d": "none", "9c8c": "gutshot",
    }  # fmt: skip
    assert {hand: draw(parse_cards(hand), parse_cards(board)) for hand in draws} == {**draws, "9c8c": "open-ended"}
    assert blocker(parse_cards("AsQd"), parse_cards("KsTs7s4d2c")) == "blocks the best flush"
    assert blocker(parse_cards("AsQs"), parse_cards("KsTs7s4d2c")) == ""
    assert made(parse_cards("AcQc"), parse_cards("KsTh7s7d2c")) == "pair of the board"
    assert made(parse_cards("7cQc"), parse_cards("KsTh7s7d2c")) == "trips"


def test_what_is_read_adds_up(library: Library, tmp_path: Path) -> None:
    solved = library.get(RIVER)
    assert isinstance(solved, Solution)
    root = solved.at("")
    share, each = reading.equities(root)
    own = root.weights[0] * root.met
    assert sum(share) == pytest.approx(1)
    assert float(np.nan_to_num(each) @ own / own.sum()) == pytest.approx(share[0], abs=1e-6)
    found = reading.groups(root)
    assert sum(one["share"] for one in found if one["kind"] == "made hand") == pytest.approx(1)
    assert sum(one["share"] * one["worth"] for one in found if one["kind"] == "made hand") == pytest.approx(
        root.value, abs=1e-3
    )
    assert float(np.nanmin(reading.costs(root))) == 0.0
    rows = reading.write_tree(solved, tmp_path / "tree.csv")
    lines = (tmp_path / "tree.csv").read_text().splitlines()
    assert lines[0] == "line,seat,hand,weight,action,frequency,worth,lost"
    assert len(lines) == rows + 1
    decisions = reading.write_tree(solved, tmp_path / "tree.json")
    assert decisions == len({line.split(",")[0] for line in lines[1:]})
    assert len(json.loads((tmp_path / "tree.json").read_text())["decisions"]) == decisions
    with pytest.raises(UsageError, match=r"\.json, \.csv or \.parquet"):
        reading.write_tree(solved, tmp_path / "tree.txt")


def test_all_next_cards_are_shown() -> None:
    turn = cardai.solve("Ks7s4s2h", pot=100, stack=100, ranges=("QQ,AKs", "JJ,AQs"), bets="1/none", to=5.0)
    found = reading.next_cards(turn, "x x")
    assert len(found) == 48
    mean = sum(one["worth_first"] for one in found) / 48
    position = turn.at("x")
    checked = float(
        position.pot
        - np.nansum(position.values[0] * position.weights[1] * position.met) / (position.weights[1] @ position.met)
    )
    assert mean == pytest.approx(checked, abs=6.0)  # cards are not equally likely between ranges, but nearly
    for line, why in (("b100", "No card comes after 'b100'"), ("x x Ks", "deals Ks, which lies on the board")):
        with pytest.raises(UsageError, match=why):
            reading.next_cards(turn, line)


def test_nothing_is_written_or_deleted_through_links_in_a_stranger_s_library(library: Library, tmp_path: Path) -> None:
    known, outside = Library(tmp_path / "lib"), tmp_path / "outside"
    outside.mkdir()
    (outside / "solution-7.npz").write_text("mine")
    start, solution = Start("BTN-BB", "single", "AA", "KK", 5.5, (97.5, 97.5)), library.get(RIVER)
    assert solution is not None
    for linked in (
        "ranges",
        "ranges/BTN-BB.single.json",
        "spots",
        f"spots/{library.place(RIVER).name}",
        f"spots/{library.place(RIVER).name}/spot.json",
    ):
        shutil.rmtree(known.directory, ignore_errors=True)
        (known.directory / linked).parent.mkdir(parents=True)
        (known.directory / linked).symlink_to(outside / "solution-7.npz" if linked.endswith("json") else outside)
        with pytest.raises(DamagedFileError, match="is a link to"):
            known.add(start) if linked.startswith("ranges") else known.keep(solution)
        with pytest.raises(DamagedFileError, match="is a link to"):
            known.start("BTN-BB", "single") if linked.startswith("ranges") else known.get(RIVER)
    assert [(file.name, file.read_text()) for file in outside.iterdir()] == [("solution-7.npz", "mine")]


def test_a_folder_that_holds_another_spot_than_its_name_says_answers_for_none(library: Library, tmp_path: Path) -> None:
    known, other = Library(tmp_path / "lib"), evolve(RIVER, pot=101)
    shutil.copytree(library.place(RIVER), known.place(other))
    with pytest.raises(DamagedFileError, match="holds another spot"):
        known.get(other)


def test_spots_that_cannot_be_read_spoil_no_list_and_are_named(library: Library, tmp_path: Path) -> None:
    known, good = Library(tmp_path / "lib"), library.place(RIVER)
    shutil.copytree(good, known.directory / "spots" / "my own")
    wrong = ({"board": "xx"}, {"stacks": []}, {"ranges": ["AA"]}, {"ranges": ["AA", "what"]}, {"bets": "1" * 200_000})
    for place, change in enumerate(wrong):
        folder = shutil.copytree(good, known.directory / "spots" / f"{place}")
        head = read_json(folder / "spot.json")
        write_json(folder / "spot.json", head | {"spot": head["spot"] | change})
    shutil.copytree(good, known.directory / "spots" / "not\u202eshown")
    head = read_json(good / "spot.json") | {"label": {"position": "BTN\x1b[2J", "raised": "one\nline"}}
    write_json(known.directory / "spots" / "my own" / "spot.json", head)
    assert [(one.path.name, one.position, one.raised) for one in known] == [("my own", "BTN\\x1b[2J", "one\\nline")]
    assert len(known.damaged) == 6
    assert all("spot.json is damaged or foreign: " in words for words in known.damaged)
    assert len(known.find(board=RIVER.board)) == 1
    assert kept_reports(known) == []
