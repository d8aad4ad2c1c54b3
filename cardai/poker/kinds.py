"""Players of betting games think in kinds (fold, call, raise); here kinds become probabilities of a game's actions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cardai.core.arrays import Bools, Float64s

Weights = Float64s


def spread(weights: Weights, mask: Bools, move: bool = True) -> Weights:
    """Return (n, A) probabilities from (n, 3) or (1, 3) weights of fold, call and raise, and the legal actions (n, A).

    Columns are 0 fold, 1 check or call, and from 2 on the raises (limit: one; a ladder: its rungs, which share the weight
    evenly). With ``move``, what is not legal goes to the next tamer kind, a raise to a call and a fold to a check;
    without, the rest is renormalised. Where nothing of a row's weight is legal (a draw game's discards, for one) its first
    legal action is played (there: stand pat).
    """
    if len(mask) == 1:  # a client of the wire asks one row at a time, and few of them differ
        return _spread_row(weights.tobytes(), mask.tobytes(), move).copy()
    return _spread(weights, mask, move)


@lru_cache(maxsize=4096)
def _spread_row(weights: bytes, mask: bytes, move: bool) -> Weights:
    return _spread(np.frombuffer(weights).reshape(1, -1), np.frombuffer(mask, np.bool_).reshape(1, -1), move)


def _spread(weights: Weights, mask: Bools, move: bool) -> Weights:
    if not move and mask.shape[1] == 3:  # the usual case in a few steps
        kept = weights * mask
        total = kept.sum(axis=1, keepdims=True)
        if mask[:, 1].all() and total.all():
            return np.asarray(kept / total)
    kinds = np.stack([mask[:, 0], mask[:, 1], mask[:, 2:].any(axis=1)], axis=1)
    kept = np.where(kinds, weights, 0.0)
    if move:
        kept[:, 1] += np.where(kinds[:, 1], (weights - kept).sum(axis=1), 0.0)
    out = np.zeros(mask.shape)
    out[:, :2] = kept[:, :2]
    rungs = mask[:, 2:]
    out[:, 2:] = rungs * (kept[:, 2] / np.maximum(rungs.sum(axis=1), 1))[:, None]
    nothing = ~(out.sum(axis=1) > 0) | ~kinds[:, 1]
    out[nothing] = 0.0
    out[nothing, np.argmax(mask[nothing], axis=1)] = 1.0
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def first_raise(mask: Bools) -> Bools:
    """Return the legal actions with only the lowest of the raises left."""
    out = mask.copy()
    out[:, 3:] &= (np.cumsum(mask[:, 2:], axis=1) - mask[:, 2:])[:, 1:] == 0
    return out


def last_raise(mask: Bools) -> Bools:
    """Return the legal actions with only the highest of the raises left."""
    out = mask.copy()
    out[:, 2:] &= np.cumsum(mask[:, :1:-1], axis=1)[:, ::-1] == 1
    return out
