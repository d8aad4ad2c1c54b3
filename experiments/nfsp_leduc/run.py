"""The Leduc figure of Heinrich and Silver (2016), the thesis' figure 7, our best method, CFR+ and XFP on one axis.

One command, resumable: what has been trained is kept in ``--runs`` and goes on from there.

    python experiments/nfsp_leduc/run.py                    # everything at full length (hours on one core)
    python experiments/nfsp_leduc/run.py --share 0.1        # a tenth of the iterations; more later goes on from there
    python experiments/nfsp_leduc/run.py --only best        # one curve
    python experiments/nfsp_leduc/run.py --report           # only write results/ from what there is

Exploitability is the mean of both best responses' values, in antes a hand, exact, on OpenSpiel's Leduc (936 information
sets). An iteration of the paper's is 128 actions at 128 tables and two minibatches for each of the four networks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai.commands.plot import draw
from cardai.training.curves import Curve, curves
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
GAME = "leduc"


@frozen
class Entry:
    """One curve: a trainer's spec, and how far it goes at full length."""

    label: str
    trainer: str
    steps: int
    encoder: str | None = "leduc_30"
    seeds: int = 3


BEST = "nfsp_leduc_best"
ENTRIES = (
    Entry("best", BEST, 5_000_000),
    Entry("paper 64", "nfsp_leduc", 1_000_000),
    Entry("paper 128", "nfsp_leduc:hidden=128", 1_000_000),
    Entry("paper 32", "nfsp_leduc:hidden=32", 1_000_000),
    Entry("paper 16", "nfsp_leduc:hidden=16", 1_000_000),
    Entry("paper 8", "nfsp_leduc:hidden=8", 1_000_000),
    Entry("thesis", "nfsp_leduc_thesis", 100_000),
    Entry(
        "held",
        f"{BEST}:rate_steps=400000,q_rate_end=0.02,policy_rate_end=0.0002",
        1_000_000,
    ),
    Entry("CFR+", "cfr_plus", 10_000, None, 1),
    Entry("XFP", "xfp", 10_000, None, 1),
)
# Heinrich and Silver 2016, figure of Leduc, digitised by a third party (aicenter/openspiel_reproductions, history):
# iterations of 128 game steps, exploitability (mean of both seats)
PUBLISHED = {
    "paper 128": (
        (1e3, 8e3, 22e3, 72e3, 110e3, 176e3, 255e3, 346e3, 490e3, 0.89e6, 1.27e6, 2.1e6, 2.97e6),
        (2.06, 1.20, 0.82, 0.66, 0.47, 0.32, 0.22, 0.17, 0.128, 0.102, 0.088, 0.078, 0.069),
    ),
    "paper 16": (
        (1e3, 7e3, 18e3, 87e3, 190e3, 365e3, 577e3, 1.03e6, 1.67e6, 2.97e6),
        (1.96, 1.28, 0.87, 0.79, 0.60, 0.52, 0.33, 0.25, 0.23, 0.225),
    ),
}


def train(entry: Entry, seed: int, share: float, runs: Path) -> None:
    """Train one seed of one curve as far as asked, from where it stands."""
    path = runs / f"{entry.label.replace(' ', '_').replace('+', '_plus')}-{seed}"
    steps = max(1000, round(entry.steps * share))
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, entry.trainer, GAME, entry.encoder, seed, steps, sys.argv))
    if session.training.step < steps:
        session.train(steps)
    rows = [row for row in session.run.read_metrics() if "exploitability" in row]
    if rows:
        last = rows[-1]
        text = f"{path.name}: {last['exploitability']:.5f} at {last['step']:,} ({last['cpu_seconds']:.0f} CPU s)"
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def trained(entry: Entry, runs: Path) -> list[Run]:
    """Return the entry's runs that have something to show."""
    stem = entry.label.replace(" ", "_").replace("+", "_plus")
    found = [
        Run.open(runs / f"{stem}-{seed}") for seed in range(99) if (runs / f"{stem}-{seed}" / "run.json").is_file()
    ]
    return [run for run in found if any("exploitability" in row for row in run.read_metrics())]


