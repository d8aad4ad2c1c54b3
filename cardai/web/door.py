"""Who may come in: whoever knows the token, from a page of ours, by an address that can only mean this server.

It stands before everything else. The Host of every request and the Origin of every request that has one are checked, so
that neither a page from elsewhere nor a name that points here gets in (CSWSH, DNS rebinding); a WebSocket must have one.
The token is a part of every path rather than a cookie: cookies are shared with whatever else this machine serves.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

LOCAL = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every answer. The one thing that may stay in a browser's cache is what no page can change (:data:`STATIC`)."""
STATIC = "static/"


class Door:
    """The address, and what a request must say to get in; ``host`` is where the server listens."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.host = host
        self.port = port
        self.token = secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """The first page's address."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        shown = f"[{shown}]" if ":" in shown else shown
        return f"http://{shown}:{self.port}{self.root}"

    @property
    def root(self) -> str:
        """The path that all others begin with."""
        return f"/{self.token}/"

    @property
    def local(self) -> bool:
        """Whether only this machine is listened to."""
        return is_local(self.host)

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

    def refuses(self, kind: str, host: str, origin: str | None, path: str) -> tuple[int, str] | None:
        """Return (status, words) for who may not come in, else None; ``kind`` is "http" or "websocket"."""
        if not self.knows_host(host):
            return 403, "This is not the address of this page."
        if (origin is not None and origin != f"http://{host}") or (origin is None and kind == "websocket"):
            return 403, "Another page may not come in here."
        first, slash, _ = path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(first.encode("utf-8", "replace"), self.token.encode()):
            return 404, "Nothing is here."
        return None


class Guarded:
    """The application ``app`` behind ``door``: what is refused never reaches it, and all answers carry :data:`HEADERS`."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refused = self.door.refuses(scope["type"], headers.get("host", ""), headers.get("origin"), scope["path"])

        async def sent(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
            await send(message)

        if refused is None:
            await self.app({**scope, "root_path": self.door.root.rstrip("/")}, receive, sent)
        elif scope["type"] == "websocket":
            answer = PlainTextResponse(refused[1], refused[0])
            await WebSocket(scope, receive, sent).send_denial_response(answer)
        else:
            await PlainTextResponse(refused[1], refused[0])(scope, receive, sent)


def is_local(host: str) -> bool:
    """Whether an address is this machine's own, which nobody else reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
