"""Means of skewed figures, with intervals that need not be symmetric."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from attrs import frozen

from cardai.arena.statistics import mean
from cardai.core.arrays import Float64s, Int64s
from cardai.core.rng import derive, derive_many

RESAMPLES = 2000
LEAST = 5
"""Values of the smallest group that is resampled by itself."""
_AT_ONCE = 1 << 20
"""Values that are drawn at a time: what a group of any size takes in memory."""


@frozen
class Interval:
    """A mean and its 95 % interval, which need not be symmetric (nan where nothing can be said)."""

    mean: float
    low: float
    high: float
    count: int

    @property
    def half_width(self) -> float:
        """Half of its length."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> Interval:
        """Return it in another unit (``factor`` above 0)."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor, self.count)

    def text(self, digits: int = 1, unit: str = "", sign: bool = False) -> str:
        """Return "138.5 (127.1 to 151.9) mbb", with ``sign`` "+138.5 (+127.1 to +151.9) mbb"."""
        mean, low, high = (f"{x:{'+' if sign else ''}.{digits}f}" for x in (self.mean, self.low, self.high))
        between = "no interval" if math.isnan(self.low) else f"{low} to {high}"
        return f"{mean} ({between}){unit and ' ' + unit}"


def bootstrap(values: Float64s, strata: Int64s | None, seed: int) -> Interval:
    """Return the mean of ``values`` (n,) with its interval by the studentized bootstrap within strata (None: there are none).

    Each resampled mean is measured in its own standard error, so that a long tail on one side makes a longer interval
    there (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5). Neighbouring strata of few values
    are one. Fewer values than a group needs have no interval: one drawn again and again has no standard error.
    """
    count = len(values)
    middle = float(np.mean(values)) if count else math.nan
    if count < LEAST:
        return Interval(middle, math.nan, math.nan, count)
    groups = _groups(np.zeros(count, np.int64) if strata is None else strata)
    error = math.sqrt(sum(_variance(values[group], count) for group in groups))
    if error == 0.0:
        return Interval(middle, middle, middle, count)
    means, errors = np.zeros(RESAMPLES), np.zeros(RESAMPLES)
    for number, group in enumerate(groups):
        size = len(group)
        for part, drawn in _resampled(values[group], derive(seed, "bootstrap", number)):
            means[part] += drawn.mean(axis=1) * size / count
            errors[part] += drawn.var(axis=1, ddof=1) * size / count**2 if size > 1 else 0.0
    valid = errors > 1e-6 * error**2  # not one value drawn throughout, but for rounding
    ratios = (means[valid] - middle) / np.sqrt(errors[valid])
    high, low = np.quantile(ratios, [0.025, 0.975])
    return Interval(middle, middle - float(low) * error, middle - float(high) * error, count)


def cautious(values: Float64s, seed: int) -> Interval:
    """Return the mean of independent ``values`` (n,) with the longer, on either side, of the bootstrap's interval and Student's.

    Where few values are nearly all of the spread the bootstrap is longer on their side; of few values that hide their tail
    it is too short, and Student's is not (``benchmarks/aivat.py --coverage``).
    """
    student, found = mean(values), bootstrap(values, None, seed)
    if math.isnan(found.low):
        return Interval(student.mean, student.low, student.high, student.count)
    return Interval(found.mean, min(found.low, student.low), max(found.high, student.high), found.count)


def _resampled(values: Float64s, seed: int) -> Iterator[tuple[slice, Float64s]]:
    """Yield (which of the resamples, (m, n) their values) of ``values`` (n,), some at a time."""
    size = len(values)
    step = max(1, _AT_ONCE // size)
    for first in range(0, RESAMPLES, step):
        part = slice(first, min(first + step, RESAMPLES))
        draws = derive_many(seed, start=first * size, count=(part.stop - first) * size) % np.uint64(size)
        yield part, values[draws.astype(np.int64)].reshape(-1, size)


def _variance(values: Float64s, count: int) -> float:
    """Return what a group adds to the variance of the mean of ``count`` values."""
    return float(np.var(values, ddof=1)) * len(values) / count**2 if len(values) > 1 else 0.0


def _groups(strata: Int64s) -> list[Int64s]:
    """Return the places of each group: strata, those with few boards joined with the next."""
    order = np.argsort(strata, kind="stable")
    groups: list[list[int]] = [[]]
    for k, place in enumerate(order.tolist()):
        if len(groups[-1]) >= LEAST and strata[place] != strata[order[k - 1]]:
            groups.append([])
        groups[-1].append(place)
    if len(groups) > 1 and len(groups[-1]) < LEAST:
        last = groups.pop()
        groups[-1] += last
    return [np.array(group) for group in groups]
