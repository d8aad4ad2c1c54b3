"""Those who do pieces on a Ray cluster, and how it is reached: with :mod:`link` the one place that knows Ray."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cardai.core import registry
from cardai.core.errors import PluginError, UsageError
from cardai.core.notes import tell
from cardai.pieces.link import Link
from cardai.pieces.workers import Lost, Parcels

ANSWER_SECONDS = 10.0
"""Seconds in which a cluster's head must say its first word. It is asked before Ray is, whose own limits are minutes."""
PATIENCE = 90.0
"""Seconds in which Ray must have connected to a head that has answered, or have started on this machine."""
WATCH_SECONDS = 5.0
"""Seconds without a result after which the head is asked again whether it is there."""
SILENT_SECONDS = 12.0
"""Seconds without any sign of a head after which it is given up; Ray itself would wait for minutes."""
RECONNECT_SECONDS = 15
"""Seconds in which Ray's client tries to reach a cluster again to which the connection was lost."""
CLOSING_SECONDS = 5.0
"""Seconds that Ray has to leave a cluster."""
BUSY_SECONDS = 60.0
"""Seconds without any worker that has begun after which it is said what is waited for."""
CLIENT_PORT = 10001
"""Ray's client port where nothing else was said."""


def host_of(on: str) -> tuple[str, int] | None:
    """Return the host and port of ray://HOST:PORT (an IPv6 address in brackets), None if it is not of that form."""
    found = re.fullmatch(r"ray://(?:\[([^\]]+)\]|([^\s:/\[\]]+)):(\d{1,5})", on)
    if found is None or not 0 < int(found[3]) < 65536:
        return None
    return found[1] or found[2], int(found[3])


class Cluster:
    """A Ray cluster: an actor a CPU does pieces, keeps what it was given, and is replaced when it dies."""

    others = True

    def __init__(self, parcels: Parcels, on: str) -> None:
        self._on = on
        self._link = _kept.get(on) or Link(*_connected(on))
        if _keeping:
            _kept[on] = self._link
        self._heard = time.monotonic()
        """When there was a sign of the head."""
        self._busy_at = self._heard + BUSY_SECONDS
        self._parcels = parcels
        self.count = self._link.count

    def begin(self, arguments: tuple[Any, ...]) -> int:
        if self._link.user is not self:
            self._meet()
        with _connection():
            return self._link.queue(arguments)

    def _meet(self) -> None:
        """Let the workers do this work's pieces from now on. Raises UsageError: they are at another's, whose results would be lost."""
        if self._link.user is not None:
            raise UsageError(
                "The workers of this connection are at other work: works inside one_connection() follow one another."
            )
        files = {path: Path(path).read_bytes() for path in registry.plugin_files()}
        self._link.meet((files, version("cardai"), sys.stdout is sys.stderr), self._parcels)
        self._link.user = self

    def finished(self, under_way: Collection[int]) -> int | None:
        link = self._link
        until = time.monotonic() + WATCH_SECONDS
        while True:
            while link.done:
                if (handle := link.done.popleft()) in under_way:
                    return handle
                link.forget(handle)
            if time.monotonic() >= until:  # foremen have said that there is nothing, which says nothing of the head
                self._watch()
                return None
            with _connection():
                link.hand_out()
                done = link.wait(WATCH_SECONDS)
            if not done:
                self._watch()
                return None
            for reference in done:
                link.hear(reference, self._fetched)
            if link.done:
                self._heard = time.monotonic()

    def result(self, handle: int) -> Any:
        result, raised, lost = self._link.outcome(handle, self._fetched)
        if lost:
            raise Lost(lost)
        if raised is not None:
            raise raised
        return result

    def _fetched(self, reference: Any) -> Any:
        """Return what a reference that is done stands for. Raises Lost where its worker was killed."""
        errors = self._link.ray.exceptions
        while True:
            try:
                with _connection():
                    return self._link.ray.get(reference, timeout=WATCH_SECONDS)
            except errors.GetTimeoutError:
                self._watch()
            except errors.RayTaskError as error:
                raise PluginError(f"A worker of the cluster could not begin: {_last_line(error)}") from error
            except errors.RayError as error:  # the worker, its machine, or the only copy of the result is gone
                raise Lost(_last_line(error)) from error

    def drop(self, handle: int) -> None:
        with _connection():
            self._link.drop(handle)

    def close(self, done: bool) -> None:
        if self._link.user not in (None, self):
            return
        self._link.user = None
        if not done or self._on not in _kept:  # whatever is under way ends with the connection
            _kept.pop(self._on, None)
            _leave(self._link.ray)

    def _watch(self) -> None:
        """Ask the head whether it is there. Raises PluginError once it has been silent for :data:`SILENT_SECONDS`."""
        if time.monotonic() > self._busy_at and all(hand.coming is not None for hand in self._link.hands):
            self._busy_at = math.inf
            tell("No worker of the cluster has begun yet: its CPUs may be at other work, whose end is waited for.")
        try:
            if self._link.head is not None:
                _ask(self._link.head, ANSWER_SECONDS)
            self._heard = time.monotonic()
        except OSError as error:
            if time.monotonic() - self._heard > SILENT_SECONDS:
                why = f"its head does not answer ({_silence(error)})"
                raise PluginError(f"The connection to the Ray cluster was lost: {why}.") from error


_kept: dict[str, Link] = {}
"""The connection to each place to which one is kept."""
_keeping: list[None] = []
"""One entry for each :func:`one_connection` under way."""


@contextmanager
def one_connection() -> Iterator[None]:
    """Let all works inside share their connection to a cluster, and its workers, who have compiled and loaded by then.

    A connection, or Ray on this machine, takes seconds to begin; without this every work has its own.
    """
    _keeping.append(None)
    try:
        yield
    finally:
        _keeping.pop()
        while _kept and not _keeping:
            _leave(_kept.popitem()[1].ray)


