"""What a whole report over flops costs: a flop a line as it comes, its CPU seconds, and what they come to.

    python benchmarks/flop_reports.py --flops 95 --rows rows.jsonl --jobs 2
    python benchmarks/flop_reports.py --flops 95 --rows rows.jsonl --board 9s8s7s --board Ks7d2c ...

A caller's range against an opener's, 5.5 big blinds with 97.5 behind, as docs/ranges.md has it; the rows are those of ``cardai
report``. It goes on with what the file has, and ``--table`` prints that alone: the report's rows of every flop, the weighted mean,
and CPU seconds by texture.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from cardai.pieces import Work
from cardai.poker.ranges.flop_report import Goal, Row, columns, mean, row
from cardai.poker.ranges.flops import CALLER, OPENER, Subset, subset
from cardai.poker.ranges.solution import prepare, solve
from cardai.poker.ranges.spot import Spot

Timed = dict[str, Any]
"""A report's row, and beside it the spot, the goal, iterations and CPU seconds."""


def timed(goal: Goal, spot: Spot, weight: float) -> tuple[Row, int, float]:
    """Return a flop's row, its iterations and the CPU seconds they took."""
    begun = time.process_time()
    solution = solve(prepare(spot), goal.to, goal.iterations)
    spent = time.process_time() - begun
    return row(solution, "", weight), solution.iterations, spent


def measure(spot: Spot, goal: Goal, flops: Subset, rows: Path, jobs: int, seconds: float) -> None:
    """Solve what the file of rows has not, until ``seconds`` have passed, and print and keep each as it comes."""
    known = {one["row"]["flop"] for one in read(rows, spot, goal)}
    begun = time.monotonic()
    missing = [pair for pair in zip(flops.flops, flops.weights, strict=True) if pair[0] not in known]
    print(
        f"{len(missing)} of {len(flops.flops)} flops to solve to {goal.to:g} % with bets {spot.bets}, {jobs} at once."
    )
    if missing and jobs > 1:  # compiled once, before workers start
        timed(Goal(100.0, 1), evolve(spot, board="2c2d2h"), 1.0)
    pieces = (
        (flop, (evolve(spot, board=flop), weight)) for flop, weight in missing if time.monotonic() - begun < seconds
    )
    for flop, (found, iterations, spent) in Work(timed, goal, jobs=jobs, pieces=pieces).run():
        one = {"bets": spot.bets, "to": goal.to, "row": found, "iterations": iterations, "seconds": spent}
        with rows.open("a") as file:
            file.write(json.dumps(one) + "\n")
        print(
            f"{flop} {found['texture']}: {spent:.1f} CPU s, {iterations} iterations, {found['exploitability']:.2f} %",
            flush=True,
        )


def read(rows: Path, spot: Spot, goal: Goal) -> list[Timed]:
    """Return what the file has of this menu and goal."""
    if not rows.exists():
        return []
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    return [one for one in found if (one["bets"], one["to"]) == (spot.bets, goal.to)]


def show(found: list[Timed], count: int) -> None:
    """Print the rows, their mean, and CPU seconds by texture and in all."""
    rows = sorted((one["row"] for one in found), key=lambda one: -one["weight"])
    names = columns(rows)
    print(" | ".join(names))
    for one in [*rows, mean(rows)]:
        cells = (one.get(name, "") for name in names)
        print(" | ".join(f"{value:.4f}" if isinstance(value, float) else value for value in cells))
    seconds = np.array([one["seconds"] for one in found])
    textures = np.array([one["row"]["texture"] for one in found])
    for name in np.unique(textures):
        own = seconds[textures == name]
        print(f"{name}: {len(own)} flops, {own.mean():.1f} CPU s each ({own.min():.1f} to {own.max():.1f})")
    print(
        f"{len(seconds)} of {count} flops: {seconds.sum():,.0f} CPU s, {seconds.mean():.1f} each ({seconds.min():.1f} to "
        f"{seconds.max():.1f}); {count} like them are {count * seconds.mean() / 7200:.2f} hours of two cores"
    )


def main() -> None:
    """Run as the page says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flops", type=int, default=95)
    parser.add_argument("--board", action="append")
    parser.add_argument("--bets", default="0.5/allin")
    parser.add_argument("--to", type=float, default=1.0)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=np.inf)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    flops = subset(given.flops)
    if given.board:
        weights = (1 / len(given.board),) * len(given.board)
        flops = evolve(flops, flops=tuple(given.board), weights=weights)
    spot, goal = Spot("2c3c4c", 5.5, (97.5, 97.5), (CALLER, OPENER), given.bets), Goal(given.to, 1000)
    if not given.table:
        measure(spot, goal, flops, given.rows, given.jobs, given.seconds)
    if found := [one for one in read(given.rows, spot, goal) if one["row"]["flop"] in flops.flops]:
        show(found, len(flops.flops))


if __name__ == "__main__":
    main()
