"""The process around one call of the command line: its signals, and streams that may be closed or break."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

INTERRUPTED, BROKEN_PIPE, TERMINATED = 130, 141, 143
"""Exit codes: 128 and the number of SIGINT, SIGPIPE, SIGTERM."""


class _Closed(io.StringIO):
    """What stands for a stdout that was closed before the program began: nobody reads it."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


def open_streams() -> None:
    """Give streams that were closed before the program began (``>&-``) something to write to.

    Their numbers are taken too, so that no file of ours gets them and what a plugin prints.
    """
    if sys.stdout is None or sys.stderr is None:
        while (taken := os.open(os.devnull, os.O_RDWR)) < 2:
            pass
        if taken > 2:
            os.close(taken)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (for as long as the process lives)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no suit glyphs gets question marks


def write_error(text: str) -> None:
    """Write to stderr; where nobody reads it any more, nothing."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def close_streams() -> int:
    """Flush both streams and return 0, or the exit code where that failed; what then is left is dropped silently."""
    code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = BROKEN_PIPE
            _drop(stream)
        except (OSError, ValueError) as error:
            code = code or 1
            _drop(stream)
            if stream is sys.stdout:
                write_error(f"cardai: The output could not be written: {getattr(error, 'strerror', error)}.\n")
    return code


def _drop(stream: IO[str]) -> None:
    """Point a stream at nothing, so that Python's own flush at exit stays silent."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


_terminated: list[int] = []


def terminated() -> bool:
    """Whether a SIGTERM came in this call of the command line."""
    return bool(_terminated)


def _interrupt(number: int, frame: Any) -> None:
    if number == signal.SIGTERM:
        _terminated.append(number)
    raise KeyboardInterrupt


@contextmanager
def signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt: both keep what was finished and end worker processes."""
    _terminated.clear()
    with _handled(_interrupt):
        yield


@contextmanager
def stopping_gently() -> Iterator[list[int]]:
    """Yield a list that holds the first Ctrl-C or SIGTERM when it came; a second one raises KeyboardInterrupt at once."""
    came: list[int] = []

    def note(number: int, frame: Any) -> None:
        if came:
            _interrupt(number, frame)
        came.append(number)
        if number == signal.SIGTERM:
            _terminated.append(number)

    with _handled(note):
        yield came


@contextmanager
def _handled(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Handle both signals by ``handler``. Only the main thread of a program has signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
