"""Those who do pieces on this machine: this process, or others."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, Protocol

from cardai.core import registry
from cardai.pieces.parcels import Label, Parcel, at_hand


class Lost(Exception):
    """A worker was killed before its piece was done."""


WAKE_SECONDS = 1.0
"""Seconds without a result after which whoever waits looks up."""


Parcels = Sequence[Parcel]
"""What a work sends once: (function, shared), and what lasts beyond it, if there is any."""


def call(opened: Sequence[Any], arguments: tuple[Any, ...]) -> Any:
    """Do a piece with what its :data:`Parcels` hold."""
    (function, shared), *lasting = opened
    return function(*lasting, shared, *arguments)


class Workers(Protocol):
    """Those who do pieces."""

    count: int
    others: bool
    """Whether they are other machines, one of which may be slow for reasons of its own."""

    def begin(self, arguments: tuple[Any, ...]) -> Any:
        """Begin a piece and return what stands for it."""

    def finished(self, under_way: Collection[Any]) -> Any:
        """Wait until one of those under way is done or lost, and return it; None after a while without one."""

    def result(self, handle: Any) -> Any:
        """Return what a finished piece returned, or raise what it raised. Raises Lost if its worker was killed."""

    def drop(self, handle: Any) -> None:
        """Let nobody wait for a piece that was done elsewhere."""

    def close(self, done: bool) -> None:
        """Let the workers go; not ``done``: end what is under way at once."""


class Here:
    """This process: a piece is done when its result is asked for."""

    count = 1
    others = False

    def __init__(self, parcels: Parcels) -> None:
        self._parcels = parcels
        self._pieces: dict[int, tuple[Any, ...]] = {}
        self._number = 0

    def begin(self, arguments: tuple[Any, ...]) -> int:
        self._number += 1
        self._pieces[self._number] = arguments
        return self._number

    def finished(self, under_way: Collection[int]) -> int:
        return min(under_way)

    def result(self, handle: int) -> Any:
        return call([parcel.value for parcel in self._parcels], self._pieces.pop(handle))

    def drop(self, handle: int) -> None:
        self._pieces.pop(handle, None)

    def close(self, done: bool) -> None:
        self._pieces.clear()


class Processes:
    """Processes of this machine, joblib's."""

    others = False

    def __init__(self, parcels: Parcels, jobs: int) -> None:
        self.count = jobs
        self._parcels = parcels  # their files are there as long as they are
        self._labels = [parcel.label for parcel in parcels]
        self._aside = sys.stdout is sys.stderr  # what plugins print goes to stderr
        # a process that nobody needs for ten seconds ends; where the next piece comes just then, joblib says so in the thread
        # that brings results, and where warnings are errors that thread would end: the piece would be waited for for ever
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given to the executor", UserWarning)

    def begin(self, arguments: tuple[Any, ...]) -> Future[Any]:
        from concurrent.futures.process import BrokenProcessPool

        from joblib.externals.loky import get_reusable_executor

        work = (self._labels, registry.plugin_files(), arguments, self._aside)
        while True:
            with _deaf(), suppress(BrokenProcessPool):  # a worker was killed since: the next one is new
                executor = get_reusable_executor(max_workers=self.count)  # a new one where workers were killed
                future: Future[Any] = executor.submit(_in_process, *work)
                return future

    def finished(self, under_way: Collection[Future[Any]]) -> Future[Any] | None:
        return next(iter(wait(under_way, WAKE_SECONDS, FIRST_COMPLETED).done), None)

    def result(self, handle: Future[Any]) -> Any:
        from concurrent.futures.process import BrokenProcessPool

        try:
            return handle.result()
        except BrokenProcessPool as error:
            raise Lost(str(error)) from error

    def drop(self, handle: Future[Any]) -> None:
        handle.cancel()

    def close(self, done: bool) -> None:
        if not done:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Let processes that are started inside hear nothing of Ctrl-C and of a terminal that is closed: this process ends them."""
    if sys.platform == "win32":
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # Python 3.11's unblocks Ctrl-C when it begins, which must not be inside
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP, signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_process(labels: Sequence[Label], files: list[str], arguments: tuple[Any, ...], aside: bool) -> Any:
    with redirect_stdout(sys.stderr if aside else sys.stdout):
        for file in files:
            registry.add_file(file)
        return call([at_hand(f"parcel {k}", label) for k, label in enumerate(labels)], arguments)
