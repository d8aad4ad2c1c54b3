"""Where the tables of buckets are kept: a directory a street's table in the user's cache, named by what it depends on.

buckets-<hash>/options.json     what the table depends on, and its SHA-256
buckets-<hash>/table.npy        plain npy: it is mapped into memory, and processes share it
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError, UsageError, WriteError
from cardai.core.files import Output, digest_of, file_digest, read_json, user_cache, write_json
from cardai.core.npz import map_npy

VERSION = 2
"""Raised whenever equal options would give another table."""
Table = npt.NDArray[np.uint16]


def folder(options: Mapping[str, Any]) -> Path:
    """Return the directory of a table, whether it is there or not."""
    return user_cache() / f"buckets-{digest_of({'version': VERSION, **options})[:16]}"


def load(options: Mapping[str, Any], shape: tuple[int, int]) -> Table | None:
    """Return the kept table, mapped into memory; None where there is none or it is damaged."""
    place = folder(options)
    try:
        known = read_json(place / "options.json")
        file = place / "table.npy"
        if (
            known.get("version") != VERSION
            or known.get("options") != options
            or known.get("sha256") != file_digest(file)
        ):
            return None
        return map_npy(file, np.uint16, shape)
    except (DamagedFileError, OSError):
        return None


def save(options: Mapping[str, Any], table: Table) -> None:
    """Keep a table; leave it where the directory cannot be written."""
    place = folder(options)
    try:
        place.mkdir(parents=True, exist_ok=True)
        with Output(place / "table.npy") as file:
            np.lib.format.write_array(file, table, allow_pickle=False)
        digest = file_digest(place / "table.npy")  # written last: a table without it is not taken up
        write_json(place / "options.json", {"version": VERSION, "options": dict(options), "sha256": digest})
    except (OSError, UsageError, WriteError):
        return
