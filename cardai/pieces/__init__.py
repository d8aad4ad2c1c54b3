"""Many independent pieces of work: here, in processes of this machine, or on a Ray cluster.

    work = Work(function, shared, on="ray", pieces=[("groups 0-99", (0, 100)), ...])
    for name, result in work.run():
        ...                                  # results come as they finish: keep them, and add further pieces
        work.add("groups 100-199", 100, 200)

A piece is called ``function(shared, *arguments)`` and is named by what it is, so its result may depend on nothing else: not
on who does it, when, or how often. A piece whose worker is killed is done again. ``shared`` is sent once. Only a few pieces
a worker are under way, so neither the queue nor the results pile up here. Ctrl-C, or leaving the loop, drops what is under
way: whatever was yielded is the caller's to keep.

``on`` is "" (this machine: ``jobs`` processes, or 1, in this one), "ray" (the cluster that this machine belongs to, else Ray
on this machine alone) or "ray://HOST:PORT" (Ray's client port of a cluster). A cluster's machines need the same cardai, Ray
and Python, and plugins that are packages; one-file plugins (``--plugin``) are sent along.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from cardai.core.errors import PluginError, UsageError
from cardai.core.extras import need_extra
from cardai.pieces.cluster import Cluster, host_of
from cardai.pieces.cluster import one_connection as one_connection
from cardai.pieces.workers import Here, Lost, Processes, Workers

Piece = tuple[str, tuple[Any, ...]]
"""A piece: its name, and what the function gets behind ``shared``."""
ATTEMPTS = 5
"""How often a piece is begun whose worker is killed each time."""
_AHEAD = 2  # pieces under way, a worker
_WINDOW = 8  # how far pieces may run ahead of the oldest one under way, a worker


class _Begun(NamedTuple):
    """A piece under way: its place in the queue, itself, and how often it was begun."""

    number: int
    piece: Piece
    attempt: int


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
        pieces: Iterable[Piece] = (),
        close: bool = False,
    ) -> None:
        """``close``: no piece is begun that is far behind the oldest one under way in the queue, so that a caller who needs
        results in order has few waiting.
        """
        check_place(on)
        self._added: deque[Piece] = deque()
        self.pieces: Iterator[Piece] = iter(pieces)
        self._close = close
        self._workers = _workers(function, shared, on, jobs)

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""
        return self._workers.count

    def add(self, name: str, *arguments: Any) -> None:
        """Put a further piece in the queue, before those that are to come (also while :meth:`run` runs)."""
        self._added.append((name, arguments))

    def run(self) -> Generator[tuple[str, Any], None, None]:
        """Yield (name, result) of each piece as it is done.

        Raises:
            Exception: what a piece raised. PluginError: the workers of one piece were killed again and again.
        """
        workers, done, begun = self._workers, False, 0
        under_way: dict[Any, _Begun] = {}
        try:
            while True:
                while self._room(under_way, begun) and (piece := self._next()) is not None:
                    under_way[workers.begin(piece[1])] = _Begun(begun, piece, 1)
                    begun += 1
                if not under_way:
                    break
                handle = workers.finished(list(under_way))
                one = under_way.pop(handle)
                name, arguments = one.piece
                try:
                    result = workers.result(handle)
                except Lost as error:
                    if one.attempt == ATTEMPTS:
                        raise PluginError(
                            f"The worker of the piece {name!r} was killed {ATTEMPTS} times: {error}"
                        ) from error
                    under_way[workers.begin(arguments)] = _Begun(one.number, one.piece, one.attempt + 1)
                    continue
                yield name, result
            done = True
        finally:
            workers.close(done)

    def _room(self, under_way: Mapping[Any, _Begun], begun: int) -> bool:
        """Whether a further piece may be begun after ``begun`` of them."""
        if len(under_way) >= _AHEAD * self.workers:
            return False
        oldest = min((one.number for one in under_way.values()), default=begun)
        return not self._close or begun - oldest < _WINDOW * self.workers

    def _next(self) -> Piece | None:
        return self._added.popleft() if self._added else next(self.pieces, None)


def check_place(on: str) -> None:
    """Raise UsageError unless ``on`` is a place where work can be done, PluginError if it needs Ray and there is none."""
    if on and on != "ray" and host_of(on) is None:
        raise UsageError(f"Work is done on ray or ray://HOST:PORT, or here if nothing is said. Got {on!r}.")
    if on:
        need_extra("ray", f"--on {on}", "ray")


def _workers(function: Callable[..., Any], shared: Any, on: str, jobs: int) -> Workers:
    if on:
        return Cluster(function, shared, on)
    return Processes(function, shared, jobs) if jobs > 1 else Here(function, shared)
