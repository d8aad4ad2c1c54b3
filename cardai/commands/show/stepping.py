"""Stepping through screens with the keys of a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from cardai.commands.invocation import stdout

if TYPE_CHECKING:
    from rich.text import Text

FORWARD = ("\r", "\n", " ", "\x1b[C", "\x1b[B")
BACK = ("\x7f", "\b", "\x1b[D", "\x1b[A")


def step_through(frames_of: Callable[[int], list[Text]], hand: int, hands: int) -> None:
    """Show a hand's screens one by one: Enter or → on, ← back, n and p the next and previous hand, q leaves."""
    from cardai.core.console import Console

    console = Console(file=stdout())
    with _keys() as read:
        frames, at = frames_of(hand), 1
        while True:
            console.clear()
            console.print(frames[0])
            console.print(frames[at])
            last = at == len(frames) - 1
            on = "n next hand" if last else "Enter or → on"
            console.print(f"\n{at} of {len(frames) - 1}  {on}, ← back, n/p other hand, q leave", style="dim")
            key = read()
            if key in ("q", "", "\x04"):
                return
            if key in ("n", "p"):
                wanted = hand + (1 if key == "n" else -1)
                if 0 <= wanted < hands:
                    hand, at = wanted, 1
                    frames = frames_of(hand)
            elif key in BACK:
                at = max(1, at - 1)
            elif key in FORWARD and last:
                return
            elif key in FORWARD:
                at += 1


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for one key, from the terminal even where stdin is a pipe."""
    try:
        import termios
        import tty
    except ImportError:  # no POSIX terminal: whole lines
        yield lambda: (sys.stdin.readline() or "q")[:1]
        return
    try:
        file = sys.stdin.fileno() if sys.stdin.isatty() else os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        yield lambda: "q"
        return
    before = termios.tcgetattr(file)

    def read() -> str:
        return os.read(file, 8).decode(errors="replace")

    try:
        tty.setcbreak(file)
        yield read
    finally:
        with suppress(termios.error):
            termios.tcsetattr(file, termios.TCSADRAIN, before)
