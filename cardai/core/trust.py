"""Whose word a text is: what is read from a file, a socket or a record is foreign.

A :class:`Foreign` text knows where it was read. It stays so through specs, options and worker processes, up to the registry,
which refuses what such a spec may not name (:mod:`cardai.core.needs`).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from attrs import frozen


@frozen
class Source:
    """Where a foreign text was read: the file (as messages name it), the SHA-256 of what was read of it, and the
    directory whose files it may name ("": none)."""

    path: str
    digest: str
    root: str = ""


class Foreign(str):
    """A text that was read from a file, a socket or a record. ``str(text)`` is a plain one: pass on the text itself."""

    source: Source

    def __new__(cls, text: str, source: Source) -> Foreign:
        made = super().__new__(cls, text)
        made.source = source
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Foreign, (str.__str__(self), self.source)


def source_of(text: object) -> Source | None:
    """Return where ``text`` (a text or several) was read, None for one's own."""
    if isinstance(text, (list, tuple)):
        return next((found for item in text if (found := source_of(item))), None)
    return text.source if isinstance(text, Foreign) else None


def marked(value: Any, source: Source | None) -> Any:
    """Return a JSON value, or an option's, whose texts are those of ``source`` (None: as it is)."""
    if source is None:
        return value
    if isinstance(value, str):
        return Foreign(value, source)
    if isinstance(value, list):
        return [marked(item, source) for item in value]
    if isinstance(value, dict):
        return {marked(key, source): marked(item, source) for key, item in value.items()}
    return value


def read_from(path: str | Path, data: bytes, *, root: str | Path = "") -> Source:
    """Return the source of texts in ``data``, read from ``path``; files in ``root`` may be named by them.

    Links are followed: a file is the same by each of its names.
    """
    return Source(os.path.realpath(path), digest(data), os.path.realpath(root) if root else "")


def digest(data: bytes) -> str:
    """Return the SHA-256 of ``data`` in hexadecimal."""
    import hashlib  # costs a start more than the rest of this module

    return hashlib.sha256(data).hexdigest()
