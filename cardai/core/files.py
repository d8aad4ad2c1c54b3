"""Files at the border: written whole or not at all, and read no further than they keep what they promise.

:class:`Output` is the one way to write a file. It is written beside and renamed, so that a reader sees all of it or what
was there before; a pipe or device is written into, a link is followed, ``-`` is standard output.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from cardai.core.errors import DamagedFileError, UsageError, WriteError
from cardai.core.text import shown
from cardai.core.trust import marked, read_from

UNFINISHED = ".part"
"""How the name of a file ends that is being written (or that a process left behind that was killed)."""
LOCK = ".lock"
"""The file by which a process keeps others from writing a directory (:mod:`cardai.core.locks`)."""
STANDARD = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""The names of standard output."""
JSON_LIMIT = 64 << 20
DEPTH_LIMIT = 32
LINE_LIMIT = 1 << 20
VALUES_LIMIT = 1 << 20
"""Bytes of a JSON file and its levels, characters of a line, values of a file: more is no file of ours."""
ENDLESS = 1 << 28
"""Characters of a line that is passed over."""
COUNT_LIMIT = 1 << 53
"""What a file of ours may count to: steps, hands, nodes. No training comes so far, and what is added to it still fits."""
_FAR = 1 << 30  # where Windows locks a byte: what it has locked, nobody else may read
_standard: ContextVar[IO[str] | None] = ContextVar("standard output", default=None)


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
            self._target = target
            self._beside, self.file = _begun(target)
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
        seems = (
            f"{os.strerror(errno.ENOSPC)}, it seems ({error})" if "requested and" in str(error) else error
        )  # numpy's
        raise WriteError(f"{called} cannot be written: {error.strerror or seems}.") from error


def user_cache() -> Path:
    """Return the directory for what can be made again: ``$CARDAI_CACHE_DIR``, else cardai's in the user's cache."""
    if explicit := os.environ.get("CARDAI_CACHE_DIR"):
        return Path(explicit)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "cardai"


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


def sync_directory(path: Path) -> None:
    """Put a directory's names on the disk, where the system has a way."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def unfinished(path: Path) -> bool:
    """Whether ``path`` is what a killed process left: an :class:`Output`, or a lock."""
    return path.name == LOCK or (path.name.startswith(".") and path.name.endswith(UNFINISHED))


def vacant(path: Path) -> bool:
    """Whether a directory may be begun at ``path``: there is nothing, or one in which nothing was finished."""
    return not path.exists() or (path.is_dir() and all(map(unfinished, path.iterdir())))


def remove_unfinished(directory: Path, name: str = "") -> None:
    """Remove what an :class:`Output` of the file ``name`` (of any) left in ``directory`` in a process that was killed."""
    begins = re.escape(f".{name[:60]}.") if name else r"\..*\."
    for left in directory.iterdir():
        ours = re.fullmatch(rf"{begins}[0-9a-f]{{8}}\.part", left.name)
        if not ours or left.is_symlink() or not left.is_file():
            continue
        with suppress(OSError), left.open("r+b") as file:  # its writer renames or removes it meanwhile
            if lock(file.fileno(), unknown=False):
                left.unlink()


def lock(file: int, *, unknown: bool = True) -> bool:
    """Lock an open file unless another one has it locked: whether that went (``unknown``: the file system knows no locks)."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, _FAR, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            os.lseek(file, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return unknown
    return True


def _begun(target: Path, again: int = 3) -> tuple[Path, IO[bytes]]:
    """Begin a file beside ``target``, locked: as long as it is open, it is no killed process's."""
    beside = target.with_name(f".{target.name[:60]}.{os.urandom(4).hex()}{UNFINISHED}")
    file = beside.open("xb")
    if (lock(file.fileno()) and beside.exists()) or not again:
        return beside, file
    file.close()  # it was taken for one before it was locked
    beside.unlink(missing_ok=True)
    return _begun(target, again - 1)


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
    """Whether a path leads, by links, through a process's open files (/dev/stderr, /proc/self/fd/3)."""
    for _ in range(40):
        parent = os.path.realpath(path.parent)
        if parent == "/dev" or parent.startswith(("/proc/", "/dev/fd")):
            return True
        if not path.is_symlink():
            return False
        path = Path(parent) / os.readlink(path)
    return False


