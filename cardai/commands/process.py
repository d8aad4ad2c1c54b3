"""The process around one call of the command line: its signals, and streams that may be closed or break."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
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


@contextmanager
def signals() -> Iterator[list[int]]:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt; yield a list of the SIGTERMs that came.

    So both keep what was finished and end worker processes. Only the main thread of a program has signals.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def terminate(number: int, frame: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt

    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: terminate}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
