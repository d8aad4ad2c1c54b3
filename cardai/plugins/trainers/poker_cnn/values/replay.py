"""Attention to hands that the network misplays, by what they cost when it last saw them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from cardai.core.arrays import Float32s, Int64s


class Replay:
    """Draws examples in proportion to weight times regret, the regret being that of the last time they were shown.

    Prioritised replay (Schaul, Quan, Antonoglou, Silver, ICLR 2016) with what holds really cost in place of the
    temporal-difference error, and without its correction: exact labels do not depend on how often they are shown.
    """

    def __init__(self, weights: Float32s, regrets: Float32s | None = None) -> None:
        self.weights = weights
        self.regrets = np.zeros(len(weights), np.float32) if regrets is None else regrets

    def draw(self, count: int, rng: np.random.Generator) -> Int64s:
        """Return the numbers (count,) of examples, with replacement; uniform as long as no regret is known."""
        chances = np.cumsum(self.weights * self.regrets, dtype=np.float64)
        if chances[-1] <= 0:
            return rng.integers(0, len(chances), count)
        places = np.searchsorted(chances, rng.random(count) * chances[-1], side="right")
        return np.asarray(np.minimum(places, len(chances) - 1), np.int64)

    def note(self, index: Int64s, regrets: Tensor) -> None:
        """Keep the regrets (n,) of the examples ``index`` (n,)."""
        self.regrets[index] = regrets.detach().cpu().numpy()


def excess_regret(values: Tensor, aim: Tensor, logits: Tensor) -> Tensor:
    """Return what playing softmax(``logits``) costs beyond playing ``aim``, (B,), at least 0, in units of ``values``.

    All are (B, holds): exact values, the probabilities to be learned, the policy head's outputs.
    """
    cost = values.amax(dim=1, keepdim=True) - values
    return ((torch.softmax(logits, dim=1) - aim) * cost).sum(dim=1).clamp(min=0)