def _leave(ray: Any) -> None:
    def leave() -> None:
        with suppress(Exception):  # the cluster may be gone
            ray.shutdown()

    _within(CLOSING_SECONDS, leave)


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


def _connected(on: str) -> tuple[Any, tuple[str, int] | None]:
    """Return Ray, connected, and where its head is, None where it has begun on this machine; it reports to nobody."""
    import logging

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # nothing here forks, and gRPC's handlers can stall
    os.environ.setdefault("RAY_CLIENT_RECONNECT_GRACE_PERIOD", f"{RECONNECT_SECONDS}")
    import ray

    logging.getLogger("ray.util.client").setLevel(logging.ERROR)
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False, "ignore_reinit_error": True}
    named = os.environ.get("RAY_ADDRESS", "")
    client = host_of(on) or host_of(named)
    try:
        if client is not None:
            hint = f"Give the client port of the cluster's head ({CLIENT_PORT}, or ray start --ray-client-server-port)."
            _join(on, client, lambda: ray.init(on if host_of(on) else named, **quiet), hint)
            return ray, client
        head = None if ray.is_initialized() else _head()
        start = "Start it (ray start --head)"
        hint = f"{start}, or name another by RAY_ADDRESS." if named else f"{start}, or have it forgotten (ray stop)."
        _join(on, head, lambda: ray.init(None, include_dashboard=False, **quiet), hint)
        return ray, head
    except PluginError:
        raise
    except Exception as error:  # Ray raises what it likes
        raise PluginError(f"Ray cannot be reached by --on {on}: {_why(error)}") from error


def _head() -> tuple[str, int] | None:
    """Return the head of the cluster that this machine belongs to: RAY_ADDRESS, or what ray start has left here."""
    from ray._private.services import canonicalize_bootstrap_address

    host, colon, port = (canonicalize_bootstrap_address(None) or "").rpartition(":")  # type: ignore[arg-type]
    return (host.strip("[]"), int(port)) if colon else None


def _join(on: str, head: tuple[str, int] | None, init: Callable[[], object], hint: str) -> None:
    """Connect to a cluster, or begin one here. Raises PluginError where that does not end, what Ray raises otherwise."""
    import warnings

    if head is not None:
        try:
            _ask(head, ANSWER_SECONDS)
        except OSError as error:
            place = "" if host_of(on) else f"its head is {head[0]}:{head[1]}: "
            raise PluginError(f"Ray cannot be reached by --on {on}: {place}{_silence(error)}. {hint}") from error
    raised: list[BaseException] = []

    def connect() -> None:
        try:
            with warnings.catch_warnings(), _no_dumps():
                warnings.simplefilter("ignore")
                init()
        except BaseException as error:
            raised.append(error)

    begun = time.monotonic()
    with _own_signals():
        # Ray's own limits do not cover every step. A Ray that begins here ends with the thread that began it.
        done = _within(PATIENCE, connect, stays=True)
    if not done or any(isinstance(error, ConnectionError) for error in raised):
        seconds = f"{time.monotonic() - begun:.0f} seconds"
        what = (
            f"it did not start here in {seconds}."
            if head is None
            else f"it did not connect in {seconds}. {hint}{_TOKEN}"
        )
        raise PluginError(f"Ray cannot be reached by --on {on}: {what}")
    for error in raised:
        raise error


_TOKEN = " A cluster that asks for a token gets it with RAY_AUTH_MODE=token, from ~/.ray/auth_token."


@contextmanager
def _no_dumps() -> Iterator[None]:
    """Let Ray begin without its thread that prints a dead machine's state (9 KB); no option of it leaves that out."""
    from ray._private import worker

    listen = worker.listen_error_messages
    worker.listen_error_messages = lambda *_: None
    try:
        yield
    finally:
        worker.listen_error_messages = listen


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this process's handlers of signals: Ray puts its own below Python's, which dump their stack and end it at once."""
    import signal
    import threading

    yield
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            if (handler := signal.getsignal(number)) is not None:
                signal.signal(number, handler)


def _ask(head: tuple[str, int], seconds: float) -> None:
    """Begin to speak with a head as its clients do (HTTP/2), and wait for one byte of an answer.

    Raises:
        OSError: nobody listens there, or nothing is said in ``seconds``.
    """
    import socket

    until = time.monotonic() + seconds
    with socket.create_connection(head, timeout=seconds) as connection:
        if os.environ.get("RAY_USE_TLS", "0") in ("", "0"):
            connection.sendall(_HTTP2)
            connection.settimeout(max(until - time.monotonic(), 0.001))
            if not connection.recv(1):
                raise ConnectionError("it hangs up")


_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
"""What a client of HTTP/2 says first: the preface, and settings of which there are none (RFC 9113, 3.4)."""


def _silence(error: OSError) -> str:
    return (
        f"no answer in {ANSWER_SECONDS:g} seconds" if isinstance(error, TimeoutError) else error.strerror or str(error)
    )


def _within(seconds: float, work: Callable[[], None], stays: bool = False) -> bool:
    """Do ``work`` in a thread, so that Ctrl-C ends waiting for it, and return whether it has ended in ``seconds``.

    ``stays``: the thread goes on, idle, until the process ends: Linux kills what a thread began when it ends, where that asked
    for it (PR_SET_PDEATHSIG), as Ray does.
    """
    import threading

    ended = threading.Event()

    def run() -> None:
        try:
            work()
        finally:
            ended.set()
        if stays:
            threading.Event().wait()

    threading.Thread(target=run, daemon=True).start()
    return ended.wait(seconds)


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
