"""Files of which next to nothing is on the disk: a terabyte of them takes no room in an archive, and hours to read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from cardai.core.errors import DamagedFileError

HOLES_LIMIT = 1 << 30
"""Bytes that are read whether they are on the disk or not."""


def is_hole(state: os.stat_result) -> bool:
    """Whether next to nothing of a file is on the disk: it takes no room in an archive, and days to read."""
    return getattr(state, "st_blocks", state.st_size) * 512 < state.st_size >> 10


def refuse_holes(files: Iterable[Path]) -> None:
    """Raise DamagedFileError where files are holes of more than :data:`HOLES_LIMIT` bytes in all."""
    size = 0
    for path in files:
        if path.is_file() and is_hole(state := path.stat()):
            with suppress(OSError), path.open("rb") as file:
                if os.lseek(file.fileno(), 0, os.SEEK_HOLE) < state.st_size:  # not of a disk that counts no blocks
                    size += state.st_size
        if size > HOLES_LIMIT:
            raise DamagedFileError(f"The file {path} is a hole: next to none of its bytes are on the disk.")
