"""Equal rows are found once, as numpy finds them."""

from __future__ import annotations

import numpy as np
import pytest

from cardai.learn.distinct import distinct


@pytest.mark.parametrize(("count", "values"), [(0, 2), (1, 2), (500, 2), (500, 1000)])
def test_rows_are_those_that_numpy_finds(count: int, values: int) -> None:
    rows = np.random.default_rng(1).integers(0, values, (count, 5)).astype(np.float32)
    first, inverse = distinct(rows)
    assert (rows[first][inverse] == rows).all()
    assert len(first) == len(np.unique(rows, axis=0))
    assert (np.diff(first) > 0).all()
    assert (first[inverse] <= np.arange(count)).all()


def test_rows_that_differ_in_one_bit_are_different() -> None:
    rows = np.zeros((64, 2), np.float32)
    rows[:, 1] = np.float32(2.0) ** np.arange(-32, 32)
    assert len(distinct(rows)[0]) == 64
