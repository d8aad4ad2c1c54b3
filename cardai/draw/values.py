"""What a deuce-to-seven hand is worth with 0 to 3 draws left, exactly, on the 0-1000 scale of Poker-CNN.

The value of a final hand runs linearly, in rank order, inside each class (seven-low, eight-low, ...): see :data:`CLASSES`.
With draws left, a hold is worth the mean, over all draws from the 47 cards outside the hand, of what the new hand is worth
with one draw less and the best hold. This is dynamic programming over the hand alone: cards discarded at earlier draws
are counted as if they could come back.

Source of the scale and of the idea: Yakovenko, Cao, Raffel and Fan, "Poker-CNN" (AAAI 2016).
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float64s
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import user_cache
from cardai.core.npz import Shape, read_npz, write_npz
from cardai.draw.holds import STARTS, HoldValues, add_hands, every_hand, new_sums

DRAWS = 3

CLASSES = {
    5: (1000, 925),
    6: (900, 714),
    7: (700, 418),
    8: (411, 182),
    9: (180, 106),
    10: (106, 95),
    11: (95, 87),
    12: (87, 75),
}
"""The values of the best and the worst hand by top rank (5 is the seven, 12 the ace), of hands without a pair."""
PAIRED = 75.0
"""The value of a pair or anything better as a high hand, straights and flushes aside."""
_VERSION = 1


@cache
def _value_by_ranks() -> Float64s:
    """Return (8192,): the value of five different ranks (a 13-bit set) in several suits; 0 for straights."""
    out = np.zeros(8192)
    sets = np.array([ranks for ranks in range(8192) if ranks.bit_count() == 5 and ranks not in _straights()])
    for top, (best, worst) in CLASSES.items():
        inside = sets[(sets >> top) == 1]  # ascending, and a lower set is a better low
        out[inside] = np.linspace(best, worst, len(inside))
    return out


def _straights() -> set[int]:
    return {0b11111 << low for low in range(9)}


def hand_values(hands: Any) -> Float64s:
    """Return (n,) float64: the values 0-1000 of final hands (n, 5)."""
    cards = np.asarray(hands, np.int64)
    ranks, suits = cards % 13, cards // 13
    bits = np.bitwise_or.reduce(1 << ranks, axis=1)
    value = np.where(np.bitwise_count(bits) == 5, _value_by_ranks()[bits], PAIRED)
    return np.asarray(np.where((suits == suits[:, :1]).all(axis=1), 0.0, value))


class DrawValues:
    """The values of hands and holds with 1, 2 or 3 draws left."""

    def __init__(self, sums: Float64s) -> None:
        self.sums = sums
        """(3, s): the sums that holds' values are read off (:mod:`cardai.draw.holds`), by draws left, less one."""
        self.levels = [HoldValues(one) for one in sums]

    def holds(self, hands: npt.NDArray[np.integer], draws_left: int) -> Float64s:
        """Return (n, 32) float64: the value of each hold (bit i keeps card i) of ``hands`` (n, 5), any order of cards."""
        if not 1 <= draws_left <= DRAWS:
            raise ValueError(f"A hold has a value with 1 to {DRAWS} draws left. Got {draws_left}.")
        return self.levels[draws_left - 1](hands)

    def best(self, hands: npt.NDArray[np.integer], draws_left: npt.NDArray[np.integer] | int) -> Float64s:
        """Return (n,) float64: what hands (n, 5) are worth with ``draws_left`` ((n,) or one number) draws left."""
        left = np.broadcast_to(draws_left, len(hands))
        out = np.empty(len(hands))
        for draws in range(DRAWS + 1):
            rows = np.flatnonzero(left == draws)
            if len(rows):
                chosen = hands[rows]
                out[rows] = self.levels[draws - 1].best(chosen) if draws else hand_values(chosen)
        return out


def compute() -> list[Float64s]:
    """Return the sums over subsets of hands' values with 0, 1 and 2 draws left (a few seconds of CPU)."""
    levels: list[Float64s] = []
    for _ in range(DRAWS):
        sums = new_sums(np.float64)
        for hands in every_hand():
            add_hands(sums, hands, HoldValues(levels[-1]).best(hands) if levels else hand_values(hands))
        levels.append(sums)
    return levels


@cache
def draw_values() -> DrawValues:
    """Return the values: from the user's cache directory, or computed and kept there (31 MB)."""
    file = cache_file()
    sums = _load(file)
    if sums is None:
        sums = np.stack(compute())
        sums[:, int(STARTS[5]) :] = sums[:, int(STARTS[5]) :].astype(np.float32)  # as they are read from the file
        _save(file, sums)
    return DrawValues(sums)


def cache_file() -> Path:
    """Return where the values are kept."""
    return user_cache() / f"draw_values_{_VERSION}.npz"


def _save(file: Path, sums: Float64s) -> None:
    """Write the sums (whole hands as float32: they are never divided), or leave it where the directory refuses."""
    small = int(STARTS[5])
    parts: dict[str, Any] = {}
    for k, level in enumerate(sums):
        parts[f"subsets_{k}"] = level[:small]
        parts[f"hands_{k}"] = level[small:].astype(np.float32)
    with suppress(OSError, CardaiError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_npz(file, parts)


def _load(file: Path) -> Float64s | None:
    """Read the sums, or None where there are none or the file is damaged (it is then computed anew)."""
    small, size = int(STARTS[5]), int(STARTS[6])
    expected: dict[str, tuple[Any, Shape]] = {f"subsets_{k}": (np.float64, (small,)) for k in range(DRAWS)}
    expected |= {f"hands_{k}": (np.float32, (size - small,)) for k in range(DRAWS)}
    try:
        parts = read_npz(file, expected)
    except DamagedFileError:
        return None
    sums = np.empty((DRAWS, size))
    for k in range(DRAWS):
        sums[k, :small], sums[k, small:] = parts[f"subsets_{k}"], parts[f"hands_{k}"]
    return sums if np.isfinite(sums).all() else None
