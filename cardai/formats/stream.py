"""Files of hands by the names people give: a file, or all those in a directory."""

from __future__ import annotations

import os
from pathlib import Path

from cardai.core.errors import UsageError
from cardai.core.format import HandStream
from cardai.formats import stream_hands

__all__ = ["HandStream", "sources", "stream_hands"]

_ENDINGS = (".log", ".jsonl", ".phh", ".phhs", ".slumbot")


def sources(path: str) -> list[str]:
    """Return the files of hands that ``path`` names: itself, or those in the directory and below it, in order of names.

    Raises:
        UsageError: it is a directory with none.
    """
    from cardai.core.files import unfinished

    if not os.path.isdir(path):
        return [path]
    found = [str(file) for file in sorted(Path(path).rglob("*")) if file.suffix in _ENDINGS and not unfinished(file)]
    if not found:
        raise UsageError(f"The directory {path!r} has no files of hands ({', '.join(_ENDINGS)}) in it.")
    return found
