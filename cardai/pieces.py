"""Many independent pieces of work: here, in processes of this machine, or on a Ray cluster. The one place that knows Ray.

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

import os
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from cardai.core import registry
from cardai.core.errors import CardaiError, PluginError, UsageError
from cardai.core.files import write_atomically

Piece = tuple[str, tuple[Any, ...]]
"""A piece: its name, and what the function gets behind ``shared``."""
ATTEMPTS = 5
"""How often a piece is begun whose worker is killed each time."""
PATIENCE = 90.0
"""Seconds in which a cluster's client port must have answered."""
CLIENT_PORT = 10001
"""Ray's client port where nothing else was said."""
_AHEAD = 2  # pieces under way, a worker
_WINDOW = 8  # how far pieces may run ahead of the oldest one under way, a worker


class Lost(Exception):
    """A worker was killed before its piece was done."""


class _Begun(NamedTuple):
    """A piece under way: its place in the queue, itself, and how often it was begun."""

    number: int
    piece: Piece
    attempt: int


class Workers(Protocol):
    """Those who do pieces."""

    count: int

    def begin(self, arguments: tuple[Any, ...]) -> Any:
        """Begin a piece and return what stands for it."""

    def finished(self, under_way: Sequence[Any]) -> Any:
        """Wait until one of those under way is done or lost, and return it."""

    def result(self, handle: Any) -> Any:
        """Return what a finished piece returned, or raise what it raised. Raises Lost if its worker was killed."""

    def close(self, done: bool) -> None:
        """Let the workers go; not ``done``: end what is under way at once."""


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
        """Say whether a further piece may be begun after ``begun`` of them."""
        if len(under_way) >= _AHEAD * self.workers:
            return False
        oldest = min((one.number for one in under_way.values()), default=begun)
        return not self._close or begun - oldest < _WINDOW * self.workers

    def _next(self) -> Piece | None:
        return self._added.popleft() if self._added else next(self.pieces, None)


def check_place(on: str) -> None:
    """Raise UsageError unless ``on`` is a place where work can be done, PluginError if it needs Ray and there is none."""
    if on and on != "ray" and _host(on) is None:
        raise UsageError(f"Work is done on ray or ray://HOST:PORT, or here if nothing is said. Got {on!r}.")
    if on and find_spec("ray") is None:
        raise PluginError(f"--on {on} needs Ray, which is not installed. Run: pip install 'cardai[ray]'")


def _host(on: str) -> tuple[str, int] | None:
    """Return the host and port of ray://HOST:PORT (an IPv6 address in brackets), None if it is not of that form."""
    found = re.fullmatch(r"ray://(?:\[([^\]]+)\]|([^\s:/\[\]]+)):(\d{1,5})", on)
    if found is None or not 0 < int(found[3]) < 65536:
        return None
    return found[1] or found[2], int(found[3])


def _workers(function: Callable[..., Any], shared: Any, on: str, jobs: int) -> Workers:
    if on:
        return Cluster(function, shared, on)
    return Processes(function, shared, jobs) if jobs > 1 else Here(function, shared)


class Here:
    """This process: a piece is done when its result is asked for."""

    count = 1

    def __init__(self, function: Callable[..., Any], shared: Any) -> None:
        self._function, self._shared = function, shared
        self._pieces: dict[int, tuple[Any, ...]] = {}
        self._number = 0

    def begin(self, arguments: tuple[Any, ...]) -> int:
        self._number += 1
        self._pieces[self._number] = arguments
        return self._number

    def finished(self, under_way: Sequence[int]) -> int:
        return min(under_way)

    def result(self, handle: int) -> Any:
        return self._function(self._shared, *self._pieces.pop(handle))

    def close(self, done: bool) -> None:
        self._pieces.clear()


def _packed(function: Callable[..., Any], shared: Any) -> bytes:
    import cloudpickle

    return cloudpickle.dumps((function, shared))  # type: ignore[no-any-return]  # also what a notebook defines


def _call(packed: bytes, arguments: tuple[Any, ...], aside: bool) -> Any:
    import pickle

    with redirect_stdout(sys.stderr if aside else sys.stdout):
        function, shared = pickle.loads(packed)  # made by the process that began the work
        return function(shared, *arguments)


class Processes:
    """Processes of this machine, joblib's."""

    def __init__(self, function: Callable[..., Any], shared: Any, jobs: int) -> None:
        self.count = jobs
        self._packed = _packed(function, shared)
        self._aside = sys.stdout is sys.stderr  # what plugins print goes to stderr

    def begin(self, arguments: tuple[Any, ...]) -> Future[Any]:
        from joblib.externals.loky import get_reusable_executor

        executor = get_reusable_executor(max_workers=self.count)  # a new one where workers were killed
        work = (self._packed, registry.plugin_files(), arguments, self._aside)
        future: Future[Any] = executor.submit(_in_process, *work)
        return future

    def finished(self, under_way: Sequence[Future[Any]]) -> Future[Any]:
        return next(iter(wait(under_way, return_when=FIRST_COMPLETED).done))

    def result(self, handle: Future[Any]) -> Any:
        from concurrent.futures.process import BrokenProcessPool

        try:
            return handle.result()
        except BrokenProcessPool as error:
            raise Lost(str(error)) from error

    def close(self, done: bool) -> None:
        if not done:
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _in_process(packed: bytes, files: list[str], arguments: tuple[Any, ...], aside: bool) -> Any:
    with redirect_stdout(sys.stderr if aside else sys.stdout):
        for file in files:
            registry.add_file(file)
    return _call(packed, arguments, aside)


