"""Memories of experience: circular and reservoir buffers over structured arrays, and bit-packed observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s
from cardai.core.encoder import Layout

Entries = npt.NDArray[Any]


class Codec:
    """Packs encoded views: a bit a number where all planes are 0 or 1, else their float32 bytes."""

    def __init__(self, layout: Layout) -> None:
        self.size = int(np.prod(layout.shape))
        self.binary = all(plane.scale == "0 or 1" for plane in layout.planes)
        self.width = (self.size + 7) // 8 if self.binary else 4 * self.size

    def pack(self, codes: Float32s) -> npt.NDArray[np.uint8]:
        """Return codes (n, size) as bytes (n, width).

        Raises:
            ValueError: a layout that says it is binary gave something else than 0 and 1.
        """
        codes = np.ascontiguousarray(codes.reshape(len(codes), self.size), np.float32)
        if not self.binary:
            return codes.view(np.uint8)
        bits = codes != 0
        if not (codes[bits] == 1).all():
            raise ValueError("The encoder's planes say '0 or 1', but it gave other numbers: state their scale.")
        return np.packbits(bits, axis=1)

    def unpack(self, packed: npt.NDArray[np.uint8]) -> Float32s:
        """Return bytes (n, width) as codes (n, size)."""
        if not self.binary:
            return np.ascontiguousarray(packed).view(np.float32)
        return np.unpackbits(packed, axis=1, count=self.size).astype(np.float32)


class Circular:
    """The last ``capacity`` entries."""

    def __init__(self, capacity: int, dtype: np.dtype[Any]) -> None:
        self.data = np.zeros(capacity, dtype)
        self.seen = 0

    def __len__(self) -> int:
        return min(self.seen, len(self.data))

    def add(self, entries: Entries) -> None:
        """Put entries (n,) in, over the oldest ones when full."""
        at = (self.seen + np.arange(len(entries))) % len(self.data)
        self.data[at] = entries
        self.seen += len(entries)

    def sample(self, count: int, rng: np.random.Generator) -> Entries:
        """Return ``count`` entries drawn uniformly with replacement."""
        return np.asarray(self.data[rng.integers(len(self), size=count)])


class Reservoir(Circular):
    """A uniform sample of everything ever offered (Vitter, "Random sampling with a reservoir", 1985, algorithm R)."""

    def offer(self, entries: Entries, rng: np.random.Generator, recency: float = 0.0) -> None:
        """Offer entries (n,) one after another.

        With ``recency`` above 0 the n-th entry ever has weight n ** recency (Chao, "A general purpose unequal
        probability sampling plan", 1982): it is taken with probability (1 + recency) capacity / n.
        """
        order = self.seen + np.arange(len(entries))
        drawn = (rng.random(len(entries)) * (order + 1) / (1 + recency)).astype(np.int64)
        at = np.where(order < len(self.data), order, drawn)
        kept = at < len(self.data)
        self.data[at[kept]] = entries[kept]  # of two at one place the later one stays, as one after another
        self.seen += len(entries)
