"""Kernels compiled by a process of its own, so that whoever serves people holds what runs and not what made it.

Compiling takes some hundred MB that stay, and Python's lock, for which all others wait. Inside of :func:`compiled_apart` a
kernel that no cache holds is compiled by a child, which puts it into the cache; what a child cannot (a function inside of
another, a module that it cannot import, a cache that cannot be written) is compiled here as ever.
"""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

from cardai.core.errors import UsageError
from cardai.core.kernel import compile_by, each_compiled
from cardai.core.memory import resident

IDLE = 5.0
"""Seconds without work after which the child ends."""
LARGE = 200 << 20
"""Bytes of memory that a child may have come to hold and still compile the next kernel: then another one goes on."""
DONE, LEAVING = "done", "leaving"


@contextmanager
def compiled_apart() -> Iterator[None]:
    """Have a child of this process compile kernels for as long as this is open; who waits for it at the end is told so."""
    child = _Child()
    compile_by(child.compile)
    try:
        yield
    finally:
        compile_by(None)
        child.end()


class _Child:
    """The process, begun when there is something to compile."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # one piece of work at a time
        self._over = False
        self._leaving: threading.Timer | None = None

    def compile(self, kernel: Any, types: Any) -> None:
        """Have ``kernel`` compiled for arguments of these types, where that can be. Raises UsageError: this process ends."""
        function = kernel.py_func
        if function.__module__ == "__main__" or "<" in function.__qualname__:
            return
        dumps = importlib.import_module("numba.core.serialize").dumps
        asked = dumps((function.__module__, function.__qualname__, types))
        _tell(function)  # before there is a child: who hears nothing for a while believes that nothing is compiled
        with self._lock:
            if self._leaving is not None:
                self._leaving.cancel()
            try:
                self._ask(asked)
            except OSError:  # it is gone, or there cannot be one: what it was to do is done here
                self._leave()
            if self._over:
                raise UsageError("This program ends: nothing more is compiled.")
            self._leaving = threading.Timer(IDLE, self._leave_in_turn)
            self._leaving.daemon = True
            self._leaving.start()

    def _ask(self, asked: bytes) -> None:
        process = self._process = self._process or _begun()
        if self._over:
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        pickle.dump(asked, process.stdin)
        process.stdin.flush()
        while (said := process.stdout.readline().decode().strip()) not in (DONE, LEAVING, ""):
            module, _, name = said.rpartition(".")
            _tell(SimpleNamespace(__module__=module, __name__=name))
        if said != DONE:
            self._leave()

    def _leave_in_turn(self) -> None:
        with self._lock:
            self._leave()

    def _leave(self) -> None:
        """Let the child end: nothing more comes."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError):
                process.communicate()

    def end(self) -> None:
        """Stop compiling."""
        self._over = True
        if (process := self._process) is not None:
            process.kill()
        if self._leaving is not None:
            self._leaving.cancel()
        self._leave_in_turn()


def _tell(function: Any) -> None:
    """Tell those who listen (:func:`~cardai.core.kernel.each_compiled`) that a kernel is being compiled."""
    event = importlib.import_module("numba.core.event")
    event.start_event("numba:compile", {"dispatcher": SimpleNamespace(py_func=function)})


def _begun() -> subprocess.Popen[bytes]:
    text = f"import sys; sys.path[:] = {sys.path!r}; from cardai.core.compiling import serve; serve()"
    return subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is not for it
    )


def serve() -> None:
    """Compile what standard input asks for until nothing more comes, or much memory is held; say the names of kernels."""
    said, asked = DONE, ""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what is imported may print

    def say(words: str) -> None:
        out.write(f"{words}\n")
        out.flush()

    def tell(name: str, count: int) -> None:
        if name != asked:
            say(name)

    with each_compiled(tell):
        while said == DONE:
            try:
                module, names, types = pickle.loads(pickle.load(sys.stdin.buffer))
                asked = f"{module}.{names}"  # who asks has told so
            except EOFError:
                break
            with suppress(Exception):  # who asked compiles it then, and says why that cannot be done
                found: Any = importlib.import_module(module)
                for name in names.split("."):
                    found = getattr(found, name)
                found.compile(types)
            say(said := LEAVING if resident() > LARGE else DONE)
    os._exit(0)  # taking apart what was compiled takes a second
