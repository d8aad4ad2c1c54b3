"""A network that plays limit hold'em as the player in the box does, from cards and betting alone: how far it gets, over seeds.

    python experiments/range_distillation/run.py --work results/distillation              # three seeds
    python experiments/range_distillation/run.py --work results/distillation --only measure --seeds 1

Trains, then measures each seed: a best response from the river, a local one, duplicate deals against the teacher, and what a decision
for all hands at once costs. What is done is kept under --work, and the same command goes on. The players in the box must be
installed (pip install ./players). The report is --work/report.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardai import make
from cardai.core.errors import CardaiError, UsageError
from cardai.core.files import read_json, write_atomically, write_json
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.training.runs import Run

GAME, TEACHER = "acpc_limit_2p", "limit_equilibrium"
PARTS = ("train", "measure")
RIVER, LOST, MILLISECONDS = 300.0, 40.0, 50.0
"""Aimed at: won at most by a best response from the river, lost at most to the teacher (mbb a hand), and a decision's cost."""


def main(words: list[str] | None = None) -> None:
    """Train and measure what is missing, and write the report."""
    o = asked_for(words)
    (o.work / "figures").mkdir(parents=True, exist_ok=True)
    for seed in range(o.seeds):
        run = o.work / f"seed{seed}"
        if "train" in o.only and _trained(run) < o.steps:
            train(run, o, seed)
        if "measure" in o.only:
            measure(o, run)
    write_atomically(o.work / "report.md", report(o.work).encode())
    print(f"Report: {o.work / 'report.md'}")


def train(run: Path, o: argparse.Namespace, seed: int) -> None:
    """Train a seed from where it is."""
    steps = ["--steps", str(o.steps)]
    if (run / "run.json").exists():
        called(["train", "--resume", str(run), *steps])
        return
    trainer = f"range_distillation:teacher={TEACHER},sees={o.sees},anneal={o.steps}"
    called(["train", "--trainer", trainer, "--game", GAME, *steps, "--seed", str(seed), "--out", str(run)])


def measure(o: argparse.Namespace, run: Path) -> None:
    """Measure a seed by commands of cardai, and what its decisions cost."""
    asked, step = ["--game", GAME, "--agent", str(run)], _trained(run)
    done = ["--out", str(o.work / "figures" / f"{run.name}-{step}-{o.boards}.npz")]
    measures = {
        "river": [
            "evaluate",
            "best-response",
            *asked,
            "--from",
            "river",
            "--boards",
            str(o.boards),
            "--seed",
            "3",
            *done,
        ],
        "lbr": ["evaluate", "lbr", *asked, "--hands", str(o.lbr_hands), "--seed", "3"],
        "play": ["run", *asked, "--vs", TEACHER, "--games", str(2 * o.deals), "--seed", "7"],
    }
    for part, words in measures.items():
        kept(o, run, part, shlex.join(["cardai", *words]), partial(figure, words))
    kept(o, run, "cost", "", lambda: {"command": "", "found": costs(str(run))})


def costs(player: str) -> dict[str, Any]:
    """Return the CPU milliseconds of a decision for all hands on a new board, by street: median and most of ten."""
    game = make.game(GAME)
    tree = holdem_tree(game, "This measure")
    one, rng, out = range_player(game, make.agent(player), tree), np.random.default_rng(1), {}
    for street, size in enumerate((0, 3, 4, 5)):
        taken = []
        for _ in range(12):
            board = rng.permutation(52)[:size].tolist()
            node = rng.choice(tree.decisions[tree.street[tree.decisions] == street])
            begun = time.process_time()
            one.range_policy(np.array([node]), board)
            taken.append(1e3 * (time.process_time() - begun))
        out[("preflop", "flop", "turn", "river")[street]] = [float(np.median(taken[2:])), max(taken[2:])]
    return out


