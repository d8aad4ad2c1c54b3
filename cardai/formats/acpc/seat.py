"""One player's connection, as the dealer holds it: lines with a limit on length, rate and patience.

Whatever a client sends, at most one buffer of it is held, and after a handful of lines that are ignored the dealer reads
slowly, so that a flood costs the flooder its time and nobody else's. Reading and sending give up after the time limit.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time

from cardai.core.errors import CardaiError

MAX_LINE = 4096
"""The C dealer's line buffer (net.h, READBUF_LEN): a longer line is taken in pieces of one less, each judged alone."""
FREE_LINES = 256
"""Ignored lines a decision that are read at full speed."""
PAUSE = 0.005
"""Seconds before each further ignored line: at most 200 lines, 800 kB, a second."""
SOON = 0.1
"""Seconds after which a state that a player need not answer is sent alone, rather than with the next one."""


class MatchAborted(CardaiError):
    """The match ended before its last hand: a player answered too late, broke off, or could not be reached."""


class Seat:
    """Seat ``number`` (from 0) and its connection. ``patience`` is how long one read or send may wait, in seconds.

    ``queue`` holds lines back until :meth:`flush` sends them.
    """

    def __init__(self, number: int, connection: socket.socket, patience: float) -> None:
        self.number = number
        self.buffer = b""
        self.queue = b""
        self._patience = patience
        self._limit = -1.0
        self._closed = False
        self._connection = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if os.name == "posix":  # the kernel keeps the time: one system call a read instead of two
            connection.settimeout(None)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(patience))
        else:
            connection.settimeout(patience)

    def flush(self) -> None:
        """Send what is queued. Raises MatchAborted if the player is gone or does not read."""
        if self.queue:
            data, self.queue = self.queue, b""
            try:
                self._connection.sendall(data)
            except OSError as error:
                raise MatchAborted(f"could not send state to seat {self.number + 1}") from error

    def receive(self, soon: bool = False) -> bytes | None:
        """Return what has arrived, waiting for something to arrive; nothing after the end or the time limit.

        With ``soon`` it waits no longer than :data:`SOON`, and returns None if nothing has arrived by then; without, it
        waits for the rest of the patience.
        """
        if self._closed:
            return b""
        limit = SOON if soon else max(self._patience - SOON, 0.001)
        if limit != self._limit:
            self._wait_at_most(limit)
        try:
            data = self._connection.recv(MAX_LINE)
        except (BlockingIOError, TimeoutError):
            return None if soon else b""
        except OSError:  # the connection was reset
            return b""
        self._closed = not data
        return data

    def _wait_at_most(self, seconds: float) -> None:
        self._limit = seconds
        if os.name == "posix":
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(seconds))
        else:
            self._connection.settimeout(seconds)

    def read_line(self, deadline: float | None) -> bytes:
        """Return the next line with its line end, or a piece of a line that is too long, or the last line without end.

        Returns nothing when the player is gone or ``deadline`` (of :func:`time.monotonic`) has passed.
        """
        while True:
            end = self.buffer.find(b"\n", 0, MAX_LINE - 1) + 1
            if not end and len(self.buffer) >= MAX_LINE - 1:
                end = MAX_LINE - 1
            if end:
                line, self.buffer = self.buffer[:end], self.buffer[end:]
                return line
            data = self._receive_before(deadline)
            if not data:
                line, self.buffer = (self.buffer, b"") if self._closed else (b"", self.buffer)
                return line
            self.buffer += data

    def _receive_before(self, deadline: float | None) -> bytes:
        if self._closed:
            return b""
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return b""
        self._connection.settimeout(left)
        try:
            data = self._connection.recv(MAX_LINE)
        except TimeoutError:
            return b""
        except OSError:
            data = b""
        finally:
            with contextlib.suppress(OSError):
                self._connection.settimeout(None if os.name == "posix" else self._limit)
        self._closed = not data
        return data

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self._connection.close()


def _timeval(seconds: float) -> bytes:
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
