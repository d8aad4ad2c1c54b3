"""Locks on files, by which processes keep out of each other's way: they end with the process, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from cardai.core.errors import UsageError, WriteError
from cardai.core.files import LOCK, lock, remove_unfinished


class Held(Exception):
    """Another process has the lock; ``holder`` is its number, if it could write that."""

    def __init__(self, holder: int | None) -> None:
        super().__init__(holder)
        self.holder = holder


class FileLock:
    """A lock on the file ``path``, made for it and removed with it; it holds the number of the process that has it.

    Where a file system knows no locks, nobody is kept out.

    Raises:
        Held: another process has it, or another lock of this one. OSError: the file cannot be made, or is a link.
    """

    _file = -1

    def __init__(self, path: Path) -> None:
        self._path, self._process = path, os.getpid()
        while self._file < 0:
            file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
            if not lock(file):
                holder = _number_in(file)
                os.close(file)
                raise Held(holder)
            if _is_at(file, path):
                self._file = file
            else:  # its last holder removed it after we had opened it
                os.close(file)
        if os.fstat(self._file).st_nlink == 1:  # else it is a file under a second name
            with suppress(OSError):  # a full disk
                os.ftruncate(self._file, 0)
                os.write(self._file, f"{self._process}\n".encode())

    def release(self) -> None:
        """Let others have it."""
        file, self._file = self._file, -1
        if file < 0:
            return
        if self._process == os.getpid():  # not a child that was forked meanwhile
            with suppress(OSError):  # Windows removes no file that is open
                self._path.unlink()
            _unlock(file)
        os.close(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the interpreter little is left
            self.release()


class DirectoryLock(FileLock):
    """Keeps other processes from writing a directory, which is made if need be and removed again if it stays empty.

    Files there that a killed process had half written are removed.

    ``called`` begins the sentence by which another process is refused, ``instead`` ends it.

    Raises:
        UsageError: another process is writing it, or it cannot be made or written. WriteError: the disk is full.
    """

    def __init__(
        self,
        directory: Path,
        called: str = "The directory {} is being written",
        instead: str = ", or choose another --out",
    ) -> None:
        self._made: list[Path] = []
        path = directory.absolute()
        if path.exists() and not path.is_dir():
            raise UsageError(f"{str(directory)!r} is no directory. Give a directory that is new or empty.")
        try:
            self._take(path)
            remove_unfinished(path)
        except Held as error:
            by = "another process" if error.holder is None else f"another process ({error.holder})"
            raise UsageError(f"{called.format(directory)} by {by}. Wait for it, or stop it{instead}.") from None
        except OSError as error:
            self.release()
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            why = error.strerror or str(error)
            raise (WriteError if full else UsageError)(
                f"The directory {directory} cannot be written: {why}."
            ) from error

    def _take(self, path: Path, again: int = 10) -> None:
        self._made = [one for one in (path, *path.parents) if one in self._made or not one.exists()]
        try:
            path.mkdir(parents=True, exist_ok=True)
            super().__init__(path / LOCK)
        except FileNotFoundError:  # whoever had made it ended just now, and took it away with his lock
            if not again:
                raise
            self._take(path, again - 1)

    def release(self) -> None:
        """Let others write the directory."""
        super().release()
        made, self._made = self._made, []
        for one in made:
            with suppress(OSError):  # there is something in it
                one.rmdir()


def hold(file: IO[bytes], said: str) -> None:
    """Keep other processes that ask from an open ``file``, as long as it is open. Raises UsageError, ``said``: one has it."""
    if not lock(file.fileno()):
        file.close()
        raise UsageError(said)


def _unlock(file: int) -> None:
    """Unlock a file also for children that were forked meanwhile and have it open."""
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def _is_at(file: int, path: Path) -> bool:
    """Whether an open file is the one at ``path``."""
    try:
        return os.path.samestat(os.fstat(file), os.lstat(path))
    except FileNotFoundError:
        return False


def _number_in(file: int) -> int | None:
    with suppress(OSError, ValueError):
        return int(os.pread(file, 20, 0) if hasattr(os, "pread") else os.read(file, 20))
    return None
