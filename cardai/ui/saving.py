"""Pictures of the screen as files."""

from __future__ import annotations

from pathlib import Path

from cardai.core.files import write_atomically


def save_picture(svg: str, path: Path) -> Path:
    """Write a picture, under the first name of its kind that is free, and return where it is.

    Raises:
        WriteError: it cannot be written.
    """
    for number in range(1, 10_000):
        file = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        if not file.exists():
            break
    write_atomically(file, svg.encode())
    return file
