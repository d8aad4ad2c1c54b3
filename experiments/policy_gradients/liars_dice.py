"""Liar's dice of two dice and five faces by the protocol of Rudolph et al. 2025: PPO and MMD with the options that they found best,
10,000,000 decisions, the last iterate, three seeds; exact exploitability, uniform play beside.

One command, resumable: what has been trained is kept in ``--runs`` and goes on from there; a run is measured anew when it has gone on.

    python experiments/policy_gradients/liars_dice.py                                # about six CPU hours
    python experiments/policy_gradients/liars_dice.py --decisions 1000000 --seeds 1  # a tenth of the training, one seed
    python experiments/policy_gradients/liars_dice.py --report                       # only write the table from what there is

Another method is another ``--trainer``; options of one are searched by ``cardai sweep``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import cardai
from cardai.core.files import read_json, write_json
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
GAME = "liars_dice:dice=2,faces=5"
TRAINERS = ("ppo_liars_dice", "mmd_liars_dice")
DECISIONS = 10_000_000


def train(path: Path, trainer: str, seed: int, decisions: int) -> None:
    """Train until so many decisions are made, from where the run stands."""
    steps = -(-decisions // cardai.trainer(trainer).batch)
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, trainer, GAME, None, seed, steps))
    if session.training.step < steps:
        session.train(steps)


def measured(path: Path) -> dict[str, Any]:
    """Return what is known of a run's last iterate; measured is what has not been."""
    rows, kept = Run.open(path).read_metrics(), path.with_name(f"{path.name}.json")
    last = rows[-1]
    if not kept.exists() or read_json(kept)["step"] != last["step"]:
        begun = time.process_time()
        found = cardai.evaluate(GAME, str(path)).exploitability
        row = {name: last[name] for name in ("step", "env_steps", "cpu_seconds")}
        write_json(kept, {**row, "exploitability": float(found), "measuring": time.process_time() - begun})
    return read_json(kept)


def report(runs: Path, trainers: Sequence[str], seeds: int) -> str:
    """Return the table of what is there."""
    lines = [
        "| player | seed | decisions | CPU seconds | exploitability (points a hand) |",
        "|---|---|---|---|---|",
        f"| uniform | | 0 | 0 | {cardai.evaluate(GAME, 'random').exploitability:.4f} |",
    ]
    for trainer in trainers:
        found = [measured(runs / f"{trainer}-{s}") for s in range(1, seeds + 1) if (runs / f"{trainer}-{s}").is_dir()]
        for seed, one in enumerate(found, 1):
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
    parser.add_argument("--report", action="store_true", help="train nothing")
    parser.add_argument("--runs", type=Path, default=Path("runs/liars_dice"))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    trainers = given.trainer or TRAINERS
    for trainer in trainers:
        for seed in range(1, given.seeds + 1):
            if not given.report:
                train(given.runs / f"{trainer}-{seed}", trainer, seed, given.decisions)
                measured(given.runs / f"{trainer}-{seed}")
    given.results.mkdir(parents=True, exist_ok=True)
    table = report(given.runs, trainers, given.seeds)
    (given.results / "liars_dice.md").write_text(table, encoding="utf-8")
    sys.stdout.write(table)


if __name__ == "__main__":
    main()
