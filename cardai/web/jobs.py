"""Work that pages wait for, all of it: begun once, done in turn, looked at while it goes on, stopped, kept for who asks next.

A kind of work has a line of its own, in which one piece is done after another in a thread, so that a spot that takes minutes
keeps nobody from a review, and tables have their own threads. Who has one piece on the way in a line waits for it.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Literal, TypeVar

import numpy as np
from attrs import define, field

from cardai.core.blame import raised
from cardai.core.errors import CardaiError, PluginError, UsageError
from cardai.core.kernel import when_compiling
from cardai.core.progress import listening

T = TypeVar("T")
Progress = Callable[[int, int], None]
Heard = Callable[[str, int, int], None]
Line = Literal["spots", "reports", "reviews", "coach"]
WAITING, WORKING, DONE, STOPPED, FAILED = "waiting", "under way", "done", "stopped", "failed"
SOON = 1.0
"""Seconds in which a page waits for what may be done by then, before it says how far it is."""
MOST = 16
"""Results of a line that are kept, the latest."""
MOST_WAITING = 8
"""Pieces of a line that are done or wait for it."""
THREADS = 4
"""So many programs think at a time; further ones wait for their turn."""
STOPS = 2.0
"""Seconds in which a page that stops a piece waits for its end, so that what comes next has what is there."""


def threads(count: int, name: str) -> ThreadPoolExecutor:
    """Return so many threads in which numpy's errors are handled as in this one: it keeps them by thread."""
    errors = np.geterr()
    return ThreadPoolExecutor(count, name, initializer=lambda: np.seterr(**errors))


def said_of(error: BaseException) -> str:
    """Return what went wrong in one line."""
    words = str(error) if isinstance(error, CardaiError) else f"{type(error).__name__}: {error}"
    return " ".join(words.split())


@define(eq=False)
class Job:
    """A piece of work, and how far it is."""

    name: str = field(factory=lambda: secrets.token_urlsafe(9), kw_only=True)
    visitor: str = field(default="", kw_only=True)
    words: str = field(default="", kw_only=True)
    """What it takes; where it failed, why."""
    state: str = field(default=WAITING, kw_only=True)
    done: int = field(default=0, kw_only=True)
    total: int = field(default=0, kw_only=True)
    found: Any = field(default=None, kw_only=True)
    """What it came to."""
    error: Exception | None = field(default=None, kw_only=True)
    """Why it failed."""
    compiling: bool = field(default=False, kw_only=True)
    used: float = field(factory=time.monotonic, kw_only=True)
    stopping: threading.Event = field(factory=threading.Event, kw_only=True)
    turn: Future[None] | None = field(default=None, kw_only=True)
    """Its place in the line."""

    @property
    def under_way(self) -> bool:
        """Whether it is done, or waits for it."""
        return self.state in (WAITING, WORKING)

    def told(self, done: int, total: int) -> None:
        """Take down how far it is. Raises KeyboardInterrupt where it is to stop, as Ctrl-C does."""
        self.done, self.total, self.compiling = done, total, False
        self.heed()

    def heed(self) -> None:
        """Raise KeyboardInterrupt where the work is to stop."""
        if self.stopping.is_set():
            raise KeyboardInterrupt

    def run(self, work: Callable[[], Any]) -> None:
        """Do ``work``, in the thread for it; one that raises KeyboardInterrupt was stopped."""

        def compiles() -> None:
            self.compiling = True

        if self.stopping.is_set():
            self.state = STOPPED
            return
        self.state = WORKING
        try:
            with when_compiling(compiles), listening(lambda label, done, total: self.heed()):
                self.found = work()
            self.state = STOPPED if self.stopping.is_set() else DONE
        except KeyboardInterrupt:
            self.state = STOPPED
        except (Exception, SystemExit) as error:  # whatever it is, the page that waits for it must hear of it
            self.error = error if isinstance(error, Exception) else PluginError(f"A plugin {raised(error)}.")
            self.words, self.state = said_of(self.error), FAILED


