"""Liar's dice of two dice and five faces by the protocol of Rudolph et al. 2025: PPO and MMD with the options that they found best,
10,000,000 decisions, the last iterate, three seeds; exact exploitability, uniform play beside, as a table and a picture.

One command, resumable: what has been trained is kept in ``--runs`` and goes on from there; a run is measured anew when it has gone on.

    python experiments/policy_gradients/liars_dice.py                                # about nine CPU hours
    python experiments/policy_gradients/liars_dice.py --device cuda --jobs 6         # on a GPU, runs side by side
    python experiments/policy_gradients/liars_dice.py --decisions 1000000 --seeds 1  # a tenth of the training, one seed
    python experiments/policy_gradients/liars_dice.py --report                       # only write the table from what there is

Another method is another ``--trainer``; options of one are searched by ``cardai sweep``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import cardai
from cardai.commands.plot import draw
from cardai.core.files import read_json, write_json
from cardai.training.curves import Curve
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
GAME = "liars_dice:dice=2,faces=5"
TRAINERS = ("ppo_liars_dice", "mmd_liars_dice")
DECISIONS = 10_000_000
WHOLE = (
    "batch=1600,tables=240"  # hands are finished: some 2,050 decisions an iteration, where the publication has 2,048
)


def train(runs: Path, trainer: str, seed: int, steps: int, points: int, device: str) -> None:
    """Train one run to its end, from where it stands, and measure its iterate at ``points`` steps as far apart."""
    path, part = runs / f"{trainer}-{seed}", max(1, steps // points)
    rows = next(rows for rows in (10, 1) if part >= rows)
    part -= part % rows  # a row of metrics at each point, and nine between
    spec = f"{trainer}:device={device},eval_every={part // rows}" + (f",{WHOLE}" if trainer in TRAINERS else "")
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, spec, GAME, None, seed, part * points))
    for point in range(1, points + 1):
        goal = part * point
        if session.training.step < goal:
            session.train(goal)
        if session.training.step == goal:
            measure(path, device)


def measure(path: Path, device: str) -> None:
    """Measure the iterate at which a run stands, if that has not been done, and keep what was found beside the run."""
    kept, last = measured(path), Run.open(path).read_metrics()[-1]
    if all(row["step"] != last["step"] for row in kept):
        begun = time.process_time()
        found = cardai.evaluate(GAME, f"{path}:device={device}").exploitability
        row = {name: last[name] for name in ("step", "env_steps", "cpu_seconds")}
        kept.append({**row, "exploitability": float(found), "measuring": time.process_time() - begun})
        write_json(_kept(path), {"measured": kept})


def measured(path: Path) -> list[dict[str, Any]]:
    """Return what has been measured of a run, in the order of its steps."""
    return list(read_json(_kept(path))["measured"]) if _kept(path).exists() else []


def _kept(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def draw_curves(runs: Path, trainers: Sequence[str], seeds: int, out: Path) -> None:
    """Draw exploitability over decisions: the median of the seeds and their range, uniform play at the left."""
    found = []
    for trainer in trainers:
        rows = [rows for s in range(1, seeds + 1) if (rows := measured(runs / f"{trainer}-{s}"))]
        points = min((len(one) for one in rows), default=0)
        if points:
            values = np.array([[row["exploitability"] for row in one[:points]] for one in rows])
            x = np.array([[row["env_steps"] for row in one[:points]] for one in rows]).mean(axis=0)
            low, middle, high = values.min(axis=0), np.median(values, axis=0), values.max(axis=0)
            found.append(Curve(trainer, x, middle, low, high, len(rows)))
    if found:
        draw(
            found, out, "exploitability (points a hand)", "decisions", False, True, f"{GAME}: exact exploitability", ()
        )


def steps_of(trainer: str, decisions: int) -> int:
    """Return the iterations of so many decisions, about: hands are finished."""
    return -(-decisions // int(cardai.trainer(trainer).batch))


def report(runs: Path, trainers: Sequence[str], seeds: int) -> str:
    """Return the table of the last iterates that have been measured."""
    lines = [
        "| player | seed | decisions | CPU seconds | exploitability (points a hand) |",
        "|---|---|---|---|---|",
        f"| uniform | | 0 | 0 | {cardai.evaluate(GAME, 'random').exploitability:.4f} |",
    ]
    for trainer in trainers:
        found = []
        for seed in range(1, seeds + 1):
            if not (rows := measured(runs / f"{trainer}-{seed}")):
                continue
            one = rows[-1]
            found.append(one)
            lines.append(
                f"| {trainer} | {seed} | {one['env_steps']:,.0f} | {one['cpu_seconds']:,.0f} | {one['exploitability']:.4f} |"
            )
        if len(found) > 2:
            lines.append(f"| {trainer} | median | | | {median(one['exploitability'] for one in found):.4f} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what was asked for, measure it and write results/liars_dice.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trainer", action="append", help="may be given again and again; the two presets without")
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--points", type=int, default=4, help="iterates that are measured of each run")
    parser.add_argument("--device", default="cpu", help="torch's device: cpu, cuda")
    parser.add_argument("--jobs", type=int, default=1, help="runs trained side by side, a process each")
    parser.add_argument("--report", action="store_true", help="train nothing")
    parser.add_argument("--runs", type=Path, default=Path("runs/liars_dice"))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    trainers = given.trainer or TRAINERS
    if not given.report:
        with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
            running = [
                pool.submit(
                    train, given.runs, trainer, seed, steps_of(trainer, given.decisions), given.points, given.device
                )
                for seed in range(1, given.seeds + 1)
                for trainer in trainers
            ]
            for one in as_completed(running):
                one.result()
    if not any(
        measured(given.runs / f"{trainer}-{seed}") for trainer in trainers for seed in range(1, given.seeds + 1)
    ):
        parser.error(f"nothing has been measured in {given.runs}, so {given.results} is left as it is.")
    given.results.mkdir(parents=True, exist_ok=True)
    table = report(given.runs, trainers, given.seeds)
    (given.results / "liars_dice.md").write_text(table, encoding="utf-8")
    draw_curves(given.runs, trainers, given.seeds, given.results / "liars_dice.png")
    sys.stdout.write(table)


if __name__ == "__main__":
    main()
