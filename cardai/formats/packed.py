"""Files of hands that are packed by gzip, unpacked as they are read, and no further than they promise."""

from __future__ import annotations

import io
import zlib
from typing import IO, Any

from cardai.core.errors import DamagedFileError

MAGIC = b"\x1f\x8b"
"""How a gzip file begins (RFC 1952, 2.3.1)."""
SWELLING = 200
ENOUGH = 16 << 20
"""A file that unpacks to more than ``ENOUGH`` bytes and to more than ``SWELLING`` times its size is no file of hands.

Hands shrink to a tenth or so; gzip itself can shrink bytes that are all alike a thousand times."""
_PIECE = 1 << 16


class Unpacked(io.RawIOBase):
    """The bytes in a gzip file of one member or several; closing it closes the file.

    Raises:
        DamagedFileError: the file is damaged or cut off, or swells beyond what hands do.
    """

    def __init__(self, packed: IO[bytes], most: int | None = None) -> None:
        """Unpack ``packed``, to at most so many bytes where ``most`` is given."""
        super().__init__()
        self._packed = packed
        self._most = most
        self._member: Any = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = False
        self._rest = b""
        self._taken = self._given = 0

    @property
    def given(self) -> int:
        """Bytes that were unpacked so far."""
        return self._given

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while room := len(buffer):
            if not self._rest:
                self._rest = self._packed.read(_PIECE)
                self._taken += len(self._rest)
            if not self._rest:
                if self._begun:
                    raise DamagedFileError(f"{self._name()} is cut off: its last part is missing.")
                return 0
            data = self._inflated(room)
            if data:
                buffer[: len(data)] = data
                return len(data)
        return 0

    def _inflated(self, room: int) -> bytes:
        """Return up to ``room`` of the bytes that come next; none where more of the file is needed."""
        if not self._begun:
            self._rest = self._rest.lstrip(b"\0")  # members may be padded
            if not self._rest:
                return b""
        try:
            self._begun = True
            data: bytes = self._member.decompress(self._rest, room)
        except zlib.error as error:
            raise DamagedFileError(f"{self._name()} cannot be unpacked: {error}. It is damaged.") from error
        self._rest = self._member.unconsumed_tail
        if self._member.eof:
            self._rest, self._begun = self._member.unused_data, False
            self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._given += len(data)
        most = max(ENOUGH, SWELLING * (self._taken - len(self._rest)))
        if self._given > (most if self._most is None else min(most, self._most)):
            raise DamagedFileError(
                f"{self._name()} unpacks to more than {SWELLING} times its size, which hands do not. Unpack it yourself "
                "(gzip -d) if you trust it."
            )
        return data

    def _name(self) -> str:
        name = getattr(self._packed, "name", "")
        return f"The packed file {name!r}" if isinstance(name, str) and name else "What is packed"

    def close(self) -> None:
        try:
            self._packed.close()
        finally:
            super().close()
