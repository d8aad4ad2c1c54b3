"""Policies over legal actions, from what a network says of each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Bools, Float64s


def legal_softmax(logits: npt.NDArray[np.floating], legal: Bools) -> Float64s:
    """Return the probabilities (n, A) of the ``legal`` actions (n, A) for logits (n, A)."""
    masked = np.where(legal, logits, -np.inf).astype(np.float64)
    weights = np.exp(masked - masked.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def greedy(values: npt.NDArray[np.floating], legal: Bools) -> Float64s:
    """Return (n, A) with 1 at the ``legal`` action (n, A) of the greatest value (n, A), the first where some are alike."""
    best = np.where(legal, values, -np.inf).argmax(axis=1)
    return np.asarray(np.arange(legal.shape[1]) == best[:, None], np.float64)
