"""docs/values.md is true: its commands and its Python run as written, in order."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Call, cardai  # noqa: F401
from tests.support import ROOT, own_cache, sizes

pytest.importorskip("torch")
from cardai.poker.values.recipe import PER_SHARD

TEXT = (ROOT / "docs" / "values.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("count", sizes(50, 250))
def test_the_commands_and_the_python_run(
    count: int,
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    own_cache(monkeypatch, tmp_path / "cache")
    monkeypatch.setitem(PER_SHARD, "river", count)
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for kind, block in blocks:
        if kind == "python":
            exec(block, {})
            continue
        for line in block.splitlines():
            program, *words = shlex.split(line.replace("--count 250", f"--count {count}"))
            if program == "python":
                monkeypatch.setattr("sys.argv", words)
                runpy.run_path(str(ROOT / words[0]), run_name="__main__")
                continue
            call = cardai(*words)
            assert call.code == 0, call.err
    assert "(1, 2, 1081)" in capsys.readouterr().out


def test_the_codes_listed_are_those_there_are() -> None:
    from cardai.poker.values.range_codes import CODES

    table = TEXT.partition("| code |")[2].partition("\n\n")[0]
    assert {re.findall(r"`(\w+)`", line)[0] for line in table.splitlines()[2:]} == set(CODES)
