"""Programs started here, each with a process group of its own, which is ended whole: the program and what it has started.

Ctrl-C in a terminal comes to this process alone then, which ends the groups it has started.
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


def start(
    command: Sequence[str],
    directory: Path | None = None,
    out: int | IO[bytes] = subprocess.DEVNULL,
    err: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that reads nothing, in a group of its own. Raises OSError or ValueError where it cannot be."""
    return subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        process_group=0 if _GROUPS else -1,
    )


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
    return leader.poll() is None or (_GROUPS and _send(leader, 0))


def _send(leader: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to a group, and return whether there is one."""
    with suppress(ProcessLookupError, PermissionError):  # the latter where only zombies are left, on macOS
        os.killpg(leader.pid, number)
        return True
    return False
