"""Files of hands by the names people give: a file, or all those in a directory."""

from __future__ import annotations

import os
from pathlib import Path

from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.format import HandStream
from cardai.formats import endings, stream_hands

__all__ = ["HandStream", "sources", "stream_hands"]


def sources(path: str) -> list[str]:
    """Return the files of hands that ``path`` names: itself, or those in the directory and below it, in order of names.

    A packed file (``x.log.gz``) counts as what is in it.

    Raises:
        UsageError: it is a directory with none. DamagedFileError: one in it is a link that leads out of it, or a pipe.
    """
    from cardai.core.files import refuse_pipe, unfinished
    from cardai.core.needs import inside

    if not os.path.isdir(path):
        return [path]
    known = endings()
    found = [str(file) for file in sorted(Path(path).rglob("*")) if _ending(file) in known and not unfinished(file)]
    if not found:
        raise UsageError(f"The directory {path!r} has no files of hands ({', '.join(known)}) in it.")
    for file in found:
        refuse_pipe(Path(file))
        if not inside(file, path):
            raise DamagedFileError(f"{file} is a link that leads out of the directory. Give that file itself.")
    return found


def _ending(file: Path) -> str:
    return Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
