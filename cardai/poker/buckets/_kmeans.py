"""k-means on whole-number features, the same on every machine (the kernels are in ``_buckets_kernels``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.poker.buckets import _kernels as kernels

FAR = 1_000_000
"""A coordinate of the places of a block that hold no centre."""
Points = npt.NDArray[np.int16]


class Centres:
    """The centres of clusters, ready to be searched: in ascending order of the sum of their coordinates."""

    def __init__(self, centres: npt.NDArray[np.int64]) -> None:
        order = np.argsort(centres.sum(axis=1), kind="stable")
        self.points = centres[order]
        """(k, D) int64."""
        lanes, dimensions = kernels.LANES, centres.shape[1]
        count = -(-len(centres) // lanes)
        padded = np.full((count * lanes, dimensions), FAR, np.int64)
        padded[: len(centres)] = self.points
        blocks = padded.reshape(count, lanes, dimensions)
        self._blocks = np.ascontiguousarray(blocks.transpose(0, 2, 1)).astype(np.float32)
        self._sums = blocks.sum(axis=2).astype(np.float64)

    def nearest(self, points: Points) -> npt.NDArray[np.int64]:
        """Return (n,) the numbers of the nearest centres of points (n, D); 0 where the first entry is -1."""
        out = np.empty(len(points), np.int64)
        kernels.assign(points, self._blocks, self._sums, out)
        return out


def k_means(points: Points, clusters: int, seed: int, rounds: int, tell: Callable[[], Any] = lambda: None) -> Centres:
    """Return at most ``clusters`` centres of ``points`` (n, D), 0 <= coordinate <= SCALE.

    k-means++ from ``seed``, then up to ``rounds`` rounds of Lloyd's algorithm with centres rounded down to whole
    numbers; a centre that loses all its points stays where it is. ``tell`` is called after every round.
    """
    chosen = np.zeros((clusters, points.shape[1]), np.int64)
    found = int(kernels.plus_plus(points, np.uint64(seed), chosen))
    centres = Centres(chosen[:found])
    for _ in range(rounds):
        places = centres.nearest(points)
        sums, counts = np.zeros_like(centres.points), np.zeros(found, np.int64)
        kernels.add_to_means(points, places, sums, counts)
        moved = np.where(counts[:, None] > 0, sums // np.maximum(counts, 1)[:, None], centres.points)
        tell()
        if (moved == centres.points).all():
            break
        centres = Centres(moved)
    return centres
