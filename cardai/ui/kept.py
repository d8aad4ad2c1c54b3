"""Where matches are kept, each in a record of its own, and which of them was the last."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from cardai.arena.journal import ENDING
from cardai.core.errors import UsageError
from cardai.core.extras import need_extra
from cardai.core.files import LOCK
from cardai.core.locks import FileLock, Held
from cardai.core.schema import file_name

SPOTS = "spots"
"""The folder of solved spots, a library of them."""
INDEX = "index.sqlite"
"""What lists say of the matches (:mod:`cardai.study.index`)."""
OWN = (
    *("matches", "drills.json", f".drills.json{LOCK}", "strength.json", f".strength.json{LOCK}", "trusted"),
    *(INDEX, f"{INDEX}-journal", "index.json", SPOTS),
)
"""What lies in the folder of a person's data: whatever else is there, where CARDAI_DATA_DIR names another, is not ours."""
PATIENCE = 10.0
"""Seconds for which a file is waited for that somebody else is writing anew."""
MOST = 10_000
"""Matches that are looked through for the last one."""


def folder() -> Path:
    """Return the folder of what a person has played and measured: CARDAI_DATA_DIR, else platformdirs' for data.

    Raises:
        PluginError: neither is there.
    """
    named = os.environ.get("CARDAI_DATA_DIR")
    if named:
        return Path(named)
    need_extra("platformdirs", "The folder of your matches", "play")
    from platformdirs import user_data_path

    return user_data_path("cardai", appauthor=False)


def matches() -> Path:
    """Return the folder of the matches, made if need be.

    Raises:
        UsageError: it cannot be made.
    """
    path = folder() / "matches"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"The folder of your matches, {path}, cannot be made: {error.strerror}. Give a file by --record."
        ) from error
    return path


def new_file(game: str) -> Path:
    """Return a name that no match has: when it began, and the game."""
    began = datetime.now().strftime("%Y-%m-%d-%H%M%S")  # a person reads it: local time
    name = re.sub(r"[^\w.-]+", "_", game)[:40]
    for number in range(1000):
        path = matches() / f"{began}-{name}{f'-{number}' if number else ''}.jsonl"
        taken = path.exists() or path.with_name(path.name + ENDING).exists()
        if not taken and _take(path):
            return path
    raise UsageError(f"{matches()} is full of matches of this second. Give a file by --record.")


def last() -> Path:
    """Return the match that was played last and that nobody is playing now.

    Raises:
        UsageError: there is none.
    """
    for path in newest(MOST):
        if claim(path):
            return path
    raise UsageError("There is no match to go on with. Begin one with: cardai play")


def named(name: str) -> Path | None:
    """Return the match of that name (its file's, without the ending) in the folder, None where there is none."""
    if not _sayable(name):
        return None
    path = matches() / f"{name}.jsonl"
    return path if path.is_file() or path.with_name(path.name + ENDING).is_file() else None


def _sayable(name: str) -> bool:
    """Whether a match of that name can be asked for: hidden files, and names that are no text, cannot stand in an address."""
    return file_name(name) and not name.startswith(".") and not any("\ud800" <= letter <= "\udfff" for letter in name)


def newest(count: int) -> list[Path]:
    """Return the last matches, at most ``count``, the newest first."""
    held = {file.with_name(file.name.removesuffix(ENDING)): file for file in matches().glob("*.jsonl*")}
    return [
        path
        for path in sorted(held, key=lambda path: -_changed(held[path]))
        if path.suffix == ".jsonl" and _sayable(path.stem) and held[path].is_file()
    ][:count]


def _changed(path: Path) -> int:
    """Return when a file was changed; one that went meanwhile, never."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def any_kept() -> bool:
    """Whether there is a match to go on with (or there was, a moment ago)."""
    return any(matches().glob("*.jsonl*"))


@contextmanager
def anew(path: Path) -> Iterator[None]:
    """Read a file of the person's data and write it anew: whoever else does so waits, and loses nothing of it.

    Raises:
        UsageError: somebody else has it for more than PATIENCE seconds, or nothing can be written beside it.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            lock = _locked(path)
            break
        except Held as error:
            if time.monotonic() > until:
                by = "another process" if error.holder is None else f"another process ({error.holder})"
                raise UsageError(f"The file {path} is being written by {by}. Wait for it, or stop it.") from None
        time.sleep(0.01)
    with lock:
        yield


_claims: dict[Path, FileLock] = {}
_taking = threading.Lock()


def claim(path: Path) -> bool:
    """Take a match for this process until it ends or releases it; False if another has it. Raises UsageError: nobody can."""
    return path in _claims or _take(path)


def _take(path: Path) -> bool:
    """Take a match that nobody has, not even another thread of this process: whether that went. Raises UsageError: as :func:`claim`."""
    with _taking:  # a file system may know no locks
        if path in _claims:
            return False
        try:
            _claims[path] = _locked(path)
        except Held:
            return False
    return True


def release(path: Path) -> None:
    """Give a match back."""
    lock = _claims.pop(path, None)
    if lock is not None:
        lock.release()


def _locked(path: Path) -> FileLock:
    """Return the lock of a file. Raises Held, UsageError: a link is in its place, or nothing can be written there."""
    try:
        return FileLock(_lock_of(path))
    except OSError as error:
        raise UsageError(f"The file {_lock_of(path)} cannot be written: {error.strerror}.") from error


def _lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}{LOCK}")
