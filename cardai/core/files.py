"""Files at the border: written whole or not at all, and read no further than they keep what they promise.

:class:`Output` is the one way to write a file. It is written beside and renamed, so that a reader sees all of it or what
was there before; a pipe or device is written into, a link is followed, ``-`` is standard output.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from cardai.core.errors import DamagedFileError, UsageError, WriteError
from cardai.core.streams import results_stream

Arrays = dict[str, npt.NDArray[Any]]
Shape = tuple[int | None, ...]

UNFINISHED = ".part"
"""How the name of a file ends that is being written (or that a process left behind that was killed)."""
STANDARD = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""The names of standard output."""
JSON_LIMIT = 64 << 20
LINE_LIMIT = 1 << 20
MEMBERS_LIMIT = 4096
DEPTH_LIMIT = 32
"""Bytes of a JSON file, characters of a line, arrays of an npz, levels of JSON: more is no file of ours."""


# -- writing -------------------------------------------------------------------------------------------------------


class Output:
    """A file under way. As a context manager it gives the file, commits at the end, and discards on an error.

    The new file has the mode of the old one, or what the umask leaves.

    Raises:
        UsageError: ``path`` is a directory, a disk or a socket, or cannot be opened. WriteError: the disk is full, or
            whatever else stops the writing.
    """

    file: IO[bytes]

    def __init__(self, path: str | Path, called: str = "The file") -> None:
        self._called = f"{called} {str(path)!r}"
        self._beside: Path | None = None
        self._standard = str(path) in STANDARD
        if self._standard:
            self.file = _standard_output()
            return
        try:
            target = replaced(Path(path), self._called)
            if target is None:
                self.file = Path(path).open("wb")  # noqa: SIM115 (closed by commit and discard)
                return
            self._target, self._beside = target, _beside(target)
            self.file = self._beside.open("xb")
            with suppress(OSError):  # there is no older file, or the system has no modes
                os.chmod(self._beside, stat.S_IMODE(self._target.stat().st_mode) & 0o777)
        except (OSError, ValueError) as error:  # ValueError: a name with a null byte
            why = getattr(error, "strerror", None) or str(error)
            kind = WriteError if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) else UsageError
            raise kind(f"{self._called} cannot be written: {why}.") from error

    def write(self, data: bytes) -> None:
        """Append ``data``."""
        with naming(self._called):
            self.file.write(data)

    def flush(self) -> None:
        """Hand on what is buffered."""
        with naming(self._called):
            self.file.flush()

    def commit(self) -> None:
        """Put the file in its place, on the disk."""
        with naming(self._called):
            self.file.flush()
            if self._standard:
                return
            if self._beside is not None:
                os.fsync(self.file.fileno())
            self.file.close()
            if self._beside is not None:
                os.replace(self._beside, self._target)
                sync_directory(self._target.parent)

    def discard(self) -> None:
        """Leave what was there as it was."""
        if not self._standard:
            with suppress(OSError):  # what is buffered may not fit
                self.file.close()
        if self._beside is not None:
            with suppress(OSError):
                self._beside.unlink(missing_ok=True)

    def __enter__(self) -> IO[bytes]:
        return self.file

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if error is None:
                self.commit()
                return
        except BaseException:
            self.discard()
            raise
        self.discard()
        with naming(self._called):
            if isinstance(error, OSError) and error.filename is None:  # of the writing itself
                raise error


@contextmanager
def naming(called: str) -> Iterator[None]:
    """Let an OSError inside become a WriteError that says what could not be written (a closed pipe stays one)."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"{called} cannot be written: {error.strerror or error}.") from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` as the whole file ``path``. Raises UsageError, WriteError."""
    with Output(path) as file:
        file.write(data)


def json_bytes(value: Any) -> bytes:
    """Return ``value`` as the indented JSON that :func:`write_json` writes."""
    return (json.dumps(value, indent=2) + "\n").encode()


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_atomically(path, json_bytes(value))


