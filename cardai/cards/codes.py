"""What encoders of cards share: sets (a uint64 with bit ``card``) as bits, and vectors of parts."""

from __future__ import annotations

# kernel constants
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s
from cardai.core.encoder import Plane

CARDS = 52


def bits(sets: npt.NDArray[Any]) -> Float32s:
    """Return (n, 52) float32, 1 for each card of each set (n,) uint64."""
    whole = np.ascontiguousarray(sets).astype("<u8", copy=False)
    return np.unpackbits(whole.view(np.uint8).reshape(len(whole), 8), axis=1, bitorder="little")[:, :CARDS].astype(
        np.float32
    )


def listed(code: npt.NDArray[Any]) -> list[int]:
    """Return the cards at which ``code`` (52,) is not 0."""
    return [int(card) for card in np.flatnonzero(code)]


def planes_of(parts: Mapping[str, tuple[int, str, str]]) -> tuple[Plane, ...]:
    """Return the planes of a vector of ``parts`` one behind the other: name -> (width, meaning, scale)."""
    planes, start = [], 0
    for name, (width, meaning, scale) in parts.items():
        planes.append(Plane(name, f"{start}:{start + width}", meaning, scale))
        start += width
    return tuple(planes)


def slices(planes: Iterable[Plane]) -> dict[str, slice]:
    """Return where planes of :func:`planes_of` lie, by name."""
    return {plane.name: slice(*map(int, plane.where.split(":"))) for plane in planes}
