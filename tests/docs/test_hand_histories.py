"""docs/hand-histories.md is true: its commands and its Python run as written, its options exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import cardai as library
from cardai.core import registry
from tests.commands.conftest import Call, cardai  # noqa: F401

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "hand-histories.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_commands_and_the_python_run_in_order(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in "".join(blocks).splitlines():
        call = cardai(*shlex.split(line)[1:])
        assert call.code == 0, call.err
    capsys.readouterr()
    for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        exec(block, {})
    assert capsys.readouterr().out == "200000000001 ['always_call', 'random#2', 'random'] SB 0\n"


def test_the_options_that_are_named_exist() -> None:
    (written,) = re.findall(r"`--to (pokerstars:[^`]+)`", TEXT)
    registry.create("format", written)
    game = library.game("holdem_nolimit:players=4,ante=1,straddles=200,posts=0+0+0+100,dead=0+0+0+50,away=0+0+0+0")
    assert game.num_players == 4
    assert library.game("holdem_nolimit:full_blinds=true").num_players == 2
