"""The process around one call of the command line: its signals, and streams that may be closed or break."""

from __future__ import annotations

import codecs
import io
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

INTERRUPTED, BROKEN_PIPE, TERMINATED, HUNG_UP = 130, 141, 143, 129
"""Exit codes: 128 and the number of SIGINT, SIGPIPE, SIGTERM, SIGHUP."""
ENDED = {INTERRUPTED: "interrupted", TERMINATED: "terminated", HUNG_UP: "the terminal was closed"}
"""What is said of a call that ended with such a code."""
_ENDING = {int(signal.SIGTERM): TERMINATED}
"""The signals that end a process from outside, with their exit codes."""
if sys.platform != "win32":
    _ENDING[int(signal.SIGHUP)] = HUNG_UP


class _Closed(io.StringIO):
    """What stands for a stdout that was closed before the program began: nobody reads it."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


PLAIN = "cardai.plain"
"""The name of the error handler of our streams."""
_LETTERS = {"♣": "c", "♦": "d", "♥": "h", "♠": "s", "±": "+-", "→": "->", "←": "<-", "…": "...", "█": "#", "▒": "#"}


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    """Say in letters what a terminal does not know: cards stay cards (Ks for K♠), the rest becomes question marks."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)
    return "".join(_LETTERS.get(c, "?") for c in error.object[error.start : error.end]), error.end


codecs.register_error(PLAIN, _plainly)


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
            stream.reconfigure(errors=PLAIN)


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
        _point_at_nothing(stream.fileno())


def _point_at_nothing(number: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)


_terminated: list[int] = []


def terminated() -> int:
    """Return the exit code of the SIGTERM or SIGHUP that came in this call of the command line, 0 if none came."""
    return _ENDING[_terminated[0]] if _terminated else 0


def _interrupt(number: int, frame: Any) -> None:
    if not _noted(number):
        raise KeyboardInterrupt


def _noted(number: int) -> bool:
    """Note a signal that ends the process; whether it is a terminal's that is known to be closed.

    Its shell says so too, and whoever writes to it, or reads, gets an error.
    """
    known = number in _terminated
    if number in _ENDING:
        _terminated.append(number)
    if _ENDING.get(number) != HUNG_UP:
        return False
    for stream in (0, 1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode):
                _point_at_nothing(stream)
    return known


@contextmanager
def signals() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP (the terminal was closed) raise KeyboardInterrupt.

    All keep what was finished and end worker processes. Under nohup SIGHUP stays ignored.
    """
    _terminated.clear()
    with _handled(_interrupt):
        yield


@contextmanager
def stopping_gently() -> Iterator[list[int]]:
    """Yield a list that holds the first such signal when it came; a second one raises KeyboardInterrupt at once."""
    came: list[int] = []

    def note(number: int, frame: Any) -> None:
        if not _noted(number):
            if came:
                raise KeyboardInterrupt
            came.append(number)

    with _handled(note):
        yield came


@contextmanager
def _handled(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Handle the signals by ``handler``, but for those that whoever started us ignores (nohup).

    Only the main thread of a program has signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [n for n in (int(signal.SIGINT), *_ENDING) if n == signal.SIGINT or signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
