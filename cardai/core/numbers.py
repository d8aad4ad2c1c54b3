"""Views as rows of whole numbers, field after field: one form for all games, which kernels read without compiling for each.

A kernel that takes a structured array is compiled once for every dtype; one that takes these rows, once. An encoder's
:class:`NumberLayout` is written over them: one view costs a call or two of a kernel, as a block of many does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Layout
from cardai.core.fields import Field, Views, interned, view_dtype
from cardai.core.kernel import kernel

_BLOCK = 128
"""Views that are made numbers at a time: they stay in the cache."""


@kernel
def _unpack(raw: Any, plan: Any, out: Any) -> None:
    """Fill ``out`` (n, w) int64 from the bytes ``raw`` (n, b) int8; ``plan`` (k, 4): first byte, bytes, entries, column."""
    for i in range(len(out)):
        for k in range(len(plan)):
            at, size, column = plan[k, 0], plan[k, 1], plan[k, 3]
            if size == 1:
                for entry in range(plan[k, 2]):
                    out[i, column + entry] = raw[i, at + entry]
                continue
            for entry in range(plan[k, 2]):
                last = at + size * (entry + 1) - 1
                value = np.int64(raw[i, last])  # the highest byte has the sign
                for byte in range(1, size):
                    value = (value << 8) | (np.int64(raw[i, last - byte]) & 255)
                out[i, column + entry] = value


class ViewNumbers:
    """Where the entries of ``fields`` stand in a row of numbers. A card set is the number that its 64 bits are."""

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.fields = fields
        self.dtype = interned(view_dtype(fields))
        self.where: dict[str, slice] = {}
        """The columns of each field."""
        self.width = 0
        for f in fields:
            self.where[f.name] = slice(self.width, self.width + (f.size or 1))
            self.width += f.size or 1
        self._known = self.dtype, self._plan_of(self.dtype)

    def at(self, *names: str) -> Int64s:
        """Return the first columns of fields."""
        return np.array([self.where[name].start for name in names], np.int64)

    def places(self, names: Sequence[str]) -> Int64s:
        """Return (k, 2) the first column of each field, and the one behind its last."""
        return np.array([(self.where[name].start, self.where[name].stop) for name in names], np.int64).reshape(-1, 2)

    def _plan_of(self, dtype: np.dtype[Any]) -> Int64s:
        assert dtype.fields is not None
        rows = []
        for name, at in self.where.items():
            kind, offset = dtype.fields[name][:2]
            rows.append((offset, kind.base.itemsize, at.stop - at.start, at.start))
        return np.array(rows, np.int64).reshape(-1, 4)

    def of(self, views: Views) -> Int64s:
        """Return views (n,), which have these fields and perhaps others, as numbers (n, width) int64."""
        dtype, (known, plan) = views.dtype, self._known
        if dtype is not known:
            plan = self._plan_of(dtype)
            self._known = dtype, plan
        out = np.empty((len(views), self.width), np.int64)
        raw = np.ascontiguousarray(views).view(np.int8).reshape(len(views), dtype.itemsize)
        _unpack(raw, plan, out)
        return out

    def views(self, numbers: Int64s) -> Views:
        """Return numbers (n, width) as views (n,)."""
        out = np.zeros(len(numbers), self.dtype)
        for f in self.fields:
            columns = numbers[:, self.where[f.name]]
            out[f.name] = (columns if f.size else columns[:, 0]).astype(f.dtype)
        return out


@cache
def numbers_of(fields: tuple[Field, ...]) -> ViewNumbers:
    """Return the numbers of views over ``fields``, the same object for the same fields."""
    return ViewNumbers(fields)


def field_columns(numbers: ViewNumbers, wanted: ViewNumbers) -> Int64s | None:
    """Return the columns of ``numbers`` that hold the fields of ``wanted`` in its order; None: they are the same."""
    if list(numbers.where) == list(wanted.where):
        return None
    places = [numbers.where[name] for name in wanted.where]
    return np.concatenate([np.arange(place.start, place.stop) for place in places])


class NumberLayout(Layout):
    """A layout that is written over the rows of numbers that views are; ``fields`` are those of the game that it reads."""

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.numbers = numbers_of(fields)

    @abstractmethod
    def write(self, numbers: Int64s, out: Float32s) -> None:
        """Write views as numbers (n, width) into ``out`` (n, *shape), which is zero before."""

    def encode_numbers(self, numbers: Int64s) -> Float32s:
        """Return (n, *shape) float32 for views as numbers (n, width)."""
        out = np.zeros((len(numbers), *self.shape), np.float32)
        self.write(numbers, out)
        return out

    def encode(self, views: Views) -> Float32s:
        out = np.zeros((len(views), *self.shape), np.float32)
        for first in range(0, len(views), _BLOCK):
            block = slice(first, first + _BLOCK)
            self.write(self.numbers.of(views[block]), out[block])
        return out
