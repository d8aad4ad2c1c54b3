"""``@kernel``: plain-looking Python compiled by numba, with a cache that cannot run old rules.

numba's own cache looks only at the file of the function that is called, so a kernel that calls an edited kernel of
another file would silently run the old one. Here the cache of a file's kernels lies in a directory named by a hash of all
kernel sources that the file can reach by imports (a third party's: all of theirs and ours) and of the Python, numba and
numpy versions (:mod:`cardai.core.kernel_sources`). What is compiled once is shared: by checkouts whose sources are the same, and by processes that start
together, of which one compiles a kernel while the others wait for it.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as ordinary Python and numba is not imported. Code that must start
fast and plays few hands (the ACPC dealer) asks for the same with :func:`interpret` before it loads a game.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from cardai.core.damaged import load_numba_extensions
from cardai.core.kernel_sources import cache_directory
from cardai.core.memory import need_compiler

F = TypeVar("F", bound=Callable[..., Any])

_interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_copying = threading.local()  # on: this thread makes an interpreted copy; what others define meanwhile is compiled
_compiled: set[str] = set()
"""Modules that have kernels which were compiled when they were defined."""
_elsewhere: Callable[[Any, Any], None] | None = None
"""Compiles a kernel for types into its cache, in another process (:mod:`cardai.core.compiling`)."""


def interpret() -> None:
    """Run every kernel that is defined from now on as ordinary Python, without importing numba."""
    global _interpreted
    _interpreted = True


def interpreted() -> bool:
    """Whether kernels run as ordinary Python in this process, or in the copy that is being made."""
    return _interpreted or getattr(_copying, "on", False)


def compile_by(elsewhere: Callable[[Any, Any], None] | None) -> None:
    """Have ``elsewhere(kernel, types)`` put into its cache what Python calls of a kernel and no cache holds; None: nobody."""
    global _elsewhere
    _elsewhere = elsewhere


def interpreted_copy(name: str) -> ModuleType:
    """Return the kernel module ``name`` with its kernels as ordinary Python, whatever the process does otherwise.

    For the few callers that work on dicts rather than arrays: a second instance is made where the first is compiled. The
    module may import other modules with kernels for their constants only: their kernels stay as they are.
    """
    module = importlib.import_module(name)
    if name not in _compiled:
        return module
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None  # noqa: PT018 - it has just been imported
    copy = importlib.util.module_from_spec(spec)
    _copying.on = True
    try:
        spec.loader.exec_module(copy)
    finally:
        _copying.on = False
    return copy


def kernel(function: F) -> F:
    """Compile ``function`` with ``numba.njit(cache=True)`` at its first call; never give it a signature.

    It runs without Python's lock, on several cores. It may call itself, but numba fails where kernels call each other in a circle.
    """
    if interpreted():
        import numpy

        # Compiled integers wrap around silently; so must interpreted ones.
        numpy.seterr(over="ignore")
        return function
    need_compiler()
    _compiled.add(function.__module__)
    _numba()
    load_numba_extensions(importlib.import_module("numba.core.entrypoints").init_all)
    _name_records()
    _compile_less()
    from cardai.core import _kernel_stages

    compiled = _kernel_stages.Kernel(function, {}, {"nopython": True, "nogil": True})
    compiled._cache = _cache_class()(function)  # where njit(cache=True) would put numba's own
    compiled.before_compiling = _bring
    return compiled  # type: ignore[no-any-return]


def _bring(kernel: Any, types: Any) -> None:
    """Have a kernel compiled for types by whoever does so for this process, if it is not saved."""
    if _elsewhere is None:
        return
    context, cache = kernel.targetctx, kernel._cache
    context.refresh()
    with suppress(OSError):
        if cache._index_key(("called", *types), context.codegen()) in cache._cache_file._load_index():
            return
    _elsewhere(kernel, types)


def prefetcher() -> Callable[[Any, Any], None]:
    """Return ``prefetch(array, position)`` for kernels, which changes nothing but speed.

    The processor begins to fetch the memory of ``array[position]`` (a contiguous 1-d array; a position behind its end does
    no harm), to write there soon. Hardware guesses regular strides; this is for the others.
    """
    if interpreted():
        return lambda array, position: None
    need_compiler()
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


_PATIENCE = 120.0
"""Seconds that a process waits for another one to compile a kernel; then it compiles it itself."""


@cache
def _name_records() -> None:
    """Have numba name what is compiled for records by the records' fields, the same in every process.

    It names them by a number that a type gets in its own process. A kernel that two processes compiled, each for another
    record of the same number, has one name twice: who loads both from the cache runs the first for both.
    """
    record_type: Any = importlib.import_module("numba.core.types").Record

    def mangling_args(record: Any) -> tuple[str, tuple[int, ...]]:
        return "Record", (int(hashlib.sha256(record.name.encode()).hexdigest()[:15], 16),)

    record_type.mangling_args = property(mangling_args)


@cache
def _numba() -> Any:
    """Import numba without two libraries that it takes along where they are installed, a quarter of what starting costs.

    It looks whether coverage is measuring, which only is if it has been imported; and whether scipy has a BLAS, which it
    asks again when a kernel needs one.
    """
    apart = "coverage" not in sys.modules
    if apart:
        sys.modules["coverage"] = None  # type: ignore[assignment]
    try:
        import numba
    finally:
        if apart:
            del sys.modules["coverage"]
    linalg: Any = importlib.import_module("numba.np.linalg")
    asked = linalg.ensure_blas

    def ensure_blas() -> None:
        if linalg.ensure_blas is asked:
            asked()
        linalg.ensure_blas = asked
        if importlib.util.find_spec("scipy") is None:
            raise ImportError("there is no scipy")

    if "numba.np.arraymath" not in sys.modules:
        linalg.ensure_blas = ensure_blas
    return numba


@cache
def _compile_less() -> None:
    """Spare what numba compiles and counts that no kernel needs: an eighth of what a first command takes.

    An assignment ``a[:] = b`` brings the code that writes out both shapes as text, for an error that a kernel of ours never
    raises: here its sentence has no numbers. And each call of LLVM tells timers that nobody reads.
    """
    from llvmlite.binding import ffi
    from numba.extending import overload
    from numba.np import arrayobj

    def raise_unequal(given: Any, place: Any) -> None:
        """Only typed, never called."""

    @overload(raise_unequal)  # type: ignore[untyped-decorator]
    def _(given: Any, place: Any) -> Any:
        def implementation(given: Any, place: Any) -> None:
            raise ValueError("cannot assign an array to a slice of another shape")

        return implementation

    if hasattr(arrayobj, "raise_with_shape_context"):
        arrayobj.raise_with_shape_context = raise_unequal
    with suppress(AttributeError):
        ffi.lib._lock._cblist.clear()


@cache
def _cache_class() -> Any:
    """Return numba's cache of a function, kept in :func:`cache_directory` and compiled by one process at a time."""
    caching: Any = importlib.import_module("numba.core.caching")  # without types

    class KernelCache(caching.FunctionCache):
        _impl_class = _parts_class()

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._locks: list[Any] = []  # one for each compilation under way: a kernel may need another one of itself

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = self._saved(sig, target_context)
            if found is None:
                lock = None if self._locks else _locked(Path(self.cache_path) / f"{self._impl.filename_base}.lock")
                found = self._saved(sig, target_context)  # another process may have saved it meanwhile
                if found is None:
                    self._locks.append((lock, _collect_seldom()))
                else:
                    _unlock(lock)
            return found

        def _saved(self, sig: Any, target_context: Any) -> Any:
            with suppress(OSError):  # a disk that cannot be read, or below that is full: the kernel runs all the same
                return super().load_overload(sig, target_context)
            return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                with suppress(OSError):
                    super().save_overload(sig, data)
            finally:
                self.end()

        def end(self) -> None:
            """Let other processes compile this kernel."""
            if self._locks:
                _end(*self._locks.pop())

    _end_failures(KernelCache)
    return KernelCache


