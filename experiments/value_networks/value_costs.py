"""What a situation costs, and how far the solver for GPUs is from the one that sweeps."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from attrs import evolve
from value_sections import RECIPES, Plan

from cardai.learn.networks import choose_device
from cardai.poker.values.batch_labels import solve_situations
from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.measures import huber
from cardai.poker.values.situation_set import solve_shard
from cardai.poker.values.situations import FASTER, labels

COUNTS = {"river": 60, "turn": 16}
COMPARED = {"river": 30, "turn": 2}
"""Situations that are solved by both solvers."""
BATCH = {"river": 4000, "turn": 200}
"""Situations that a GPU is timed with."""


def costs(plan: Plan) -> None:
    """Time both solvers, and compare what they find."""
    for street in plan.streets:
        plan.keep(f"costs {street}", lambda street=street: {"seconds_each": _swept(street), **_beside(street)})
        device = str(choose_device("auto"))
        if device != "cpu":
            plan.keep(f"costs {street} gpu", lambda street=street, device=device: _on(street, device))


def _swept(street: str) -> float:
    """Return the CPU seconds of drawing and solving a situation."""
    recipe = RECIPES[street]
    solve_shard(evolve(recipe, per_shard=1, iterations=(1,) * 5), 0)  # everything is compiled now
    begun = time.process_time()
    solve_shard(evolve(recipe, per_shard=COUNTS[street]), 0)
    return (time.process_time() - begun) / COUNTS[street]


def _beside(street: str) -> dict[str, Any]:
    """Return how far the batch solver is from the other, and what it takes on the CPU.

    A row a situation: its interval of pots; in pots, the mean distance of hands, that of what the ranges are worth, and Huber.
    """
    recipe = RECIPES[street]
    drawn = [recipe.situation(number) for number in range(COMPARED[street])]
    counts = [recipe.iterations[one.interval] for one in drawn]
    begun = time.process_time()
    found = solve_situations(drawn, counts, device="cpu")
    seconds = (time.process_time() - begun) / len(drawn)
    rows = []
    for one, count, mine in zip(drawn, counts, found, strict=True):
        errors = (mine.values - labels(one, count, discounts=FASTER).values) / 2
        own = errors[:, legal_hands(one.board)]
        worth = np.abs((one.ranges * errors).sum(axis=1)).max()
        rows.append([one.interval, float(np.abs(own).mean()), float(worth), float(huber(own).mean())])
    return {"compared": rows, "batch_seconds_each": seconds}


def _on(street: str, device: str) -> dict[str, Any]:
    recipe = RECIPES[street]
    drawn = [recipe.situation(number) for number in range(BATCH[street])]
    begun = time.perf_counter()
    solve_situations(drawn, [recipe.iterations[one.interval] for one in drawn], device=device)
    return {"device": device, "wall_seconds_each": (time.perf_counter() - begun) / len(drawn)}
