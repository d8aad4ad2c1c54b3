"""Potential-aware buckets: hands whose strength on the river is distributed alike are one of 1,000 (arXiv 1807.00900).

k-means over the distributions of river strength, as Johanson et al. 2013 and Ganzfried and Sandholm 2014 cluster them. The
distance is Euclid's between cumulative distributions (Cramer's); the earth mover's is the sum of the same differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen, validators

from cardai.cards.poker.buckets import BucketOptions, buckets
from cardai.cards.poker.combos import COUNT, left_by
from cardai.core.arrays import Int64s
from cardai.core.encoder import Encoder
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
from cardai.subgames.range_codes import RangeEncoder

_ALL = np.arange(COUNT)


@frozen
class PotentialAware(RangeEncoder):
    """Clusters of what hands may become. On the river nothing is to come: percentiles of strength.

    The clusters are found once, in two minutes of CPU, and kept in the user's cache directory.
    """

    clusters: int = option(1000, help="how many buckets a street", validator=validators.in_(range(2, 65_536)))

    @property
    def size(self) -> int:
        return self.clusters

    def buckets(self, board: Sequence[int]) -> Int64s:
        turn, river = (1, self.clusters) if len(board) == 5 else (self.clusters, 1)
        found = buckets(BucketOptions(flop=1, turn=turn, river=river)).of(board, _ALL)
        return np.where(left_by(board), found, -1)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    return PotentialAware
