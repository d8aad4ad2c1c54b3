"""How much memory there is: what the machine has free, and what a limit (``ulimit -v``) leaves of the address space."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from typing import Any

from cardai.core.errors import UsageError

COMPILER = 512 << 20
"""Bytes of address space that must be left for compiling. numba, LLVM and the linear algebra of scipy take 330 MiB of them
on two cores, the last of it at the first kernel: what else is begun until then must fit too."""
NUMPY, THREAD = 88 << 20, 40 << 20
"""Bytes of address space that numpy with its OpenBLAS takes as it is loaded, and a thread of OpenBLAS beyond the first (numpy
2.4, Linux): with less, OpenBLAS ends the process in words of its own."""
LARGE = 1 << 20
"""Bytes of an array that has memory of its own in a process that gives back what it frees (:func:`give_back`)."""
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # mallopt's, of glibc's malloc.h
SHORT = 64 << 20
"""With so few bytes left, whatever fails fails for want of memory."""


def free_memory() -> int:
    """Return the bytes of memory that are free for use (a guess of 4 GiB where the system does not say)."""
    return min(_free(), address_space())


def address_space() -> int:
    """Return the bytes of address space that a limit leaves this process; 1 << 62 where there is none."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return 1 << 62
        with open("/proc/self/statm", encoding="ascii") as file:
            return max(0, limit - int(file.read().split()[0]) * resource.getpagesize())
    except MemoryError:
        return 0
    except (ImportError, AttributeError, OSError, ValueError):  # a system without limits, or that does not say
        return 1 << 62


def resident() -> int:
    """Return the bytes of memory that this process takes; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError):
        return 0


def give_back() -> None:
    """Have memory that is freed go back to the system from now on, in a process that lives long with many threads: arrays of a MB
    and more have memory of their own, and all threads share two heaps. Does nothing where the C library is not glibc.
    """
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, LARGE)
        mallopt(_ARENA_MAX, 2)


@cache
def need_compiler() -> None:
    """Raise UsageError where a limit leaves too little for numba: with less its libraries fail in many ways, or hang."""
    left = address_space()
    if left < COMPILER:
        raise UsageError(
            f"The limit of memory (ulimit -v) leaves {left >> 20} MiB, and compiling the rules takes {COMPILER >> 20} MiB. "
            "Raise it: ulimit -v unlimited."
        )


class _BeforeNumpy:
    """Looks at the memory when numpy is about to be loaded, whoever loads it (a finder of sys.meta_path)."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "numpy":
            need_numpy()
            sys.meta_path.remove(self)  # type: ignore[arg-type]


def guard_numpy() -> None:
    """From here on refuse, in a sentence, to load numpy where a limit leaves too little for it (:func:`need_numpy`)."""
    if "numpy" not in sys.modules and address_space() < 1 << 62:
        sys.meta_path.insert(0, _BeforeNumpy())  # type: ignore[arg-type]


def need_numpy() -> None:
    """Let OpenBLAS begin no more than one thread where a limit leaves too little for all. Raises UsageError: for one, too."""
    left = address_space()
    if left < NUMPY:
        raise UsageError(
            f"The limit of memory (ulimit -v) leaves {left >> 20} MiB, and numpy takes {NUMPY >> 20} MiB. Raise it: ulimit "
            "-v unlimited."
        )
    if left < NUMPY + THREAD * min(os.cpu_count() or 1, 64):
        os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _free() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return int(os.sysconf("SC_PHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return 4 << 30
