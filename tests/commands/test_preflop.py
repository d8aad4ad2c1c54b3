"""``cardai preflop``: charts are listed, shown and solved, and begin spots and reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest


def said(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_chart_is_solved_into_a_library_listed_and_shown(
    cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = ("--players", "2", "--stack", "8", "--raises", "allin", "--blind-raises", "allin", "--no-limp")
    call = ("preflop", "lib", "--name", "push", *rules, "--hands", "2000")
    shown = cardai(*call, "--iterations", "60", "--seeds", "2")
    assert shown.code == 0, shown.err
    assert "2 seeds of 60 iterations" in said(shown.out)
    listed = json.loads(cardai("preflop", "lib", "--json").out)
    assert {one["name"] for one in listed["charts"]} > {"push", "6max"}
    found = json.loads(cardai("preflop", "lib", "--name", "push", "--at", "a", "--json").out)
    assert (found["seat"], found["actions"], found["pot"]) == ("BB", ["f", "c"], 9)
    assert found["hands"]["AA"]["frequencies"][1] > 0.9
    assert cardai(*call[:5], "3", *call[6:], "--iterations", "10").code == 2  # other rules under the same name
    assert "of other rules" in said(cardai("preflop", "lib", "--name", "push", "--iterations", "10").err)


def test_a_spot_begins_with_a_chart_s_ranges(cardai: Any) -> None:
    call = (
        "solve",
        "--position",
        "BTN-BB",
        "--raised",
        "4bet",
        "--board",
        "KsTh7s4d2c",
        "--bets",
        "allin",
        "--to",
        "5%",
    )
    found = json.loads(cardai(*call, "--json").out)
    assert (found["spot"]["pot"], found["spot"]["stacks"]) == (44.5, [78, 78])


@pytest.mark.long("40,000")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--name", "nope"), "There is no chart 'nope'"),
        (("nowhere",), "There is no library in 'nowhere'"),
        (("--name", "6max", "--at", "f zz"), "can do f, r2.5"),
        (("--name", "mine", "--iterations", "10"), "into a library under a name"),
        (("lib", "--name", "../x", "--iterations", "10"), "letters, digits"),
        (("lib", "--name", "a", "--iterations", "10", "--raises", "0.5"), "multiples above 1"),
        (("lib", "--name", "a", "--iterations", "10", "--players", "9", "--callers", "7"), "more than 40,000 places"),
    ],
)
def test_what_is_wrong_is_said(
    cardai: Any, words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = cardai("preflop", *words)
    assert found.code == 2
    assert why in said(found.err)


def test_a_damaged_chart_spoils_no_other(cardai: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "lib/preflop/bad"
    folder.mkdir(parents=True)
    (folder / "chart.json").write_text("{")
    found = cardai("preflop", "lib")
    assert found.code == 0
    assert "6max" in found.out
    assert "chart.json is not readable JSON" in said(found.err)
