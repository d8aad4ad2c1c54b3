"""Grading a file of hands: what counts, how it is summed, what is left out, and that a stopped review goes on."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena import match, records
from cardai.core.errors import DamagedFileError, UsageError
from cardai.study import saved
from cardai.study.graded import Decision, GradedHand
from cardai.study.judge import Judge, judge_for
from cardai.study.report import COLUMNS, csv_of, plain, rows_of
from cardai.study.review import Review, Setting, number, reviewed, text_of
from cardai.study.session import Job, job_of, run

SETTING = Setting("kuhn", "=me", "somebody", "chips", "chips", 0.5, 1.0)


def decision(lost: float, floor: float = 0.1, kind: str = "a", verdict: str = "mistake") -> Decision:
    return Decision(0, 0, "pass", 1, "bet", 1 - lost, 1.0, -1.0, floor, verdict, {"kind": kind})


def hand(number: int, *decisions: Decision, group: int | None = None, returns: float = 1.0) -> GradedHand:
    return GradedHand(number, 0, 0, number if group is None else group, 0, returns, decisions)


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of 60 hands of Kuhn poker."""
    file = tmp_path_factory.mktemp("kuhn") / "hands.jsonl"
    match.play("kuhn", ["random", "random"], games=60, seed=1, record=file, names=["ann", "ben"])
    return file


@pytest.fixture(scope="module")
def judge() -> Judge:
    return judge_for(make.game("kuhn"))


def test_what_loses_no_more_than_the_floor_costs_nothing() -> None:
    assert decision(0.1).cost == 0
    assert decision(0.11).cost == pytest.approx(0.11)


def test_sums_are_over_all_hands_with_an_interval_over_groups() -> None:
    hands = [
        hand(1, decision(0.5), decision(0.7, kind="b"), group=0),
        hand(2, group=0),
        hand(3, decision(0.3), group=1),
        hand(4, group=1),
    ]
    review = reviewed(SETTING, hands)
    assert review.total.cost.mean == pytest.approx(1.5)
    assert review.total.per_100.mean == pytest.approx(1.5 / 4 * 100)
    by_kind = {one.name: one for one in review.sums("kind")}
    assert [one.name for one in review.sums("kind")] == ["a", "b"]  # the dearest first
    assert by_kind["b"].cost.mean == pytest.approx(0.7)
    assert by_kind["a"].decisions == 2
    # two groups, whose sums of a are 0.5 and 0.3: half a 95 % interval of the sum is t(1) * sd * sqrt(2) (Student 1908)
    assert by_kind["a"].cost.half_width == pytest.approx(12.706 * 0.1414 * math.sqrt(2), rel=1e-3)


def test_the_dearest_come_first_and_what_cost_nothing_is_not_among_them() -> None:
    review = reviewed(SETTING, [hand(1, decision(0.2), decision(0.05)), hand(2, decision(0.9))])
    assert [d.lost for _, d in review.dearest()] == pytest.approx([0.9, 0.2])
    assert len(review.dearest(1)) == 1
    assert (review.total.decisions, review.total.mistakes) == (3, 2)


def test_the_rating_is_that_of_mjai_reviewer() -> None:
    """Two decisions whose values go from -1 to 1; the best, and one half way: 100 * ((1 + 0.5) / 2) ** 2."""
    assert reviewed(SETTING, [hand(1, decision(0), decision(1.0))]).rating == pytest.approx(56.25)
    assert math.isnan(reviewed(SETTING, []).rating)


def test_only_what_the_player_decided_is_graded(kuhn: Path, judge: Judge) -> None:
    file = records.read(kuhn)
    reviews = [run(job_of(file, judge.game, name, judge))[0] for name in ("ann", "ben")]
    actions = sum(len(record["actions"]) for record in file.hands)
    known = [sum(len(h.decisions) + sum(h.left_out.values()) for h in review.hands) for review in reviews]
    assert sum(known) == actions  # in Kuhn poker every action is a choice
    assert reviews[0].won.mean == pytest.approx(-reviews[1].won.mean)


def test_values_of_the_review_are_those_of_the_judge_asked_by_itself(kuhn: Path, judge: Judge) -> None:
    from cardai.arena.table import replay

    file = records.read(kuhn)
    review = run(job_of(file, judge.game, "ann", judge))[0]
    graded, d = review.decisions[5]
    for place, (table, action) in enumerate(replay(judge.game, file.hands[graded.number - 1])):
        if place == d.place:
            values, _ = judge.values(table.views(), table.legal())
            assert (d.action, d.value, d.best_value) == (action, values[0, action], np.nanmax(values))
            assert d.words == judge.game.action_to_string(action)
            break


class Counting:
    """A grader that stops, as by Ctrl-C, after some hands."""

    def __init__(self, grader: Any, hands: int) -> None:
        self.grader, self.left = grader, hands

    def grade(self, tasks: Sequence[Any]) -> Any:
        for task in tasks:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            yield from self.grader.grade([task])


