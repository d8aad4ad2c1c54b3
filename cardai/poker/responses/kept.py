"""The pieces of a measure that are done, in memory and in a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.npz import read_npz, write_npz

EVERY = 1.0
"""Seconds after which pieces that are done are written: quick ones go into the file together."""
Arrays = dict[str, npt.NDArray[Any]]


class Kept:
    """The figures of each piece: ``done`` (pieces,) and ``found`` (pieces, *shape).

    ``identity`` (hexadecimal) names what is measured. ``file`` None: nothing is written.

    Raises:
        UsageError: the file is of another measure. DamagedFileError: it is no file of a measure.
    """

    def __init__(self, identity: str, pieces: int, shape: tuple[int, ...], file: Path | None) -> None:
        self.name, self.file = np.frombuffer(bytes.fromhex(identity), np.uint8), file
        self.done: Bools = np.zeros(pieces, bool)
        self.found: Float64s = np.zeros(self._room(pieces, shape))
        self._written = time.monotonic()
        if file is not None and file.exists():
            self._read(file, read_npz(file))

    def missing(self) -> list[int]:
        """Return the pieces to do."""
        return [int(number) for number in np.flatnonzero(~self.done)]

    def add(self, number: int, found: Float64s) -> None:
        """Take a piece's figures."""
        self.done[number] = True
        self._take(number, found)
        if time.monotonic() - self._written > EVERY:
            self.write()

    def write(self) -> None:
        """Write all there is, if it is kept in a file."""
        if self.file is not None:
            write_npz(self.file, self._arrays())
        self._written = time.monotonic()

    def _room(self, pieces: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of what is kept."""
        return pieces, *shape

    def _take(self, number: int, found: Float64s) -> None:
        self.found[number] = found

    def _arrays(self) -> Arrays:
        return {"question": self.name, "done": self.done, "found": self.found}

    def _read(self, file: Path, kept: Arrays) -> None:
        if kept.keys() != {"question", "done", "found"}:
            raise DamagedFileError(f"The file {file} holds no pieces of a measure.")
        if not np.array_equal(kept["question"], self.name):
            raise UsageError(
                f"The file {file} belongs to another game, player, street, seed, number or other options. Give another --out."
            )
        for array, own in ((kept["done"], self.done), (kept["found"], self.found)):
            if array.shape != own.shape or array.dtype != own.dtype or not np.isfinite(array).all():
                raise DamagedFileError(f"The file {file} is damaged.")
            own[:] = array


class KeptSum(Kept):
    """The sum of all pieces' figures alone, ``found`` (*shape): added up in order, so that it is the same to the last bit.

    What is done out of order waits.
    """

    def __init__(self, identity: str, pieces: int, shape: tuple[int, ...], file: Path | None) -> None:
        self.waiting: dict[int, Float64s] = {}
        super().__init__(identity, pieces, shape, file)

    def _room(self, pieces: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape

    def _take(self, number: int, found: Float64s) -> None:
        self.waiting[number] = found
        behind = np.append(np.flatnonzero(~self.done), len(self.done))[0]
        for waiting in sorted(self.waiting):
            if waiting > behind:
                break
            self.found += self.waiting.pop(waiting)

    def _arrays(self) -> Arrays:
        if not self.waiting:
            return super()._arrays()
        numbers = np.array(list(self.waiting), np.int64)
        return {**super()._arrays(), "waiting": numbers, "ahead": np.array(list(self.waiting.values()))}

    def _read(self, file: Path, kept: Arrays) -> None:
        none = np.zeros(0, np.int64), np.zeros((0, *self.found.shape))
        numbers, found = kept.pop("waiting", none[0]), kept.pop("ahead", none[1])
        super()._read(file, kept)
        fits = numbers.dtype == np.int64 and found.dtype == np.float64 and numbers.ndim == 1
        if not fits or found.shape != (len(numbers), *self.found.shape) or not np.isfinite(found).all():
            raise DamagedFileError(f"The file {file} is damaged.")
        if not ((numbers >= 0) & (numbers < len(self.done))).all() or not self.done[numbers].all():
            raise DamagedFileError(f"The file {file} is damaged.")
        self.waiting = dict(zip(numbers.tolist(), found, strict=True))
