"""Programs started here, each with a process group of its own, which is ended whole: the program and what it has started.

Ctrl-C in a terminal comes to this process alone then, which ends the groups it has started. Where it is killed itself
(SIGKILL), a guard in each group sees the end of a pipe, and ends the group.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

PATIENCE = 2.0
"""Seconds that a group has to end by itself once it is asked to (SIGTERM); what is left of it then is killed."""
_POLL = 0.02
_GROUPS = os.name == "posix"
_GUARD = ("/bin/sh", "-c", f"read x; trap '' TERM; kill -TERM 0; sleep {PATIENCE:g}; kill -KILL 0")
"""A shell that waits for the end of its input, and then asks its group to end, and kills what is left of it."""
_guards: dict[subprocess.Popen[bytes], subprocess.Popen[bytes]] = {}
"""The guard of each group, by its leader."""


def start(
    command: Sequence[str],
    directory: Path | None = None,
    out: int | IO[bytes] = subprocess.DEVNULL,
    err: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that reads nothing, in a group of its own. Raises OSError or ValueError where it cannot be."""
    leader = subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        process_group=0 if _GROUPS else -1,
    )
    if _GROUPS:
        with suppress(OSError, subprocess.SubprocessError):  # there is no shell, or the program is gone already
            _guards[leader] = subprocess.Popen(
                _GUARD,
                stdin=subprocess.PIPE,  # its other end is this process's alone, and closes however that ends
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=leader.pid,
            )
    return leader


def end(leader: subprocess.Popen[bytes], patience: float | None = None) -> None:
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
        if (guard := _guards.pop(leader, None)) is not None:
            assert guard.stdin is not None
            guard.kill()  # of the group alone where the system lets no group be killed
            guard.stdin.close()
            guard.wait()


def _ask(leader: subprocess.Popen[bytes]) -> None:
    if _GROUPS:
        _send(leader, signal.SIGTERM)
    else:
        leader.terminate()


def _kill(leader: subprocess.Popen[bytes]) -> None:
    if _GROUPS:
        _send(leader, signal.SIGKILL)
    else:
        leader.kill()


def _lives(leader: subprocess.Popen[bytes]) -> bool:
    """Whether anything of a group is left; its leader may have ended before what it has started."""
    if leader in _guards:
        _guards[leader].poll()  # one that has ended would count as long as nobody asks
    return leader.poll() is None or (_GROUPS and _send(leader, 0))


def _send(leader: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to a group, and return whether there is one."""
    with suppress(ProcessLookupError, PermissionError):  # the latter where only zombies are left, on macOS
        os.killpg(leader.pid, number)
        return True
    return False
