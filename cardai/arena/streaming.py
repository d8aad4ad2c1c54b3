"""Estimates of values that come in blocks: the same, to the last bit, as :mod:`cardai.arena.statistics` gives of them all.

Memory does not grow with the number of values. They are read as often as an estimate needs (a mean, then what is left of
each value). numpy adds an array up in halves, its sizes rounded down to eights (pairwise summation; Higham 1993); the same
halves are made here, so that the roundings are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from cardai.arena.statistics import rate_of, student_t
from cardai.core.arrays import Float64s
from cardai.core.statistics import Estimate

Blocks = Callable[[], Iterator[Float64s]]
"""Reads the values from the start: blocks (k, m) of k rows of values, m any number."""
LEAF = 4096
"""Values that are left to numpy at once; it divides arrays above 128."""


def sums(blocks: Iterator[Float64s], rows: int, count: int) -> Float64s:
    """Return the sums (rows,) of ``count`` values a row, as np.sum gives them of whole rows."""
    return _sum(_Values(blocks, rows), count)


def _sum(values: _Values, count: int) -> Float64s:
    if count <= LEAF:
        return np.array([np.sum(row) for row in values.take(count)])
    half = count // 2
    half -= half % 8
    return _sum(values, half) + _sum(values, count - half)


class _Values:
    """Takes as many values at a time as are asked for, from blocks of any sizes."""

    def __init__(self, blocks: Iterator[Float64s], rows: int) -> None:
        self._blocks = blocks
        self._left = np.zeros((rows, 0))

    def take(self, size: int) -> Float64s:
        """Return the next (rows, size) values, rows contiguous."""
        parts, have = [self._left], self._left.shape[1]
        while have < size:
            parts.append(next(self._blocks))
            have += parts[-1].shape[1]
        joined = np.ascontiguousarray(np.concatenate(parts, axis=1))
        self._left = joined[:, size:]
        return np.ascontiguousarray(joined[:, :size])


def variances(blocks: Blocks, rows: int, count: int) -> Float64s:
    """Return the variances (rows,) of a row's values, two or more, as np.var with ddof=1 gives them."""
    means = (sums(blocks(), rows, count) / count)[:, None]

    def squares() -> Iterator[Float64s]:
        for block in blocks():
            apart = block - means
            yield apart * apart

    return np.asarray(sums(squares(), rows, count) / (count - 1))


def means(blocks: Blocks, rows: int, count: int) -> list[Estimate]:
    """Return the means of ``count`` independent values a row (:func:`cardai.arena.statistics.mean`)."""
    if count == 0:
        return [Estimate(math.nan, math.nan, 0)] * rows
    found = sums(blocks(), rows, count) / count
    if count == 1:
        return [Estimate(float(value), math.nan, 1) for value in found]
    errors = np.sqrt(variances(blocks, rows, count)) / math.sqrt(count)
    return [Estimate(float(a), student_t(count - 1) * float(b), count) for a, b in zip(found, errors, strict=True)]


def rates(blocks: Blocks, rows: int, count: int) -> list[Estimate]:
    """Return the means of ``count`` shares in [0, 1] a row (:func:`cardai.arena.statistics.rate`)."""
    return [rate_of(estimate) for estimate in means(blocks, rows, count)]


def ratios(blocks: Blocks, figures: int, count: int) -> list[Estimate]:
    """Return sums of numerators by sums of denominators (:func:`cardai.arena.statistics.ratio`).

    Blocks are (2 * figures, m): the numerators of each figure, then the denominators, by group.
    """
    if count == 0:
        return [Estimate(math.nan, math.nan, 0)] * figures
    found = sums(blocks(), 2 * figures, count)
    above, below = found[:figures], found[figures:]
    known = below != 0
    values = np.divide(above, below, out=np.full(figures, math.nan), where=known)
    if count == 1:
        return [Estimate(float(value), math.nan, count) for value in values]

    def residuals() -> Iterator[Float64s]:
        for block in blocks():
            yield block[:figures] - np.where(known, values, 0.0)[:, None] * block[figures:]

    errors = np.divide(
        np.sqrt(variances(residuals, figures, count)) * math.sqrt(count),
        below,
        out=np.full(figures, math.nan),
        where=known,
    )
    widths = [student_t(count - 1) * float(error) for error in errors]
    return [Estimate(float(value), width, count) for value, width in zip(values, widths, strict=True)]
