"""Those who do pieces on a Ray cluster. The one place that knows Ray."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cardai.core import registry
from cardai.core.errors import CardaiError, PluginError
from cardai.core.files import write_atomically
from cardai.pieces.workers import Lost, call, packed

PATIENCE = 90.0
"""Seconds in which a cluster's client port must have answered."""
CLIENT_PORT = 10001
"""Ray's client port where nothing else was said."""


def host_of(on: str) -> tuple[str, int] | None:
    """Return the host and port of ray://HOST:PORT (an IPv6 address in brackets), None if it is not of that form."""
    found = re.fullmatch(r"ray://(?:\[([^\]]+)\]|([^\s:/\[\]]+)):(\d{1,5})", on)
    if found is None or not 0 < int(found[3]) < 65536:
        return None
    return found[1] or found[2], int(found[3])


class Cluster:
    """A Ray cluster: one CPU a piece."""

    def __init__(self, function: Callable[..., Any], shared: Any, on: str) -> None:
        ray = _connected(on)
        self._ray = ray
        self._packed = ray.put(packed(function, shared))
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
    place = host_of(on)
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
        return call(packed, arguments, aside), None
    except (CardaiError, ArithmeticError, LookupError, TypeError, ValueError, OSError, RuntimeError) as error:
        return None, error


_added: set[str] = set()
"""Plugin files that this worker process has loaded."""
