"""Training metrics to Weights & Biases.

    pip install wandb
    WANDB_MODE=offline cardai train --trainer cfr --game kuhn --steps 100 --out runs/kuhn --plugin examples/watchers/watch_wandb.py

Project, name and mode are W&B's own environment variables (WANDB_PROJECT, WANDB_NAME, WANDB_MODE).
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from typing import Any

from cardai import hookimpl

_runs: list[Any] = []


def _run() -> Any:
    """Return W&B's run, begun with the first row."""
    if not _runs:
        import wandb

        project = os.environ.get("WANDB_PROJECT", "cardai")
        settings = wandb.Settings(console="off", silent=True)
        _runs.append(wandb.init(project=project, config={"command": sys.argv}, settings=settings))
        atexit.register(_runs[0].finish)
    return _runs[0]


@hookimpl
def cardai_training_step(step: int, metrics: Mapping[str, float]) -> None:
    """Log one row of metrics."""
    _run().log(dict(metrics), step=step)
