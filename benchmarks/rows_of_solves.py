"""What several rows of each solve buy a counterfactual value network: TurboReBeL's ablation, in Leduc or in no-limit hold'em.

    python benchmarks/rows_of_solves.py                                     # Leduc, 1,000 solves, three seeds
    python benchmarks/rows_of_solves.py --street turn --solves 200 --tests 100

Of each solve one row is its own situation; the others are neighbours (``cardai situations --rows``), worth what its strategies win there.
Networks learn from so many solves by one row and by several, for as many epochs and, by one row, for as many minibatches too. All are
measured on situations of another seed, which were solved themselves.
"""

from __future__ import annotations

import argparse
import shlex
import tempfile
from pathlib import Path

import numpy as np
from attrs import evolve

from cardai.arena.statistics import mean
from cardai.poker.values.measures import network_losses
from cardai.poker.values.network import load_run
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.recipe import Recipe
from cardai.poker.values.situation_set import produce
from cardai.training.runs import Run
from cardai.training.session import Session

LEDUC = "leduc_values:batch=50,anneal={epochs},situations={path}"
HOLDEM = "counterfactual_values:width=32,context=64,batch=10,rate=0.003,anneal={epochs},device=cpu,situations={path}"
RECIPES = {
    "second": Recipe("second", 0, (500,) * 5, game="leduc_deepstack"),
    "turn": Recipe("turn", 0, (200, 120, 80, 60, 40), (1, 2, 3, 4), "1+allin/1+allin/allin"),
    "river": Recipe("river", 0, (200,) * 5, (1, 2, 3, 4)),
}


def main() -> None:
    """Make the sets, train, and print a line for each network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--street", choices=sorted(RECIPES), default="second")
    parser.add_argument("--solves", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--tests", type=int, default=1000, help="situations to test with")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1, help="processes that solve")
    parser.add_argument("--work", type=Path, help="where sets and runs are kept (default: nowhere)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(given, given.work or Path(folder))


def compare(given: argparse.Namespace, work: Path) -> None:
    """Print the loss of each network on the test's situations."""
    recipe = RECIPES[given.street]
    trainer, game, step = (LEDUC, recipe.game, 50) if recipe.game else (HOLDEM, "acpc_nolimit_2p", 10)
    tests = produce(work / "tests", evolve(recipe, seed=1, per_shard=step), given.tests, jobs=given.jobs)
    data = load_prepared(tests, tests.numbers)
    print(f"{given.solves:,} solves, {len(data):,} others to test with: Huber per player", flush=True)
    sets = {}
    for rows in (1, given.rows):
        sets[rows] = work / f"rows_{rows}"
        produce(sets[rows], evolve(recipe, rows=rows, per_shard=step * rows), given.solves * rows, jobs=given.jobs)
    for rows, epochs in ((1, given.epochs), (1, given.epochs * given.rows), (given.rows, given.epochs)):
        losses = []
        for seed in range(given.seeds):
            run = work / f"run_{rows}_{epochs}_{seed}"
            spec = trainer.format(epochs=epochs, path=shlex.quote(str(sets[rows])))
            there = (run / "run.json").is_file()
            session = Session.resume(Run.open(run)) if there else Session.start(Run.create(run, spec, game, None, seed))
            session.train(epochs)  # one that was stopped is no shorter training
            losses.append(network_losses(load_run(run), data).by_name["huber_player"])
        print(f"{rows} rows, {epochs} epochs: {line(losses)}", flush=True)


def line(losses: list[np.ndarray]) -> str:
    """Return the losses of some trainings in words: each of them, and their mean with its interval over situations."""
    each, all_ = [f"{one.mean():.4f}" for one in losses], mean(np.mean(losses, axis=0))
    return f"{all_.mean:.4f} ± {all_.half_width:.4f} (seeds: {', '.join(each)})"


if __name__ == "__main__":
    main()
