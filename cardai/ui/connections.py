"""The connections to the door: only so many at a time, each for a short while, unless there is a page behind it.

A request takes a moment. Who opens a connection and says nothing, says it letter by letter, or does not read the answer is
cut off after :data:`SECONDS`; who comes when all places are taken is told so at once. A page's WebSocket stays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

SECONDS = 15.0
"""How long a connection may last that is no page's: for its requests and for reading the answers."""
A_PAGE = 8
"""Connections that there is room for, a page that may come in: browsers open up to six for what it is made of."""
FEWEST = 16
"""Connections that there is room for where only one or two pages may come in."""
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"Too many are at the door. Come again in a moment.\n"
)


class Connections:
    """What the door listens to, on one port, with room for ``most`` connections that are no pages'."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.pages: set[asyncio.BaseProtocol] = set()
        """Connections that have become pages' WebSockets: they stay."""
        self._listening: asyncio.Server | None = None

    async def listen(self, server: web.Server, host: str, port: int) -> int:
        """Begin to listen, on ``port`` or with 0 on any free one, and return the port.

        Raises:
            OSError: the address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        self._listening = await loop.create_server(lambda: _Arrival(self, server), host, port)
        return int(self._listening.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Let nobody in any more."""
        if self._listening is not None:
            self._listening.close()

    def has_room(self, server: web.Server) -> bool:
        """Whether a further connection may come in."""
        return sum(connection not in self.pages for connection in server.connections) < self.most


class _Arrival(asyncio.Protocol):
    """A connection that has just been made: it is handed to the server, or refused."""

    def __init__(self, door: Connections, server: web.Server) -> None:
        self._door, self._server = door, server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if not self._door.has_room(self._server):
            transport.write(FULL)
            transport.close()
            return
        connection = self._server()
        transport.set_protocol(connection)
        connection.connection_made(transport)
        asyncio.get_running_loop().call_later(SECONDS, self._cut_off, transport, connection)

    def _cut_off(self, transport: asyncio.Transport, connection: asyncio.BaseProtocol) -> None:
        if connection not in self._door.pages:
            transport.abort()


class Quiet(logging.Handler):
    """Tells of what went wrong in the server in one line; of what strangers sent wrongly, nothing."""

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__()
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError | OSError):  # the latter: connections that are lost, long names
            self._told(f"A page was not served: {type(error).__name__}: {error}" if error else record.getMessage())


def quiet_logger(told: Callable[[str], None]) -> logging.Logger:
    """Return what the server tells its troubles to; ``told`` hears those that are ours, a line each."""
    logger = logging.Logger("cardai.door", logging.WARNING)
    logger.addHandler(Quiet(told))
    return logger
