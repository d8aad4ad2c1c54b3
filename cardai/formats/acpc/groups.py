"""Programs started here, each with a process group of its own, which is ended whole: the program and what it has started.

Ctrl-C in a terminal comes to this process alone then, which ends the groups it has started. Where it is killed itself
(SIGKILL), a guard in each group sees the end of a pipe, and ends the group: it is there first, and the group is its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from cardai.core.errors import CardaiError
from cardai.core.notes import tell

PATIENCE = 2.0
"""Seconds that a group has to end by itself once it is asked to (SIGTERM); what is left of it then is killed."""
_POLL = 0.02
_GROUPS = os.name == "posix"
_GUARD = ("/bin/sh", "-c", f"read x; trap '' TERM; kill -TERM 0; sleep {PATIENCE:g}; kill -KILL 0")
"""A shell that waits for the end of its input, and then asks its group to end, and kills what is left of it."""


class Forked:
    """A process that was forked from this one, waited for as a :class:`subprocess.Popen` is."""

    def __init__(self, pid: int, stdout: IO[bytes] | None) -> None:
        self.pid, self.stdout = pid, stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code (of a signal its negative number), None while the process lives."""
        return self._wait(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for the end and return the exit code."""
        return self._wait(0)

    def _wait(self, how: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, how)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


Leader = subprocess.Popen[bytes] | Forked
Guard = subprocess.Popen[bytes] | None
_guards: dict[Leader, Guard] = {}
"""The guard of each group, by its leader; None where there can be none."""


def start(
    command: Sequence[str],
    directory: Path | None = None,
    out: int | IO[bytes] = subprocess.DEVNULL,
    err: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that reads nothing, in a group of its own. Raises OSError or ValueError where it cannot be."""
    guard = _guard()
    try:
        leader = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            process_group=_number(guard) if _GROUPS else -1,
        )
    except BaseException:
        _dismiss(guard)
        raise
    _guards[leader] = guard
    return leader


def _guard() -> Guard:
    """Begin a group that ends where this process does, however that ends; return what sees to it."""
    if _GROUPS:
        with suppress(OSError, subprocess.SubprocessError):  # there is no shell
            return subprocess.Popen(
                _GUARD,
                stdin=subprocess.PIPE,  # its other end is this process's alone
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
    return None


def _number(guard: Guard) -> int:
    """Return the number of a guard's group, 0 for a new one."""
    return 0 if guard is None else guard.pid


def _dismiss(guard: Guard) -> None:
    if guard is not None:
        assert guard.stdin is not None
        guard.kill()
        guard.stdin.close()
        guard.wait()


def can_fork() -> bool:
    """Whether :func:`fork` is safe here: on Linux, in a process of one thread, without torch, whose threads no fork has."""
    return sys.platform == "linux" and threading.active_count() == 1 and "torch" not in sys.modules


def fork(work: Callable[[], object], directory: Path | None, err: IO[bytes], out: bool = False) -> Forked:
    """Do ``work`` in a process of its own, which has all that this one has loaded, in a group of its own.

    It ends with 0, as SystemExit says, or as the command line does for an error, with its words in ``err``, where stderr
    goes. Its stdout can be read with ``out``, and is nothing without; nothing can be read from stdin.
    """
    read, write = os.pipe() if out else (-1, os.open(os.devnull, os.O_WRONLY))
    guard = _guard()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # native threads of libraries that know how to fork
        pid = os.fork()
    if not pid:
        _work_on(work, directory, write, err.fileno(), guard)
    os.close(write)
    with suppress(OSError):  # also here: whichever process is first
        os.setpgid(pid, _number(guard) or pid)
    leader = Forked(pid, os.fdopen(read, "rb", 0) if out else None)
    _guards[leader] = guard
    return leader


def _work_on(work: Callable[[], object], directory: Path | None, out: int, err: int, mine: Guard) -> None:
    """Be the forked process, to its end."""
    code = 1
    try:
        os.setpgid(0, _number(mine))
        for guard in (*_guards.values(), mine):
            if guard is not None and guard.stdin is not None:
                guard.stdin.close()  # or those groups would not see the end of the process that began them
        for number, target in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
            os.dup2(target, number)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", errors="replace")  # noqa: SIM115
        if directory is not None:
            os.chdir(directory)
        work()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except CardaiError as error:
        code = error.exit_code
        tell(f"cardai: {error}")
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def end(leader: Leader, patience: float | None = None) -> None:
    """End the group of a program that :func:`start` began, and close what is read of it.

    ``patience`` is in seconds, :data:`PATIENCE` if it is not given.
    """
    try:
        _ask(leader)
        until = time.monotonic() + (PATIENCE if patience is None else patience)
        while _lives(leader) and time.monotonic() < until:
            time.sleep(_POLL)
    finally:  # also where Ctrl-C comes again
        _kill(leader)
        leader.wait()
        if leader.stdout is not None:
            leader.stdout.close()
        _dismiss(_guards.pop(leader, None))  # of the group alone where the system lets no group be killed


def _ask(leader: Leader) -> None:
    if _GROUPS:
        _send(leader, signal.SIGTERM)
    elif isinstance(leader, subprocess.Popen):
        leader.terminate()


def _kill(leader: Leader) -> None:
    if _GROUPS:
        _send(leader, signal.SIGKILL)
    elif isinstance(leader, subprocess.Popen):
        leader.kill()


def _lives(leader: Leader) -> bool:
    """Whether anything of a group is left; its leader may have ended before what it has started."""
    if (guard := _guards.get(leader)) is not None:
        guard.poll()  # one that has ended would count as long as nobody asks
    return leader.poll() is None or (_GROUPS and _send(leader, 0))


def _send(leader: Leader, number: int) -> bool:
    """Send a signal to a group, and return whether there is one."""
    with suppress(ProcessLookupError, PermissionError):  # the latter where only zombies are left, on macOS
        os.killpg(_number(_guards.get(leader)) or leader.pid, number)
        return True
    return False
