"""The process around one call of the command line: its signals, and streams that may be closed or break."""

from __future__ import annotations

import atexit
import codecs
import io
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NoReturn

from cardai.core.notes import tell

INTERRUPTED, BROKEN_PIPE, TERMINATED, HUNG_UP = 130, 141, 143, 129
"""Exit codes: 128 and the number of SIGINT, SIGPIPE, SIGTERM, SIGHUP."""
ENDED = {INTERRUPTED: "interrupted", TERMINATED: "terminated", HUNG_UP: "the terminal was closed"}
"""What is said of a call that ended with such a code."""
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask to end: SIGTERM, and where there are terminals SIGHUP, when one is closed."""


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
        tell(text, end="")


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


def leave(code: int) -> NoReturn:
    """End this process now: no thread is waited for, and what is compiled is not taken apart (up to a second of work)."""
    with suppress(Exception):
        atexit._run_exitfuncs()
    os._exit(code)


def _drop(stream: IO[str]) -> None:
    """Point a stream at nothing, so that Python's own flush at exit stays silent."""
    with suppress(OSError, ValueError):
        _point_at_nothing(stream.fileno())


def _point_at_nothing(number: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)


_asked_to_end: list[int] = []


def ended_by() -> int:
    """Return the exit code of the signal that asked this call of the command line to end (128 and its number), or 0."""
    return 128 + _asked_to_end[0] if _asked_to_end else 0


def _interrupt(number: int, frame: Any) -> None:
    if not _noted(number):
        raise KeyboardInterrupt


def _noted(number: int) -> bool:
    """Note a signal that ends the process; whether it is a terminal's that is known to be closed.

    Its shell says so too, and whoever writes to it, or reads, gets an error.
    """
    known = number in _asked_to_end
    if number in ENDING:
        _asked_to_end.append(number)
    if 128 + number != HUNG_UP:
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
    _asked_to_end.clear()
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
    """Handle all three by ``handler``, but a SIGHUP that is ignored (``nohup``). Only a program's main thread has signals.

    A KeyboardInterrupt that was raised where Python drops it (in a callback of a library, in a destructor) comes again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [n for n in (signal.SIGINT, *ENDING) if n == signal.SIGINT or signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    hook, timers = sys.unraisablehook, list[threading.Timer]()
    sys.unraisablehook = _pressing_again(hook, timers)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()
        for number, earlier in before.items():
            signal.signal(number, earlier)


_MOMENT = 0.02
"""Seconds after which a Ctrl-C that was dropped is pressed again: by then what dropped it has returned, mostly."""


def _pressing_again(before: Callable[[Any], Any], timers: list[threading.Timer]) -> Callable[[Any], Any]:
    """Return what hears of exceptions that Python drops: a KeyboardInterrupt is raised anew, the rest goes to ``before``."""

    def hear(dropped: Any) -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            before(dropped)
            return
        timer = threading.Timer(_MOMENT, _press)
        timer.daemon = True
        timers.append(timer)
        timer.start()

    return hear


def _press() -> None:
    """Send Ctrl-C to the main thread, so that it also ends a wait."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)
