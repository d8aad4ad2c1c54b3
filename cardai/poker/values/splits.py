"""Which situations are learned from, which an epoch is chosen by, and which are tested with: for all runs alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from attrs import Attribute

from cardai.core.arrays import Int64s
from cardai.core.rng import derive
from cardai.core.schema import whole
from cardai.poker.values.prepared import Prepared, board_classes, joined, load_prepared
from cardai.poker.values.situation_set import SituationSet

TRAIN, VALIDATION, TEST, UNUSED = 0, 1, 2, 3


def shard_numbers(instance: Any, attribute: Attribute[Any], value: tuple[int, ...]) -> None:
    """Validate the numbers of a set's shards: each at least 0, and named once."""
    whole()(instance, attribute, value)
    if len(set(value)) != len(value):
        raise ValueError("names a shard of situations twice")


def parts(data: Prepared, rows: int = 1) -> Int64s:
    """Return (n,) TRAIN, VALIDATION or TEST: 80, 10 and 10 % of the classes of boards up to the names of suits.

    Leduc has too few boards for that: there it is solves that are split, by their numbers. Of each solve's ``rows`` only the first, which was
    solved, is held out; the others are then UNUSED.
    """
    size = data.boards.shape[1]
    keys = data.numbers // rows if size < 3 else board_classes(data.boards)
    found = np.array([_part(size, key) for key in keys.tolist()], np.int64)
    return found if rows == 1 else np.where((found != TRAIN) & (data.numbers % rows != 0), UNUSED, found)


def load_enough(found: SituationSet, shards: Sequence[int], needed: Mapping[int, int]) -> Prepared:
    """Return the arrays of the first of ``shards`` that together hold so many situations of each part (all, if fewer)."""
    missing, read = dict(needed), []
    for shard in shards:
        if max(missing.values()) <= 0:
            break
        read.append(load_prepared(found, [shard]))
        there = parts(read[-1], found.recipe.rows)
        missing = {part: left - int((there == part).sum()) for part, left in missing.items()}
    return joined(read) if read else load_prepared(found, [])


@cache
def _part(size: int, key: int) -> int:
    drawn = derive(0, "boards of values", size, key) % 10
    return TEST if drawn == 0 else VALIDATION if drawn == 1 else TRAIN
