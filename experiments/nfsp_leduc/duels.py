"""A trained Leduc player against others on duplicate deals, each sampled value beside the exact one.

    python experiments/nfsp_leduc/duels.py runs/nfsp_leduc/best-0 [--games 20000] [--seeds 20]

For every opponent: the exact expected value a hand (mean of both seats), the sampled mean with its 95% interval for seed
0, and for how many of the seeds the exact value lies in the interval. The opponents are the random and the always
raising player and a solved one (CFR+, 2,000 iterations), against which nobody can win in the long run.
"""

from __future__ import annotations

import argparse
import sys

import cardai
from cardai.core.agent import Agent
from cardai.core.game import Game
from cardai.core.registry import create
from cardai.core.statistics import Estimate
from cardai.solve.measures import exploitability, head_to_head

OPPONENTS = ("random", "always_raise", "CFR+")
CFR_ITERATIONS = 2_000


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def solved(game: Game) -> Agent:
    """Return the average policy of CFR+ after :data:`CFR_ITERATIONS` iterations."""
    training = create("trainer", "cfr_plus").start(game, None, 0)
    for _ in training.train(CFR_ITERATIONS):
        pass
    agent: Agent = training.agent({})
    return agent


def sampled(agent: Agent, against: Agent, games: int, seed: int) -> Estimate:
    """Return the agent's mean return a hand over duplicate deals, with its interval."""
    return cardai.play("leduc", [agent, against], games=games, seed=seed).mean_return(0)


def duel(game: Game, agent: Agent, name: str, against: Agent, games: int, seeds: int) -> tuple[float, int]:
    """Print one line; return the exact value and in how many seeds' intervals it lies."""
    exact = head_to_head(game, agent, against)
    estimates = [sampled(agent, against, games, seed) for seed in range(seeds)]
    inside = sum(estimate.low <= exact <= estimate.high for estimate in estimates)
    first = f"{estimates[0].mean:+.4f} ± {estimates[0].half_width:.4f}"
    say(f"{name:<14}{exact:>+12.5f}{first:>22}{inside:>8} of {seeds}")
    return exact, inside


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", help="a trained run's directory (or any agent's spec) that plays leduc")
    parser.add_argument("--games", type=int, default=20_000, help="hands a seed; each deal is played in both seats")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 0 to N - 1")
    given = parser.parse_args()
    game = cardai.game("leduc")
    agent = cardai.agent(given.agent)
    say(f"{given.agent}: exploitability {exploitability(game, agent):.5f} antes a hand")
    say(f"{given.games:,} hands a seed, duplicate deals; antes a hand")
    say(f"{'against':<14}{'exact':>12}{'sampled, seed 0':>22}{'exact inside 95%':>17}")
    for name in OPPONENTS:
        against = solved(game) if name == "CFR+" else cardai.agent(name)
        duel(game, agent, name, against, given.games, given.seeds)


if __name__ == "__main__":
    main()
