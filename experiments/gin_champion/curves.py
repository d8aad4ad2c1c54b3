"""A run's curve as a table and a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

OPPONENTS = ("simple", "heisenbot", "gin-only", "gin_lookahead", "champion")
EVERY = 20
"""Generations of a point of a curve."""


def smoothed(metrics: Path, every: int = EVERY) -> list[dict[str, Any]]:
    """Return a run's curve, means of ``every`` generations."""
    lines = metrics.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if "loss_after_discard" in line]
    out = []
    for start in range(0, len(rows), every):
        part = rows[start : start + every]
        names = [*(points(name) for name in met(part[0])), "loss_after_discard"]
        means = {name: float(np.mean([row[name] for row in part])) for name in names}
        out.append({"step": part[-1]["step"], "cpu_seconds": part[-1]["cpu_seconds"], **means})
    return out


def points(name: str) -> str:
    """Return what a row calls the points a hand against an opponent."""
    return f"points_against_{name}"


def met(row: dict[str, Any]) -> list[str]:
    """Return the opponents that a row knows of."""
    return [name for name in OPPONENTS if points(name) in row]


def table(curve: list[dict[str, Any]]) -> list[str]:
    """Return a curve as lines of Markdown."""
    names = met(curve[0])
    lines = [
        f"| generation | CPU seconds | {' | '.join(names)} | loss after a discard |",
        "|---" * (len(names) + 3) + "|",
    ]
    for row in curve:
        won = " | ".join(f"{row[points(name)]:+.2f}" for name in names)
        lines.append(f"| {row['step']} | {row['cpu_seconds']:.0f} | {won} | {row['loss_after_discard']:.3f} |")
    return lines


def picture(curve: list[dict[str, Any]], file: Path) -> None:
    """Draw the points a hand against each of the league, by CPU minutes."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    minutes = [row["cpu_seconds"] / 60 for row in curve]
    for name in met(curve[0]):
        axes.plot(minutes, [row[points(name)] for row in curve], label=name)
    axes.set_xlabel("CPU minutes of training")
    axes.set_ylabel(f"points a hand, exploring (mean of {EVERY} generations)")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=110)
