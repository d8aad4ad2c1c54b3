"""Learners on Leduc and Kuhn poker: three seeds of each, as a table, and pictures with published figures as markers.

One command, resumable: what has been trained is kept in ``--runs`` and goes on from there.

    python experiments/policy_gradients/run.py                   # everything (an hour of CPU)
    python experiments/policy_gradients/run.py --only leduc      # the entries whose label has this word
    python experiments/policy_gradients/run.py --report          # only write results/ from what there is

Exploitability is the mean of both best responses' values, in chips a hand, exact; a seed's figure is the mean of its last five
rows, and the CPU seconds are its training's and measuring's. ``leduc-mmd`` has exact advantages from the tree and samples
nothing: its place is beside the tabular solvers, its network apart.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
from attrs import frozen

from cardai.commands.plot import draw
from cardai.training.curves import Curve, curves
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
SEEDS = 3
ROWS = 5


@frozen
class Entry:
    """One curve: a trainer's spec, its game, and how far it goes."""

    label: str
    trainer: str
    game: str
    encoder: str | None
    steps: int
    seeds: int = SEEDS


ENTRIES = (
    Entry("leduc-mmd", "mmd_leduc", "leduc", "leduc_30", 22_000),
    Entry("leduc-ppo", "ppo:eval_every=10", "leduc", "leduc_30", 2_000),
    Entry("leduc-sd-cfr", "sd_cfr", "leduc", "leduc_30", 120),
    Entry("leduc-nfsp", "nfsp_leduc_best", "leduc", "leduc_30", 200_000),
    Entry("leduc-cfr-plus", "cfr_plus", "leduc", None, 10_000, 1),
    Entry("leduc-xfp", "xfp", "leduc", None, 10_000, 1),
    Entry("kuhn-sd-cfr", "sd_cfr:traversals=300,updates=100,batch=256", "kuhn", "flat", 100),
    Entry("kuhn-mmd", "mmd_leduc:anneal=4000,magnet_end=0.01,last=5,last_end=100,eval_every=40", "kuhn", "flat", 4_000),
)
# Leduc, mean of both seats in antes, read off the papers' plots by a third party
BY_ITERATION = (
    ("SD-CFR, Steinberger 2019", (30, 120, 300, 1_020, 4_980), (0.381, 0.154, 0.112, 0.089, 0.059)),
    ("Deep CFR, Steinberger 2019", (30, 120, 300, 1_020, 4_980), (0.401, 0.170, 0.143, 0.110, 0.080)),
)
BY_DECISION = (
    ("DREAM, Steinberger 2020 (nodes)", (1.84e6, 3.5e6, 1e7), (0.088, 0.067, 0.057)),
    ("ES-SD-CFR, Steinberger 2020 (nodes)", (1.84e6, 3.5e6, 1e7), (0.085, 0.057, 0.046)),
    ("NFSP, Steinberger 2020 (nodes)", (2e7, 1e8, 3.2e8), (0.147, 0.071, 0.058)),
)
PICTURES = (
    ("cpu_seconds", "CPU seconds", ()),
    ("step", "iterations", BY_ITERATION),
    ("env_steps", "decisions", BY_DECISION),
)


def train(entry: Entry, seed: int, runs: Path) -> None:
    """Train one seed to its end, from where it stands."""
    path = runs / f"{entry.label}-{seed}"
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        run = Run.create(path, entry.trainer, entry.game, entry.encoder, seed, entry.steps)
        session = Session.start(run)
    if session.training.step < entry.steps:
        session.train(entry.steps)


def trained(entry: Entry, runs: Path) -> list[Run]:
    """Return the entry's runs that have rows enough for a figure."""
    paths = [runs / f"{entry.label}-{seed}" for seed in range(1, entry.seeds + 1)]
    found = [Run.open(path) for path in paths if (path / "run.json").is_file()]
    return [run for run in found if len(list(run.read_metrics())) >= ROWS]


def report(runs: Path) -> str:
    """Return the table of what has been trained; a run that is not at its end is shown with the step it reached."""
    lines = [
        "| entry | seed | iterations | decisions | CPU seconds | exploitability, mean of the last five rows | lowest row |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in ENTRIES:
        ends = []
        for run in trained(entry, runs):
            rows = list(run.read_metrics())
            last, found = rows[-1], [row["exploitability"] for row in rows]
            ends.append(float(np.mean(found[-ROWS:])))
            counted = f"{last['step']:,} | {last.get('env_steps', 0):,.0f} | {last['cpu_seconds']:,.0f}"
            lines.append(f"| {entry.label} | {run.seed} | {counted} | {ends[-1]:.4f} | {min(found):.4f} |")
        if len(ends) == SEEDS > 1:
            lines.append(f"| {entry.label} | median | | | | {median(ends):.4f} | |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what was asked for and write results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the entries whose label has this word")
    parser.add_argument("--report", action="store_true", help="train nothing")
    parser.add_argument("--runs", type=Path, default=Path("runs/policy_gradients"))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    for entry in ENTRIES:
        for seed in range(1, entry.seeds + 1):
            if entry.label.count(given.only) and not given.report:
                train(entry, seed, given.runs)
    if not any(trained(entry, given.runs) for entry in ENTRIES):
        parser.error(f"nothing has been trained in {given.runs}, so {given.results} is left as it is.")
    given.results.mkdir(parents=True, exist_ok=True)
    table = report(given.runs)
    (given.results / "results.md").write_text(table, encoding="utf-8")
    sys.stdout.write(table)
    for axis, label, points in PICTURES:
        found = leduc(given.runs, axis)
        if found:
            out = given.results / f"leduc_{axis}.png"
            draw(found, out, "exploitability (antes)", label, True, True, "Leduc hold'em: exact exploitability", points)


def leduc(runs: Path, axis: str) -> list[Curve]:
    """Return the curves of Leduc's entries over an axis that they have."""
    out = []
    for entry in ENTRIES:
        found = [run for run in trained(entry, runs) if any(row.get(axis, 0) > 0 for row in run.read_metrics())]
        if entry.game != "leduc" or not found:
            continue
        curve = curves(found, axis=axis)[0]
        seen = np.flatnonzero(curve.x > 0)
        x, *rest = (values[seen] for values in (curve.x, curve.median, curve.low, curve.high))
        out.append(Curve(entry.label.removeprefix("leduc-"), x, *rest, curve.seeds))
    return out


if __name__ == "__main__":
    main()
