"""Work that a page waits for: begun once, looked at while it goes on, kept for whoever asks next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from cardai.web.sittings import Work

T = TypeVar("T")
Progress = Callable[[int, int], None]
SOON = 1.0
"""Seconds in which a page waits for what may be done by then, before it says how far it is."""
MOST = 16
"""Results that are kept, the latest."""


class Jobs:
    """Pieces of work by what they are of; one is done at a time, so that tables do not wait for their threads."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._one = asyncio.Lock()
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}
        self._far: dict[Hashable, tuple[int, int]] = {}

    async def of(self, key: Hashable, work: Callable[[Progress], T]) -> T | tuple[int, int]:
        """Return what ``work`` comes to, or how far it is: done, and of how many. What it raises is raised, once."""
        if key not in self._tasks:
            for old in [one for one, task in self._tasks.items() if task.done()][: max(0, len(self._tasks) - MOST + 1)]:
                self._forget(old)
            self._tasks[key] = asyncio.create_task(self._do(key, work))
        task = self._tasks[key]
        await asyncio.wait([task], timeout=SOON)
        if not task.done():
            return self._far.get(key, (0, 0))
        if task.exception() is not None:
            self._forget(key)
        result: T = task.result()
        return result

    async def _do(self, key: Hashable, work: Callable[[Progress], T]) -> T:
        def told(done: int, total: int) -> None:
            self._far[key] = (done, total)
            if self._work.closed:
                raise KeyboardInterrupt  # as Ctrl-C does: the server ends, and nobody hears the result

        async with self._one:
            return await self._work.do(lambda: work(told))

    def _forget(self, key: Hashable) -> None:
        del self._tasks[key]
        self._far.pop(key, None)
