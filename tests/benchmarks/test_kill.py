"""What is killed at random moments goes on to the end of what nobody killed, and a difference would be seen."""

from __future__ import annotations

import importlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import sizes

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


@pytest.mark.long
@pytest.mark.parametrize(
    ("writers", "kills"), sizes((["run", "train cfr"], 1), (["run", "tournament", "train cfr"], 20))
)
def test_matches_tournaments_and_trainings_survive_being_killed(writers: list[str], kills: int) -> None:
    command = [sys.executable, str(ROOT / "benchmarks/kill.py"), "--kills", str(kills), "--writers", *writers]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines()[1:] if not line.startswith(" ")]
    assert [line[:28].strip() for line in lines] == writers
    for line in lines:
        killed, runs, same, broken, lost, otherwise, _ = map(int, line[28:].split())
        assert killed >= kills
        assert runs == same > 0
        assert broken == lost == otherwise == 0


@pytest.fixture
def kill(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the benchmark's module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module("kill")
    for name in ("kill", "kill_studies", "kill_writers"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("code", "error", "result", "expected"),
    [
        (0, "", {"a": 1}, (1, 0, 0, False)),
        (0, "", {"a": 2}, (0, 0, 1, True)),
        (0, "", {}, (0, 0, 1, True)),
        (1, "cardai: The file is damaged.", {}, (0, 1, 0, False)),
        (1, "Traceback", {}, (0, 0, 0, True)),
        (0, "", {"a": 1, "b": 1}, (0, 0, 1, True)),
    ],
)
def test_an_end_is_told_from_another(
    code: int, error: str, result: dict[str, int], expected: Any, kill: Any, tmp_path: Path
) -> None:
    trial = kill.Trial.__new__(kill.Trial)
    trial.writer = type("Done", (), {"result": lambda self, place, out: result})()
    trial.folder, trial.rng, trial.out = tmp_path, random.Random(0), tmp_path / "out.txt"
    trial.tally, trial.expected = kill.Tally(runs=1), {"a": 1}
    trial.out.write_text("")
    trial.out.with_suffix(".err").write_text(error)
    trial._compare(tmp_path, code)
    assert (trial.tally.same, trial.tally.broken, trial.tally.different, trial.tally.failed) == expected
