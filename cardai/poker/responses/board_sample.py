"""Boards drawn in strata, and intervals over them that are right for skewed figures."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.core.rng import derive, derive_many
from cardai.poker.hands.boards import RENAMINGS, boards

RESAMPLES = 2000
LEAST = 5
"""Boards of the smallest group that is resampled by itself."""


@frozen
class BoardSample:
    """Boards (n, k) in random order of suits, and the stratum of each."""

    boards: Int64s
    strata: Int64s


def sample_boards(cards: int, count: int, seed: int) -> BoardSample:
    """Return ``count`` boards of 3, 4 or 5 cards, each stratum as often as its share says.

    A stratum is what ranks and suits repeat (two pair and three of a suit, say). The classes of boards stand in order of
    strata, within them at random, and every 1/count of the deck's boards one is taken: each board is as likely as it is
    dealt, so a mean over the sample is unbiased (systematic sampling: Cochran, Sampling Techniques, 1977, chapter 8).
    """
    known = boards(cards)
    stratum = _strata(known.cards)
    order = np.lexsort((derive_many(derive(seed, "order", cards), count=len(stratum)), stratum))
    start, shifts = (derive_many(derive(seed, name, cards), count=n) for name, n in (("start", 1), ("suits", count)))
    shares = np.cumsum(known.weights[order].astype(np.float64))
    places = (np.arange(count) + float(start[0]) / 2.0**64) / count * shares[-1]
    chosen = order[np.minimum(np.searchsorted(shares, places, side="right"), len(order) - 1)]
    found = known.cards[chosen].astype(np.int64)
    names = RENAMINGS[(shifts % np.uint64(len(RENAMINGS))).astype(np.int64)]
    suits = np.take_along_axis(names, found // 13, axis=1)
    return BoardSample(suits * 13 + found % 13, stratum[chosen])


def _strata(cards: np.ndarray) -> Int64s:  # type: ignore[type-arg]
    """Return (m,) the number of each board's stratum: how often its ranks and suits repeat."""
    out = np.zeros(len(cards), np.int64)
    for values, size in ((cards % 13, 13), (cards // 13, 4)):
        counts = np.stack([(values == value).sum(axis=1) for value in range(size)], axis=1)
        counts = -np.sort(-counts, axis=1)[:, : min(size, 5)]
        for column in counts.T:
            out = out * 6 + column
    return np.asarray(np.unique(out, return_inverse=True)[1], np.int64)


@frozen
class Interval:
    """A mean and its 95 % interval, which need not be symmetric (nan where nothing can be said)."""

    mean: float
    low: float
    high: float
    count: int

    def scaled(self, factor: float) -> Interval:
        """Return it in another unit (``factor`` above 0)."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor, self.count)

    def text(self, digits: int = 1) -> str:
        """Return "138.5 (127.1 to 151.9)"."""
        if math.isnan(self.low):
            return f"{self.mean:.{digits}f} (no interval)"
        return f"{self.mean:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


def bootstrap(values: Float64s, strata: Int64s, seed: int) -> Interval:
    """Return the mean of ``values`` (n,) with its interval by the studentized bootstrap within strata.

    Each resampled mean is measured in its own standard error, so that a long tail on one side makes a longer interval
    there (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5). Neighbouring strata of few boards
    are one. Fewer boards than a group needs have no interval: one drawn again and again has no standard error.
    """
    count = len(values)
    mean = float(np.mean(values)) if count else math.nan
    if count < LEAST:
        return Interval(mean, math.nan, math.nan, count)
    groups = _groups(strata)
    error = math.sqrt(sum(_variance(values[group], count) for group in groups))
    if error == 0.0:
        return Interval(mean, mean, mean, count)
    means, errors = np.zeros(RESAMPLES), np.zeros(RESAMPLES)
    for number, group in enumerate(groups):
        size = len(group)
        draws = derive_many(derive(seed, "bootstrap", number), count=RESAMPLES * size) % np.uint64(size)
        drawn = values[group][draws.astype(np.int64)].reshape(RESAMPLES, size)
        means += drawn.mean(axis=1) * size / count
        errors += drawn.var(axis=1, ddof=1) * size / count**2 if size > 1 else 0.0
    valid = errors > 1e-6 * error**2  # not one value drawn throughout, but for rounding
    ratios = (means[valid] - mean) / np.sqrt(errors[valid])
    high, low = np.quantile(ratios, [0.025, 0.975])
    return Interval(mean, mean - float(low) * error, mean - float(high) * error, count)


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
