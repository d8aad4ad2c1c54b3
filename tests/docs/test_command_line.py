"""docs/command-line.md is true: its commands run, its record fields and options are the real ones."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Call, cardai  # noqa: F401

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_commands_run_in_order_and_records_have_the_fields_that_are_listed(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in "".join(BLOCKS).splitlines():
        called = cardai(*shlex.split(line)[1:])
        assert called.code == 0, called.err
    hand = json.loads((tmp_path / "gin.jsonl").read_text().splitlines()[1])
    table = TEXT.partition("## Records")[2].partition("## Environment")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(hand)


def test_the_common_options_listed_are_those_of_every_command(cardai: Call) -> None:  # noqa: F811
    listed = set(re.findall(r"^\| `(--\w+)", TEXT, re.MULTILINE))
    shown = cardai("run", "--help").out.partition("Options of every command")[2]
    assert listed == set(re.findall(r"--\w+", shown))
