"""The order in which examples come in minibatches: epochs, each a permutation of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardai.core.arrays import Int64s


class Epochs:
    """Permutations of ``count`` examples, one an epoch, from ``seed`` and the epoch's number alone."""

    def __init__(self, count: int, *seed: int) -> None:
        self.count = count
        self._seed: Sequence[int] = seed
        self._last: tuple[int, Int64s] | None = None

    def order(self, epoch: int) -> Int64s:
        """Return the examples' numbers (count,) in the order of an epoch (the last one asked for is remembered)."""
        if self._last is None or self._last[0] != epoch:
            self._last = epoch, np.random.default_rng([*self._seed, epoch]).permutation(self.count)
        return self._last[1]

    def at(self, places: Int64s) -> Int64s:
        """Return the examples (n,) at ``places`` (n,) of all epochs one after another."""
        out = np.empty(len(places), np.int64)
        for epoch in np.unique(places // self.count):
            inside = places // self.count == epoch
            out[inside] = self.order(int(epoch))[places[inside] % self.count]
        return out
