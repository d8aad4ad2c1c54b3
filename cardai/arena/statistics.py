"""Means, rates and ratios with 95% intervals.

Games of one duplicate group (the same decks, seats exchanged) are not independent, so every interval here is over
groups: pass one value a group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.statistics import Estimate as Estimate

Floats = npt.NDArray[np.floating]  # type: ignore[type-arg]


def student_t(degrees: int, level: float = 0.95) -> float:
    """Return the two-sided quantile of Student's t, for fewer than one degree of freedom that of one.

    Exact for 1, 2 and 3; from 4 on by the Cornish-Fisher expansion (Abramowitz, Stegun 26.7.5), off by less than 0.01 at 95%.
    """
    if degrees <= 1:
        return math.tan(math.pi * level / 2)
    if degrees == 2:
        return level * math.sqrt(2 / (1 - level**2))
    if degrees == 3:
        low, high = 0.0, math.pi / 2  # t = sqrt(3) tan(x) has the level 2 (x + sin(x) cos(x)) / pi
        for _ in range(60):
            middle = (low + high) / 2
            reached = 2 / math.pi * (middle + math.sin(middle) * math.cos(middle))
            low, high = (middle, high) if reached < level else (low, middle)
        return math.sqrt(3) * math.tan(low)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    v = degrees
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / v + g2 / v**2 + g3 / v**3


def mean(values: Floats) -> Estimate:
    """Return the mean of independent values (n,) with its 95% interval."""
    count = len(values)
    if count == 0:
        return Estimate(math.nan, math.nan, 0)
    if count == 1:
        return Estimate(float(values[0]), math.nan, 1)
    error = float(np.std(values, ddof=1)) / math.sqrt(count)
    return Estimate(float(np.mean(values)), student_t(count - 1) * error, count)


def rate(shares: Floats) -> Estimate:
    """Return the mean of shares in [0, 1] (n,), with Wilson's width where all are 0 or all are 1 (none would be wrong)."""
    return rate_of(mean(shares))


def rate_of(estimate: Estimate) -> Estimate:
    """Return the mean of shares as a rate: with Wilson's width where all are 0 or all are 1."""
    if estimate.count and estimate.mean in (0.0, 1.0):
        low, high = wilson(round(estimate.mean * estimate.count), estimate.count)
        return Estimate(estimate.mean, high - low, estimate.count)
    return estimate


def ratio(numerators: Floats, denominators: Floats) -> Estimate:
    """Return sum(numerators) / sum(denominators) over independent groups (n,), interval by the delta method.

    For figures such as points a round, where each group has its own number of rounds.
    """
    count = len(numerators)
    total = float(np.sum(denominators))
    if count == 0 or total == 0:
        return Estimate(math.nan, math.nan, count)
    value = float(np.sum(numerators)) / total
    if count == 1:
        return Estimate(value, math.nan, 1)
    residual = np.asarray(numerators, float) - value * np.asarray(denominators, float)
    error = float(np.std(residual, ddof=1)) * math.sqrt(count) / total
    return Estimate(value, student_t(count - 1) * error, count)


def wilson(successes: int, count: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval for a rate of ``successes`` in ``count`` independent trials (Wilson 1927)."""
    if count == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    rate = successes / count
    centre = (rate + z * z / (2 * count)) / (1 + z * z / count)
    spread = z / (1 + z * z / count) * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    return max(0.0, centre - spread), min(1.0, centre + spread)


def grouped(
    parts: Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]],
    groups: npt.NDArray[np.integer],  # type: ignore[type-arg]
) -> dict[str, Estimate]:
    """Return figures of their parts, (numerators, denominators) a hand, each (n,), where hands are of ``groups`` (n,)."""
    return {name: ratio(group_sums(groups, above), group_sums(groups, below)) for name, (above, below) in parts.items()}


def group_sums(groups: npt.NDArray[np.integer], values: Floats) -> Floats:  # type: ignore[type-arg]
    """Return the sum of ``values`` (n,) within each distinct group, in the order of the sorted group numbers."""
    _, inverse = np.unique(groups, return_inverse=True)
    return np.asarray(np.bincount(inverse, weights=np.asarray(values, float)), np.float64)


def shares(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each agent's share (..., P) of games won, of scores (..., P)."""
    best = scores == scores.max(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def shares_by_group(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return each agent's share (g, P) of the games won of each group, of scores (g, size, P)."""
    won = shares(scores)
    whole = won[:, 0].copy()
    for game in range(1, scores.shape[1]):  # one after the other, as bincount adds
        whole += won[:, game]
    return np.asarray(whole / scores.shape[1])
