"""How files of hands are encoded: UTF-8 with or without its mark, UTF-16, Windows-1252; packed by gzip or not."""

from __future__ import annotations

import codecs
import io
import sys
from typing import IO

from cardai.formats.packed import MAGIC, Unpacked

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are no UTF-8 as Windows-1252: rooms wrote it for years, and names are in it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("cardai.windows", _as_windows)


def text_of(file: IO[bytes], most: int | None = None) -> IO[str]:
    """Return a file of bytes, packed or not, as text whose lines may end in any way; closing it closes the file.

    No byte is an error, but for those of a packed file, which is read as it says or raises a DamagedFileError: also where
    it unpacks to more than ``most`` bytes.
    """
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # type: ignore[type-var]
    first = buffered.peek(4)[:4]
    if first[:2] == MAGIC:
        buffered = io.BufferedReader(Unpacked(buffered, most))
        first = buffered.peek(4)[:4]
    encoding = _UTF16.get(first[:2], "utf-8-sig")
    if encoding == "utf-8-sig" and len(first) == 4:  # the mark was lost: every second byte is 0
        encoding = {b"\1\0\1\0": "utf-16-le", b"\0\1\0\1": "utf-16-be"}.get(bytes(map(bool, first)), encoding)
    errors = "cardai.windows" if encoding == "utf-8-sig" else "replace"
    return io.TextIOWrapper(buffered, encoding=encoding, errors=errors)


def standard_text() -> IO[str]:
    """Return standard input as text in which no byte is an error."""
    buffer = getattr(sys.stdin, "buffer", None)
    return sys.stdin if buffer is None else text_of(buffer)
