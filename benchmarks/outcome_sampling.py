"""Why outcome-sampling MCCFR's average is ahead of OpenSpiel's: the same hands, averaged in both ways.

    python benchmarks/outcome_sampling.py [--iterations 100000] [--seeds 100] [--game leduc]

Prints exploitability (the mean over seeds and half its 95 % interval) of ours, of ours with OpenSpiel's weights of the
average, and of OpenSpiel's C++ solver. tests/plugins/trainers/test_mccfr_by_hand.py holds what either weight is in
expectation. Needs open_spiel.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import pyspiel

import cardai
from cardai.core.game import CHANCE, TERMINAL
from cardai.core.kernel import kernel
from cardai.core.registry import create
from cardai.core.rng import hash64, uniform
from cardai.solve.measures import measure_behaviour
from cardai.solve.sampling import Nodes, draw_chance, match, pick

EPSILON = 0.6
SPIEL = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


@kernel
def outcome_as_openspiel(nodes: Nodes, count: int, seed: Any, regret: Any, behaviour: Any, average: Any) -> None:
    """Do ``count`` iterations on the hands that :func:`cardai.plugins.trainers.mccfr.outcome` samples.

    The average differs: at its own information sets the player that learns adds its reach times its policy over the
    probability with which the history was sampled, chance's and the opponent's part included.
    """
    path, taken = np.empty(len(regret), np.uint64), np.empty(len(regret), np.uint64)
    for t in range(count):
        for player in range(2):
            stream = hash64(seed, t * 2 + player)
            node, drawn, length = np.uint64(0), 0, 0
            sampled, reach, others = 1.0, 1.0, 1.0
            while nodes.node[node, 0] != TERMINAL:
                seat = nodes.node[node, 0]
                if seat == CHANCE:  # all outcomes are alike in these games
                    others /= np.float64(nodes.node[node, 2])
                    node = draw_chance(nodes, node, hash64(stream, drawn))
                    drawn += 1
                    continue
                first = np.uint64(nodes.node[node, 3])
                end = first + np.uint64(nodes.node[node, 2])
                threshold = uniform(stream, drawn)
                if seat == player:
                    for s in range(first, end):
                        average[s] += reach * behaviour[s] / (sampled * others)
                    width = np.float64(end - first)
                    if threshold < EPSILON:
                        k = np.uint64(threshold / EPSILON * width)
                    else:
                        k = pick(behaviour, first, end, (threshold - EPSILON) / (1.0 - EPSILON))
                    path[length], taken[length] = node, first + k
                    length += 1
                    sampled *= EPSILON / width + (1.0 - EPSILON) * behaviour[first + k]
                    reach *= behaviour[first + k]
                else:
                    k = pick(behaviour, first, end, threshold)
                    others *= behaviour[first + k]
                node = np.uint64(nodes.node[node, 1]) + k
                drawn += 1
            weight = nodes.returns[nodes.node[node, 1], player] / sampled
            tail = 1.0
            for d in range(length - 1, -1, -1):
                first = np.uint64(nodes.node[path[d], 3])
                end = first + np.uint64(nodes.node[path[d], 2])
                chosen = behaviour[taken[d]]
                for s in range(first, end):
                    gain = tail if s == taken[d] else 0.0
                    regret[s] += weight * (gain - tail * chosen)
                match(regret, first, end, behaviour)
                tail *= chosen


def ours(game: str, iterations: int, seed: int, as_openspiel: bool) -> float:
    """Return the exploitability of the average after so many iterations."""
    training = create("trainer", f"outcome_mccfr:epsilon={EPSILON}").start(cardai.game(game), None, seed)
    if as_openspiel:
        regret, behaviour, average = (training.arrays[name] for name in ("regret", "behaviour", "average"))
        outcome_as_openspiel(training.nodes, iterations, training.seed, regret, behaviour, average)
    else:
        training.iterate(iterations)
    return measure_behaviour(training.form, training.behaviour("average")).exploitability


def theirs(game: str, iterations: int, seed: int) -> float:
    """Return the same of OpenSpiel's solver."""
    spiel = pyspiel.load_game(SPIEL[game])
    solver = pyspiel.OutcomeSamplingMCCFRSolver(spiel, EPSILON, seed)
    for _ in range(iterations):
        solver.run_iteration()
    return float(pyspiel.exploitability(spiel, solver.average_policy()))


def main() -> None:
    """Solve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--game", choices=sorted(SPIEL), default="leduc")
    given = parser.parse_args()
    rows = {
        "ours": lambda seed: ours(given.game, given.iterations, seed, as_openspiel=False),
        "ours, OpenSpiel's weights": lambda seed: ours(given.game, given.iterations, seed, as_openspiel=True),
        "OpenSpiel": lambda seed: theirs(given.game, given.iterations, seed),
    }
    for name, solve in rows.items():
        found = np.array([solve(seed) for seed in range(given.seeds)])
        half = 1.96 * found.std(ddof=1) / np.sqrt(len(found))
        sys.stdout.write(f"{name:<27}{found.mean():.3f} ± {half:.3f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
