"""Where the tables of buckets are kept: a directory an abstraction in the user's cache, named by its options.

    buckets-<hash>/options.json     the options, and the SHA-256 of each table
    buckets-<hash>/flop.npy ...     the tables, plain npy: they are mapped into memory, and processes share them
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from cardai.cards.poker.boards import BOARD_SIZES, COUNTS
from cardai.cards.poker.combos import COUNT
from cardai.core.errors import DamagedFileError
from cardai.core.files import digest_of, file_digest, read_json, user_cache, write_json

if TYPE_CHECKING:
    from cardai.cards.poker.buckets import BucketOptions

VERSION = 1
"""Raised whenever equal options would give other tables."""
NAMES = ("preflop", "flop", "turn", "river")
Tables = tuple[npt.NDArray[np.uint16], ...]


def folder(options: BucketOptions) -> Path:
    """Return the directory of an abstraction's tables, whether it is there or not."""
    return user_cache() / f"buckets-{digest_of({'version': VERSION, **attrs.asdict(options)})[:16]}"


def load(options: BucketOptions) -> Tables | None:
    """Return the kept tables, mapped into memory; None where there are none or they are damaged."""
    place = folder(options)
    try:
        known = read_json(place / "options.json")
        if known.get("options") != attrs.asdict(options) or known.get("version") != VERSION:
            return None
        tables = []
        for name, size in zip(NAMES, BOARD_SIZES, strict=True):
            file = place / f"{name}.npy"
            if file_digest(file) != known["sha256"][name]:
                return None
            table = np.load(file, mmap_mode="r", allow_pickle=False)
            if table.shape != (COUNTS[size], COUNT) or table.dtype != np.uint16:
                return None
            tables.append(table)
    except (DamagedFileError, OSError, ValueError, KeyError, TypeError):
        return None
    return tuple(tables)


def save(options: BucketOptions, tables: Tables) -> None:
    """Keep the tables; leave it where the directory cannot be written."""
    place = folder(options)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}."))
    except OSError:
        return
    try:
        digests = {}
        for name, table in zip(NAMES, tables, strict=True):
            np.save(beside / f"{name}.npy", table, allow_pickle=False)
            digests[name] = file_digest(beside / f"{name}.npy")
        write_json(
            beside / "options.json", {"version": VERSION, "options": attrs.asdict(options), "sha256": digests}
        )
        shutil.rmtree(place, ignore_errors=True)  # damaged tables, or those that another process has just made
        os.rename(beside, place)
    except OSError:
        shutil.rmtree(beside, ignore_errors=True)
