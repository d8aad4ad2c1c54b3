"""What a plugin opens and starts, as Python's audit events tell it; which of its options take any text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cardai.core.spec import options_of

STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
_heard: list[list[tuple[str, str]]] = []
_listening = False


@contextmanager
def heard() -> Iterator[list[tuple[str, str]]]:
    """Give the paths opened and programs started inside, as Python's audit events tell them: (event, first argument)."""
    global _listening
    if not _listening:
        sys.addaudithook(_hear)  # for as long as the process lives
        _listening = True
    events: list[tuple[str, str]] = []
    _heard.append(events)
    try:
        yield events
    finally:
        _heard.remove(events)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _heard and (event in ("open", "os.listdir", "os.scandir") or event in STARTS):
        for events in _heard:
            events.append((event, str(arguments[0]) if arguments else ""))


def text_options(cls: type) -> list[str]:
    """Return the names of a plugin's options that take any text, or several."""
    hints = get_type_hints(cls)
    return [name for name in options_of(cls) if _takes_text(hints[name])]


def _takes_text(wanted: Any) -> bool:
    if get_origin(wanted) is Literal:
        return False
    return wanted is str or any(map(_takes_text, get_args(wanted)))
