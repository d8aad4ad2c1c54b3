"""Regrets and averages as they are kept: in the dtype of vectors, or as int16 with a unit a decision, in half of the memory.

Kernels of :mod:`._walk_kernels`: a decision's A rows of H hands begin at row ``source``; ``place`` is (board, node, source).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel


@kernel
def _average(sums: Any, reach: Any, keep: Any, n: Any) -> None:
    for h in range(n):
        sums[h] = keep * sums[h] + reach[h]


@kernel
def _regret(regret: Any, value: Any, mean: Any, positive: Any, negative: Any, zero: Any, n: Any) -> None:
    for h in range(n):
        known = regret[h]
        regret[h] = known * (positive if known > zero else negative) + (value[h] - mean[h])


@kernel
def _pack(fresh: Any, rows: Any, source: Any, actions: Any, n: Any) -> Any:
    """Write (actions, n) numbers as int16, and return what 1 is there.

    They are rounded up or down at odds that make no error on the average: to the nearest, what is added late would be lost. The
    odds come from the largest number, so that they change with every iteration and are the same whoever does it.
    """
    zero = fresh[0, 0] - fresh[0, 0]
    top = zero
    for a in range(actions):
        row = fresh[a]
        for h in range(n):
            top = max(top, row[h] if row[h] > zero else -row[h])
    turn = np.float32(32766.0) / top if top > zero else np.float32(0.0)
    dice = np.float32(top * np.float32(977.0) + np.float32(0.1357))
    dice = (dice - np.floor(dice)) * np.float32(65536.0)
    salt = np.int32(dice)
    for a in range(actions):
        row, out = fresh[a], rows[source + a]
        for h in range(n):
            u = np.float32((np.int32(h) * np.int32(40503) + salt) & np.int32(65535)) * np.float32(1.0 / 65536.0)
            out[h] = np.int16(np.floor(row[h] * turn + u))
        salt = (salt + np.int32(25717)) & np.int32(65535)
    return top / np.float32(32766.0)


@kernel
def _unpack_sum(row: Any, unit: Any, reach: Any, out: Any, n: Any) -> None:
    for h in range(n):
        out[h] = np.float32(row[h]) * unit + reach[h]


@kernel
def _unpack_regret(row: Any, value: Any, mean: Any, positive: Any, negative: Any, out: Any, n: Any) -> None:
    for h in range(n):
        known = np.float32(row[h])
        out[h] = known * (positive if known > np.float32(0.0) else negative) + (value[h] - mean[h])


@kernel
def remember(
    sums: Any, units: Any, fresh: Any, place: Any, actions: Any, reach: Any, first: Any, keep: Any, n: Any
) -> None:
    """Add the reach behind a decision's actions to its average; ``place``: board, node, first row of ``sums``."""
    board, node, source = place
    if units is None:
        for a in range(actions):
            _average(sums[source + a], reach[first + a], keep, n)
    else:
        unit = keep * units[1, board, node]
        for a in range(actions):
            _unpack_sum(sums[source + a], unit, reach[first + a], fresh[a], n)
        units[1, board, node] = _pack(fresh, sums, source, actions, n)


@kernel
def update(
    regrets: Any,
    units: Any,
    fresh: Any,
    place: Any,
    actions: Any,
    values: Any,
    first: Any,
    mean: Any,
    rates: Any,
    n: Any,
) -> None:
    """Update regrets from the values behind a decision's actions; ``place``: board, node, first row of ``regrets``."""
    board, node, source = place
    positive, negative, zero = rates
    if units is None:
        for a in range(actions):
            _regret(regrets[source + a], values[first + a], mean, positive, negative, zero, n)
    else:
        unit = units[0, board, node]
        for a in range(actions):
            _unpack_regret(regrets[source + a], values[first + a], mean, positive * unit, negative * unit, fresh[a], n)
        units[0, board, node] = _pack(fresh, regrets, source, actions, n)