def write_npz(path: Path, arrays: Mapping[str, Any], compress: bool = False) -> None:
    """Write arrays (numbers and booleans only), one npy member a name, atomically."""
    save = np.savez_compressed if compress else np.savez
    with Output(path) as file:
        save(file, allow_pickle=False, **{name: np.asarray(a) for name, a in arrays.items()})


def sync_directory(path: Path) -> None:
    """Put a directory's names on the disk, where the system has a way."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def unfinished(path: Path) -> bool:
    """Say whether ``path`` is what an :class:`Output` of a killed process left."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:60]}.{secrets.token_hex(4)}{UNFINISHED}")


def replaced(path: Path, called: str = "The file") -> Path | None:
    """Return the file that an :class:`Output` of ``path`` replaces, links followed; None: it is written into.

    Raises:
        UsageError: ``path`` is a directory, a disk or a socket. OSError: it cannot be looked at.
    """
    path = path.absolute()
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    if stat.S_ISDIR(mode):
        raise UsageError(f"{called} is a directory. Give the name of a file.")
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise UsageError(f"{called} is a {'disk' if stat.S_ISBLK(mode) else 'socket'}. Give the name of a file.")
    if not stat.S_ISREG(mode) or _is_open_file(path):
        return None
    return Path(os.path.realpath(path))


def _is_open_file(path: Path) -> bool:
    """Say whether a path leads, by links, through a process's open files (/dev/stderr, /proc/self/fd/3)."""
    for _ in range(40):
        parent = os.path.realpath(path.parent)
        if parent == "/dev" or parent.startswith(("/proc/", "/dev/fd")):
            return True
        if not path.is_symlink():
            return False
        path = Path(parent) / os.readlink(path)
    return False


def _standard_output() -> IO[bytes]:
    results_stream().flush()
    return getattr(results_stream(), "buffer", None) or _Encoded()  # type: ignore[return-value]


class _Encoded:
    """A standard output that takes text only, as a notebook's."""

    def write(self, data: bytes) -> int:
        return results_stream().write(data.decode(errors="replace"))

    def flush(self) -> None:
        results_stream().flush()


# -- reading -------------------------------------------------------------------------------------------------------


def limited_lines(stream: IO[str], limit: int = LINE_LIMIT) -> Iterator[str]:
    """Yield the lines of ``stream``; of one that is longer than ``limit`` characters, its beginning without a line end."""
    while line := stream.readline(limit):
        yield line
        while len(line) >= limit and not line.endswith("\n"):
            line = stream.readline(limit)


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in ``path``.

    Raises:
        DamagedFileError: there is no such file, it is larger than any of ours, no JSON, or not an object.
    """
    try:
        with path.open("rb") as file:
            data = file.read(JSON_LIMIT + 1)
        if len(data) > JSON_LIMIT:
            raise ValueError(f"it has more than {JSON_LIMIT:,} bytes")
        value = json.loads(data)
        if _depth(value, DEPTH_LIMIT) > DEPTH_LIMIT:
            raise ValueError(f"it is nested more than {DEPTH_LIMIT} deep")
    except FileNotFoundError:
        raise DamagedFileError(f"The file {path} is missing.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFileError(f"The file {path} is not readable JSON: {error}. It is damaged or foreign.") from error
    if not isinstance(value, dict):
        raise DamagedFileError(f"The file {path} must hold a JSON object. Got {type(value).__name__} instead.")
    return value


def _depth(value: Any, enough: int) -> int:
    """Return how deep a JSON value is nested, or more than ``enough``."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth(item, enough - 1) for item in inner), default=0) if enough >= 0 else 1


