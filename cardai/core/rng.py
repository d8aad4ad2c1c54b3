"""Random numbers as an argument: counter hashes in kernels, streams a (pair, seat) outside them.

Nothing here has state that two tables could share. A stream is a uint64 seed; its k-th number is ``hash64(seed, k)``.
The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014), applied to seed + counter * golden gamma, the same construction as SplitMix64 itself.

All of it gives the same numbers compiled and interpreted.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s, Int64s, Uint64s
from cardai.core.kernel import interpreted, kernel

Seeds = Uint64s

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27 = np.uint64(27)
_U30 = np.uint64(30)
_U31 = np.uint64(31)
_U32 = np.uint64(32)
_U11 = np.uint64(11)
_U1 = np.uint64(1)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53
_WORD = (1 << 64) - 1


@kernel
def hash64(seed: Any, counter: Any) -> Any:
    """Return the uint64 number ``counter`` of the stream ``seed`` (both are taken as uint64)."""
    x = np.uint64(seed) + _GAMMA * (np.uint64(counter) + _U1)
    x = (x ^ (x >> _U30)) * _MIX_1
    x = (x ^ (x >> _U27)) * _MIX_2
    return x ^ (x >> _U31)


@kernel
def uniform(seed: Any, counter: Any) -> Any:
    """Return number ``counter`` of the stream as a float64 in [0, 1)."""
    return np.float64(hash64(seed, counter) >> _U11) * _TO_UNIT


@kernel
def below(seed: Any, counter: Any, bound: Any) -> Any:
    """Return number ``counter`` of the stream as an int64 in [0, bound), bound < 2**31 (Lemire's multiply-shift)."""
    return np.int64(((hash64(seed, counter) >> _U32) * np.uint64(bound)) >> _U32)


@kernel
def shuffle(seed: Any, deck: Any) -> None:
    """Shuffle ``deck`` (1-d integer array) in place by Fisher and Yates' method from the stream ``seed``."""
    for last in range(len(deck) - 1, 0, -1):
        other = below(seed, last, last + 1)
        card = deck[last]
        deck[last] = deck[other]
        deck[other] = card


@kernel
def _hash_rows(seeds: Any, counters: Any, out: Any) -> None:
    for i in range(len(seeds)):
        out[i] = hash64(seeds[i], counters[i])


@kernel
def _uniform_rows(seeds: Any, out: Any) -> None:
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = uniform(seeds[i], k)


def hash_int(seed: int, counter: int) -> int:
    """The same as :func:`hash64` on Python ints, for seeds that are made outside kernels."""
    x = (seed + 0x9E3779B97F4A7C15 * ((counter & _WORD) + 1)) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def below_int(seed: int, counter: int, bound: int) -> int:
    """The same as :func:`below` on Python ints."""
    return ((hash_int(seed, counter) >> 32) * bound) >> 32


def derive(root: int, *path: int | str) -> int:
    """Return the seed (0 <= seed < 2**64) at ``path`` below the root seed; different paths are independent.

    ``derive(seed, "deal", 17)`` is the same number in every process and version.
    """
    value = hash_int(root & _WORD, root >> 64)
    for part in path:
        number = int.from_bytes(part.encode(), "little") if isinstance(part, str) else part
        while True:
            value = hash_int(value, number & _WORD)
            number >>= 64
            if number in (0, -1):
                break
    return value


def derive_many(root: int, *path: int | str, count: int, start: int = 0) -> Seeds:
    """Return ``derive(root, *path, k)`` for k in [start, start + count) as a (count,) uint64 array."""
    base = np.uint64(derive(root, *path))
    with np.errstate(over="ignore"):
        x = base + _GAMMA * (np.arange(start, start + count, dtype=np.uint64) + _U1)
        x = (x ^ (x >> _U30)) * _MIX_1
        x = (x ^ (x >> _U27)) * _MIX_2
        return np.asarray(x ^ (x >> _U31), dtype=np.uint64)


def hash_rows(seeds: Seeds, counters: int | npt.NDArray[Any]) -> Seeds:
    """Return number ``counters`` (one, or one a row) of each stream of ``seeds`` (n,), as (n,) uint64."""
    out = np.empty(len(seeds), np.uint64)
    _hash_rows(seeds, np.full(len(seeds), counters, np.int64), out)
    return out


@kernel
def hash_cells(seeds: Any, counters: Any, columns: Any, rows: Any, out: Any) -> None:
    """Fill ``out`` (m,) uint64 with number counters[r, c] of the stream seeds[r, c] for each r of ``rows`` and c of ``columns``."""
    for i in range(len(rows)):
        out[i] = hash64(seeds[rows[i], columns[i]], counters[rows[i], columns[i]])


class Rows:
    """Random numbers for a batch of decisions, one independent stream a row.

    ``seeds`` is (n,) uint64: the seed of each row's stream for this one decision. A row's numbers depend on its seed
    alone, never on its neighbours, so a result is the same for any batch size.
    """

    def __init__(self, seeds: Seeds) -> None:
        self.seeds = seeds

    def __len__(self) -> int:
        return len(self.seeds)

    def random(self, count: int = 1) -> Float64s:
        """Return uniform numbers in [0, 1): (n,) for ``count`` 1, else (n, count)."""
        if count == 1 and len(self.seeds) == 1 and interpreted():  # Python's ints are faster than numpy's scalars
            return np.array([(hash_int(int(self.seeds[0]), 0) >> 11) * _TO_UNIT])
        out = np.empty((len(self.seeds), count))
        _uniform_rows(self.seeds, out)
        return out[:, 0] if count == 1 else out

    def fork(self, counter: int) -> Rows:
        """Return new independent streams, a row each, numbered by ``counter`` (>= 1000 keeps clear of random())."""
        if len(self.seeds) == 1 and interpreted():
            return Rows(np.array([hash_int(int(self.seeds[0]), counter)], np.uint64))
        return Rows(hash_rows(self.seeds, counter))

    def generator(self, row: int) -> Random:
        """Return the standard library's generator for one row, for scalar agents."""
        return Random(int(self.seeds[row]))

    def choice(self, probabilities: npt.NDArray[np.floating[Any]]) -> Int64s:
        """Draw one column a row from (n, k) probabilities (each row is normalised; zeros are never drawn)."""
        total = np.cumsum(probabilities, axis=1, dtype=np.float64)
        threshold = self.random()[:, None] * total[:, -1:]
        # the first column whose cumulative sum exceeds the threshold has probability > 0
        return np.asarray(np.argmax(total > threshold, axis=1), dtype=np.int64)


Source = Rows | Random | int
"""Randomness as players have it (``rng`` of ``act`` or ``choose``), or a seed."""
