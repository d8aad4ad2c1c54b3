"""Training metrics to MLflow.

    pip install mlflow
    export MLFLOW_TRACKING_URI=file:./mlruns MLFLOW_ALLOW_FILE_STORE=true
    cardai train --trainer cfr --game kuhn --steps 100 --out runs/kuhn --plugin examples/watchers/watch_mlflow.py

Where they go and the experiment's name are MLflow's own environment variables (MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME). A
folder must be allowed (MLFLOW_ALLOW_FILE_STORE); MLflow's default is a SQLite file, which mlflow-skinny cannot open.
"""

from __future__ import annotations

import atexit
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from cardai import hookimpl

_begun: list[Any] = []


def _mlflow() -> Any:
    """Return MLflow with a run begun at the first row."""
    if not _begun:
        import mlflow

        mlflow.start_run()
        mlflow.log_param("command", shlex.join(sys.argv)[:500])
        atexit.register(mlflow.end_run)
        _begun.append(mlflow)
    return _begun[0]


@hookimpl
def cardai_training_step(step: int, metrics: Mapping[str, float]) -> None:
    """Log one row of metrics."""
    _mlflow().log_metrics(dict(metrics), step=step)