def test_a_stopped_review_goes_on_and_is_the_same(tmp_path: Path, kuhn: Path, judge: Judge, monkeypatch: Any) -> None:
    from attrs import evolve

    from cardai.study import session

    monkeypatch.setattr(session, "BATCH", 7)
    whole, out = run(job_of(records.read(kuhn), judge.game, "ann", judge))[0], tmp_path / "review.jsonl"
    job: Job = job_of(records.read(kuhn), judge.game, "ann", judge, out)
    stopped, finished = run(evolve(job, grader=Counting(job.grader, 20)))
    assert not finished
    assert 14 <= len(stopped.hands) < 60
    counted = Counting(job.grader, 100)
    review, finished = run(evolve(job, grader=counted), resume=True)
    assert finished
    assert review.hands == whole.hands
    assert counted.left >= 100 - (60 - 14)  # what was kept is not graded again
    assert saved.read(out)[0].hands == whole.hands


def test_a_review_of_something_else_is_not_gone_on_with(tmp_path: Path, kuhn: Path, judge: Judge) -> None:
    out = tmp_path / "review.jsonl"
    job = job_of(records.read(kuhn), judge.game, "ann", judge, out)
    run(job)
    with pytest.raises(UsageError, match="with another setting: game kuhn, hero ann"):
        run(job_of(records.read(kuhn), judge.game, "ben", judge, out), resume=True)
    file = records.read(kuhn)
    file.hands.pop()
    with pytest.raises(UsageError, match="of another file"):
        run(job_of(file, judge.game, "ann", judge, out), resume=True)


def test_hands_that_cannot_be_graded_are_counted_by_the_reason(kuhn: Path, judge: Judge) -> None:
    file = records.read(kuhn)
    file.hands[3] |= {"actions": [7]}
    file.hands[4] |= {"seats": [1, 1]}
    file.hands[5] |= {"deck": [9, 9, 9]}
    file.damaged.append("line 9: truncated")
    review = run(job_of(file, judge.game, "ann", judge))[0]
    assert review.left_out == {
        "it cannot be replayed": 1,
        "the player does not sit at it": 1,
        "it does not fit the game": 1,
        "the line is damaged": 1,
    }
    assert len(review.hands) == 57


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "it is not JSON"),
        ('{"number": 0}', "number"),
        ('{"number": 1, "game_number": 0, "hand": 0, "group": 0, "seat": 0, "returns": 1e999}', "returns"),
    ],
)
def test_a_damaged_review_is_refused_by_its_line(tmp_path: Path, line: str, said: str) -> None:
    out = tmp_path / "review.jsonl"
    saved.write(out, reviewed(SETTING, [hand(1, decision(0.2))]), "x")
    out.write_text(out.read_text() + line + "\n")
    with pytest.raises(DamagedFileError, match=f"line 3.*{said}"):
        saved.read(out)


def test_a_review_is_plain_values_rows_and_text(judge: Judge, kuhn: Path) -> None:
    review = run(job_of(records.read(kuhn), judge.game, "ann", judge))[0]
    told = json.loads(json.dumps(plain(review, 3), allow_nan=False))
    assert told["decisions"] == len(review.decisions) == len(rows_of(review))
    assert sum(told["verdicts"].values()) == told["decisions"]
    assert len(told["dearest"]) == 3
    assert told["dearest"][0]["cost"] == review.dearest(1)[0][1].cost
    assert math.isclose(sum(one["cost"]["mean"] for one in told["sums"]["position"]), told["total"]["cost"]["mean"])
    text = text_of(review, 3)
    assert text.startswith("ann at kuhn, judged by equilibrium; costs: chips\n60 hands, ")
    assert "\n3. hand " in text
    assert "\n4. hand " not in text


def test_a_table_of_decisions_holds_no_formula_of_a_strangers_name() -> None:
    """OWASP, CSV injection."""
    evil = Decision(0, 0, "=1+1", 1, "bet", 0.0, 1.0, -1.0, 0.0, "mistake", {"kind": "@x"})
    lines = csv_of(reviewed(SETTING, [hand(1, evil)])).splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert "'=1+1" in lines[1]
    assert "'@x" in lines[1]


def test_numbers_have_three_digits_that_count_and_no_exponent() -> None:
    numbers = (0.0, -0.0, -1e-9, 1234.5, 12.345, 0.012345, math.nan)
    assert [number(x) for x in numbers] == ["0", "0", "0", "1,234", "12.3", "0.0123", "?"]


def test_a_review_prints_itself() -> None:
    review = Review(SETTING, (hand(1, decision(0.2)),), {"it is odd": 2})
    assert "2 hands left out: it is odd" in str(review)


def test_where_nothing_could_be_graded_it_is_said_and_no_figure_is_shown() -> None:
    text = text_of(Review(SETTING, (), {"it is odd": 1}))
    assert "1 hand left out: it is odd" in text
    assert text.endswith("No hand could be graded.")
    assert "nan" not in text
    json.dumps(plain(Review(SETTING, ())), allow_nan=False)
