"""``cardai review``: what it prints and writes, what it refuses, and that it goes on."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from cardai.study.report import COLUMNS
from tests.commands.conftest import Call


def test_it_names_the_judge_the_costs_and_the_dearest_decisions(cardai: Call, record: str) -> None:
    called = cardai("review", record, "--hero", "lowest", "--top", "2")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0] == "lowest at kuhn, judged by equilibrium; costs: chips"
    assert lines[1].startswith("6 hands, ")
    assert "The dearest decisions (of " in called.out
    assert "2. hand " in called.out
    assert "3. hand " not in called.out


def test_json_and_a_table_hold_the_same_decisions(cardai: Call, record: str, tmp_path: Path) -> None:
    table = tmp_path / "decisions.csv"
    called = cardai("review", record, "--hero", "highest", "--json", "--csv", str(table))
    told = json.loads(called.out)
    assert (told["cardai"], told["format"], told["judge"]) == ("review", 1, "equilibrium")
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [*rows[0]] == [*COLUMNS]
    assert len(rows) == told["decisions"]
    assert sum(float(row["cost"]) for row in rows) == pytest.approx(told["total"]["cost"]["mean"])


def test_a_floor_hides_what_costs_no_more(cardai: Call, record: str) -> None:
    costs = [
        json.loads(cardai("review", record, "--hero", "lowest", "--json", *words).out)["total"]["cost"]["mean"]
        for words in ((), ("--floor", "1000"))
    ]
    assert costs[0] > costs[1] == 0


def test_thresholds_name_what_is_a_blunder(cardai: Call, record: str) -> None:
    told = [
        json.loads(cardai("review", record, "--hero", "lowest", "--json", *words).out)["verdicts"]
        for words in (("--mistake", "0", "--blunder", "0"), ("--mistake", "100", "--blunder", "100"))
    ]
    assert told[0]["blunder"] == told[1]["inaccuracy"] > 0


def test_a_kept_review_is_gone_on_with(cardai: Call, record: str, tmp_path: Path) -> None:
    out = str(tmp_path / "review.jsonl")
    first = cardai("review", record, "--hero", "lowest", "--out", out)
    again = cardai("review", record, "--hero", "lowest", "--out", out, "--resume")
    assert again.code == 0
    assert again.out == first.out
    other = cardai("review", record, "--hero", "highest", "--out", out, "--resume")
    assert other.code == 2
    assert "is a review with another setting" in other.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Say whose decisions are graded by --hero: highest or lowest."),
        (("--hero", "nobody"), "holds hands of highest and lowest, not of 'nobody'"),
        (("--hero", "lowest", "--judge", "random"), "random has no values of actions: it cannot judge."),
        (("--hero", "lowest", "--resume"), "--resume goes on with the review that --out names"),
        (("--hero", "lowest", "--judge", "champion"), "champion plays gin rummy"),
        (("--hero", "lowest", "--mistake", "2", "--blunder", "1"), "A blunder costs at least as much"),
    ],
)
def test_what_cannot_be_reviewed_is_a_usage_error(cardai: Call, record: str, words: tuple[str, ...], said: str) -> None:
    called = cardai("review", record, *words)
    assert called.code == 2
    assert said in called.err
    assert called.out == ""


def test_a_review_is_not_written_over_its_hands(cardai: Call, record: str) -> None:
    before = Path(record).read_bytes()
    called = cardai("review", record, "--hero", "lowest", "--out", record)
    assert called.code == 2
    assert "would be written over them" in called.err
    assert Path(record).read_bytes() == before
