"""Folders and zip archives of rooms' hands, as rooms give them out (a file a table), read as one text."""

from __future__ import annotations

import io
import itertools
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from cardai.core.errors import DamagedFileError
from cardai.core.files import LINE_LIMIT, limited_lines
from cardai.core.format import LeftOut
from cardai.formats.encodings import text_of
from cardai.formats.packed import ENOUGH, SWELLING

ZIP = b"PK\x03\x04"
"""How a zip archive begins (PKWARE's APPNOTE, 4.3.7)."""
ENDINGS = (".txt", ".xml", ".txt.gz", ".xml.gz")
"""How names of rooms' files end."""


class Joined(io.TextIOBase):
    """The lines of the files in a folder (below it too) or a zip archive, in order of names; each ends in a line end.

    Files whose first lines ``known`` gives no format of are left out: their names are in ``skipped`` once all is read.

    Raises:
        DamagedFileError: the archive cannot be unpacked, or there is no file of hands.
    """

    def __init__(self, place: Path, known: Callable[[list[str]], str], first: int) -> None:
        """Open ``place``; ``known`` is asked for the format of the ``first`` lines of each file."""
        self.name = str(place)
        self.skipped: list[str] = []
        self._known, self._first = known, first
        self._lines = self._all(place)
        line = next(self._lines, None)
        if line is None:
            looked = f"; {len(self.skipped):,} are in no format that is known" if self.skipped else ""
            raise DamagedFileError(
                f"{place} holds no file of hands (names that end in {', '.join(ENDINGS[:2])}){looked}."
            )
        self._lines = itertools.chain([line], self._lines)

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._lines, "")

    def _all(self, place: Path) -> Iterator[str]:
        packed = not place.is_dir()
        try:
            yield from self._of(_archive(place) if packed else _folder(place))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            what = f"The archive {str(place)!r} cannot be unpacked: {error}. Unpack it yourself."
            raise DamagedFileError(what if packed else f"The folder {str(place)!r} cannot be read: {error}.") from error

    def _of(self, files: Iterator[tuple[str, IO[bytes]]]) -> Iterator[str]:
        for name, file in files:
            with text_of(file) as text:
                lines = limited_lines(text)
                head = list(itertools.islice(lines, self._first))
                if not self._known(head):
                    self.skipped.append(name)
                    continue
                for line in itertools.chain(head, lines):
                    yield line.rstrip("\r\n")[: LINE_LIMIT - 2] + "\n"


def skipped(stream: object) -> Iterator[LeftOut]:
    """Yield a sentence for each file of a folder or an archive that holds no hands, once all others are read."""
    for file in stream.skipped if isinstance(stream, Joined) else ():
        yield LeftOut(f"{file} is in no format that is known; it was left out.", "a file in no format that is known")


def _wanted(name: str) -> bool:
    return name.lower().endswith(ENDINGS) and not os.path.basename(name).startswith(".")


def _folder(place: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a folder by name."""
    for path in sorted(place.rglob("*")):
        if _wanted(path.name) and path.is_file():
            yield str(path), path.open("rb")


def _archive(place: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a zip archive by name, none of which may swell beyond what hands do."""
    with zipfile.ZipFile(place) as archive:
        for info in sorted(archive.infolist(), key=lambda one: one.filename):
            if not _wanted(info.filename) or info.is_dir():
                continue
            if info.file_size > max(ENOUGH, SWELLING * info.compress_size):
                raise DamagedFileError(f"{place}: {info.filename} unpacks to more than {SWELLING} times its size.")
            try:
                file = archive.open(info)
            except RuntimeError as error:  # a password is needed, or a way of packing is not known
                raise zipfile.BadZipFile(str(error)) from error
            yield info.filename, file
