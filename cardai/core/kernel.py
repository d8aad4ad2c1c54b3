"""``@kernel``: plain-looking Python compiled by numba, with a cache that cannot run old rules.

numba's own cache looks only at the file of the function that is called, so a kernel that calls an edited kernel of
another file would silently run the old one. Here the cache of a file's kernels lies in a directory named by a hash of all
kernel sources that the file can reach by imports (a third party's: all of theirs and ours) and of the Python, numba and
numpy versions. What is compiled once is shared: by checkouts whose sources are the same, and by processes that start
together, of which one compiles a kernel while the others wait for it.

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
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from cardai.core.damaged import load_numba_extensions
from cardai.core.memory import need_compiler

F = TypeVar("F", bound=Callable[..., Any])

_OURS = Path(__file__).resolve().parents[1]
_MARKS = (b"@kernel", b"# kernel constants")
_interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def interpret() -> None:
    """Run every kernel that is defined from now on as ordinary Python, without importing numba."""
    global _interpreted
    _interpreted = True


def interpreted() -> bool:
    """Whether kernels run as ordinary Python in this process."""
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
    need_compiler()
    import numba

    load_numba_extensions(importlib.import_module("numba.core.entrypoints").init_all)
    _name_records()
    compiled: Any = numba.njit(nogil=True)(function)
    compiled._cache = _cache_class()(function)  # where njit(cache=True) would put numba's own
    return compiled  # type: ignore[no-any-return]


def prefetcher() -> Callable[[Any, Any], None]:
    """Return ``prefetch(array, position)`` for kernels, which changes nothing but speed.

    The processor begins to fetch the memory of ``array[position]`` (a contiguous 1-d array; a position behind its end does
    no harm), to write there soon. Hardware guesses regular strides; this is for the others.
    """
    if _interpreted:
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


def cache_directory(source: Path) -> Path:
    """Return the cache directory for kernels of the file ``source``."""
    source = source.resolve()
    root = _package_root(source)
    if root == _OURS:
        name = ".".join(source.relative_to(root).with_suffix("").parts)
        return _cache_home() / root.stem / f"{name}-{_hash_of(reached(source, root))}"
    return _cache_home() / f"{_OURS.stem}-{root.stem}-{_fingerprint(root)}"


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
                    self._locks.append(lock)
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
                _unlock(self._locks.pop())

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

    class Parts(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

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


def _unlock(lock: Any) -> None:
    if lock is not None:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_UN)  # a child that was forked meanwhile has the file open too
        lock.close()


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


def reached(source: Path, root: Path) -> list[Path]:
    """Return the kernel sources of the package at ``root`` that ``source`` can reach by imports, and itself, sorted."""
    seen, waiting = {source}, [source]
    while waiting:
        for file in _files_of(_read(waiting.pop()).imports, root) - seen:
            seen.add(file)
            waiting.append(file)
    return sorted(file for file in seen if file == source or _read(file).is_kernel_source)


class _Text(NamedTuple):
    """What counts of a file: a hash, whether it is a kernel source, and what it imports anywhere, by absolute names."""

    digest: bytes
    is_kernel_source: bool
    imports: frozenset[str]


def _read(file: Path) -> _Text:
    """Read a file, once until it changes."""
    found = os.stat(file)
    return _read_once(file, found.st_mtime_ns, found.st_size)


_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M)


@cache
def _read_once(file: Path, changed: int, size: int) -> _Text:
    text = file.read_bytes()
    names: set[str] = set()
    for module, members, modules in _IMPORT.findall(text):
        names.update(word.split()[0].decode() for word in modules.split(b",") if word.split())
        if module:
            listed = (word.split() for word in re.sub(rb"#[^\n]*", b"", members).strip(b"()").split(b","))
            names.add(module.decode())
            names.update(f"{module.decode()}.{words[0].decode()}" for words in listed if words)
    return _Text(hashlib.sha256(text).digest(), any(mark in text for mark in _MARKS), frozenset(names))


@cache
def _files_of(names: frozenset[str], root: Path) -> frozenset[Path]:
    """Return the files of the package at ``root`` among the modules ``names``."""
    parts = [name.split(".") for name in names]
    places = [root.joinpath(*one[1:]) for one in parts if one[0] == root.stem and len(one) > 1]
    found = {place.with_suffix(".py") for place in places} | {place / "__init__.py" for place in places}
    return frozenset(file for file in found if file.is_file())


@cache
def _compilers() -> bytes:
    return f"{platform.python_version()} {version('numba')} {version('numpy')} {sys.platform}".encode()


def _hash_of(files: list[Path]) -> str:
    """Return a hash of the texts of files and of the versions that compile them."""
    digest = hashlib.sha256(_compilers())
    for file in files:
        digest.update(file.name.encode() + b"\0" + _read(file).digest)
    return digest.hexdigest()[:16]


@cache
def _fingerprint(root: Path) -> str:
    """Return a hash of all kernel sources of a third party's package (or file) and of ours."""
    sources = []
    for directory in (_OURS, root):
        files = [directory] if directory.is_file() else sorted(directory.rglob("*.py"))
        sources += [file for file in files if file == root or _read(file).is_kernel_source]
    return _hash_of(sources)


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
