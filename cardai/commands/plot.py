"""``cardai plot``: learning curves of trained runs as a picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cardai.commands.invocation import say

if TYPE_CHECKING:
    from cardai.training.curves import Curve
    from cardai.training.runs import Run

AXIS_LABELS = {
    "step": "steps",
    "seconds": "seconds (wall)",
    "cpu_seconds": "CPU seconds",
    "env_steps": "actions played",
}


Runs = Annotated[list[Path], typer.Argument(help="Directories of runs or sweeps; seeds of one setting make a band.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="The picture: .png, .pdf, .svg or what else matplotlib writes.",
        show_default="curves.png, or curves-2.png and so on where that is taken",
    ),
]
Metric = Annotated[str, typer.Option(help="What to draw.")]
X = Annotated[str, typer.Option("--x", help="Against what: step, seconds, cpu_seconds, env_steps.")]
LogX = Annotated[bool, typer.Option("--log-x", help="Logarithmic horizontal axis.")]
LogY = Annotated[bool, typer.Option("--log-y", help="Logarithmic vertical axis.")]
Title = Annotated[str, typer.Option(help="A heading.")]


def plot(
    runs: Runs,
    out: Out = None,
    metric: Metric = "exploitability",
    x: X = "step",
    log_x: LogX = False,
    log_y: LogY = False,
    title: Title = "",
) -> None:
    """Draw learning curves: the median over seeds with a band from the lowest to the highest."""
    from cardai.core.errors import UsageError
    from cardai.training.curves import curves

    kinds = _kinds()
    if out is not None and out.suffix.removeprefix(".") not in kinds:
        raise UsageError(f"--out must end in one of {', '.join(f'.{kind}' for kind in kinds)}. Got {str(out)!r}.")
    out = out or _free("curves", ".png")
    opened = [run for path in runs for run in _opened(path)]
    found = curves(opened, metric, x)
    unit = opened[0].trainer().step_unit if len({run.trainer().step_unit for run in opened}) == 1 else "steps"
    draw(found, out, _with_unit(metric, opened), unit if x == "step" else AXIS_LABELS.get(x, x), log_x, log_y, title)
    for curve in found:
        seeds = "1 seed" if curve.seeds == 1 else f"{curve.seeds} seeds, {curve.low[-1]:.5g} to {curve.high[-1]:.5g}"
        say(f"{curve.label}: {metric} {curve.median[-1]:.5g} at {curve.x[-1]:,.6g} ({seeds})")
    say(f"Drawn: {out}")


def _opened(path: Path) -> list[Run]:
    """Return a run, or the runs of a sweep that have been begun."""
    from cardai.training.runs import Run
    from cardai.training.sweeps import Sweep

    return Sweep.open(path).runs() if os.path.isfile(path / "sweep.json") else [Run.open(path)]


def _kinds() -> list[str]:
    """Return the endings of files that matplotlib can write."""
    _pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def _free(stem: str, suffix: str) -> Path:
    """Return a name that no file has: stem, stem-2, stem-3, ..."""
    names = (Path(f"{stem}{f'-{k}' if k > 1 else ''}{suffix}") for k in count(1))
    return next(name for name in names if not name.exists())


def _with_unit(metric: str, runs: Sequence[Run]) -> str:
    """Return the label of a metric: exploitability is in the game's unit a hand, if all runs agree on it."""
    units = {run.game().unit for run in runs} if "exploitability" in metric else set()
    return f"{metric} ({units.pop()} a hand)" if len(units) == 1 else metric


def draw(
    found: Sequence[Curve],
    out: Path,
    metric: str,
    x_label: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
    points: Sequence[tuple[str, Sequence[float], Sequence[float]]] = (),
) -> None:
    """Draw curves, and published ``points`` (label, x, y) as markers, into ``out``."""
    from cardai.commands.show.pictures import save

    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    colours = pyplot.get_cmap("tab10").colors
    for i, curve in enumerate(found):
        colour = colours[i % len(colours)]
        seeds = "" if curve.seeds == 1 else f" ({curve.seeds} seeds)"
        axes.plot(curve.x, curve.median, color=colour, lw=1.5, label=curve.label + seeds)
        if curve.seeds > 1:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.2, lw=0)
    for (label, xs, ys), marker in zip(points, "osD^v<>", strict=False):
        axes.plot(xs, ys, marker, color="black", mfc="none", ms=5, label=label)
    axes.set(xlabel=x_label, ylabel=metric, title=title)
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    elif min((float(curve.low.min()) for curve in found), default=0.0) >= 0:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3, which="both" if log_y else "major")
    axes.legend(fontsize=8)
    save(figure, out)
    pyplot.close(figure)


def _pyplot() -> Any:
    from cardai.core.extras import need_extra

    need_extra("matplotlib", "Drawing", "plot")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
