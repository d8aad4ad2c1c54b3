"""Many independent pieces of work: here, in processes of this machine, or on a Ray cluster.

    work = Work(function, shared, on="ray", pieces=[("groups 0-99", (0, 100)), ...])
    for name, result in work.run():
        ...                                  # results come as they finish: keep them, and add further pieces
        work.add("groups 100-199", 100, 200)

A piece is called ``function(shared, *arguments)`` and is named by what it is, so its result may depend on nothing else: not
on who does it, when, or how often. A piece whose worker is killed is done again. ``shared`` is sent to each worker once, and so
is what is ``lasting``: a :class:`Parcel` that several works share, whose function is called ``function(value, shared,
*arguments)``. Pieces of one worker are given the same objects, and must not change them. Only a few pieces a worker are under way, so neither the queue nor the results pile up here. Ctrl-C, or leaving the loop, drops what is under
way: whatever was yielded is the caller's to keep. :mod:`cardai.pieces.cutting` says how wide pieces of many like units are best cut.

``on`` is "" (this machine: ``jobs`` processes, or 1, in this one), "ray" (the cluster that this machine belongs to, else Ray
on this machine alone) or "ray://HOST:PORT" (Ray's client port of a cluster). A cluster's machines need the same cardai, Ray
and Python, and plugins that are packages; one-file plugins (``--plugin``) are sent along.
"""

from __future__ import annotations

import time
from bisect import insort
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cardai.core.errors import PluginError, UsageError
from cardai.core.extras import need_extra
from cardai.pieces.cluster import Cluster, host_of
from cardai.pieces.cluster import one_connection as one_connection
from cardai.pieces.parcels import Parcel as Parcel
from cardai.pieces.workers import Here, Lost, Processes, Workers

Piece = tuple[str, tuple[Any, ...]]
"""A piece: its name, and what the function gets behind ``shared``."""
ATTEMPTS = 5
"""How often a piece is begun whose worker is killed each time."""
_AHEAD = 2  # pieces under way, a worker
_WINDOW = 8  # how far pieces may run ahead of the oldest one under way, a worker
_SLOW = 2.0  # times the median of the finished: a piece that takes longer is done twice, where workers are idle


class _Begun(NamedTuple):
    """A piece under way: its place in the queue, itself, how often it was begun, and when."""

    number: int
    piece: Piece
    attempt: int
    since: float


class _UnderWay:
    """Pieces under way: of a thousand none is looked for among the others."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self.pieces: dict[Any, _Begun] = {}
        """By what stands for them, which is other for the same piece that is done twice."""
        self.handles: OrderedDict[int, list[Any]] = OrderedDict()
        """What stands for each, by its place in the queue and in that order."""

    def begin(self, one: _Begun) -> None:
        """Let a piece be done."""
        handle = self._workers.begin(one.piece[1])
        self.pieces[handle] = one
        self.handles.setdefault(one.number, []).append(handle)

    def ended(self, handle: Any) -> _Begun:
        """Take note that somebody has done or lost a piece, and return it."""
        one = self.pieces.pop(handle)
        self.handles[one.number].remove(handle)
        return one

    def drop(self, number: int) -> None:
        """Let nobody wait for a piece any more."""
        for handle in self.handles.pop(number):
            del self.pieces[handle]
            self._workers.drop(handle)


class Work:
    """Pieces to be done by ``function``, and who does them (see the module's text).

    Raises:
        UsageError: nobody knows such a place. PluginError: Ray is not installed, or cannot be reached.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        shared: Any = None,
        *,
        on: str = "",
        jobs: int = 1,
        pieces: Iterable[Piece | None] = (),
        close: bool = False,
        lasting: Parcel | None = None,
    ) -> None:
        """``pieces`` may say None where nothing is to be begun before a result has come. ``close``: no piece is begun that is far behind the oldest one under way in the queue, so that a caller who needs
        results in order has few waiting.
        """
        check_place(on)
        self._added: deque[Piece] = deque()
        self.pieces: Iterator[Piece | None] = iter(pieces)
        self._close = close
        self._workers = _workers([Parcel((function, shared)), *([] if lasting is None else [lasting])], on, jobs)

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""
        return self._workers.count

    def add(self, name: str, *arguments: Any) -> None:
        """Put a further piece in the queue, before those that are to come (also while :meth:`run` runs)."""
        self._added.append((name, arguments))

    def run(self) -> Generator[tuple[str, Any], None, None]:
        """Yield (name, result) of each piece as it is done.

        On a cluster a piece that is late is begun once more where a worker has nothing else to do; the first result counts.

        Raises:
            Exception: what a piece raised. PluginError: the workers of one piece were killed again and again.
        """
        workers, done, begun = self._workers, False, 0
        standing, took = _UnderWay(workers), list[float]()  # ascending
        try:
            while True:
                while self._room(standing, begun) and (piece := self._next()) is not None:
                    standing.begin(_Begun(begun, piece, 1, time.monotonic()))
                    begun += 1
                if not standing.pieces:
                    break
                if (late := self._late(standing, took)) is not None:
                    standing.begin(late)
                handle = workers.finished(standing.pieces)
                if handle is None:
                    continue
                one = standing.ended(handle)
                try:
                    result = workers.result(handle)
                except Lost as error:
                    self._again(standing, one, error)
                    continue
                insort(took, time.monotonic() - one.since)
                standing.drop(one.number)
                yield one.piece[0], result
            done = True
        finally:
            workers.close(done)

    def _again(self, standing: _UnderWay, one: _Begun, error: Lost) -> None:
        """Begin a piece anew whose worker was killed, unless it is under way elsewhere."""
        if standing.handles[one.number]:
            return
        if one.attempt == ATTEMPTS:
            raise PluginError(
                f"The worker of the piece {one.piece[0]!r} was killed {ATTEMPTS} times: {error}"
            ) from error
        standing.begin(one._replace(attempt=one.attempt + 1, since=time.monotonic()))

    def _late(self, standing: _UnderWay, took: Sequence[float]) -> _Begun | None:
        """Return the oldest piece that is to be done twice, if one is."""
        if not self._workers.others or len(standing.pieces) >= self.workers or not took:
            return None
        oldest = next((handles[0] for handles in standing.handles.values() if len(handles) == 1), None)
        if oldest is None or time.monotonic() - standing.pieces[oldest].since < _SLOW * took[len(took) // 2]:
            return None
        return standing.pieces[oldest]._replace(since=time.monotonic())

    def _room(self, standing: _UnderWay, begun: int) -> bool:
        """Whether a further piece may be begun after ``begun`` of them."""
        if len(standing.pieces) >= _AHEAD * self.workers:
            return False
        return not self._close or begun - next(iter(standing.handles), begun) < _WINDOW * self.workers

    def _next(self) -> Piece | None:
        """Return the next piece that can be begun now."""
        return self._added.popleft() if self._added else next(self.pieces, None)


def check_place(on: str) -> None:
    """Raise UsageError unless ``on`` is a place where work can be done, PluginError if it needs Ray and there is none."""
    if on and on != "ray" and host_of(on) is None:
        raise UsageError(f"Work is done on ray or ray://HOST:PORT, or here if nothing is said. Got {on!r}.")
    if on:
        need_extra("ray", f"--on {on}", "ray")


def _workers(parcels: Sequence[Parcel], on: str, jobs: int) -> Workers:
    if on:
        return Cluster(parcels, on)
    return Processes(parcels, jobs) if jobs > 1 else Here(parcels)
