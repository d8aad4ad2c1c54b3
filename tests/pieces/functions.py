"""What pieces of work do in tests: in a module of its own, which workers import in no time."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from cardai.core.errors import UsageError


def squared(shared: int, number: int) -> int:
    return shared + number * number


def dying(folder: str, number: int) -> int:
    """Kill the worker at the first attempt of piece 1."""
    mark = Path(folder) / "killed"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def deadly(shared: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def failing(shared: Any, number: int) -> int:
    if number:
        raise UsageError("No such thing as 1.")
    return number


def waiting(folder: str, number: int) -> int:
    """Return at once, but of piece 0 when it is told."""
    while number == 0 and not (Path(folder) / "go").exists():
        time.sleep(0.01)
    return number


def ignores(signals: list[int], number: int) -> bool:
    """Whether this process hears nothing of any of ``signals``."""
    return set(signals) <= signal.pthread_sigmask(signal.SIG_BLOCK, [])


def dying_once(folder: str, shared: int, number: int) -> int:
    """Kill the worker at the first attempt of piece 1, as a training's crew calls it."""
    return shared + dying(folder, number)
