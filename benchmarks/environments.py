"""Steps a CPU second of the learning environments: one process, random legal actions, opponents inside.

    python benchmarks/environments.py

A step is one decision of the player from outside, with its observation and mask and the opponents' moves; the steps at which
a table only begins its next episode are not counted. Needs gymnasium and pettingzoo.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import cardai

TABLES, SECONDS = 1024, 1.0


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def many(game: str, encoder: str, opponent: str) -> float:
    """Return decisions a CPU second of the vector environment."""
    envs = cardai.vector_env(game, TABLES, encoder=encoder, opponent=opponent)
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=1)

    def step(infos: Any) -> tuple[int, Any]:
        mask = infos["action_mask"]
        actions = (rng.random(mask.shape, np.float32) * mask).argmax(axis=1)
        decided = int(np.count_nonzero(mask.any(axis=1)))
        return decided, envs.step(actions)[4]

    for _ in range(20):
        _, infos = step(infos)
    count, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        decided, infos = step(infos)
        count += decided
    return count / (time.process_time() - began)


def one(game: str, encoder: str, opponent: str) -> float:
    """Return decisions a CPU second of the environment of one table."""
    env: Any = cardai.make_env(game, encoder=encoder, opponent=opponent)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    count, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        _, _, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        count += 1
        if over:
            _, info = env.reset()
    return count / (time.process_time() - began)


def cycle(game: str, encoder: str) -> float:
    """Return decisions a CPU second, of all seats, of the PettingZoo environment."""
    from cardai.bridges import pettingzoo

    env = pettingzoo.env(game, encoder=encoder)
    rng = np.random.default_rng(0)
    count, began = 0, time.process_time()
    while time.process_time() - began < SECONDS:
        env.reset(seed=count)
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            env.step(None if over else rng.choice(np.flatnonzero(observation["action_mask"])))
            count += not over
    return count / (time.process_time() - began)


CASES = (("leduc", "leduc_30", "random"), ("leduc", "flat", "random"), ("gin", "gin_compact", "random"),
         ("gin", "gin_compact", "simple"), ("holdem_limit", "holdem_compact", "random"))  # fmt: skip


def main() -> None:
    """Print the table."""
    say(f"{'game':<14}{'encoder':<16}{'opponent':<10}{f'{TABLES} tables':>14}{'one table':>12}{'PettingZoo':>12}")
    for game, encoder, opponent in CASES:
        alone = one(game, encoder, opponent)
        zoo = f"{cycle(game, encoder):>12,.0f}" if opponent == "random" else ""
        say(f"{game:<14}{encoder:<16}{opponent:<10}{many(game, encoder, opponent):>14,.0f}{alone:>12,.0f}{zoo}")


if __name__ == "__main__":
    main()
