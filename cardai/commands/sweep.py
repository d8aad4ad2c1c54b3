"""``cardai sweep``: train over several options and seeds, in processes or on a Ray cluster, and tell how they did."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cardai.commands.invocation import Jobs, Json, On, note, out, print_json, progress
from cardai.commands.train import End
from cardai.core.errors import UsageError

if TYPE_CHECKING:
    from cardai.training.halving import Halving
    from cardai.training.sweep_table import Line
    from cardai.training.sweeps import Sweep


Directory = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Its directory; one there already is gone on with.")
]
Trainer = Annotated[str | None, typer.Option(help="Trainer spec: NAME[:option=value,...].")]
Game = Annotated[str | None, typer.Option("--game", "-g", help="Game spec.")]
Encoder = Annotated[str | None, typer.Option(help="Encoder spec (trainers with networks need one).")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="OPTION=VALUE+VALUE", help="Values of an option to try; repeatable."),
]
MOST_SEEDS = 10_000  # as many as a sweep may have runs
Seeds = Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="Seeds of each combination.")]
Seed = Annotated[int, typer.Option(min=0, help="The first seed.")]
Steps = Annotated[int | None, typer.Option(min=1, help="Steps of each run, in the trainer's unit.")]
Minutes = Annotated[float | None, typer.Option(help="Minutes of training of each run.")]
Metric = Annotated[
    str | None,
    typer.Option(help="What the table at the end shows, and --halving goes by.", show_default="exploitability"),
]
Factor = Annotated[
    int | None,
    typer.Option(
        "--halving", metavar="N", min=2, max=1000, help="Stop bad runs: about one in N goes on from rung to rung."
    ),
]
Rung = Annotated[
    int | None,
    typer.Option(min=1, help="Steps of the first rung; the next is N times as far (default: --steps / N^2)."),
]
Best = Annotated[str, typer.Option(help="Which runs go on: those whose --metric is least, or most.")]
Stretch = Annotated[
    float, typer.Option(help="On a cluster: minutes of training between two saves here.", metavar="MINUTES")
]


_METRIC = "exploitability"


def sweep(
    directory: Directory,
    trainer: Trainer = None,
    game: Game = None,
    encoder: Encoder = None,
    set_: Set = None,
    seeds: Seeds = 1,
    seed: Seed = 0,
    steps: Steps = None,
    minutes: Minutes = None,
    metric: Metric = None,
    factor: Factor = None,
    rung: Rung = None,
    best: Best = "least",
    stretch: Stretch = 5.0,
    jobs: Jobs = 1,
    on: On = "",
    json: Json = False,
) -> None:
    """Train every combination of --set values with every seed, each run in a directory of its own.

    Runs are what train writes: resume, measure, plot and play them. Ctrl-C loses nothing that is finished; the same command
    (or --out alone) goes on, and prints the table when all is done.
    """
    from cardai.pieces import check_place
    from cardai.training.sweeps import Sweep

    check_place(on)
    halving = _halving(metric or _METRIC, factor, rung, best, steps)
    if trainer is None and game is None and not set_:
        if halving is not None:
            raise UsageError("--halving is said of a new sweep: give it with --trainer, --game and --steps.")
        work = Sweep.open(directory)
        _check_going_on(work, encoder, End(steps, minutes), range(seed, seed + seeds))
    else:
        work = _begun(
            directory, trainer, game, encoder, set_ or [], range(seed, seed + seeds), End(steps, minutes), halving
        )
    try:
        _train(work, directory, on, jobs, 60 * stretch)
    except KeyboardInterrupt:
        note(f"Stopped. What is finished is safe. Go on with: {_again(directory, jobs, on)}")
        raise
    judged = work.asked.halving
    _tell(work, metric or (judged.metric if judged else _METRIC), json)


def _check_going_on(work: Sweep, encoder: str | None, end: End, seeds: range) -> None:
    """Refuse what a sweep that is gone on with by --out alone was not begun with (a seed that is the default was not given)."""
    asked = work.asked
    said: dict[str, tuple[object, object]] = {
        "--encoder": (encoder, asked.encoder),
        "--steps": (end.steps, asked.steps),
    }
    said["--minutes"] = (end.minutes, asked.minutes)
    if seeds != range(1):
        said["--seed or --seeds"] = (tuple(seeds), asked.seeds)
    for option, (given, begun) in said.items():
        if given is not None and given != begun:
            raise UsageError(
                f"{work.path} goes on as it was begun, with another {option}: leave it out. "
                "A run of it goes further by: cardai train --resume RUN --steps N."
            )


def _again(directory: Path, jobs: int, on: str) -> str:
    """Return the command line that goes on with a sweep."""
    from cardai.training.session import plugin_options

    words = ["cardai", "sweep", "--out", str(directory), *(["--jobs", str(jobs)] if jobs > 1 else [])]
    return shlex.join([*words, *(["--on", on] if on else []), *plugin_options()])


def _train(work: Sweep, directory: Path, on: str, jobs: int, stretch: float) -> None:
    """Train what is not finished, and show how far it is. ``stretch``: seconds between two saves, on a cluster."""
    with progress(str(directory), "runs") as advance:
        for done, total, name in work.train(on, jobs, stretch):
            if advance is None or not sys.stderr.isatty():
                note(f"{done} of {total} runs: {name}")
            else:
                advance(done, total)


def _halving(metric: str, factor: int | None, rung: int | None, best: str, steps: int | None) -> Halving | None:
    """Return how runs are stopped, if they are."""
    from cardai.training.halving import Halving

    if best not in ("least", "most"):
        raise UsageError(f"--best is least or most. Got {best!r}.")
    if factor is None:
        if rung is not None or best != "least":
            raise UsageError("--rung and --best say how --halving stops runs. Give --halving 3, or leave them out.")
        return None
    return Halving(metric, rung or max(1, (steps or 0) // factor**2), factor, best == "most")


def _begun(
    directory: Path,
    trainer: str | None,
    game: str | None,
    encoder: str | None,
    given: list[str],
    seeds: range,
    end: End,
    halving: Halving | None,
) -> Sweep:
    from cardai.core import registry
    from cardai.training.sweeps import Sweep, values_of

    if trainer is None or game is None or not end:
        raise UsageError("A new sweep needs --trainer, --game, --out and --steps or --minutes.")
    if registry.create("trainer", trainer).needs_encoder and encoder is None:
        raise UsageError(f"The trainer {trainer!r} needs --encoder. See: cardai list-plugins.")
    texts: dict[str, list[str]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise UsageError(f"--set takes OPTION=VALUE or OPTION=VALUE+VALUE. Got {text!r} instead.")
        texts.setdefault(key, []).append(value)
    options = {key: values_of(trainer, key, values) for key, values in texts.items()}
    return Sweep.begin(directory, trainer, game, encoder, options, seeds, end.steps, end.minutes, halving)


def _tell(work: Sweep, metric: str, json: bool) -> None:
    from cardai.training.sweep_table import table

    lines = table(work, metric)
    if json:
        print_json({"metric": metric, "lines": [_as_json(line) for line in lines]})
        return
    from rich.table import Table

    console = out()
    shown = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    shown.add_column("")
    stopped = any(line.stopped for line in lines)
    for name in ("seeds", "steps", f"{metric}, median", "least", "most", *(["stopped at"] if stopped else [])):
        shown.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        figures = [f"{value:.5g}" for value in (line.median, line.low, line.high)]
        ends = [", ".join(f"{step:,}" for step in line.stopped)] if stopped else []
        shown.add_row(line.label, str(line.seeds), f"{line.step:,}", *figures, *ends)
    console.print(shown)
    console.print("Of each run the mean of its last five rows counts.")
    if stopped:
        console.print("A stopped run goes on by: cardai train --resume RUN")
    note(f"Curves: cardai plot {shlex.quote(str(work.path))} --metric {metric}")


def _as_json(line: Line) -> dict[str, object]:
    return {
        "label": line.label,
        "seeds": line.seeds,
        "step": line.step,
        "median": line.median,
        "low": line.low,
        "high": line.high,
        **({"stopped": list(line.stopped)} if line.stopped else {}),
    }
