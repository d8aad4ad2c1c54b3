"""Ranges without abstraction: every hand is a bucket of its own, the board one-hot (arXiv 1807.00900)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from cardai.cards.poker.combos import COUNT, left_by
from cardai.core.arrays import Int64s
from cardai.core.encoder import Encoder
from cardai.core.hookspecs import hookimpl
from cardai.subgames.range_codes import RangeEncoder


@frozen
class Range1326(RangeEncoder):
    """The probabilities of all 1,326 hands for both players, the board and the pot."""

    @property
    def size(self) -> int:
        return COUNT

    @property
    def shows_board(self) -> bool:
        return True

    def buckets(self, board: Sequence[int]) -> Int64s:
        return np.where(left_by(board), np.arange(COUNT), -1)


@hookimpl
def cardai_encoder() -> type[Encoder]:
    return Range1326
