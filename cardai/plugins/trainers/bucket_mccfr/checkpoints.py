"""The files of a checkpoint: tables as plain npy (playing maps them, so that processes share them), and a JSON object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.cards.poker.buckets import BucketOptions
from cardai.core.errors import DamagedFileError
from cardai.core.files import Output, read_json, write_json

Table = npt.NDArray[np.float32]


def write_table(file: Path, table: npt.NDArray[Any]) -> None:
    """Write an array of numbers."""
    with Output(file) as out:
        np.lib.format.write_array(out, table, allow_pickle=False)


def read_table(file: Path, size: int, dtype: Any = np.float32) -> npt.NDArray[Any]:
    """Return ``size`` numbers mapped into memory. Raises DamagedFileError, naming the file."""
    try:
        table = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DamagedFileError(f"The file {file} is not a readable table: {error}.") from error
    if not isinstance(table, np.ndarray) or table.shape != (size,) or table.dtype != dtype:
        raise DamagedFileError(
            f"The file {file} must hold {size:,} {np.dtype(dtype)} numbers: it is another run's or damaged."
        )
    return table


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
    state = read_json(file)
    numbers = {name: value for name, value in state.items() if name != "buckets"}
    if numbers.keys() != set(names) or any(type(n) is not int or n < 0 for n in numbers.values()):
        raise DamagedFileError(f"The file {file} must hold {', '.join(names)}: whole numbers. Got {state}.")
    return numbers


def check_buckets(directory: Path, cards: BucketOptions) -> None:
    """Raise DamagedFileError unless the tables of a checkpoint are for the abstraction ``cards``."""
    file = directory / "state.json"
    if read_json(file).get("buckets") != cards.identity:
        raise DamagedFileError(
            f"The file {file} was written with other buckets of hands, by another version of cardai."
        )
