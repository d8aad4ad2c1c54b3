"""The table of a sweep: a line a combination of options, over its seeds."""

from __future__ import annotations

import os

import numpy as np
from attrs import frozen

from cardai.core.errors import UsageError
from cardai.training.halving import figure
from cardai.training.runs import Run
from cardai.training.sweeps import Sweep


@frozen
class Line:
    """One line of a sweep's table: options, runs that have the metric, and its median, least and most over seeds."""

    label: str
    seeds: int
    step: int
    median: float
    low: float
    high: float
    stopped: tuple[int, ...] = ()
    """The steps at which runs of it were stopped, and have not been gone on with."""


def table(sweep: Sweep, metric: str) -> list[Line]:
    """Return a line a combination: ``metric`` of each run is its :func:`~cardai.training.halving.figure`.

    Raises:
        UsageError: no run has such a metric; the message names those there are.
    """
    by_label: dict[str, list[tuple[int, float]]] = {}
    stopped: dict[str, list[int]] = {}
    ends = sweep.plan().stopped
    known: set[str] = set()
    for point in sweep.points():
        label, folder = point.name.rpartition("/")[0], sweep.path / point.name
        rows = Run.open(folder).read_metrics() if os.path.isfile(folder / "run.json") else []
        known.update(name for row in rows for name in row)
        values, found = by_label.setdefault(label, []), figure(rows, metric)
        if found is not None:
            values.append((max(int(row["step"]) for row in rows if metric in row), found))
        if point.name in ends and not sweep.finished(point, ends[point.name] + 1):
            stopped.setdefault(label, []).append(ends[point.name])
    if not any(by_label.values()):
        names = ", ".join(sorted(known - {"step"})) or "none yet"
        raise UsageError(f"No run of {sweep.path} has the metric {metric!r}. Their metrics: {names}.")
    lines = []
    for label, values in by_label.items():
        figures = [value for _, value in values]
        steps = min((step for step, _ in values), default=0)
        spread = (float(np.median(figures)), min(figures), max(figures)) if values else (np.nan,) * 3
        lines.append(Line(label, len(values), steps, *spread, tuple(sorted(stopped.get(label, ())))))
    return lines