def report(runs: Path, out: Path) -> None:
    """Write results.md and the pictures."""
    out.mkdir(exist_ok=True)
    by_step: list[Curve] = []
    by_time: list[Curve] = []
    lines = [
        "# NFSP on Leduc hold'em",
        "",
        "Exact exploitability (mean of both best responses' values, antes a hand). CPU seconds are of one thread.",
        "Written by `python experiments/nfsp_leduc/run.py`; every run says how long it was.",
        "",
        "| curve | seed | iterations | CPU s | exploitability | lowest | reached 0.06 after | published there |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for entry in ENTRIES:
        found = trained(entry, runs)
        if not found:
            lines.append(f"| {entry.label} | | not run | | | | | |")
            continue
        by_step.append(_named(entry.label, curves(found)[0]))
        by_time.append(_named(entry.label, curves(found, axis="cpu_seconds")[0]))
        lines += [_line(entry, run) for run in found]
    lines += ["", *_notes(), ""]
    (out / "results.md").write_text("\n".join(lines), encoding="utf-8")
    points = [(f"published, {label[6:]} units", *xy) for label, xy in PUBLISHED.items()]
    heading = "Leduc hold'em: exact exploitability"
    draw(by_step, out / "iterations.png", "exploitability (antes)", "iterations", True, True, heading, points)
    draw(by_time, out / "cpu_seconds.png", "exploitability (antes)", "CPU seconds, one thread", True, True, heading)


def _named(label: str, curve: Curve) -> Curve:
    x = np.maximum(curve.x, 1e-3)
    return Curve(label, x, curve.median, curve.low, curve.high, curve.seeds)


def _line(entry: Entry, run: Run) -> str:
    rows = [row for row in run.read_metrics() if "exploitability" in row]
    last, lowest = rows[-1], min(rows, key=lambda row: row["exploitability"])
    reached = next((row for row in rows if row["exploitability"] <= 0.06), None)
    when = f"{reached['step']:,} iterations, {reached['cpu_seconds']:.0f} CPU s" if reached else "not yet"
    published = ""
    if entry.label in PUBLISHED:
        xs, ys = PUBLISHED[entry.label]
        published = f"{np.exp(np.interp(np.log(last['step']), np.log(xs), np.log(ys))):.2f}"
    best = f"{lowest['exploitability']:.5f} at {lowest['step']:,}"
    return (
        f"| {entry.label} | {run.seed} | {last['step']:,} | {last['cpu_seconds']:.0f} | {last['exploitability']:.5f} "
        f"| {best} | {when} | {published} |"
    )


def _notes() -> Sequence[str]:
    return (
        "Published: 0.06 with 64 units (Heinrich and Silver 2016, text); their curves for 128 and 16 units, digitised by "
        "a third party, are drawn as markers and interpolated in the last column. The best published NFSP figure is "
        "0.037 (Brown et al. 2019, Deep CFR). `thesis`: the same method with one table and an update after every action, "
        "the reading of Joos 2018 with his faults mended (he drew 100,000 iterations without numbers). `held`: best, "
        "but its rates stop falling half way, at 400,000 iterations (up to there they are equal).",
        "",
        "CPU seconds hold for the machine and its load at the time; iterations do not depend on it.",
        "",
        "![by iterations](iterations.png)",
        "",
        "![by CPU seconds](cpu_seconds.png)",
    )


def main() -> None:
    """Train what is asked for, seed by seed, then write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/nfsp_leduc"), help="where runs are kept")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where the report goes")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full number of iterations")
    parser.add_argument("--seeds", type=int, default=3, help="seeds of each learning curve")
    parser.add_argument("--only", action="append", help="a curve's label (repeatable)")
    parser.add_argument("--report", action="store_true", help="train nothing")
    given = parser.parse_args()
    chosen = [entry for entry in ENTRIES if not given.only or entry.label in given.only]
    if not chosen:
        parser.error(f"--only takes one of: {', '.join(entry.label for entry in ENTRIES)}")
    given.runs.mkdir(parents=True, exist_ok=True)
    for seed in range(0 if given.report else given.seeds):
        for entry in chosen:
            if seed < entry.seeds:
                train(entry, seed, given.share, given.runs)
                report(given.runs, given.results)
    report(given.runs, given.results)


if __name__ == "__main__":
    main()
