"""Installed packages whose lists of entry points are damaged: a library that reads everybody's fails for one of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from types import TracebackType


def damaged_packages() -> list[str]:
    """Return a sentence for each installed package whose entry points cannot be read: which file, and what is wrong."""
    found = []
    for distribution in metadata.distributions():
        try:
            _ = distribution.entry_points
        except Exception as error:
            file = Path(str(getattr(distribution, "_path", ""))) / "entry_points.txt"
            name = file.parent.name.partition("-")[0] or "without a name"
            why = "is not UTF-8" if isinstance(error, UnicodeError) else "has a line that is not NAME = MODULE"
            found.append(f"The installed package {name} is damaged: {file} {why}. Reinstall or uninstall it")
    return found


def blamed_package(error: BaseException) -> str:
    """Return whose damaged entry points made a library raise ``error``, in a sentence; "" where they did not."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).startswith("importlib.metadata"):
            return ". ".join(damaged_packages())
        trace = trace.tb_next
    return ""


@cache
def load_numba_extensions(init_all: Callable[[], None]) -> None:
    """Load what other packages extend numba by, but of those that are damaged.

    ``init_all`` is numba's own: it works once, before the first kernel runs, and raises where one package is damaged.
    """
    try:
        init_all()
    except Exception:
        points: set[metadata.EntryPoint] = set()
        for distribution in metadata.distributions():
            with suppress(Exception):
                points.update(distribution.entry_points)
        for point in points:
            if point.group == "numba_extensions" and point.name == "init":
                with suppress(Exception):
                    point.load()()
