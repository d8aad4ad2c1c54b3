"""docs/values.md is true: its commands and its Python run as written, in order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Call, cardai  # noqa: F401

pytest.importorskip("torch")
TEXT = (Path(__file__).resolve().parents[2] / "docs" / "values.md").read_text(encoding="utf-8")


def test_the_commands_and_the_python_run(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDAI_CACHE_DIR", str(tmp_path / "cache"))
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for kind, block in blocks:
        if kind == "python":
            exec(block, {})
            continue
        for line in block.splitlines():
            call = cardai(*shlex.split(line)[1:])
            assert call.code == 0, call.err
    assert "(1, 2, 1081)" in capsys.readouterr().out


def test_the_encoders_listed_are_installed() -> None:
    from cardai.core import registry

    table = TEXT.partition("| encoder |")[2].partition("\n\n")[0]
    names = [re.findall(r"`(\w+)`", line)[0] for line in table.splitlines()[2:]]
    assert set(names) <= {entry.name for entry in registry.entries("encoder")}
    assert len(names) == 4
