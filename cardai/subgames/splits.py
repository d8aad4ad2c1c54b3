"""Which situations are learned from, which an epoch is chosen by, and which are tested with: by board, for all runs alike."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Int64s
from cardai.core.rng import derive
from cardai.subgames.prepared import board_classes

TRAIN, VALIDATION, TEST = 0, 1, 2


def parts(boards: npt.NDArray[np.int8]) -> Int64s:
    """Return (n,) TRAIN, VALIDATION or TEST for boards (n, k): 80, 10 and 10 % of the classes up to the names of suits."""
    return np.array([_part(boards.shape[1], int(k)) for k in board_classes(boards)], np.int64)


@cache
def _part(size: int, board_class: int) -> int:
    drawn = derive(0, "boards of values", size, board_class) % 10
    return TEST if drawn == 0 else VALIDATION if drawn == 1 else TRAIN
