"""What training buys, as a picture: exploitability from the river by CPU seconds, and from the turn beside it."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

Point = tuple[float, dict[str, Any]]
"""CPU seconds of training, and a best response's figures."""


def draw(lines: dict[str, list[Point]], bars: list[tuple[str, dict[str, Any]]], file: Path) -> None:
    """Draw ``lines`` on the left and ``bars`` on the right, each with its 95 % interval, and write ``file``.

    Args:
        lines: players' bounds from the river while they learn, by what they are called.
        bars: bounds from the turn, and from the flop where one was measured.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(3, 2))
    for name, points in lines.items():
        middle = [found["mean"] for _, found in points]
        left.errorbar([spent for spent, _ in points], middle, _arms([found for _, found in points]), None,
                      "o-", capsize=3, label=name)  # fmt: skip
    left.axhline(60, color="grey", linestyle=":", label="target")
    left.set(xlabel="CPU seconds of training", ylabel="mbb a hand", ylim=(0, None))
    left.set_title("A best response from the river wins")
    left.legend(fontsize=8, loc="lower left")
    places = range(len(bars))
    right.barh(places, [found["mean"] for _, found in bars], xerr=_arms([found for _, found in bars]), capsize=3)
    right.axvspan(135, 422, color="grey", alpha=0.15)
    right.text(422, len(bars) - 0.55, "ACPC 2010, in all", fontsize=8, ha="right", va="bottom")
    right.set_yticks(places, [fill(name, 30) for name, _ in bars], fontsize=8)
    right.set(xlabel="mbb a hand", xlim=(0, None), ylim=(-0.6, len(bars) - 0.1))
    right.set_title("From earlier streets")
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _arms(found: list[dict[str, Any]]) -> list[list[float]]:
    """Return how far intervals reach below and above their middles."""
    low = [one["mean"] - (one["low"] if one["low"] is not None else one["mean"]) for one in found]
    high = [(one["high"] if one["high"] is not None else one["mean"]) - one["mean"] for one in found]
    return [low, high]