@contextmanager
def standard_output(stream: IO[str]) -> Iterator[None]:
    """Let ``-`` be ``stream`` inside, where what plugins print to ``sys.stdout`` goes elsewhere."""
    token = _standard.set(stream)
    try:
        yield
    finally:
        _standard.reset(token)


def _standard_output() -> IO[bytes]:
    stream = _standard.get() or sys.stdout
    stream.flush()
    buffer = None if stream.isatty() else getattr(stream, "buffer", None)
    return buffer or _Encoded(stream)  # type: ignore[return-value]


class _Encoded:
    """A standard output that somebody looks at: a terminal, or a notebook's, which takes text only."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def write(self, data: bytes) -> int:
        self._stream.write(shown(self._decoder.decode(data)))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()


# -- reading -------------------------------------------------------------------------------------------------------


def limited_lines(stream: IO[str], limit: int = LINE_LIMIT) -> Iterator[str]:
    """Yield the lines of ``stream``; of one that is longer than ``limit`` characters, its beginning without a line end.

    Raises DamagedFileError at one without an end: a hole of terabytes takes no room in an archive.
    """
    while line := stream.readline(limit):
        yield line
        left = ENDLESS
        while len(line) >= limit and not line.endswith("\n"):
            line = stream.readline(limit)
            if (left := left - len(line)) < 0:
                raise DamagedFileError(
                    f"{getattr(stream, 'name', 'What is read')} has a line of more than {ENDLESS:,} characters: "
                    "it is damaged, or no text."
                )


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in ``path``; its texts are foreign (:mod:`cardai.core.trust`), and may name files beside it.

    Raises:
        DamagedFileError: there is no such file, it is larger than any of ours, no JSON, or not an object.
    """
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            data = file.read(JSON_LIMIT + 1)
        if len(data) > JSON_LIMIT:
            raise ValueError(f"it has more than {JSON_LIMIT:,} bytes")
        if sum(map(data.count, (b"[", b"{", b","))) > VALUES_LIMIT:  # two bytes of a text become a list of sixty
            raise ValueError(f"it has more than {VALUES_LIMIT:,} values")
        value = json.loads(data)
        if too_deep(value):
            raise ValueError(f"it is nested more than {DEPTH_LIMIT} deep")
    except FileNotFoundError:
        raise DamagedFileError(f"The file {path} is missing.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFileError(f"The file {path} is not readable JSON: {error}. It is damaged or foreign.") from error
    if not isinstance(value, dict):
        raise DamagedFileError(f"The file {path} must hold a JSON object. Got {type(value).__name__} instead.")
    return marked(value, read_from(path, data, root=path.parent))  # type: ignore[no-any-return]


def too_deep(value: Any) -> bool:
    """Whether a JSON value is nested deeper than any of ours."""
    return _depth(value, DEPTH_LIMIT) > DEPTH_LIMIT


def _depth(value: Any, enough: int) -> int:
    """Return how deep a JSON value is nested, or more than ``enough``."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth(item, enough - 1) for item in inner), default=0) if enough >= 0 else 1


def refuse_links(directory: Path) -> None:
    """Raise DamagedFileError if anything in ``directory``, however deep, is a link, a pipe or the like.

    What is read, written or deleted by way of a link is elsewhere; a pipe that nobody writes into is waited for forever.
    """
    for folder, inner, files in os.walk(directory):
        for name in (*inner, *files):
            refuse_link(Path(folder, name))


def refuse_pipe(file: Path) -> None:
    """Raise DamagedFileError if ``file``, links followed, is a pipe or the like: one that nobody writes into is waited for
    forever. What is not there is said when it is opened."""
    with suppress(OSError, ValueError):
        mode = file.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise DamagedFileError(f"{file} is no file but a pipe, a device or a socket: none of ours.")


def refuse_link(file: Path) -> None:
    """Raise DamagedFileError if ``file`` is neither a file nor a directory of its own, nor absent."""
    try:
        mode = file.lstat().st_mode
    except (OSError, ValueError):  # another process has removed it, or it can have no file: said when it is opened
        return
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return
    what = f"link to {os.readlink(file)!r}" if stat.S_ISLNK(mode) else "pipe, or a socket"
    raise DamagedFileError(
        f"{file} is a {what}. A directory of cardai's holds its own files only: put the file itself there, or delete the "
        f"{'link' if stat.S_ISLNK(mode) else 'pipe'}."
    )


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's contents in hexadecimal."""
    import hashlib  # costs a start more than the rest of this module

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in canonical form."""
    import hashlib

    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
