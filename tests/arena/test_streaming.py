"""Estimates from blocks are those of whole arrays, bit for bit; memory does not grow with a match."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardai.arena import statistics, streaming
from cardai.core.arrays import Float64s


def blocks(values: Float64s, sizes: int) -> streaming.Blocks:
    """Return what reads (k, n) values in blocks of 1 to ``sizes``."""

    def read() -> Iterator[Float64s]:
        cuts = np.cumsum(np.random.default_rng(sizes).integers(1, sizes + 1, values.shape[1]))
        yield from np.split(values, cuts[cuts < values.shape[1]], axis=1)

    return read


counts = st.one_of(st.integers(1, 300), st.integers(4000, 4200), st.integers(8000, 50_000))


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(count=counts, seed=st.integers(0, 1000), sizes=st.integers(100, 9000))
def test_estimates_from_blocks_are_those_of_whole_arrays(count: int, seed: int, sizes: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0.3, 10.0 ** rng.integers(-3, 4), (2, count))
    assert streaming.sums(blocks(values, sizes)(), 2, count).tolist() == [np.sum(row) for row in values]
    expected = [statistics.mean(row) for row in values]
    assert repr(streaming.means(blocks(values, sizes), 2, count)) == repr(expected)
    below = np.stack([rng.integers(0, 3, count).astype(float), np.ones(count)])
    both = np.concatenate([values, below])
    expected = [statistics.ratio(a, b) for a, b in zip(values, below, strict=True)]
    assert repr(streaming.ratios(blocks(both, sizes), 2, count)) == repr(expected)
    shares = (values > 0).astype(float)
    assert repr(streaming.rates(blocks(shares, sizes), 2, count)) == repr([statistics.rate(row) for row in shares])


@pytest.mark.parametrize("values", [np.zeros((1, 0)), np.ones((1, 1)), np.ones((1, 7)), np.zeros((1, 9))])
def test_few_values_and_equal_ones_have_the_same_estimates(values: Float64s) -> None:
    count = values.shape[1]
    assert repr(streaming.rates(blocks(values, 3), 1, count)) == repr([statistics.rate(values[0])])
    nothing = np.concatenate([values, 0 * values])
    assert repr(streaming.ratios(blocks(nothing, 3), 1, count)) == repr([statistics.ratio(values[0], 0 * values[0])])