def read_npz(path: Path, expected: Mapping[str, tuple[Any, Shape]] | None = None) -> Arrays:
    """Return the arrays in ``path``, never unpickling anything.

    ``expected`` maps each wanted name to (dtype, shape); None in a shape is any length. Names, dtypes, shapes and sizes
    are checked before any array is read.

    Raises:
        DamagedFileError: naming the file and what is wrong with it.
    """
    try:
        with path.open("rb") as file:
            _check_count(file)
            with zipfile.ZipFile(file) as archive:
                members = _members(archive, os.fstat(file.fileno()).st_size)
                declared = {name: _declared(archive, info) for name, info in members.items()}
                if expected is not None:
                    _check(path, declared, expected)
                arrays = {}
                for name, info in members.items():
                    with archive.open(info) as member:
                        arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                return arrays
    except DamagedFileError:
        raise
    except Exception as error:  # numpy's and zipfile's parsers raise whatever a mutated header leads them to
        said = str(error) if isinstance(error, (OSError, ValueError, zipfile.BadZipFile)) else repr(error)
        raise DamagedFileError(f"The file {path} is not a readable npz archive: {said}.") from error


def _check_count(file: IO[bytes]) -> None:
    """Refuse an archive that says it has more members than any of ours, before zipfile lists them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 65_557))  # the longest end record
    end = file.read().rpartition(b"PK\x05\x06")
    if not end[1] or len(end[2]) < 8:
        raise ValueError("it does not end as an archive does")
    count = struct.unpack_from("<H", end[2], 6)[0]
    if count > MEMBERS_LIMIT:
        raise ValueError(f"it holds {count} arrays")
    file.seek(0)


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the archive's members by array name, having checked names and what they would unpack to."""
    infos = archive.infolist()
    if len(infos) > MEMBERS_LIMIT:
        raise ValueError(f"it holds {len(infos)} arrays")
    members = {info.filename.removesuffix(".npy"): info for info in infos}
    for name, info in members.items():
        plain = info.filename.endswith(".npy") and name and not set(name) & set("/\\\0:")
        if not plain or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"it holds {info.filename[:60]!r}, which is no array of ours")
    unpacked = sum(info.file_size for info in infos)
    if len(members) != len(infos) or unpacked > (16 << 20) + 256 * size:
        raise ValueError(f"{size:,} bytes would unpack to {unpacked:,}, or two arrays have one name")
    return members


def _declared(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return the dtype and shape that a member declares, having checked that its size is theirs."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        if version not in read:
            raise ValueError(f"{info.filename!r} is of the version {version}")
        shape, _, dtype = read[version](member)
        size = dtype.itemsize
        for length in shape:
            size *= length
        if dtype.kind not in "biuf" or any(length < 0 for length in shape) or member.tell() + size != info.file_size:
            raise ValueError(f"{info.filename!r} declares {dtype} of shape {shape}, which is not what it holds")
        return dtype, shape


def check_arrays(path: Path, arrays: Arrays, expected: Mapping[str, tuple[Any, Shape]]) -> None:
    """Raise DamagedFileError unless ``arrays`` has exactly the expected names, dtypes and shapes."""
    _check(path, {name: (array.dtype, array.shape) for name, array in arrays.items()}, expected)


def _check(
    path: Path, found: Mapping[str, tuple[np.dtype[Any], tuple[int, ...]]], expected: Mapping[str, tuple[Any, Shape]]
) -> None:
    if found.keys() != expected.keys():
        odd = sorted(found.keys() ^ expected.keys())
        raise DamagedFileError(f"The file {path} must hold {sorted(expected)}. Missing or unknown: {odd}.")
    for name, (wanted, shape) in expected.items():
        dtype, got = found[name]
        fits = len(shape) == len(got) and all(s in (None, g) for s, g in zip(shape, got, strict=True))
        if dtype != np.dtype(wanted) or not fits:
            raise DamagedFileError(
                f"The array {name!r} in {path} must be {np.dtype(wanted)} of shape {shape}. "
                f"Got {dtype} of shape {got} instead: it belongs to another run or is damaged."
            )


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's contents in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
