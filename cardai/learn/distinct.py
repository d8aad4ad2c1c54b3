"""Equal rows found once: in small games most of a batch's inputs are alike, and a network need be asked of each once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardai.core.arrays import Int64s, Records
from cardai.core.kernel import kernel
from cardai.core.rng import hash64


@kernel
def _number(words: Any, slots: Any, first: Any, inverse: Any) -> int:
    """Number equal rows of ``words`` (n, k) uint32 alike, in order of appearance; return how many differ.

    ``slots`` is a hash table of row numbers, -1 where it is empty, of a length that is a power of two.
    """
    found = 0
    for i in range(len(words)):
        key = np.uint64(0)
        for k in range(words.shape[1]):
            key = hash64(key, words[i, k])
        at = np.int64(key & np.uint64(len(slots) - 1))
        while True:
            held = slots[at]
            if held < 0:
                slots[at] = found
                first[found] = i
                inverse[i] = found
                found += 1
                break
            same = True
            for k in range(words.shape[1]):
                if words[first[held], k] != words[i, k]:
                    same = False
                    break
            if same:
                inverse[i] = held
                break
            at = (at + 1) & (len(slots) - 1)
    return found


def distinct(rows: Records) -> tuple[Int64s, Int64s]:
    """Return (first (m,), inverse (n,)): where each different row of ``rows`` (n, ...) is first, and which each row is.

    Rows are compared byte by byte. Items are of 4 bytes or a multiple of them.
    """
    count = len(rows)
    words = np.ascontiguousarray(rows).reshape(count, math.prod(rows.shape[1:])).view(np.uint32)
    slots = np.full(1 << max(4, (2 * count).bit_length()), -1, np.int64)
    first, inverse = np.empty(count, np.int64), np.empty(count, np.int64)
    found = _number(words, slots, first, inverse)
    return first[:found], inverse
