"""Where compiled kernels are kept: a directory named by a hash of all that they were made from.

A *kernel source* is a ``.py`` file that contains ``@kernel`` or the line ``# kernel constants``: numba freezes global
constants at compile time, so a module whose constants kernels read says so with that line.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

_OURS = Path(__file__).resolve().parents[1]
_MARKS = (b"@kernel", b"# kernel constants")


def cache_directory(source: Path) -> Path:
    """Return the cache directory for kernels of the file ``source``."""
    source = source.resolve()
    root = _package_root(source)
    if root == _OURS:
        name = ".".join(source.relative_to(root).with_suffix("").parts)
        return _cache_home() / root.stem / f"{name}-{_hash_of(reached(source, root))}"
    return _cache_home() / f"{_OURS.stem}-{root.stem}-{_fingerprint(root)}"


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