def report(work: Path) -> str:
    """Return the report's text from what is kept."""
    lines = [
        "# A network distilled from the limit player in the box",
        "",
        f"The teacher is `{TEACHER}`. mbb a hand; intervals are of 95 %.",
        "",
        "| seed | boards learned | CPU seconds | best response from the river | local best response | against the teacher | decision for all hands, ms |",
        "|---|---|---|---|---|---|---|",
    ]
    commands: list[str] = []
    for file in sorted((work / "figures").glob("play-*.json")):
        name = file.stem.removeprefix("play-")
        known = {part: read_json(work / "figures" / f"{part}-{name}.json") for part in ("river", "lbr", "play", "cost")}
        last = Run.open(work / name).read_metrics()[-1]
        river, local = known["river"]["found"], known["lbr"]["found"]
        won = known["play"]["found"]["players"][0]["figures"]["mbb/g"]
        interval = (
            "" if river["low"] is None else f" ({river['low']:.0f} to {river['high']:.0f}; {river['boards']} boards)"
        )
        wide = (won["high"] - won["low"]) / 2
        slowest = max(most for _, most in known["cost"]["found"].values())
        lines.append(
            f"| {name} | {last['step']:,} | {last['cpu_seconds']:.0f} | {river['mean']:.1f}{interval} | {local['mean']:+.0f} ± "
            f"{local['half_width']:.0f} ({local['hands']} hands) | {won['mean']:+.1f} ± {wide:.1f} ({won['count']:,} deals) | "
            f"at most {slowest:.1f} |"
        )
        commands += [known[part]["command"] for part in ("river", "lbr", "play")]
    aims = f"Aimed at: at most {RIVER:.0f} from the river, {LOST:.0f} lost, {MILLISECONDS:.0f} ms."
    return "\n".join([*lines, "", aims, "", "```sh", *commands, "```", ""])


def kept(o: argparse.Namespace, run: Path, part: str, command: str, make_it: Callable[[], dict[str, Any]]) -> None:
    """Make a seed's figure once, and anew where its command is another or the seed has learned further."""
    file = o.work / "figures" / f"{part}-{run.name}.json"
    of = {"command": command, "step": _trained(run)}
    if file.exists() and of.items() <= read_json(file).items():
        return
    begun = _seconds()
    write_json(file, {**make_it(), "step": of["step"]})
    print(f"{part}-{run.name}: {_seconds() - begun:,.0f} CPU seconds", flush=True)


def figure(words: list[str]) -> dict[str, Any]:
    """Return what a command of cardai prints as JSON, and the command."""
    return {"command": shlex.join(["cardai", *words]), "found": json.loads(called([*words, "--json"]))}


def called(words: list[str]) -> str:
    """Run a command of cardai and return what it prints."""
    done = subprocess.run([sys.executable, "-m", "cardai", *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise UsageError(f"It ended with {done.returncode}: {shlex.join(['cardai', *words])}")
    return done.stdout


def _trained(run: Path) -> int:
    rows = Run.open(run).read_metrics() if (run / "run.json").exists() else []
    return int(rows[-1]["step"]) if rows else 0


def _seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def asked_for(words: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--work", type=Path, default=Path("results/distillation"))
    add("--only", default="+".join(PARTS), help="parts, joined with +")
    add("--seeds", type=int, default=3)
    add("--steps", type=int, default=25_000, help="boards that a seed learns of")
    add("--sees", default="numbers", choices=("numbers", "planes"), help="what the network sees of cards")
    add("--boards", type=int, default=40, help="of the best response from the river")
    add("--lbr-hands", type=int, default=2_000)
    add("--deals", type=int, default=50_000, help="duplicate deals against the teacher")
    o = parser.parse_args(words)
    o.only = o.only.split("+")
    if unknown := [one for one in o.only if one not in PARTS]:
        raise UsageError(f"--only takes some of {'+'.join(PARTS)}. Got {unknown[0]!r}.")
    return o


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
