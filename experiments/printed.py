"""What commands of cardai print, for experiments whose reports name them."""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import time
from typing import Any

from cardai.core.errors import UsageError


def figure(words: list[str]) -> dict[str, Any]:
    """Return what a command of cardai prints as JSON, and the command. Raises UsageError as :func:`called`."""
    return {"command": shlex.join(["cardai", *words]), "found": json.loads(called([*words, "--json"]))}


def called(words: list[str]) -> str:
    """Run a command of cardai and return what it prints; its progress goes to the screen.

    Raises:
        UsageError: it failed; it has said why.
    """
    done = subprocess.run([sys.executable, "-m", "cardai", *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise UsageError(f"It ended with {done.returncode}: {shlex.join(['cardai', *words])}")
    return done.stdout


def seconds_spent() -> float:
    """Return the CPU seconds of this process and of the commands that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
