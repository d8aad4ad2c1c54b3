"""Work that pages wait for: pieces are stopped before their turn, begun again once, and only so many wait."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

from cardai.core.errors import PluginError, UsageError
from cardai.web.jobs import DONE, FAILED, MOST_WAITING, STOPPED, WAITING, Job, Jobs


@pytest.fixture
def held() -> Iterator[tuple[Jobs, threading.Event]]:
    """Return pieces of work of which the first of the reviews is under way until the event is set."""
    jobs, free = Jobs(), threading.Event()
    jobs.begin("reviews", Job(visitor="first"), lambda: free.wait(30))
    yield jobs, free
    free.set()
    jobs.close()


def test_a_piece_that_waits_is_stopped_at_once_and_begun_again_it_is_done_once(
    held: tuple[Jobs, threading.Event],
) -> None:
    (jobs, free), done, job = held, [], Job(visitor="me")
    jobs.begin("reviews", job, lambda: done.append(1))
    assert (job.state, jobs.ahead("reviews", job)) == (WAITING, 1)
    asyncio.run(jobs.stop(job))
    assert job.state == STOPPED
    jobs.need_turn("reviews", "me", "A review")  # it no longer keeps the visitor from another
    jobs.begin("reviews", job, lambda: done.append(2))
    free.set()
    assert job.turn is not None
    job.turn.result(30)
    assert (job.state, done) == (DONE, [2])


def test_a_line_has_so_many_places_whoever_asks(held: tuple[Jobs, threading.Event]) -> None:
    jobs, _ = held
    with pytest.raises(UsageError, match="A review of yours is on the way"):
        jobs.need_turn("reviews", "first", "A review")
    for k in range(MOST_WAITING - 1):
        jobs.begin("reviews", Job(visitor=f"{k}"), lambda: None)
    with pytest.raises(UsageError, match="on the way already"):
        jobs.need_turn("reviews", "me", "A review")
    with pytest.raises(UsageError, match="on the way already"):
        asyncio.run(jobs.of("a page's key", lambda progress: None, "reviews"))


def test_work_that_ends_the_process_fails_and_ends_nothing(held: tuple[Jobs, threading.Event]) -> None:
    """It stayed under way, and the page waited for ever."""
    (jobs, _), job = held, Job()
    jobs.begin("coach", job, lambda: sys.exit(3))
    assert job.turn is not None
    job.turn.result(30)
    assert job.state == FAILED
    assert job.words.startswith("A plugin called sys.exit(3) (")
    with pytest.raises(PluginError, match=r"called sys.exit\(4\)"):
        asyncio.run(jobs.of("a page's key", lambda progress: sys.exit(4)))