class Jobs:
    """All pieces of work, by their lines."""

    def __init__(self) -> None:
        self._pools: dict[Line, ThreadPoolExecutor] = {}
        self._lines: dict[Line, list[Job]] = {}
        self._keyed: dict[Hashable, Job] = {}
        self._lock = threading.RLock()

    def begin(self, line: Line, job: Job, work: Callable[[], Any]) -> None:
        """Have ``work`` done in its turn; what it returns becomes what the job found."""
        with self._lock:
            job.state, job.error = WAITING, None
            job.stopping.clear()
            self._lines[line] = [*(one for one in self.waiting(line) if one is not job), job]
            if line not in self._pools:
                self._pools[line] = threads(1, f"cardai-{line}")
            job.turn = self._pools[line].submit(job.run, work)

    def waiting(self, line: Line) -> list[Job]:
        """Return what is under way in a line, in order."""
        return [one for one in self._lines.get(line, ()) if one.under_way]

    def ahead(self, line: Line, job: Job) -> int:
        """Return how many pieces are done before one that waits."""
        held = self.waiting(line)
        return held.index(job) if job in held else 0

    def need_turn(self, line: Line, visitor: str, what: str) -> None:
        """Raise UsageError where a visitor has one on the way, or too many wait; ``what`` is a piece of the line, in words."""
        if any(one.visitor == visitor for one in self.waiting(line)):
            raise UsageError(f"{what} of yours is on the way: wait until it is done, or stop it.")
        self._need_place(line)

    def _need_place(self, line: Line) -> None:
        """Raise UsageError where as many are under way in a line as may be."""
        if (count := len(self.waiting(line))) >= MOST_WAITING:
            raise UsageError(f"{count} are on the way already, or wait for it. Come again in a moment.")

    async def stop(self, job: Job) -> None:
        """Stop a piece; what is there is kept. It has ended then, where that is soon, and at once where it was not its turn."""
        job.stopping.set()
        if job.turn is not None and job.turn.cancel():
            job.state = STOPPED
        until = time.monotonic() + STOPS
        while job.under_way and time.monotonic() < until:
            await asyncio.sleep(0.02)

    async def of(self, key: Hashable, work: Callable[[Progress], T], line: Line = "coach") -> T | tuple[int, int]:
        """Return what ``work`` comes to, or how far it is: done, and of how many. What it raises is raised, once."""
        if key not in self._keyed:
            self._need_place(line)
            over = [one for one, job in self._keyed.items() if not job.under_way]
            for old in over[: max(0, len(self._keyed) - MOST + 1)]:
                del self._keyed[old]
            job = self._keyed[key] = Job()
            self.begin(line, job, lambda: work(job.told))
        job = self._keyed[key]
        until = time.monotonic() + SOON
        while job.under_way and time.monotonic() < until:
            await asyncio.sleep(0.02)
        if job.under_way:
            return job.done, job.total
        if job.state != DONE:
            self._keyed.pop(key, None)
            raise job.error or UsageError("It was stopped.")
        result: T = job.found
        return result

    def end(self) -> None:
        """Have whatever is under way stop, and begin nothing more."""
        with self._lock:
            for held in self._lines.values():
                for job in held:
                    job.stopping.set()
            for pool in self._pools.values():
                pool.shutdown(wait=False, cancel_futures=True)

    def close(self, patience: float | None = None) -> None:
        """Stop whatever is under way, begin nothing more, and return when it has ended, at the latest after ``patience`` seconds."""
        self.end()
        turns = [job.turn for held in self._lines.values() for job in held if job.turn is not None]
        wait([turn for turn in turns if not turn.done()], patience)


class Work:
    """Threads in which tables are laid and programs think."""

    def __init__(self, count: int = THREADS) -> None:
        self._pool = threads(count, "cardai-table")  # kernels that are not compiled set numpy's errors once
        self._coach = threads(1, "cardai-coach")
        self._ending = threading.Event()

    async def do(self, work: Callable[[], T], heard: Heard | None = None, coach: bool = False) -> T:
        """Return what ``work`` does, in a thread (a coach's in his own: he may solve for long); ``heard`` is told there how far
        it is. What tells is stopped when the server ends."""

        def told(label: str, done: int, total: int) -> None:
            if self._ending.is_set():
                raise KeyboardInterrupt
            if heard is not None:
                heard(label, done, total)

        def run() -> T:
            try:
                with listening(told):
                    return work()
            except KeyboardInterrupt as error:  # in the event loop it would end more than this piece of work
                raise UsageError("This server ends.") from error

        return await asyncio.get_running_loop().run_in_executor(self._coach if coach else self._pool, run)

    @property
    def ending(self) -> bool:
        """Whether the server ends."""
        return self._ending.is_set()

    def end(self) -> None:
        """Stop what tells how far it is."""
        self._ending.set()

    def close(self) -> None:
        """Begin nothing more."""
        for pool in (self._pool, self._coach):
            pool.shutdown(wait=False, cancel_futures=True)
