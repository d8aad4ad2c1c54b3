"""Locks of files and directories: one process at a time, and none once it has ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardai.core import files
from cardai.core.errors import UsageError
from cardai.core.files import LOCK, Output, vacant
from cardai.core.locks import DirectoryLock, FileLock, Held

HOLD = "import sys; from pathlib import Path; from cardai.core.locks import DirectoryLock; "
HOLD += "lock = DirectoryLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Return a process that writes the directory ``x``."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "x")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_who_is_refused_is_told_the_directory_and_the_process(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    with pytest.raises(UsageError) as error:
        DirectoryLock(tmp_path / "x", "The sweep {} is being trained", ", or choose another --out")
    assert str(error.value) == (
        f"The sweep {tmp_path / 'x'} is being trained by another process ({other.pid}). "
        "Wait for it, or stop it, or choose another --out."
    )
    assert (tmp_path / "x" / LOCK).read_text() == f"{other.pid}\n"


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX's")
def test_a_killed_process_keeps_nobody_out_and_its_lock_counts_as_nothing(
    tmp_path: Path, other: subprocess.Popen[str]
) -> None:
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert (tmp_path / "x" / LOCK).exists()
    assert vacant(tmp_path / "x")
    with DirectoryLock(tmp_path / "x"):
        assert (tmp_path / "x" / LOCK).read_text() == f"{os.getpid()}\n"


def test_what_a_killed_process_had_half_written_goes_and_what_is_being_written_stays(tmp_path: Path) -> None:
    left, name = tmp_path / ".run.json.0123abcd.part", tmp_path / ".notes.part"
    for file in (left, name):
        file.write_text("{")
    writing = Output(tmp_path / "results.csv")
    writing.write(b"1")
    with DirectoryLock(tmp_path):
        assert not left.exists()
        assert name.exists()
        writing.commit()
    assert (tmp_path / "results.csv").read_bytes() == b"1"


def test_what_was_made_for_the_lock_goes_with_it_if_nothing_else_came(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b" / LOCK).exists()
    assert not (tmp_path / "a").exists()
    (tmp_path / "mine").mkdir()
    with DirectoryLock(tmp_path / "mine"), DirectoryLock(tmp_path / "c" / "d"):
        (tmp_path / "c" / "kept").touch()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["c", "kept", "mine"]


def test_a_lock_that_its_holder_removed_while_it_was_opened_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, opened, real = tmp_path / "lock", [], os.open

    def open_late(*given: object, **more: object) -> int:
        file: int = real(*given, **more)  # type: ignore[arg-type]
        opened.append(file)
        if len(opened) == 1:
            path.unlink()
        return file

    monkeypatch.setattr(os, "open", open_late)
    with FileLock(path):
        assert len(opened) == 2
        with pytest.raises(Held):
            FileLock(path)


def test_a_directory_that_its_maker_takes_away_meanwhile_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not be written, as there was no such file."""
    path, real = tmp_path / "x" / "y", os.open
    others = [DirectoryLock(path)]

    def open_late(*given: object, **more: object) -> int:
        if others:
            others.pop().release()
        return real(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", open_late)
    with DirectoryLock(path):
        assert (path / LOCK).exists()
    assert not path.parent.exists()


def test_what_is_written_while_a_directory_is_locked_is_let_alone_whatever_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was removed between its beginning and its lock; and whoever locked the directory failed where it was done by then."""
    real, lock, moments = Path.iterdir, files.lock, [True]

    def lock_late(file: int, **more: bool) -> bool:
        if moments:
            moments.pop()
            files.remove_unfinished(tmp_path)
        return lock(file, **more)

    monkeypatch.setattr(files, "lock", lock_late)
    writing = Output(tmp_path / "results.csv")

    def look_late(directory: Path) -> Iterator[Path]:
        found = list(real(directory))
        if directory == tmp_path:
            writing.commit()
        yield from found

    monkeypatch.setattr(Path, "iterdir", look_late)
    with DirectoryLock(tmp_path):
        assert sorted(path.name for path in real(tmp_path)) == [LOCK, "results.csv"]


def test_a_lock_that_is_a_link_or_has_a_second_name_leaves_the_file_behind_it(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("a text of mine")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / LOCK).symlink_to(mine)
    with pytest.raises(UsageError, match="cannot be written"):
        DirectoryLock(tmp_path / "x")
    (tmp_path / "x" / LOCK).unlink()
    os.link(mine, tmp_path / "x" / LOCK)
    with DirectoryLock(tmp_path / "x"):
        pass
    assert mine.read_text() == "a text of mine"


def test_a_directory_that_is_a_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    for path in (tmp_path / "x", tmp_path / "x" / "y"):
        with pytest.raises(
            UsageError, match=f"{path}' is no directory|The directory {path} cannot be written: Not a directory"
        ):
            DirectoryLock(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_that_ends_leaves_its_parents_lock(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as lock:
        child = os.fork()
        if not child:
            lock.release()
            os._exit(0)
        os.waitpid(child, 0)
        assert (tmp_path / "lock").exists()
        with pytest.raises(Held) as held:
            FileLock(tmp_path / "lock")
        assert held.value.holder == os.getpid()
