"""Learning curves of several runs: those that differ in nothing but the seed make one curve with a band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s
from cardai.core.errors import UsageError, nearest
from cardai.core.spec import Spec, parse
from cardai.training.runs import Run


@frozen(eq=False)
class Curve:
    """A metric over steps (or seconds): the median over seeds, and the lowest and highest."""

    label: str
    x: Float64s
    median: Float64s
    low: Float64s
    high: Float64s
    seeds: int


def curves(runs: Sequence[Run], metric: str = "exploitability", axis: str = "step") -> list[Curve]:
    """Return a curve for each group of runs with equal specs, in the order given.

    Seeds are compared where all of them have been measured: from the last one's first point to the shortest run's last
    (interpolated to the points of the one that has most there).

    Raises:
        UsageError: a run has no such metric (the message names those it has), or seeds were measured nowhere together.
    """
    groups: dict[tuple[str, str, str | None], list[Run]] = {}
    for run in runs:
        encoder = None if run.encoder_spec is None else _ordered(run.encoder_spec)
        groups.setdefault((_ordered(run.trainer_spec), _ordered(run.game_spec), encoder), []).append(run)
    labels = _labels(list(groups))
    return [_curve(label, group, metric, axis) for label, group in zip(labels, groups.values(), strict=True)]


def _ordered(text: str) -> str:
    """Return a spec with its options by name: their order says nothing."""
    spec = parse(text)
    return str(Spec(spec.name, tuple(sorted(spec.options))))


def _curve(label: str, runs: list[Run], metric: str, axis: str) -> Curve:
    series = [_series(run, metric, axis) for run in runs]
    start, end = max(x[0] for x, _ in series), min(x[-1] for x, _ in series)
    if start > end:
        raise UsageError(
            f"The {len(runs)} seeds of {label} cannot be compared by {axis!r}: one begins at {start:g}, where another has "
            f"ended at {end:g}. Draw them one by one, or by another --x."
        )
    x = max((x[(start <= x) & (x <= end)] for x, _ in series), key=len)
    values = np.array([np.interp(x, sx, sy) for sx, sy in series])
    return Curve(label, x, np.median(values, axis=0), values.min(axis=0), values.max(axis=0), len(runs))


def _series(run: Run, metric: str, axis: str) -> tuple[Float64s, Float64s]:
    rows = run.read_metrics()
    known = sorted({name for row in rows for name in row})
    for name in (metric, axis):
        if name not in known:
            listing = ", ".join(known) or "none yet"
            raise UsageError(
                f"The run {run.path} has no metric {name!r}.{nearest(name, known)} Its metrics: {listing}."
            )
    both = [(row[axis], row[metric]) for row in rows if axis in row and metric in row]
    if not both:
        raise UsageError(f"The run {run.path} has no row with both {metric!r} and {axis!r}.")
    columns = np.array(both, np.float64)
    return columns[:, 0], columns[:, 1]


def _labels(keys: list[tuple[str, str, str | None]]) -> list[str]:
    """Return short names: the trainer's, with the options (and the game or encoder) in which the groups differ."""
    parsed = [[parse(text) if text else None for text in key] for key in keys]
    labels = []
    for key, specs in zip(parsed, keys, strict=True):
        parts = [key[0].name if key[0] else specs[0]]
        for i, spec in enumerate(key):
            if spec is None:
                continue
            if i and len({other[i].name for other in parsed if other[i]}) > 1:  # type: ignore[union-attr]
                parts.append(spec.name)
            same_name = [other[i] for other in parsed if other[i] and other[i].name == spec.name]  # type: ignore[union-attr]
            for option, text in spec.options:
                if len({dict(other.options).get(option) for other in same_name if other}) > 1:
                    parts.append(f"{option}={text}")
        labels.append(" ".join(parts))
    return labels
