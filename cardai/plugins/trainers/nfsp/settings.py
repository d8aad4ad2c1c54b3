"""NFSP's options as the record that kernels read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP
    from cardai.plugins.trainers.nfsp.compiled import Compiled


def scale_of(options: NFSP, compiled: Compiled | None) -> float:
    """Return what rewards are multiplied by, as asked for or (where the game's tree is at hand) 1 / their range."""
    if compiled is None:
        return options.reward_scale or 1.0
    return options.reward_scale or 1 / max(1e-9, float(np.ptp(compiled.env.payoff)))


def settings_row(options: NFSP, scale: float) -> npt.NDArray[Any]:
    """Return the options that kernels read as one record."""
    values: dict[str, float | int | bool] = {
        "eta": float(options.eta),
        "epsilon": float(options.epsilon),
        "epsilon_decay": float(options.epsilon_decay),
        "store_exploration": options.store_exploration,
        "discount": float(options.discount),
        "reward_scale": float(scale),
        "recency": float(options.recency),
        "stratified": float(options.stratified),
        "q_average": float(options.q_average),
        "target_every": options.target_every,
        "updates": options.updates,
        "min_data": options.min_data,
        "q_adam": options.q_optimizer == "adam",
        "q_rate": float(options.q_rate),
        "q_rate_end": options.rate_floors[0],
        "policy_adam": options.policy_optimizer == "adam",
        "policy_rate": float(options.policy_rate),
        "policy_rate_end": options.rate_floors[1],
        "rate_power": float(options.rate_power),
        "rate_steps": float(options.rate_steps),
    }
    row = np.zeros(1, [(name, np.min_scalar_type(v) if isinstance(v, bool) else type(v)) for name, v in values.items()])
    for name, value in values.items():
        row[name] = value
    return row
