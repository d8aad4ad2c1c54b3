"""What NFSP's progress is judged by on small games, all exact: see the trainer's docstring for the metrics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s, Int8s
from cardai.core.errors import CardaiError
from cardai.core.trainer import Metrics
from cardai.plugins.trainers.nfsp.compiled import CompiledGame
from cardai.solve import _kernels as solve_kernels
from cardai.solve.sequence_form import behaviour_of, plan_of


def measure_policy(game: CompiledGame, policy: Float64s) -> tuple[Float64s, Float64s]:
    """Return each seat's expected value and its best response's value, for row policies (R, A)."""
    plan = plan_of(game.form, behaviour_of(game.tree, policy[game.row_of_set]))
    expected, best, values = np.zeros(2), np.zeros(2), np.zeros_like(plan)
    solve_kernels.measure(game.form, plan, values, expected, best)
    return expected, best


def average_policy_metrics(game: CompiledGame, policy: Float64s, q: Float64s, empirical: Float64s | None) -> Metrics:
    """Return the metrics of average policy ``policy``, greedy in ``q`` and the reservoirs' ``empirical`` policy (R, A).

    A seat's ``greedy_gap`` is what the best response to the other's average policy earns more than greedy Q does.
    """
    expected, best = measure_policy(game, policy)
    metrics = {"exploitability": float((best - expected).mean())}
    if empirical is not None:
        expected_there, best_there = measure_policy(game, empirical)
        metrics["reservoir_exploitability"] = float((best_there - expected_there).mean())
    greedy = np.zeros_like(policy)
    greedy[np.arange(len(q)), np.argmax(np.where(game.legal, q, -np.inf), axis=1)] = 1
    for seat in range(2):
        mixed = np.where((game.owner == seat)[:, None], greedy, policy)
        metrics[f"greedy_gap_{seat}"] = float(best[seat] - measure_policy(game, mixed)[0][seat])
    return metrics


def empirical_policy(game: CompiledGame, rows: npt.NDArray[np.int32], actions: Int8s) -> Float64s:
    """Return the frequencies (R, A) of reservoir entries; uniform at rows that never occur."""
    cells = rows.astype(np.int64) * game.legal.shape[1] + actions
    counts = np.bincount(cells, minlength=game.legal.size).reshape(game.legal.shape)
    total = counts.sum(axis=1, keepdims=True)
    uniform = game.legal / game.legal.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, counts / np.maximum(total, 1), uniform))


def finite(metrics: Metrics) -> Metrics:
    """Return ``metrics``. Raises CardaiError if one is not a number: the networks have run away."""
    lost = [name for name, value in metrics.items() if not np.isfinite(value)]
    if lost:
        raise CardaiError(
            f"NFSP's {lost[0]} is no longer a number: the learning rates are too high for these rewards. "
            "Start a new run with a smaller q_rate, policy_rate or reward_scale."
        )
    return metrics
