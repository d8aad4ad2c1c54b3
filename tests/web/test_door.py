"""Who may come in: the token, the Host, the Origin, and what is on every answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from cardai.web.door import HEADERS, Door, is_local
from cardai.web.server import listening
from tests.web.conftest import Served


def ws_status(served: Served, path: str = "table/none/ws", **headers: str) -> int:
    """Return 101 where a WebSocket is let in, else what it was refused with."""
    whole = path if path.startswith("/") else served.root + path
    try:
        with connect(f"ws://127.0.0.1:{served.port}{whole}", additional_headers=headers, open_timeout=20):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_the_page_is_there_for_who_knows_the_token_and_for_nobody_else(served: Served) -> None:
    token = served.house.door.token
    assert len(token) >= 32
    assert served.ask("games")[0] == 200
    assert served.ask("static/table.js")[0] == 200
    for path in ("/", f"/{token[:-1]}x/games", "/games", "/static/table.js", f"/{token}", f"//{token}/games"):
        assert served.ask(path)[0] == 404, path
    assert served.ask("static/")[0] == 404
    assert served.ask("static/../door.py")[0] == 404
    assert served.ask("static/%2e%2e/door.py")[0] == 404
    assert ws_status(served, f"/{'x' * len(token)}/table/none/ws", Origin=served.origin) == 404


def test_two_doors_have_different_tokens() -> None:
    assert Door().token != Door().token


def test_foreign_origins_are_refused(served: Served) -> None:
    for origin in (
        "http://evil.example",
        "null",
        f"https://127.0.0.1:{served.port}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{served.port + 1}",
        f"http://localhost:{served.port}",  # the page itself was opened under the other name
    ):
        assert ws_status(served, Origin=origin) == 403, origin
        assert served.ask("games", Origin=origin)[0] == 403, origin
        assert served.ask("sit", "game=kuhn&player=random", Origin=origin)[0] == 403, origin
    assert ws_status(served) == 403  # a browser always says its Origin
    name = served.sit("kuhn", "random")
    assert ws_status(served, f"table/{name}/ws", Origin=served.origin) == 101


def test_names_that_point_here_are_refused(served: Served) -> None:
    """DNS rebinding: a page of evil.example, whose name has come to mean 127.0.0.1, is its own Origin."""
    port = served.port
    for host in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", f"10.0.0.1:{port}", ""):
        assert served.ask("games", Host=host)[0] == 403, host
    assert served.ask("games", Host=f"localhost:{port}")[0] == 200


def test_a_door_to_other_machines_knows_addresses_but_no_foreign_names() -> None:
    door = Door("0.0.0.0", 8000)
    assert not door.local
    assert door.knows_host("10.1.2.3:8000")
    assert door.knows_host("[fe80::1]:8000")
    assert not door.knows_host("10.1.2.3:8001")
    assert not door.knows_host("evil.example:8000")
    assert door.address.startswith("http://127.0.0.1:8000/")


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("192.168.1.5", False), ("x", False)],
)
def test_what_is_this_machine_alone(host: str, local: bool) -> None:
    assert is_local(host) == local


def test_without_listen_the_socket_is_on_loopback_alone() -> None:
    door = Door()
    with listening(door, 0) as socket:
        assert socket.getsockname() == ("127.0.0.1", door.port)
        with pytest.raises(OSError, match=r"in use|Address"), listening(Door(), door.port):
            pass


def test_every_answer_says_what_a_browser_may_do_with_it(served: Served) -> None:
    """The page runs scripts and styles of its own files alone, is shown in no frame, and is kept by no cache."""
    for path in ("games", "nothing", "static/page.css"):
        headers = served.ask(path)[2]
        assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    code, page, _ = served.ask("players?game=kuhn")
    assert code == 200
    assert "https://" not in page  # nothing is fetched from elsewhere
    assert " style=" not in page
    assert "<script>" not in page
    assert served.ask("games", Origin="http://evil.example")[2]["x-frame-options"] == "DENY"


def test_what_is_no_address_is_refused_quietly(served: Served) -> None:
    async def asked(data: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(data)
        line = await asyncio.wait_for(reader.readline(), 20)
        writer.close()
        return line.split()[1]

    def code(data: bytes) -> Any:
        return asyncio.run(asked(data))

    host = f"Host: 127.0.0.1:{served.port}\r\n".encode()
    ws = f"GET {served.root}table/none/ws HTTP/1.1\r\nOrigin: {served.origin}\r\n".encode() + host
    assert code(b"\xff\x00 garbage\r\n\r\n") == b"400"
    assert code(b"GET / HTTP/9.9\r\n\r\n") == b"403"
    assert code(b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\n" + host + b"\r\n") in (b"400", b"404")
    assert code(b"GET / HTTP/1.1\r\n" + host + host.replace(b"127", b"128") + b"\r\n") in (b"400", b"403")
    assert code(b"GET / HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n") == b"400"
    assert code(ws + b"\r\n") == b"404"  # no WebSocket: there is no such page
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    assert code(ws + upgrade + b"Sec-WebSocket-Version: 99\r\n\r\n") in (b"400", b"426")
    assert served.told == []
