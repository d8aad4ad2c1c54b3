"""Long work says how far it is; whoever shows it listens.

Library code calls :func:`tell`; the command line listens and draws a bar. Where nobody listens nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""listener(label, done, total): total 0 where it is not known."""

_listener: ContextVar[Listener | None] = ContextVar("progress", default=None)


def tell(label: str, done: int = 0, total: int = 0) -> None:
    """Say that ``done`` of ``total`` pieces of the work ``label`` are done (``total`` 0: not known)."""
    listener = _listener.get()
    if listener is not None:
        listener(label, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have ``listener`` told of all work inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
