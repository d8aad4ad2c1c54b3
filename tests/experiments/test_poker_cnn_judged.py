"""experiments/poker_cnn_judged.py: every generation is judged once, by commands that exist, and the report is a curve of figures."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cardai.cli import load_command
from cardai.core.errors import UsageError
from tests.support import ROOT

BOX = ROOT / "players" / "cardai_players"


@pytest.fixture
def judged() -> Any:
    spec = importlib.util.spec_from_file_location("judged", ROOT / "experiments" / "poker_cnn_judged.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_generation_is_judged_once_by_commands_that_exist(
    judged: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    won = {"mean": -42.5, "low": -52.5, "high": -32.5, "count": 10}

    def printed(words: list[str], **more: Any) -> Any:
        asked.append(words[3:])
        found: dict[str, Any] = {"mean": 94.25, "half_width": 7.0, "hands": 2000}
        if words[3] == "run":
            found = {"players": [{"figures": {"mbb/g": won}}]}
        elif "river" in words:
            found = {"mean": 94.25, "boards": 6, "low": 88.0, "high": 101.0}
        return SimpleNamespace(returncode=0, stdout=json.dumps(found))

    monkeypatch.setattr(subprocess, "run", printed)
    limit, draws = (str(BOX / name / "run") for name in ("limit_cnn", "triple_draw_cnn"))
    judged.main(["--run", limit, "--work", str(tmp_path)])
    assert len(asked) == 7 * 3
    page = (tmp_path / "report.md").read_text()
    assert "| 6 | 94.2 (88 to 101; 6 boards) | +94.2 ± 7.0 (2,000 hands) | -42.5 ± 10.0 (10 deals) |" in page
    judged.main(["--run", limit, "--work", str(tmp_path), "--generation", "3"])
    assert len(asked) == 7 * 3
    monkeypatch.setattr(judged, "installed", lambda word: "newer" if word == "limit_equilibrium" else "")
    judged.main(["--run", limit, "--work", str(tmp_path), "--generation", "3"])
    assert [words[0] for words in asked[7 * 3 :]] == ["run"]  # a match with a player that was replaced under its name
    judged.main(["--run", draws, "--work", str(tmp_path / "draws"), "--only", "river", "--generation", "0"])
    assert asked[-1][asked[-1].index("--from") + 1] == "last"
    for words in asked:
        command = load_command(words[0])
        command = command.commands[words[1]] if hasattr(command, "commands") else command
        assert {word for word in words if word.startswith("--")} <= {o for p in command.params for o in p.opts}


def test_what_is_no_generation_is_refused_in_a_sentence(judged: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no generation"):
        judged.main(["--run", str(BOX / "leduc_nfsp" / "run"), "--work", str(tmp_path)])
    with pytest.raises(UsageError, match="--run names"):
        judged.main(["--work", str(tmp_path)])
