"""docs/review.md is true: its commands run, in order, and its Python too."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.commands.conftest import Call, cardai  # noqa: F401

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "review.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_commands_and_the_python_run(
    cardai: Call,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in "".join(re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)).splitlines():
        called = cardai(*shlex.split(line)[1:])
        assert called.code == 0, called.err
    for code in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        exec(compile(code, "docs/review.md", "exec"), {})
    assert "±" in capsys.readouterr().out
