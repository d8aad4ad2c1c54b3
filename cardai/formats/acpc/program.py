"""Somebody else's program as a player away from the dealer: started by its command line, asked over the competition's wire."""

from __future__ import annotations

import contextlib
import re
import shlex
import socket
import subprocess
import time
import weakref
from typing import Any

from cardai.core.errors import AgentError, UsageError
from cardai.formats.acpc import groups

_VERSION = re.compile(rb"VERSION:\s*2\.[0-9]+\.[0-9]+")
_LONGEST = 4096
HOST = "127.0.0.1"


class Program:
    """A running program and its connection. It is started when it is first asked, and ended with this object.

    ``seconds`` is how long it may take to connect, for an answer, and to read what it is told. One that fails is ended, with
    whatever it has started, before the error is raised.
    """

    def __init__(self, command: str, seconds: float) -> None:
        self.command, self.seconds = command, seconds
        self.hand = 0
        """The number of the hand under way, as the wire says it."""
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[[subprocess.Popen[bytes]], Program] | None = None
        """Ends the program and what it has started, once: when this object is gone, or sooner."""
        self._connection: socket.socket | None = None
        self._rest = b""

    def __getstate__(self) -> dict[str, Any]:  # a copy in another process starts a program of its own
        return {**self.__dict__, "_end": None, "_process": None, "_connection": None, "_rest": b"", "hand": 0}

    def ask(self, state: bytes) -> str:
        """Send a match state (without line end) and return the answer to it, a line that repeats it.

        Comments and answers to other states are passed over, as a dealer does.

        Raises:
            UsageError: the program cannot be started. AgentError: it has ended, or gives no answer in time.
        """
        self.tell(state)
        deadline = time.monotonic() + self.seconds
        while True:
            line = self._line(deadline)
            if line.startswith(state + b":"):
                return line.decode("latin-1")

    def tell(self, state: bytes) -> None:
        """Send a match state that needs no answer."""
        if self._connection is None:
            self._start()
        assert self._connection is not None
        self._connection.settimeout(self.seconds)
        try:
            self._connection.sendall(state + b"\r\n")
        except TimeoutError:
            raise self._failed(f"did not read in {self.seconds:g} seconds what it was told.") from None
        except OSError as error:
            raise self._ended(str(error)) from error

    def _start(self) -> None:
        with socket.create_server((HOST, 0)) as server:
            server.settimeout(0.1)
            port = server.getsockname()[1]
            try:
                process = groups.start([*shlex.split(self.command), HOST, str(port)])
            except (OSError, ValueError) as error:
                raise UsageError(f"The program {self.command!r} cannot be started: {error}.") from error
            self._process = process
            self._end = weakref.finalize(self, groups.end, process)
            deadline = time.monotonic() + self.seconds
            while self._connection is None:
                with contextlib.suppress(TimeoutError):
                    self._connection = server.accept()[0]
                if self._connection is None and process.poll() is not None:
                    raise self._ended("it did not connect")
                if time.monotonic() > deadline:
                    raise self._failed(f"did not connect in {self.seconds:g} seconds.")
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        weakref.finalize(self, self._connection.close)
        version = self._line(deadline)
        if not _VERSION.match(version):
            raise self._failed(f"should say VERSION:2.0.0 first. It said {version[:80]!r}.")

    def _line(self, deadline: float) -> bytes:
        """Return the next line without its end. Raises AgentError after ``deadline``, whatever comes until then."""
        assert self._connection is not None
        while b"\n" not in self._rest:
            self._connection.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data = self._connection.recv(4096)
            except TimeoutError:
                raise self._late() from None
            except OSError as error:
                raise self._ended(str(error)) from error
            if not data or len(self._rest) > _LONGEST:
                raise self._ended("it closed the connection" if not data else "its line has no end")
            self._rest += data
        if time.monotonic() > deadline:
            raise self._late()
        line, _, self._rest = self._rest.partition(b"\n")
        return line.rstrip(b"\r")

    def _late(self) -> AgentError:
        return self._failed(f"gave no answer in {self.seconds:g} seconds.")

    def _ended(self, why: str) -> AgentError:
        code = None if self._process is None else self._process.poll()
        return self._failed(f"cannot be asked: {why}." + ("" if code is None else f" It has ended with {code}."))

    def _failed(self, how: str) -> AgentError:
        """End the program and return the error that says how it failed."""
        if self._end is not None:
            self._end()
        if self._connection is not None:
            self._connection.close()
        return AgentError(f"The program {self.command!r} {how}")
