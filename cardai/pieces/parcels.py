"""Values that go to workers once: each worker keeps what it was given, opened, until it gets another in its place."""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b
from typing import Any

ALONG = 1 << 16
"""Bytes of a parcel that still travel with each piece: opening a file takes as long."""


class Parcel:
    """A value for workers. It must not change once it is sent: keep the parcel as long as the value, and it is packed once."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @cached_property
    def packed(self) -> bytes:
        """The value as bytes."""
        import cloudpickle

        return cloudpickle.dumps(self.value)  # type: ignore[no-any-return]  # also what a notebook defines

    @cached_property
    def digest(self) -> bytes:
        """What workers know it by."""
        return blake2b(self.packed, digest_size=16).digest()

    @cached_property
    def label(self) -> Label:
        """What processes of this machine find it by."""
        if len(self.packed) <= ALONG:
            return self.digest, self.packed
        file = tempfile.TemporaryFile(prefix="cardai-")  # noqa: SIM115  # as long as this object is there
        weakref.finalize(self, file.close)
        path = f"/proc/{os.getpid()}/fd/{file.fileno()}"  # of no name: a killed process leaves nothing behind
        if not os.path.exists(path):
            return self.digest, self.packed
        file.write(self.packed)
        file.flush()
        return self.digest, path


Label = tuple[bytes, bytes | str]
"""A parcel's digest, and its bytes or the file that holds them."""

_opened: dict[str, tuple[bytes, Any]] = {}
"""What this worker was given for each place: its digest, and the value."""


def opened(place: str, digest: bytes, fetch: Callable[[], bytes]) -> Any:
    """Return the parcel at a ``place`` of this worker: the one it has, or that whose bytes are fetched."""
    if place not in _opened or _opened[place][0] != digest:
        _opened.pop(place, None)  # both may not fit
        _opened[place] = digest, pickle.loads(fetch())  # made by the process that began the work
    return _opened[place][1]


def at_hand(place: str, label: Label) -> Any:
    """Return the parcel of a label, in a process of the machine on which it was made."""

    def fetch() -> bytes:
        if isinstance(label[1], bytes):
            return label[1]
        with open(label[1], "rb") as file:
            return file.read()

    return opened(place, label[0], fetch)
