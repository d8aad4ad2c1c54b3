"""experiments/range_distillation: its measures are commands that exist, each done once, and the report has what they printed."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cardai.cli import load_command
from cardai.core.errors import UsageError
from tests.support import ROOT


@pytest.fixture
def run() -> Any:
    spec = importlib.util.spec_from_file_location("distil_run", ROOT / "experiments" / "range_distillation" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_seed_is_measured_once_by_commands_that_exist(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def printed(words: list[str]) -> dict[str, Any]:
        asked.append(words)
        won = {"mean": -42.5, "low": -52.5, "high": -32.5, "count": 10}
        found = {"players": [{"figures": {"mbb/g": won}}], "mean": 94.25, "half_width": 7.0, "hands": 20, "low": 88.0,
                 "high": 101.0, "boards": 12}  # fmt: skip
        return {"command": shlex.join(["cardai", *words]), "found": found}

    metrics = [{"step": 6000, "cpu_seconds": 143.0}]
    monkeypatch.setattr(run, "figure", printed)
    monkeypatch.setattr(run, "called", lambda words: asked.append(words) or "")
    monkeypatch.setattr(run, "costs", lambda player: {"flop": [16.0, 17.5], "river": [2.0, 3.0]})
    monkeypatch.setattr(run.Run, "open", lambda path: SimpleNamespace(read_metrics=lambda: metrics))
    run.main(["--work", str(tmp_path), "--seeds", "2"])
    assert len(asked) == 2 * 4
    for words in asked:
        command = load_command(words[0])
        command = command.commands[words[1]] if hasattr(command, "commands") else command
        assert {word for word in words if word.startswith("--")} <= {o for p in command.params for o in p.opts}
    page = (tmp_path / "report.md").read_text()
    assert (
        "| seed1 | 6,000 | 143 | 94.2 (88 to 101; 12 boards) |  | +94 ± 7 (20 hands) | -42.5 ± 10.0 (10 deals) |  | at most 17.5 |"
        in page
    )
    assert "- 2 seeds, best response from the river: mean +94.2 (+94.2 to +94.2)" in page
    run.main(["--work", str(tmp_path), "--seeds", "2", "--only", "measure"])
    assert len(asked) == 2 * 4
    run.main(["--work", str(tmp_path), "--seeds", "2", "--only", "measure", "--deals", "7"])
    assert [words[words.index("--games") + 1] for words in asked[2 * 4 :]] == ["14", "14"]

    one = {"mean": -1.5, "half_width": 0.5}
    hint = {"boards": 4, "error": one, "spread": 5.0, "left": 1.0, "costs": one}
    monkeypatch.setattr(run, "against", lambda *words: {"boards": 16, "all": one, "river": one})
    monkeypatch.setattr(run, "streets", lambda *words: {"river": one})
    monkeypatch.setattr(run, "actions", lambda *words: {"boards": 8, "raise": one})
    monkeypatch.setattr(run, "hints", lambda *words: {"turn": hint})
    words = [
        "--seed",
        "1",
        "--only",
        "against+streets+actions+hints+turn",
        "--values",
        "--least",
        "0+0.1",
        "--device",
        "cuda",
    ]
    run.main(["--work", str(tmp_path), *words])
    assert [words[words.index("--agent") + 1] for words in asked[-2:]] == [
        f"{tmp_path / 'seed1'}:device=cuda",
        f"{tmp_path / 'seed1'}:least=0.1,device=cuda",
    ]
    page = (tmp_path / "report.md").read_text()
    assert "(10 deals) | -1.5 ± 0.5 (16 boards) | at most 17.5 |" in page
    assert "- seed1-least0.1, playing as learned on one street alone, wins from the teacher: river -1.5 ± 0.5" in page
    assert "- seed1 gives away on the river, by what it does more or less often (8 boards): raise -1.50 ± 0.50" in page
    assert "- seed1, turn (4 boards): off by -1.500 ± 0.500" in page


def test_wrong_parts_are_refused_in_a_sentence(run: Any) -> None:
    with pytest.raises(UsageError, match="takes some of train"):
        run.main(["--only", "all"])
