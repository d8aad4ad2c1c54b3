"""One input tried: how it ended, how long it took and how much memory, and what of it is a failure."""

from __future__ import annotations

import contextlib
import faulthandler
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from attrs import Factory, define
from fuzz_readers import Target

from cardai.core import needs
from cardai.core.errors import CardaiError

SECONDS = 2.0
MEGABYTES = 256
_STATUS, _REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@define
class Tally:
    """What was tried of a kind: read to the end, refused by name, the most it took, and the failures by what they were."""

    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    most: float = 0.0
    failures: Counter[str] = Factory(Counter)
    examples: dict[str, str] = Factory(dict)

    @property
    def tried(self) -> int:
        """All inputs of the kind."""
        return self.read + self.refused + self.failures.total()

    def fail(self, why: str, number: int, given: str, said: str = "") -> None:
        """Note a failure, with one example of each."""
        self.failures[why] += 1
        if why not in self.examples:
            self.examples[why] = f"{said[:200]}\n    input {number}: {given[:400]!r}"
            sys.stderr.write(f"{why}: {self.examples[why]}\n")  # a run takes an hour: what it finds is said at once


class TookTooLong(BaseException):
    """An input that did not end in time; no reader may take it for an error of its own."""


def memory() -> float:
    """Return the most megabytes that this process has held, since :func:`forget_memory` where the system can."""
    import resource

    for line in _lines_of_status():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _lines_of_status() -> list[str]:
    with contextlib.suppress(OSError):
        return _STATUS.read_text().splitlines()
    return []


def forget_memory() -> None:
    """Let the most memory be counted from here (Linux; elsewhere it is that of all inputs so far)."""
    with contextlib.suppress(OSError):
        _REFS.write_text("5")


@contextlib.contextmanager
def allowing(yes: bool) -> Iterator[None]:
    """Let every file be allowed to name what it names inside, as by its owner, so that what is behind it is read too."""
    known = needs.allowed
    needs.allowed = (lambda source: True) if yes else known
    try:
        yield
    finally:
        needs.allowed = known


def attempt(target: Target, number: int, seed: int, tally: Tally) -> None:
    """Make one input, read it, and note how it ended."""
    given, read = target(Random(f"{seed} {number}"))
    forget_memory()
    held, began, ended, said, refused = memory(), time.process_time(), "", "", False
    try:
        with limited(), allowing(number % 3 > 0):
            read()
    except CardaiError as error:
        refused, ended = True, "" if str(error).strip() else "an error without words"
    except TookTooLong as error:
        ended, said = _where(error), "it did not end"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever it is, it is what we look for
        ended, said = _where(error), str(error)
    seconds, grown = time.process_time() - began, memory() - held
    tally.seconds += seconds
    tally.longest, tally.most = max(tally.longest, seconds), max(tally.most, grown)
    if not ended and (seconds > SECONDS or grown > MEGABYTES):
        ended = f"took more than {SECONDS} s" if seconds > SECONDS else f"took more than {MEGABYTES} MB"
        said = f"{seconds:.1f} s, {grown:.0f} MB"
    if ended:
        tally.fail(ended, number, given, said)
    else:
        tally.refused += refused
        tally.read += not refused


def _where(error: BaseException) -> str:
    """Return an exception with the innermost line of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "cardai" in Path(f.filename).parts] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {place}"


def guard() -> None:
    """Refuse the process far too much memory beyond what its libraries map, and say where it was if it is killed."""
    import resource
    import signal

    def stop(number: int, frame: Any) -> None:
        raise TookTooLong

    faulthandler.enable()
    for ending in (signal.SIGINT, signal.SIGTERM):  # a shell starts what runs in its background with Ctrl-C ignored
        signal.signal(ending, signal.default_int_handler)
    signal.signal(signal.SIGVTALRM, stop)
    signal.signal(signal.SIGALRM, stop)
    mapped = (int(line.split()[1]) << 10 for line in _lines_of_status() if line.startswith("VmSize"))
    most = next(mapped, 0) + (8 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Stop what takes ten times too long inside, also where it only waits."""
    import signal

    signal.setitimer(signal.ITIMER_VIRTUAL, 10 * SECONDS)
    signal.setitimer(signal.ITIMER_REAL, 60 * SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
