"""The server: uvicorn on one socket, with room for so many connections, each for a short while unless a page is behind it.

A request takes a moment. Who opens a connection and says nothing, or says it letter by letter, is cut off after
:data:`SECONDS`, unless a file comes at :data:`PACE`, for which a slow line may take as long as it needs; an answer that is being sent then is the last one, and who has not read it after as long again is cut off,
too. Who comes when all places are taken is told so at once. A table's WebSocket stays, of which there may be as many again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from cardai.web.door import Door

SECONDS = 15.0
"""How long a connection may last that is no table's: for its requests and for reading the answers."""
PACE = 4096
"""Bytes a second at which a request's body must come, all the while, where it takes longer than that."""
SLOW = 4
"""Connections that may take so long at a time."""
A_TABLE = 8
"""Connections that there is room for, a table: browsers open up to six for what a page is made of."""
FEWEST = 16
"""Connections that there is room for where only one or two tables may be played."""
LONGEST = 1 << 12
"""The longest message that a page may send, in bytes."""
PARTS = 16
"""Frames that a message may come in."""
HEAD = 1 << 14
"""The longest head of a request, in bytes."""
PATIENCE = 0.5
"""Seconds in which answers that are on their way are still sent when the server ends."""
LOG = "uvicorn.error"
"""The logger of what goes wrong."""
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"Too many are at the door. Come again in a moment.\n"
)


class Arrival(H11Protocol):
    """A connection: refused where all places are taken, cut off when its time is over, unless it became a WebSocket."""

    most = FEWEST
    refused = stays = last = slow = False
    came = 0
    """Bytes since the connection was last looked at."""

    def connection_made(self, transport: Any) -> None:
        if sum(isinstance(other, Arrival) for other in self.connections) >= self.most:
            self.refused = True
            transport.write(FULL)
            transport.close()
            return
        super().connection_made(transport)
        self.loop.call_later(SECONDS, self._cut_off)

    def _cut_off(self) -> None:
        if self.stays:
            return
        asked = self.cycle
        if self._comes():
            self.loop.call_later(SECONDS, self._cut_off)
        elif asked is None or asked.more_body or asked.disconnected or self.last:
            self.transport.abort()
        elif asked.response_started and (not asked.response_complete or self.transport.get_write_buffer_size()):
            self.last = True
            self._end_soon(asked)  # what a page is made of comes whole, whenever the browser asked for it
        elif asked.response_started or self.flow.write_paused:
            self.transport.abort()
        else:
            self._end_soon(asked)  # it is we who take so long

    @property
    def _uploads(self) -> bool:
        """Whether a request's body is on the way to somebody who wants it."""
        asked = self.cycle
        return asked is not None and asked.more_body and not (asked.disconnected or asked.response_started)

    def _comes(self) -> bool:
        """Whether a body comes fast enough to be waited for, and not too many others are."""
        others = sum(other is not self and other.slow and other._uploads for other in self.connections if isinstance(other, Arrival))  # fmt: skip
        self.slow = self._uploads and self.came >= PACE * SECONDS and others < SLOW
        self.came = 0
        return self.slow

    def _end_soon(self, asked: Any) -> None:
        """Let an answer be the last one, and look again."""
        if asked.response_complete:
            self.transport.close()  # when what is written has been read
        else:
            asked.keep_alive = False
        self.loop.call_later(SECONDS, self._cut_off)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.stays = True
        if sum(isinstance(other, Talk) for other in self.connections) >= self.most:
            self.transport.write(FULL)
            self.transport.close()
            return
        super().handle_websocket_upgrade(event)

    def data_received(self, data: bytes) -> None:
        if not self.refused:
            self.came += len(data)
            super().data_received(data)

    def eof_received(self) -> None:
        if not self.refused:
            super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.refused:
            super().connection_lost(exc)


class Talk(WebSocketsSansIOProtocol):
    """A table's WebSocket. What would let memory grow, or is no text, ends it: pings whose answers nobody reads, a message
    in endless parts; so does a request for one that is none."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:  # uvicorn would wait for it forever
            self.transport.abort()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True  # who was refused is answered: there is nothing to tell of it

    def shutdown(self) -> None:
        if self.handshake_initiated:
            super().shutdown()
        else:
            self.transport.abort()

    def handle_ping(self) -> None:
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.transport.abort()

    def handle_cont(self, event: Any) -> None:
        if len(self.frames) < PARTS:
            super().handle_cont(event)
        else:
            self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        try:
            b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.transport.abort()
        else:
            super().send_receive_event_to_app()


class Quiet(logging.Handler):
    """Tells of what went wrong in the server in one line; of what strangers sent wrongly, nothing."""

    def __init__(self, told: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, (OSError, ClientDisconnect)):  # connections that are lost
            self._told(f"A page was not served: {type(error).__name__}: {error}" if error else record.getMessage())


class Server(uvicorn.Server):
    """uvicorn without signal handlers of its own: whoever starts it says when it ends. ``stops`` is called first then."""

    def __init__(self, config: uvicorn.Config, stops: Callable[[], None]) -> None:
        super().__init__(config)
        self._stops = stops

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End. What is not done by then ends with it, of which nothing is told."""
        logging.getLogger(LOG).setLevel(logging.CRITICAL)
        self._stops()
        await super().shutdown(sockets)


def server(app: ASGIApp, tables: int, told: Callable[[str], None], stops: Callable[[], None]) -> Server:
    """Return a server of ``app`` with room for the pages of ``tables`` tables.

    ``told`` hears of troubles, a line each; ``stops`` is called when the server begins to end: whoever works is to stop.
    """
    arrival = type("Arrival", (Arrival,), {"most": max(FEWEST, A_TABLE * tables)})
    config = uvicorn.Config(
        app,
        http=arrival,
        ws=Talk,
        ws_max_size=LONGEST,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        ws_per_message_deflate=False,
        h11_max_incomplete_event_size=HEAD,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=PATIENCE,  # type: ignore[arg-type]  # it is waited for, which fractions do too
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        loop="asyncio",
    )
    logger = logging.getLogger(LOG)
    logger.handlers, logger.propagate = [Quiet(told)], False
    logger.setLevel(logging.ERROR)
    return Server(config, stops)


def listening(door: Door, port: int) -> socket.socket:
    """Begin to listen where ``door`` says, on ``port`` or with 0 on any free one, and let the door know it.

    Raises:
        OSError: the address cannot be listened on.
    """
    family, _, _, _, address = socket.getaddrinfo(door.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.create_server(address[:2], family=family, backlog=128)
    door.port = int(listener.getsockname()[1])
    return listener


async def until_signal(
    made: Server,
    listener: socket.socket,
    door: Door,
    show: bool,
    said: Callable[[str], None],
    told: Callable[[str], None],
) -> int:
    """Serve until Ctrl-C, SIGTERM or SIGHUP; return the signal's number.

    ``said`` hears the address, ``told`` what else there is to say; ``show`` opens the page.
    """
    came: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup
        numbers.append(signal.SIGHUP)
    for number in numbers:
        with contextlib.suppress(NotImplementedError):  # there Ctrl-C is a KeyboardInterrupt
            loop.add_signal_handler(number, came.put_nowait, int(number))
    serving = asyncio.create_task(made.serve(sockets=[listener]))
    try:
        said(door.address)
        told("Open this page in your browser; whoever has its address can play. Ctrl-C ends it.")
        if not door.local:
            told("Other machines can reach it, and what is sent is not encrypted.")
        if show:
            threading.Thread(target=webbrowser.open, args=(door.address,), daemon=True).start()
        return await came.get()
    finally:
        made.should_exit = True
        await serving
