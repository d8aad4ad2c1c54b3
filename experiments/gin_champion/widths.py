"""How well networks of several widths predict held-out hands: python -m experiments.gin_champion.widths [--hands N].

The champion plays its league, exploring a little; networks of each width are fitted to what its situations brought, from
scratch, and measured on hands played apart. Prints the cross entropy of the results' classes after a discard, how much less
it is than the first width's, both with half a 95 % interval over parts of the held-out hands, and the share of the points'
variance that is explained.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import cardai
from cardai.core.arrays import Float64s
from cardai.core.registry import create
from cardai.core.rng import derive
from cardai.gin._situation_kernels import AFTER
from cardai.gin.selfplay import Situations, play_hands
from cardai.gin.values import EDGES, Fitting, ValueNetworks, read_values
from cardai.plugins.agents.champion import WEIGHTS

PARTS = 40
"""Parts of the held-out hands, over which intervals are taken: a hand's situations have one result."""


def collected(seed: int, hands: int) -> Situations:
    """Return the situations of hands that the champion plays against its league."""
    game = cardai.game("gin")
    training: Any = create("trainer", f"gin_values:begin={WEIGHTS}").start(game, None, seed)
    seats = training._seats(seed, hands)
    return play_hands(game, training._players(), seats, training.fitting.values, derive(seed, "widths")).situations


def measured(values: ValueNetworks, held: Situations) -> tuple[float, float]:
    """Return the mean cross entropy after a discard, and the share of variance that is explained."""
    rows = np.flatnonzero(held.kinds == AFTER)
    features, points = held.features[rows], held.points[rows]
    hidden = np.maximum(features @ values.hidden_weight[AFTER] + values.hidden_bias[AFTER], 0)
    out = hidden @ values.head_weight[AFTER] + values.head_bias[AFTER]
    out = np.exp(out - out.max(axis=1, keepdims=True))
    chances = out / out.sum(axis=1, keepdims=True)
    losses = -np.log(chances[np.arange(len(rows)), np.digitize(points, EDGES)] + 1e-12)
    explained = 1 - np.mean((points - chances @ values.results) ** 2) / points.var()
    return float(losses.mean()), float(explained)


def shown(values: Float64s) -> str:
    """Return a mean over parts with half its 95 % interval."""
    return f"{values.mean():.4f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.4f}"


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gin_champion.widths", description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000, help="hands to fit; a third as many are held out")
    parser.add_argument("--widths", default="64+128+192+384", help="units of the hidden layer, joined with +")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    learned = collected(given.seed, given.hands)
    held = [collected(given.seed + 1 + part, given.hands // (3 * PARTS)) for part in range(PARTS)]
    first: Any = None
    print("| units | cross entropy | less than the first | explained variance, % |\n|---|---|---|---|")
    for width in map(int, given.widths.split("+")):
        values = ValueNetworks.start(width, given.seed)
        values.results[:] = read_values(WEIGHTS).results
        fitting = Fitting(values)
        for epoch in range(given.epochs):
            rate = 1e-3 * 0.5**epoch
            fitting.fit(learned.features, learned.kinds, learned.points, rate, 1, 1024, [given.seed, epoch])
        found = np.array([measured(values, part) for part in held])
        first = found[:, 0] if first is None else first
        less = shown(first - found[:, 0])
        print(f"| {width} | {shown(found[:, 0])} | {less} | {100 * found[:, 1].mean():.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
