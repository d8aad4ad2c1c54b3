"""The files of a checkpoint: tables as plain npy (playing maps them, so that processes share them), and a JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError
from cardai.core.files import COUNT_LIMIT, Output, read_json, write_json
from cardai.core.npz import map_npy, read_npz, write_npz
from cardai.core.schema import structure
from cardai.plugins.trainers.bucket_mccfr import _kernels as kernels
from cardai.plugins.trainers.bucket_mccfr.layout import BucketLayout
from cardai.poker.buckets.tables import BucketOptions

Table = npt.NDArray[np.float32]


def write_table(file: Path, table: npt.NDArray[Any]) -> None:
    """Write an array of numbers."""
    with Output(file) as out:
        np.lib.format.write_array(out, table, allow_pickle=False)


def read_table(file: Path, size: int, dtype: Any = np.float32) -> npt.NDArray[Any]:
    """Return ``size`` numbers mapped into memory, or those of the small file in its place. Raises DamagedFileError."""
    small = file.with_suffix(".npz")
    if not file.exists() and small.exists():
        return read_npz(small, {"shares": (np.uint8, (size,))})["shares"].astype(dtype)
    return map_npy(file, dtype, (size,))


def shrink_table(file: Path, layout: BucketLayout, counts: tuple[int, ...], levels: int = 255) -> None:
    """Put a small file in a table's place: of each information set, the weights as shares of the largest, 0 to ``levels``.

    A player plays proportionally to weights, so this changes a probability by less than 1/``levels``; weights below 0, which
    count nothing, become 0.
    """
    table, tree = np.asarray(read_table(file, layout.size)), layout.tree
    out = np.zeros(layout.size, np.uint8)
    for at in tree.decisions:
        base, stride, count = (int(layout.nodes.node[at, k]) for k in (kernels.BASE, kernels.STRIDE, kernels.COUNT))
        places = base + np.arange(counts[tree.street[at]])[:, None] * stride + np.arange(count)
        weights = np.maximum(table[places], 0)
        most = weights.max(axis=1, keepdims=True)
        out[places] = np.rint(levels * weights / np.where(most > 0, most, 1))
    write_npz(file.with_suffix(".npz"), {"shares": out}, level=9)
    file.unlink()


def read_finite(file: Path, size: int, dtype: Any = np.float32) -> npt.NDArray[Any]:
    """Return :func:`read_table` as an array of its own. Raises DamagedFileError for numbers that no solver writes."""
    table = np.array(read_table(file, size, dtype))
    if not np.isfinite(table).all():
        raise DamagedFileError(f"The file {file} holds numbers that no solver writes: it is damaged.")
    return table


def write_state(directory: Path, cards: BucketOptions, **numbers: int) -> None:
    """Write whole numbers, and which abstraction the tables are for, as ``state.json``."""
    write_json(directory / "state.json", {"buckets": cards.identity, **numbers})


def read_state(directory: Path, *names: str) -> dict[str, int]:
    """Return the whole numbers ``names`` of a checkpoint's ``state.json``. Raises DamagedFileError."""
    file = directory / "state.json"
    state = {name: value for name, value in read_json(file).items() if name != "buckets"}
    numbers = structure(state, dict[str, int], f"The file {file}")
    if numbers.keys() != set(names) or not all(0 <= n <= _limit(name) for name, n in numbers.items()):
        raise DamagedFileError(
            f"The file {file} must hold {', '.join(names)}, each from 0 to {COUNT_LIMIT:,}: it is damaged or foreign."
        )
    return numbers


def _limit(name: str) -> int:
    return (1 << 63) - 1 if name.endswith("seed") else COUNT_LIMIT


def check_buckets(directory: Path, cards: BucketOptions) -> None:
    """Raise DamagedFileError unless the tables of a checkpoint are for the abstraction ``cards``."""
    file = directory / "state.json"
    if read_json(file).get("buckets") != cards.identity:
        raise DamagedFileError(
            f"The file {file} was written with other buckets of hands, by another version of cardai."
        )
