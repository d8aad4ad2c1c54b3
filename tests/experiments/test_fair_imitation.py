"""experiments/fair_imitation: one command makes everything once, from commands that exist, and the report has what was measured."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cardai.cli import load_command
from cardai.core.errors import UsageError
from tests.support import ROOT

pytestmark = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("lightgbm")), reason="torch and lightgbm are not installed"
)
FOLDER = ROOT / "experiments" / "fair_imitation"
SIZES = [
    "--decisions",
    "500",
    "--presented",
    "512",
    "--held-out",
    "100",
    "--amounts",
    "280",
    "--epochs",
    "1",
    "--deals",
    "10",
    "--seeds",
    "1",
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("fair_imitation_run", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = {"cnn": evolve(module.TEACHERS["cnn"], player="threshold", fair=("paper",))}
    monkeypatch.setattr(module, "TEACHERS", known)
    return module


@pytest.mark.long
def test_one_command_makes_everything_once(
    run: Any, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def printed(words: list[str]) -> dict[str, Any]:
        asked.append(words)
        won = {"mean": -12.5, "low": -20.5, "high": -4.5, "count": 10}
        if words[0] == "run":
            found: dict[str, Any] = {"players": [{"figures": {"mbb/g": won}}]}
        else:
            found = {"mean": 300.25, "low": 290.0, "high": 310.0, "boards": 2, "half_width": 9.0, "hands": 20}
        return {"command": shlex.join(["cardai", *words]), "found": found}

    monkeypatch.setattr(run, "figure", printed)
    run.main(["--work", str(tmp_path), *SIZES])
    first = capsys.readouterr().out
    assert "paper-cnn-0: 4 steps" in first
    report = (tmp_path / "report.md").read_text()
    for words in (
        "two cuts on strength",
        "gradient-boosted trees",
        "4 folds",
        "-12.5 ± 8.0",
        "acts on E(S), chips",
        "300.2",
    ):
        assert words in report
    for words in asked:
        command = load_command(words[0])
        command = command.commands[words[1]] if hasattr(command, "commands") else command
        assert {word for word in words if word.startswith("--")} <= {o for p in command.params for o in p.opts}
    run.main(["--work", str(tmp_path), *SIZES])
    assert capsys.readouterr().out == f"Report: {tmp_path / 'report.md'}\n"
    with pytest.raises(UsageError, match=r"are made with --held-out .* Got --held-out 7"):
        run.main(["--work", str(tmp_path), *SIZES, "--held-out", "7"])


def test_agreement_is_a_share_of_what_anybody_can_guess_and_raises_of_all_sizes_are_one(run: Any) -> None:
    measuring = sys.modules["fair_measuring"]
    taught = np.array([[0.2, 0.8, 0.0], [0.6, 0.4, 0.0]])
    assert measuring.agreement(taught, taught) == pytest.approx(1.0)
    assert measuring.agreement(taught, taught[:, [1, 0, 2]]) == pytest.approx((0.2 + 0.4) / 1.4)
    assert measuring.of_kinds(np.array([[0.1, 0.2, 0.3, 0.4]])) == pytest.approx(np.array([[0.1, 0.2, 0.7]]))


def test_as_many_decisions_are_presented_to_every_system_whatever_its_minibatches(run: Any, tmp_path: Path) -> None:
    options = run.asked_for(["--work", str(tmp_path), "--teachers", "cnn", "--presented", "5120"])
    steps = [run.planned(options, run.TEACHERS["cnn"], one, 0).steps for one in run.SYSTEMS]
    assert [n * run.BATCH[one] for n, one in zip(steps, run.SYSTEMS, strict=True)] == [5120] * 5


def test_wrong_parts_are_refused_in_a_sentence(run: Any) -> None:
    with pytest.raises(UsageError, match="--only takes some of logs"):
        run.main(["--only", "everything"])
