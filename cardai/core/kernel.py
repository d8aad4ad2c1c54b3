"""``@kernel``: plain-looking Python compiled by numba, with a cache that cannot run old rules.

numba's own cache looks only at the file of the function that is called, so a kernel that calls an edited kernel of
another file would silently run the old one. Here the cache lies in a directory named by a hash of all kernel sources of
the distribution (a third party's: theirs and ours) and of the Python, numba and numpy versions.

A *kernel source* is a ``.py`` file that contains ``@kernel`` or the line ``# kernel constants``: numba freezes global
constants at compile time, so a module whose constants kernels read says so with that line.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as ordinary Python and numba is not imported. Code that must start
fast and plays few hands (the ACPC dealer) asks for the same with :func:`interpret` before it loads a game.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_OURS = Path(__file__).resolve().parents[1]
_MARKS = (b"@kernel", b"# kernel constants")
_interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def interpret() -> None:
    """Run every kernel that is defined from now on as ordinary Python, without importing numba."""
    global _interpreted
    _interpreted = True


def interpreted() -> bool:
    """Say whether kernels run as ordinary Python in this process."""
    return _interpreted


def interpreted_copy(name: str) -> ModuleType:
    """Return the kernel module ``name`` with its kernels as ordinary Python, whatever the process does otherwise.

    For the few callers that work on dicts rather than arrays: a second instance is made where the first is compiled. The
    module may import other modules with kernels for their constants only: their kernels stay as they are.
    """
    global _interpreted
    module = importlib.import_module(name)
    if _interpreted:
        return module
    spec = importlib.util.find_spec(name)
    assert spec is not None  # it has just been imported
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    _interpreted = True
    try:
        spec.loader.exec_module(copy)
    finally:
        _interpreted = False
    return copy


def kernel(function: F) -> F:
    """Compile ``function`` with ``numba.njit(cache=True)`` at its first call; never give it a signature.

    It runs without Python's lock, so that threads can use several cores.
    """
    if _interpreted:
        import numpy

        # Compiled integers wrap around silently; so must interpreted ones.
        numpy.seterr(over="ignore")
        return function
    import numba

    directory = str(cache_directory(Path(function.__code__.co_filename)))
    config: Any = numba.config
    previous = config.CACHE_DIR
    config.CACHE_DIR = directory
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
        return compiled  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = previous


def prefetcher() -> Callable[[Any, Any], None]:
    """Return ``prefetch(array, position)`` for kernels, which changes nothing but speed.

    The processor begins to fetch the memory of ``array[position]`` (a contiguous 1-d array; a position behind its end does
    no harm), to write there soon. Hardware guesses regular strides; this is for the others.
    """
    if _interpreted:
        return lambda array, position: None
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    def prefetch(typing: Any, array: Any, position: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
            function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            address = builder.bitcast(builder.gep(data, [arguments[1]]), pointer)
            builder.call(function, [address, word(1), word(3), word(1)])  # to write, keep in all caches, data
            return context.get_dummy_value()

        return types.void(array, position), generate

    made: Any = intrinsic(prefetch)
    return made  # type: ignore[no-any-return]


def cache_directory(source: Path) -> Path:
    """Return the cache directory for kernels of the file ``source``."""
    root = _package_root(source)
    name = root.stem if root == _OURS else f"{_OURS.stem}-{root.stem}"
    return _cache_home() / f"{name}-{_fingerprint(root)}"


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once if, while this is open, a kernel must be compiled because no cache holds it."""
    if _interpreted:
        yield
        return
    from numba.core import event

    class CompileListener(event.Listener):  # type: ignore[misc]
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                tell()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", CompileListener()):
        yield


def _package_root(source: Path) -> Path:
    """Return the top package directory that holds ``source``, or the file itself if it is in no package."""
    source = source.resolve()
    if _OURS in source.parents:
        return _OURS
    root = source
    while (root.parent / "__init__.py").is_file():
        root = root.parent
    return root


@cache
def _fingerprint(root: Path) -> str:
    digest = hashlib.sha256()
    digest.update(f"{platform.python_version()} {version('numba')} {version('numpy')} {sys.platform}".encode())
    roots = [_OURS] if root == _OURS else [_OURS, root]
    for directory in roots:
        files = [directory] if directory.is_file() else sorted(directory.rglob("*.py"))
        for file in files:
            text = file.read_bytes()
            if any(mark in text for mark in _MARKS) or file == root:
                digest.update(str(file.relative_to(directory)).encode() + b"\0" + text)
    return digest.hexdigest()[:16]


@cache
def _cache_home() -> Path:
    """Prefer the install's own ``__pycache__``; where that is read-only, the user's cache directory."""
    if explicit := os.environ.get("CARDAI_CACHE_DIR"):
        return Path(explicit)
    beside = _OURS / "__pycache__" / "kernels"
    try:
        beside.mkdir(parents=True, exist_ok=True)
    except OSError:
        pass
    else:
        if os.access(beside, os.W_OK):
            return beside
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "cardai" / "kernels"
