"""docs/ranges.md is true: its commands and its Python run as written, its notation is known."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cardai.poker.notation import parse_range
from cardai.poker.ranges.sizes import bet_plan
from tests.commands.conftest import Call, cardai  # noqa: F401

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "ranges.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_commands_run_in_order(cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in "".join(blocks).splitlines():
        call = cardai(*shlex.split(line)[1:])
        assert call.code == 0, call.err


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        exec(block, {})
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("('check', 'bet 200', 'all-in 900')")
    assert "(2, 1326)" in second


def test_the_notation_is_known() -> None:
    table = TEXT.partition("| written |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        for written in re.findall(r"`([^`]+)`", line.split("|")[1]):
            assert parse_range(written).any()
    streets = ["flop", "turn", "river"]
    for plan in re.findall(r'--bets "([^"]+)"', TEXT):
        assert bet_plan(plan, streets).menus
    sizes = TEXT.partition("## Bets")[2].partition("| written |")[2].partition("\n\n")[0]
    for line in sizes.splitlines()[2:]:
        for written in re.findall(r"`([^`/]+)`", line.split("|")[1]):
            assert bet_plan(f"1/{written}", streets).menus
