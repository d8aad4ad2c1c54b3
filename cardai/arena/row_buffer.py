"""Rows that may be too many for memory: in memory while they are few, then in a temporary file of no name."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

IN_MEMORY = 1 << 22
"""Bytes of rows that are kept in memory; where there are more, all are in the file."""
BLOCK = 1 << 14
"""Rows that are read at once."""


class RowBuffer:
    """Rows of one dtype. Whatever lies before a row that was written and was not itself written is zeros."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._count = 0
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # as long as this object is there
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """How many bytes there are."""
        return self._count * self.dtype.itemsize

    def write(self, at: int, rows: npt.NDArray[Any]) -> None:
        """Put ``rows`` from place ``at`` on."""
        self._file.seek(at * self.dtype.itemsize)
        self._file.write(np.ascontiguousarray(rows).view(np.uint8).data if len(rows) else b"")  # no copy
        self._count = max(self._count, at + len(rows))

    def append(self, rows: npt.NDArray[Any]) -> None:
        """Put ``rows`` behind all others."""
        self.write(self._count, rows)

    def read(self, at: int = 0, count: int | None = None) -> npt.NDArray[Any]:
        """Return ``count`` rows from ``at`` on (default: all), or as many as there are; not to be written on."""
        most = self._count - at
        self._file.seek(at * self.dtype.itemsize)
        wanted = max(0, most if count is None else min(count, most))
        return np.frombuffer(self._file.read(wanted * self.dtype.itemsize), self.dtype)

    def blocks(self, count: int | None = None) -> Iterator[npt.NDArray[Any]]:
        """Yield all rows in order, ``count`` (default: :data:`BLOCK`) at a time."""
        count = BLOCK if count is None else count
        for at in range(0, self._count, count):
            yield self.read(at, count)

    def __reduce__(self) -> Any:
        return _with, (self.dtype, self.read())


def _with(dtype: np.dtype[Any], rows: npt.NDArray[Any]) -> RowBuffer:
    buffer = RowBuffer(dtype)
    buffer.append(rows)
    return buffer
