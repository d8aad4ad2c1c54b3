"""The examples of other people's learners and trackers run; how well the learners learn is in docs/bridges.md."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

SHORT = ["--steps", "8192", "--envs", "64", "--games", "400", "--opponents", "always_fold"]


def example(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / "examples" / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "library"), [("learners/ppo.py", "torch"), ("learners/maskable_ppo.py", "sb3_contrib")]
)
@pytest.mark.filterwarnings("ignore")  # the libraries' own
def test_a_learner_learns_to_win_from_whoever_folds(
    path: str, library: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """always_fold gives its ante away to every bet, so a few updates suffice."""
    pytest.importorskip("gymnasium")
    pytest.importorskip(library)
    (won,) = example(path).main(SHORT)
    assert won > 0.5
    assert "decisions against always_fold" in capsys.readouterr().out


def test_advantages_are_those_of_the_definition() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("gymnasium")
    ppo = example("learners/ppo.py")
    rewards, values = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([[0.5], [0.25], [0.125]])
    over, last = torch.tensor([[0.0], [1.0], [0.0]]), torch.tensor([4.0])
    delta = [1 + 0.25 - 0.5, 2 - 0.25, 3 + 4 - 0.125]
    expected = [delta[0] + 0.95 * delta[1], delta[1], delta[2]]
    assert ppo.advantages(rewards, values, over, last)[:, 0].tolist() == pytest.approx(expected)


@pytest.mark.long
def test_self_play_makes_a_network_harder_to_exploit(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    short = ["--encoder", "leduc_30", "--steps", "131072", "--envs", "256", "--length", "16", "--measures", "1"]
    before, after = example("learners/self_play_ppo.py").main([*short, "--minibatch", "1024"])
    assert after < 2 < before  # random play: 2.37
    assert "131,072 decisions, " in capsys.readouterr().out


def test_advantages_in_self_play_are_those_of_each_players_own_decisions() -> None:
    """Two hands at one table: player 0, 1, 0, the hand's end; then 1, 0, and player 1 to act behind it."""
    torch = pytest.importorskip("torch")
    found = example("learners/self_play_ppo.py").advantages
    player = torch.tensor([[0], [1], [0], [1], [0]])
    values = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    over = torch.tensor([[False], [False], [True], [False], [False]])
    rewards = torch.zeros(5, 1, 2)
    rewards[2, 0] = torch.tensor([7.0, -7.0])
    gain, known = found(rewards, values, over, player, (torch.tensor([1]), torch.tensor([6.0])))
    third, fourth = 7 - 3, 6 - 4
    assert known[:, 0].tolist() == [True, True, True, True, False]  # player 0 waits behind the last step
    assert gain[:4, 0].tolist() == pytest.approx([3 - 1 + 0.95 * third, -7 - 2, third, fourth])


def trained(tmp_path: Path, watcher: str) -> Path:
    """Do what docs/bridges.md says, in an empty directory and with no setting but those shown; return the run's."""
    text = (ROOT / "docs" / "bridges.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.endswith(f"examples/watchers/{watcher}")]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW_", "WANDB_"))}
    script = f'cardai() {{ {shlex.quote(sys.executable)} -m cardai "$@"; }}\n{line}'
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (run,) = tmp_path.glob("runs/*/run.json")
    return run.parent


@pytest.mark.long
def test_weights_and_biases_gets_the_metrics_as_documented(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    trained(tmp_path, "watch_wandb.py")
    (log,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    assert b"exploitability" in log.read_bytes()


@pytest.mark.long  # importing mlflow alone takes four seconds
def test_mlflow_gets_the_metrics_as_documented(tmp_path: Path) -> None:
    pytest.importorskip("mlflow")
    run = trained(tmp_path, "watch_mlflow.py")
    (file,) = tmp_path.glob("mlruns/*/*/metrics/exploitability")
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    logged = [line.split() for line in file.read_text().splitlines()]
    assert [float(value) for _, value, *_ in logged] == [
        row["exploitability"] for row in rows if "exploitability" in row
    ]
