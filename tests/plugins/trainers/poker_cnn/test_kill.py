"""A betting training that is killed while it learns goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from cardai.training.runs import Run
from cardai.training.session import Session

TRAINER = "poker_cnn_betting_ours:network=dense,hands=150,unit=2,batch=6,epochs=1,threads=1"
ENCODER = "grid_4x13:fields=hole+board"


def state_of(run: Path) -> dict[str, Any]:
    """Return the state of the newest checkpoint that can be read ({}: none)."""
    for folder in sorted((run / "checkpoints").glob("step-*"), reverse=True):
        try:
            return dict(json.loads((folder / "state.json").read_text()))
        except (OSError, ValueError):
            continue
    return {}


def tensors(run: Run) -> dict[str, bytes]:
    checkpoint, refused = run.latest()
    assert checkpoint is not None
    assert not refused
    files = sorted(checkpoint.path.glob("*.safetensors"))
    return {f"{file.name}/{name}": t.tobytes() for file in files for name, t in load_file(str(file)).items()}


@pytest.mark.long
def test_killed_in_the_middle_of_a_generation_the_same_weights_come_out(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", TRAINER, "leduc", ENCODER, 5, 150)
    Session.start(whole).train(150)
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "cardai", "train", "--trainer", TRAINER, "--game", "leduc", "--encoder", ENCODER]
    command += ["--seed", "5", "--steps", "150", "--out", str(out), "--checkpoint-seconds", "0"]
    process = subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not state_of(out).get("minibatch") and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    killed = state_of(out)
    assert killed["minibatch"] > 0
    assert killed["step"] < 150
    run = Run.open(out)
    Session.resume(run).train(150)
    assert tensors(run) == tensors(whole)