class Cluster:
    """A Ray cluster: one CPU a piece."""

    def __init__(self, function: Callable[..., Any], shared: Any, on: str) -> None:
        ray = _connected(on)
        self._ray = ray
        self._packed = ray.put(_packed(function, shared))
        files = {path: Path(path).read_bytes() for path in registry.plugin_files()}
        self._extra = ray.put((files, version("cardai"), sys.stdout is sys.stderr))
        self._task = ray.remote(num_cpus=1, max_retries=0)(_on_ray)
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def begin(self, arguments: tuple[Any, ...]) -> Any:
        with _connection():
            return self._task.remote(self._packed, self._extra, arguments)

    def finished(self, under_way: Sequence[Any]) -> Any:
        with _connection():
            return self._ray.wait(list(under_way), num_returns=1)[0][0]

    def result(self, handle: Any) -> Any:
        errors = self._ray.exceptions
        try:
            with _connection():
                result, raised = self._ray.get(handle)
        except errors.RayTaskError as error:
            raise PluginError(f"A worker of the cluster could not begin: {_last_line(error)}") from error
        except errors.RayError as error:  # the worker, its machine, or the only copy of the result is gone
            raise Lost(_last_line(error)) from error
        if raised is not None:
            raise raised
        return result

    def close(self, done: bool) -> None:
        with suppress(Exception):  # the cluster may be gone
            self._ray.shutdown()


@contextmanager
def _connection() -> Iterator[None]:
    """Say so when the connection to a cluster's client port is lost."""
    try:
        yield
    except ConnectionError as error:
        raise PluginError(f"The connection to the Ray cluster was lost: {_last_line(error)}") from error


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def _connected(on: str) -> Any:
    """Return Ray, connected; what it does to signals is undone, and it reports to nobody."""
    import logging
    import signal
    import threading

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # nothing here forks, and gRPC's handlers can stall
    import ray

    main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)} if main else {}
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False, "ignore_reinit_error": True}
    place = _host(on)
    try:
        if place is None:
            ray.init(None, include_dashboard=False, **quiet)
        else:
            _join(ray, on, place, quiet)
    except PluginError:
        raise
    except Exception as error:  # Ray raises what it likes
        raise PluginError(f"Ray cannot be reached by --on {on}: {_why(error)}") from error
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return ray


def _join(ray: Any, on: str, place: tuple[str, int], quiet: dict[str, Any]) -> None:
    """Connect to a cluster's client port, or raise PluginError within :data:`PATIENCE` seconds."""
    import socket
    import threading
    import warnings

    hint = f"Give the client port of the cluster's head ({CLIENT_PORT}, or ray start --ray-client-server-port)."
    try:
        socket.create_connection(place, timeout=10).close()
    except OSError as error:
        why = "no answer in 10 seconds" if isinstance(error, TimeoutError) else error.strerror or error
        raise PluginError(f"Ray cannot be reached by --on {on}: {why}. {hint}") from error
    raised: list[BaseException] = []

    def connect() -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ray.init(on, **quiet)
        except BaseException as error:
            raised.append(error)

    begun = time.monotonic()
    thread = threading.Thread(target=connect, daemon=True)  # Ray's own limits do not cover every step
    thread.start()
    thread.join(PATIENCE)
    if thread.is_alive() or any(isinstance(error, ConnectionError) for error in raised):
        seconds = f"{time.monotonic() - begun:.0f} seconds"
        raise PluginError(f"Ray cannot be reached by --on {on}: no answer of a client port in {seconds}. {hint}")
    for error in raised:
        raise error


def _why(error: BaseException) -> str:
    """Return what Ray's error says, in a sentence."""
    text = str(error)
    found = re.findall(r"(Ray|Python): (\S+)", text)
    if "Version mismatch" in text and len(found) == 4:
        theirs, ours = (f"Ray {found[k][1]} and Python {found[k + 1][1]}" for k in (0, 2))
        return f"its machines have {theirs}, this one has {ours}. Install the same here and there."
    if "Starting Ray client server failed" in text:
        return (
            "it could not begin a server for this client. Look at ray_client_server*.err in its logs (on the head: "
            "/tmp/ray/session_latest/logs); GRPC_ENABLE_FORK_SUPPORT=0 before its ray start helps where that says fork()."
        )
    return _last_line(error)


def _on_ray(packed: bytes, extra: tuple[dict[str, bytes], str, bool], arguments: tuple[Any, ...]) -> Any:
    """Do a piece in a Ray worker; return (result, None), or (None, the exception) for what the piece itself raised."""
    import tempfile

    files, wanted, aside = extra
    if version("cardai") != wanted:
        return None, PluginError(f"A machine of the cluster has cardai {version('cardai')}, this one {wanted}.")
    for path, content in files.items():
        file = Path(path)
        if not file.is_file() or file.read_bytes() != content:
            file = Path(tempfile.mkdtemp(prefix="cardai-")) / Path(path).name
            write_atomically(file, content)
        if path not in _added:
            _added.add(path)
            registry.add_file(str(file))
    try:
        return _call(packed, arguments, aside), None
    except (CardaiError, ArithmeticError, LookupError, TypeError, ValueError, OSError, RuntimeError) as error:
        return None, error


_added: set[str] = set()
"""Plugin files that this worker process has loaded."""