def _parts_class() -> Any:
    """Return what tells numba's cache where a kernel's files are, and how they are named."""
    caching: Any = importlib.import_module("numba.core.caching")

    class Locator(caching._CacheLocator):
        def __init__(self, function: Any, file: str) -> None:
            self._py_file, self._line = file, function.__code__.co_firstlineno
            self._path = str(cache_directory(Path(file)))

        def get_cache_path(self) -> str:
            return self._path

        def get_source_stamp(self) -> str:
            return ""  # the directory's name is one

        def get_disambiguator(self) -> str:
            return f"{Path(self._py_file).stem}-{self._line}"

        @classmethod
        def from_function(cls, function: Any, file: str) -> Any:
            return cls(function, file)  # the directory is made when there is something to save

    from cardai.core import _kernel_stages

    class Parts(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

        def reduce(self, found: Any) -> Any:
            return _kernel_stages.reduced(found)

        def rebuild(self, context: Any, known: Any) -> Any:
            return _kernel_stages.rebuilt(context, known)

    return Parts


def _end_failures(kind: Any) -> None:
    """From now on end compilations that raise, after which numba saves nothing, in caches of a ``kind``."""
    from numba.core import event

    class Failed(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            pass

        def on_end(self, event: Any) -> None:
            if event.data is None:  # somebody else's, not of a kernel
                return
            kernel = event.data["dispatcher"]
            if isinstance(kernel._cache, kind) and tuple(event.data["args"]) not in kernel.overloads:
                kernel._cache.end()

    event.register("numba:compile", Failed())  # type: ignore[no-untyped-call]


def _locked(path: Path) -> Any:
    """Return an open file that locks ``path``; None where there are no such locks, or the wait was too long."""
    try:
        import fcntl

        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except (ImportError, OSError):
        return None
    until = time.monotonic() + _PATIENCE
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except BlockingIOError:
                if time.monotonic() > until:
                    break
                time.sleep(0.02)
    except OSError:  # a file system without locks
        pass
    lock.close()
    return None


def _collect_seldom() -> tuple[int, int, int]:
    """Look for garbage seldom from here on, and return how often it was: what compiling makes mostly lives until its end,
    which comes a sixth sooner."""
    before = gc.get_threshold()
    if before[0]:  # else nobody looks
        gc.set_threshold(50_000, 20, 20)
    return before


def _end(lock: Any, thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(*thresholds)
    _unlock(lock)


def _unlock(lock: Any) -> None:
    if lock is not None:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_UN)  # a child that was forked meanwhile has the file open too
        lock.close()


@contextmanager
def when_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Call ``tell`` once if, while this is open, a kernel must be compiled because no cache holds it."""
    with each_compiled(lambda name, count: tell() if count == 1 else None):
        yield


@contextmanager
def each_compiled(tell: Callable[[str, int], None]) -> Iterator[None]:
    """Call ``tell(kernel, count)`` whenever, while this is open, a kernel must be compiled because no cache holds it.

    ``kernel`` is its module and name, ``count`` how many there were, itself included, in whatever thread.
    """
    if interpreted():
        yield
        return
    from numba.core import event

    class CompileListener(event.Listener):  # type: ignore[misc]
        count = 0

        def on_start(self, event: Any) -> None:
            if event.data is None:  # somebody else's, not of a kernel
                return
            self.count += 1
            function = event.data["dispatcher"].py_func
            tell(f"{function.__module__}.{function.__name__}", self.count)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", CompileListener()):
        yield
