"""The app in a page: a small server that starts one process of the app a page, and lets nobody else in.

The page and the terminal in it are textual-serve's; who may open them is decided here. It listens on this machine alone
unless asked, and whoever opens the page must know the random token in its address. The Host of every request and the
Origin of every WebSocket are checked, so that neither a page from elsewhere nor a name that points here gets in (CSWSH, DNS
rebinding). The command is fixed, no shell reads it, nothing of a request becomes part of it; its process ends with its page.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import ipaddress
import json
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

import textual_serve
from aiohttp import WSMsgType, web
from aiohttp.typedefs import Handler
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from cardai.ui.connections import A_PAGE, FEWEST, Connections, quiet_logger

LOCAL = ("127.0.0.1", "localhost", "[::1]")
STATIC = Path(textual_serve.__file__).parent / "static"
SMALLEST, LARGEST = 10, 500
"""Bounds of a page's rows and columns."""
LONGEST = 1 << 16
"""The longest message that a page may send, in bytes."""
PATIENCE = 5.0
"""Seconds that a process has to end by itself once its page is gone."""
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>cardai</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/css/xterm.css">
<style>
@font-face {{ font-family: "Roboto Mono"; src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf"); }}
html, body {{ height: 100%; margin: 0; background: #121212; color: #e0e0e0; font-family: "Roboto Mono", monospace; }}
#terminal {{ height: 100vh; width: 100vw; }}
.over {{ display: none; position: absolute; inset: 0; z-index: 20; align-items: center; justify-content: center; }}
.over {{ background: #121212; }}
body.-closed .over {{ display: flex; }}
a {{ color: #7fb2ff; }}
</style>
<script src="/static/js/textual.js"></script>
</head>
<body>
<div class="over"><p>The table is closed; your match is kept. <a href="">Sit down again</a></p></div>
<div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}" data-font-size="16"></div>
</body>
</html>
"""


class Process(AppService):
    """One process of the app, for one page."""

    def __init__(self, words: Sequence[str], page: web.WebSocketResponse) -> None:
        super().__init__(
            "",
            write_bytes=page.send_bytes,
            write_str=page.send_str,
            close=page.close,  # type: ignore[arg-type]
            download_manager=DownloadManager(),
        )
        self.words = words
        self.size = (80, 24)
        """The page's columns and rows."""

    async def set_terminal_size(self, width: int, height: int) -> None:
        self.size = width, height
        await super().set_terminal_size(width, height)

    async def _open_app_process(self, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        """Start the fixed command, without a shell."""
        self._process = await asyncio.create_subprocess_exec(
            *self.words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._build_environment(width=width, height=height),
        )
        self._stdin = self._process.stdin
        return self._process

    @property
    def pid(self) -> int | None:
        """The process's number, None before it has one."""
        return None if self._process is None else self._process.pid

    async def stop(self) -> None:
        """Ask the process to end, and end it if it does not."""
        with contextlib.suppress(TimeoutError, ConnectionError, asyncio.CancelledError):
            await asyncio.wait_for(super().stop(), PATIENCE)
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), PATIENCE)
            if process.returncode is None:
                process.kill()
                await process.wait()


class Door:
    """Who gets in, and what for: at most ``sessions`` pages at a time, each with a process of ``words``."""

    def __init__(self, words: Sequence[str], host: str, sessions: int) -> None:
        self.words = list(words)
        self.host = host
        self.port = 0
        self.sessions = sessions
        self.token = secrets.token_urlsafe(24)
        self.open: set[Process] = set()
        self.pages: set[web.WebSocketResponse] = set()
        self.connections = Connections(max(FEWEST, A_PAGE * sessions))

    @property
    def address(self) -> str:
        """The page's address."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{self.port}/{self.token}/"

    @property
    def local(self) -> bool:
        """Whether only this machine is listened to."""
        return is_local(self.host)

    def application(self) -> web.Application:
        """Return the server's routes."""
        app = web.Application(middlewares=[self._checked])
        app.router.add_get("/{token}/", self._page)
        app.router.add_get("/{token}/ws", self._table)
        app.router.add_static("/static", STATIC, show_index=False)
        app.on_shutdown.append(self._close)
        return app

    def knows_host(self, host: str) -> bool:
        """Whether a request's Host can only mean this server: never a name that somebody else lets point here."""
        name, colon, port = host.rpartition(":")
        if not colon or port != str(self.port):
            return False
        if name in LOCAL:
            return True
        if self.local:
            return False
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name.lower() == socket.gethostname().lower()
        return True

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse whoever does not come from the page: by Host, by Origin, by token."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if not self.knows_host(host):
            raise web.HTTPForbidden(text="This is not the address of this page.", headers=HEADERS)
        foreign = origin is not None and origin != f"http://{host}"
        if foreign or (origin is None and request.path.endswith("/ws")):
            raise web.HTTPForbidden(text="Another page may not come in here.", headers=HEADERS)
        token = request.match_info.get("token")
        if token is not None and not secrets.compare_digest(token.encode(), self.token.encode()):
            raise web.HTTPNotFound(text="Nothing is here.", headers=HEADERS)
        return await handler(request)

    @property
    def full(self) -> bool:
        """Whether no further page may come in."""
        return len(self.pages) >= self.sessions

    def _refuse_if_full(self) -> None:
        if self.full:
            words = f"There are {self.sessions} pages already: close one, or start with more --sessions."
            raise web.HTTPServiceUnavailable(text=words, headers=HEADERS)

    async def _page(self, request: web.Request) -> web.StreamResponse:
        self._refuse_if_full()
        address = html.escape(f"ws://{request.host}/{self.token}/ws", quote=True)
        return web.Response(text=PAGE.format(socket=address), content_type="text/html", headers=HEADERS)

    async def _table(self, request: web.Request) -> web.StreamResponse:
        """Start the app's process and carry keys to it and pictures from it, until either side is gone."""
        self._refuse_if_full()
        page = web.WebSocketResponse(heartbeat=15, max_msg_size=LONGEST)
        if not page.can_prepare(request):
            raise web.HTTPBadRequest(text="This is for WebSockets.", headers=HEADERS)
        self.pages.add(page)  # before anything is awaited
        self.connections.pages.add(request.protocol)
        process = Process(self.words, page)
        try:
            await page.prepare(request)
            self.open.add(process)
            await process.start(
                *(_bounded(request.query.get(name, ""), usual) for name, usual in (("width", 80), ("height", 24)))
            )
            await _carry(page, process)
        finally:
            await process.stop()
            self.open.discard(process)
            self.pages.discard(page)
            self.connections.pages.discard(request.protocol)
            with contextlib.suppress(ConnectionError):
                await page.close()
        return page

    async def _close(self, app: web.Application) -> None:
        """Let nobody in, close all pages, and wait for the ends of their processes."""
        self.connections.close()
        for page in list(self.pages):
            await page.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(3 * PATIENCE):
                while self.pages:
                    await asyncio.sleep(0.02)


def is_local(host: str) -> bool:
    """Whether an address is this machine's own, which nobody else reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bounded(value: object, usual: int) -> int:
    """Return a page's number of rows or columns; what is none is the usual one."""
    try:
        return max(SMALLEST, min(LARGEST, int(str(value)[:10])))
    except ValueError:
        return usual


async def _carry(page: web.WebSocketResponse, process: Process) -> None:
    """Carry what a page sends to its process. What is not in the page's language ends the session."""
    async for message in page:
        if message.type != WSMsgType.TEXT:
            return
        try:
            kind, *rest = json.loads(message.data)
            given = rest[0] if rest else None
            if kind == "stdin":
                await process.send_bytes(str(given).encode("utf-8", "replace"))
            elif kind == "resize" and isinstance(given, dict):
                await process.set_terminal_size(_bounded(given.get("width"), 80), _bounded(given.get("height"), 24))
            elif kind == "ping":
                await page.send_json(["pong", str(given)[:40]])
            elif kind in ("blur", "focus"):
                await (process.blur() if kind == "blur" else process.focus())
        except (ValueError, TypeError, RecursionError):
            return


async def opened(door: Door, port: int, told: Callable[[str], None]) -> web.AppRunner:
    """Begin to listen, on ``port`` or with 0 on any free one, and return what ``cleanup`` ends; ``told`` hears of troubles.

    Raises:
        OSError: the address cannot be listened on.
    """
    logger = quiet_logger(told)
    runner = web.AppRunner(door.application(), access_log=None, shutdown_timeout=PATIENCE, logger=logger)
    await runner.setup()
    assert runner.server is not None
    try:
        door.port = await door.connections.listen(runner.server, door.host, port)
    except OSError:
        await runner.cleanup()
        raise
    return runner


def serve(
    words: Sequence[str],
    host: str,
    port: int,
    sessions: int,
    show: bool,
    said: Callable[[str], None],
    told: Callable[[str], None],
) -> int:
    """Offer the app ``cardai WORDS`` as a page until Ctrl-C, SIGTERM or SIGHUP; return the signal's number.

    ``said`` hears the address, ``told`` what else there is to say; ``show`` opens the page.

    Raises:
        OSError: the address cannot be listened on.
    """
    command = [sys.executable, "-m", "cardai", *words]
    return asyncio.run(_serve(Door(command, host, sessions), port, show, said, told))


async def _serve(door: Door, port: int, show: bool, said: Callable[[str], None], told: Callable[[str], None]) -> int:
    came: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup
        numbers.append(signal.SIGHUP)
    for number in numbers:
        with contextlib.suppress(NotImplementedError):  # there Ctrl-C is a KeyboardInterrupt
            loop.add_signal_handler(number, came.put_nowait, int(number))
    runner = await opened(door, port, told)
    try:
        said(door.address)
        told("Open this page in your browser; whoever has its address can play. Ctrl-C ends it.")
        if not door.local:
            told("Other machines can reach it, and what is sent is not encrypted.")
        if show:
            threading.Thread(target=webbrowser.open, args=(door.address,), daemon=True).start()
        return await came.get()
    finally:
        await runner.cleanup()
