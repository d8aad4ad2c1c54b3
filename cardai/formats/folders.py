"""Folders and zip archives of rooms' hands, as rooms give them out (a file a table), read as one text."""

from __future__ import annotations

import io
import itertools
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from cardai.core.errors import DamagedFileError
from cardai.core.files import LINE_LIMIT, digest_of, file_digest, limited_lines
from cardai.core.format import LeftOut
from cardai.core.needs import inside
from cardai.formats.encodings import text_of
from cardai.formats.packed import ENOUGH, SWELLING, Unpacked

ZIP = b"PK\x03\x04"
"""How a zip archive begins (PKWARE's APPNOTE, 4.3.7)."""
NAMED = (".txt", ".xml", ".phh", ".phhs")
ENDINGS = (*NAMED, *(f"{one}.gz" for one in NAMED))
"""How names of rooms' files end, and of poker hand histories."""


class Joined(io.TextIOBase):
    """The lines of the files in a folder (below it too) or a zip archive, in order of names; each ends in a line end.

    Files whose first lines ``known`` gives no format of, or another than the first file's, and links that lead out of the
    folder, are left out: ``skipped`` says so once all is read.

    Raises:
        DamagedFileError: the archive cannot be unpacked, swells beyond what hands do, or there is no file of hands.
    """

    def __init__(self, place: Path, known: Callable[[list[str]], tuple[str, str]], first: int) -> None:
        """Open ``place``; ``known`` is asked for the format of the ``first`` lines of each file, or what all that go together
        are called, and for the line that parts two of them."""
        self.name, self._kind = str(place), ""
        self.skipped: list[LeftOut] = []
        self._known, self._first = known, first
        self._lines = self._all(place)
        line = next(self._lines, None)
        if line is None:
            reasons = Counter(said.reason for said in self.skipped)
            looked = "".join(f"; {count:,} x {reason}" for reason, count in reasons.items())
            raise DamagedFileError(f"{place} holds no file of hands (names that end in {', '.join(NAMED)}){looked}.")
        self._lines = itertools.chain([line], self._lines)

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        return next(self._lines, "")

    def _all(self, place: Path) -> Iterator[str]:
        packed = not place.is_dir()
        try:
            yield from self._of(_archive(place), _most(place)) if packed else self._of(self._folder(place))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            what = f"The archive {str(place)!r} cannot be unpacked: {error}. Unpack it yourself."
            raise DamagedFileError(what if packed else f"The folder {str(place)!r} cannot be read: {error}.") from error

    def _of(self, files: Iterator[tuple[str, IO[bytes]]], most: int | None = None) -> Iterator[str]:
        """Yield the lines of ``files``; those in them that are packed by gzip unpack to at most ``most`` bytes in all."""
        for name, file in files:
            with text_of(file, most) as text:
                lines = limited_lines(text)
                head = list(itertools.islice(lines, self._first))
                kind, parting = self._known(head)
                if kind and kind == (self._kind or kind):
                    if self._kind and parting:
                        yield parting
                    self._kind = kind
                    for line in itertools.chain(head, lines):
                        yield line.rstrip("\r\n")[: LINE_LIMIT - 2] + "\n"
                else:
                    what = "another format than the files before it" if kind else "no format that is known"
                    self.skipped.append(LeftOut(f"{name} is in {what}; it was left out.", f"a file in {what}"))
                most = most if most is None else most - _unpacked(text)

    def _folder(self, place: Path) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield the files of a folder by name."""
        for path in _files(place):
            if inside(str(path), str(place)):
                yield str(path), path.open("rb")
            else:
                words = f"{path} is a link that leads out of the folder; it was left out. Give that file itself."
                self.skipped.append(LeftOut(words, "a link that leads out of the folder"))


def skipped(stream: object) -> Iterator[LeftOut]:
    """Yield a sentence for each file of a folder or an archive that was left out, once all others are read."""
    yield from stream.skipped if isinstance(stream, Joined) else ()


def swells(archive: Path | IO[bytes], most: int) -> bool:
    """Whether the hands in a zip archive are more than ``most`` characters. Raises DamagedFileError: it cannot be unpacked."""
    left = most
    try:
        for _, file in _archive(archive):
            with text_of(file, _most(archive)) as text:
                while piece := text.read(1 << 16):
                    left -= len(piece)
                    if left < 0:
                        return True
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise DamagedFileError(f"The archive cannot be unpacked: {error}.") from error
    return False


def _most(archive: Path | IO[bytes]) -> int:
    """Return how many bytes an archive may unpack to in all: several of its entries may lead to the same bytes in it."""
    if isinstance(archive, Path):
        return max(ENOUGH, SWELLING * archive.stat().st_size)
    return max(ENOUGH, SWELLING * archive.seek(0, os.SEEK_END))


def _unpacked(text: IO[str]) -> int:
    """Return how many bytes of a text came out of a file packed by gzip."""
    raw = getattr(getattr(text, "buffer", None), "raw", None)
    return raw.given if isinstance(raw, Unpacked) else 0


def digest(place: Path) -> str:
    """Return the digest of a file, or of all files of hands in a folder with their names."""
    if not place.is_dir():
        return file_digest(place)
    return digest_of({str(one): file_digest(one) for one in _files(place) if inside(str(one), str(place))})


def _files(place: Path) -> list[Path]:
    """Return what are files of hands by their names in a folder, and below it."""
    return [path for path in sorted(place.rglob("*")) if _wanted(path.name) and path.is_file()]


def _wanted(name: str) -> bool:
    return name.lower().endswith(ENDINGS) and not os.path.basename(name).startswith(".")


def _archive(place: Path | IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a zip archive by name, which may not swell beyond what hands do, none of them nor all together."""
    name, most = str(place) if isinstance(place, Path) else "The archive", _most(place)
    with zipfile.ZipFile(place) as archive:
        wanted = [one for one in archive.infolist() if _wanted(one.filename) and not one.is_dir()]
        if sum(info.file_size for info in wanted) > most:
            raise DamagedFileError(f"{name} unpacks to more than {SWELLING} times its size, which hands do not.")
        for info in sorted(wanted, key=lambda one: one.filename):
            if info.file_size > max(ENOUGH, SWELLING * info.compress_size):
                raise DamagedFileError(f"{name}: {info.filename} unpacks to more than {SWELLING} times its size.")
            try:
                file = archive.open(info)
            except RuntimeError as error:  # a password is needed, or a way of packing is not known
                raise zipfile.BadZipFile(str(error)) from error
            yield info.filename, file
