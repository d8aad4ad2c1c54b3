"""The lanes' operations: what LLVM's vectors make of numbers is what numpy's rows make of them."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from cardai.core.kernel import kernel
from cardai.poker.ranges import _lanes
from cardai.poker.ranges._lanes import (
    LANES,
    add_chosen,
    add_out,
    add_span,
    apart,
    below_span,
    best_of,
    copy,
    fold_chosen,
    fold_of,
    gain_of,
    match,
    mean_of,
    part_in,
    sum_of,
    take_best,
    times_less,
    up_to_span,
)


def work(rows, flat, which, places, mass, child, slot, x, y, out, bits):
    part_in(rows, which, 0, 1, out, 0, 5)
    part_in(flat, places, 0, 2, out, 16, 16)
    add_out(rows, which, 0, 0, x, 3, 7)
    add_out(flat, places, 0, 1, y, 2, 16)
    copy(out, 32, x, 1)
    times_less(out, 33, x, 2, y, 3, x, 4)
    match(x, 5, 3)
    add_span(mass, 2, 3, y, 1, 3)
    below_span(out, 34, mass, 1, 3, 3)
    up_to_span(out, 34, mass, 4, 2, 3)
    apart(out, 37, y, 2, x, y, 3)
    best_of(y, 0, 2, child, 1, 4)
    sum_of(y, 1, 2, child, 0, 2)
    mean_of(y, 2, 3, child, 0, 3, x, 4)
    take_best(bits, 4, slot, y, 2, child, 1, 4, 0, 1, 1)
    add_chosen(mass, 4, 1, x, 3, bits, 4, 3)
    fold_chosen(out, 40, y, slot, x, 5, bits, 3, x, 2, 3)
    gain_of(out, 46, y, 3, child, 0, 3, 2, np.float32(3.5))
    fold_of(out, 50, y, slot, x, 2, y, 1, 3)


def interpreted():
    """The same with the operations that a process without numba has."""
    made = (
        *_lanes._interpreted_spans(),
        *_lanes._interpreted_choices(),
        *_lanes._interpreted_nodes(),
        *_lanes._interpreted_shares(),
    )
    return FunctionType(work.__code__, {**globals(), **{one.__name__: one for one in made}})


def numbers(seed):
    rng = np.random.default_rng(seed)

    def some(*shape):
        return rng.normal(size=shape).astype(np.float32)

    which, places = rng.integers(0, 4, 16).astype(np.int32), rng.integers(0, 40, 16)
    child, slot = np.array([3, 1, 4, 2]), np.array([0, 2, 1, 3, 0])
    x, y, out = some(20 * LANES), some(20 * LANES), some(60 * LANES)
    bits = rng.integers(0, 65536, 9).astype(np.uint16)
    return some(4, 20), some(80), which, places, some(5 * 3 * LANES), child, slot, x, y, out, bits


def test_vectors_and_rows_agree_to_the_last_bit_also_where_rows_are_the_same_or_narrow():
    found, expected = numbers(1), numbers(1)
    kernel(work)(*found)
    interpreted()(*expected)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
    assert not np.array_equal(found[0], numbers(1)[0])
    assert not np.array_equal(found[1], numbers(1)[1])
