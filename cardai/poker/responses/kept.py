"""The pieces of a measure that are done, in memory and in a file."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from cardai.core.arrays import Bools, Float64s, Records
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.npz import Arrays, read_npz, write_npz

EVERY = 1.0
"""Seconds after which pieces that are done are written: quick ones go into the file together."""


class Kept:
    """The figures of each piece: ``done`` (pieces,) and ``found`` (pieces, *shape).

    ``identity`` (hexadecimal) names what is measured. ``file`` None: nothing is written. A file that has fewer pieces is gone on
    with, and of one that has more none are lost. Of a piece's figures those at ``gaps`` may be unknown (NaN).

    Raises:
        UsageError: the file is of another measure. DamagedFileError: it is no file of a measure.
    """

    def __init__(
        self, identity: str, pieces: int, shape: tuple[int, ...], file: Path | None, gaps: tuple[int, ...] = ()
    ) -> None:
        self.name, self.file = np.frombuffer(bytes.fromhex(identity), np.uint8), file
        self.gaps, self._written = list(gaps), time.monotonic()
        self._done: Bools = np.zeros(pieces, bool)
        self._found: Float64s = np.zeros((pieces, *shape))
        if file is not None and file.exists():
            self._read(file, read_npz(file))
        self.done, self.found = self._done[:pieces], self._found[:pieces]

    def missing(self) -> list[int]:
        """Return the pieces to do."""
        return [int(number) for number in np.flatnonzero(~self.done)]

    def add(self, number: int, found: Float64s) -> None:
        """Take a piece's figures."""
        self.done[number], self.found[number] = True, found
        if time.monotonic() - self._written > EVERY:
            self.write()

    def write(self) -> None:
        """Write all there is, if it is kept in a file."""
        if self.file is not None:
            write_npz(self.file, {"question": self.name, "done": self._done, "found": self._found})
        self._written = time.monotonic()

    def _read(self, file: Path, kept: Arrays) -> None:
        if kept.keys() != {"question", "done", "found"}:
            raise DamagedFileError(f"The file {file} holds no pieces of a measure.")
        if not np.array_equal(kept["question"], self.name):
            raise UsageError(
                f"The file {file} belongs to another game, player (a run that was trained on is one), street, seed, number or "
                "other options. Give another --out."
            )
        done, found = self._taken(file, kept["done"], self._done), self._taken(file, kept["found"], self._found)
        if len(kept["done"]) != len(kept["found"]):
            raise DamagedFileError(f"The file {file} is damaged.")
        self._done, self._found = done, found

    def _taken(self, file: Path, array: Records, own: Records) -> Records:
        """Return the pieces of ``array``, of as many as ``own`` has at least."""
        if array.ndim != own.ndim or array.shape[1:] != own.shape[1:] or array.dtype != own.dtype:
            raise DamagedFileError(f"The file {file} is damaged.")
        sound = np.isfinite(array)
        if self.gaps and array.ndim > 1:
            sound[..., self.gaps] |= np.isnan(array[..., self.gaps])
        if not sound.all():
            raise DamagedFileError(f"The file {file} is damaged.")
        return np.concatenate([array, own[len(array) :]])
