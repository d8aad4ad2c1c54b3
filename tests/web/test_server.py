"""Connections: only so many, each for a short while, and messages of a page's language alone."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, IncompleteRead
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from uvicorn.protocols.http.h11_impl import RequestResponseCycle
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from cardai.core.errors import DamagedFileError
from cardai.web.offers import Offers
from cardai.web.render import HERE
from cardai.web.server import FEWEST, PACE, SECONDS, Arrival
from cardai.web.sittings import WAITING
from cardai.web.sittings import Page as Shown
from cardai.web.socket import understood
from tests.support import INTERPRETED, ROOT
from tests.web.conftest import Page, Served


def opening(served: Served, data: bytes) -> socket.socket:
    """Open a connection, say ``data``, and no more."""
    made = socket.create_connection(("127.0.0.1", served.port), 20)
    made.sendall(data)
    return made


def ended(connection: socket.socket) -> bytes:
    """Return what came until the other side ended the connection."""
    out = b""
    try:
        while part := connection.recv(1 << 16):
            out += part
    except ConnectionError:
        pass
    connection.close()
    return out


@pytest.fixture
def arrivals(monkeypatch: pytest.MonkeyPatch) -> list[Arrival]:
    """Return the connections that have been made, as they come."""
    came: list[Arrival] = []
    made = Arrival.connection_made

    def noted(arrival: Arrival, transport: Any) -> None:
        came.append(arrival)
        made(arrival, transport)

    monkeypatch.setattr(Arrival, "connection_made", noted)
    return came


def cut_off(served: Served, arrival: Arrival) -> None:
    """Let the time of a connection be over."""

    async def over() -> None:
        arrival._cut_off()

    served.call(over)


def test_who_says_nothing_half_a_request_or_does_not_read_is_cut_off_but_a_page_stays(
    served: Served, arrivals: list[Arrival], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = f"Host: 127.0.0.1:{served.port}\r\n".encode()
    whole = f"GET {served.root}static/table.js HTTP/1.1\r\n".encode() + host + b"\r\n"
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
        monkeypatch.setattr("cardai.web.server.SECONDS", 0.4)
        upload = f"POST {served.root}study/hands?file=a.txt HTTP/1.1\r\nOrigin: {served.origin}\r\n".encode() + host
        drop = upload + b"Content-Length: 9000\r\n\r\nPokerStars"
        slow = [opening(served, data) for data in (b"", b"GET / HT", b"GET / HTTP/1.1\r\n" + host, 50 * whole, drop)]
        for connection in slow:
            assert b" 200 OK" not in ended(connection) or connection is slow[3]
        (of_the_page,) = [arrival for arrival in arrivals if arrival.stays]
        cut_off(served, of_the_page)
        page.say("look")
        assert page.hear(lambda m: m["kind"] == "scene")


def test_a_file_that_comes_slowly_but_steadily_is_waited_for_and_only_so_many(
    served: Served, arrivals: list[Arrival], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.web.server.SLOW", 1)
    upload = (
        f"POST {served.root}study/hands?file=a.txt HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
        f"Origin: {served.origin}\r\nContent-Length: 200000\r\n\r\n"
    ).encode()
    sent = int(PACE * SECONDS) + 1000
    both = [opening(served, upload + b"x" * sent) for _ in range(2)]
    wait_until(lambda: len(arrivals) == 2 and all(arrival.came >= sent for arrival in arrivals))
    for arrival in arrivals:
        cut_off(served, arrival)
    assert [arrival.slow for arrival in arrivals] == [True, False]  # the second is one too many
    assert ended(both[1]) == b""
    both[0].sendall(b"x" * (200_000 - sent))
    assert both[0].recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
    both[0].close()


def wait_until(met: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for a condition."""
    until = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_request_over_which_we_think_for_long_is_answered(
    served: Served, arrivals: list[Arrival], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Offers, "games", lambda offers: cut_off(served, arrivals[-1]) or []
    )  # not what it keeps: its thread may end later
    assert served.ask("games")[0] == 200
    assert len(arrivals) == 1


def test_who_asks_again_and_again_and_reads_no_answer_is_cut_off_although_none_has_begun(
    served: Served, arrivals: list[Arrival], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer begins when what came before it has been read."""

    def unread() -> None:
        served.loop.call_soon_threadsafe(arrivals[-1].pause_writing)
        cut_off(served, arrivals[-1])

    monkeypatch.setattr(Offers, "games", lambda offers: unread() or [])  # not what it keeps: its thread may end later
    with pytest.raises(ConnectionError):
        served.ask("games")


@pytest.mark.parametrize("times", [1, 2], ids=["is sent whole", "is cut off when that takes as long again"])
def test_an_answer_that_is_being_sent_when_the_time_of_its_connection_is_over(
    served: Served, arrivals: list[Arrival], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """A page without its script would wait for ever."""
    send = RequestResponseCycle.send

    async def slowly(answer: RequestResponseCycle, message: Any) -> None:
        await send(answer, message)
        if message["type"] == "http.response.start":
            for _ in range(times):
                arrivals[-1]._cut_off()

    monkeypatch.setattr(RequestResponseCycle, "send", slowly)
    if times == 1:
        assert served.ask("static/study.js")[1] == (HERE / "static" / "study.js").read_text(encoding="utf-8")
    else:
        with pytest.raises((ConnectionError, IncompleteRead)):
            served.ask("static/study.js")


def test_only_so_many_connections_wait_at_the_door(served: Served, arrivals: list[Arrival]) -> None:
    most = max(FEWEST, 8 * served.house.tables.most)
    waiting = [opening(served, b"GET / HT") for _ in range(most)]
    for _ in range(500):
        if sum(not arrival.refused for arrival in arrivals) >= most:
            break
        time.sleep(0.02)
    for _ in range(3):
        assert ended(opening(served, b"")).startswith(b"HTTP/1.1 503 ")
    waiting[0].close()
    for _ in range(200):
        try:
            if served.ask("games")[0] == 200:
                break
        except OSError:
            pass
        time.sleep(0.02)
    else:
        raise AssertionError("no place became free")
    for connection in waiting:
        connection.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[[[",
        "[]",
        '{"does": "shout"}',
        '{"does": "act", "action": -1}',
        '{"does": "act", "action": 1e400}',
        '{"does": "act", "action": "1"}',
        '{"does": "act", "at": true}',
        '{"does": "cards", "cards": [[1]]}',
        '{"does": "typed", "text": "' + "x" * 201 + '"}',
        "[" * 4000,
    ],
)
def test_what_is_not_the_page_s_language_is_refused(text: str) -> None:
    with pytest.raises(DamagedFileError):
        understood(text)


@pytest.mark.parametrize("data", ["[[[[", b"\x00\x01", "x" * 5000, '{"does": "shout"}'])
def test_a_page_that_speaks_otherwise_is_closed_and_the_table_stays(served: Served, data: str | bytes) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
        page.socket.send(data)
        with suppress(ConnectionClosed):
            while True:
                page.socket.recv(timeout=20)
        assert page.socket.close_code is not None
    with served.page(name) as page:
        assert page.turn()["kind"] == "scene"
    assert served.told == []


def frame(opcode: int, data: bytes, last: bool = True) -> bytes:
    """Return a WebSocket's frame of up to 125 bytes, masked by zeros (RFC 6455, 5.2)."""
    return bytes([opcode | 128 * last, 128 | len(data)]) + bytes(4) + data


@pytest.mark.parametrize(
    ("first", "flood", "thousands"),
    [
        (b"", frame(9, b"x" * 125), 1500),  # 200 MB, of which the system holds some
        (frame(1, b"x", False), frame(0, b"", False), 3),
        (frame(1, b"\xff"), b"", 0),
    ],
    ids=["pings whose answers nobody reads", "a message of endless parts", "what is no text"],
)
def test_what_a_page_says_takes_bounded_memory(served: Served, first: bytes, flood: bytes, thousands: int) -> None:
    name = served.sit("kuhn", "random")
    head = f"GET {served.root}table/{name}/ws HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.origin}\r\n"
    page = opening(served, f"{head}{UPGRADE}\r\n".encode())
    assert page.recv(12) == b"HTTP/1.1 101"
    with page, suppress(ConnectionError):
        page.sendall(first)
        for _ in range(thousands):
            page.sendall(1000 * flood)
        assert not flood or thousands < 10, "nobody ended it"
        page.settimeout(10)
        ended(page)
    assert served.told == []


UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("POST", "Content-Length: 5\r\n"),
        ("GET", f"X: {'x' * 9000}\r\n"),
        ("GET", "".join(f"X-{k}: x\r\n" for k in range(200))),
    ],
    ids=["no GET", "a long header", "many headers"],
)
def test_who_asks_for_a_websocket_that_is_none_is_cut_off(served: Served, method: str, more: str) -> None:
    """Whether he knows the address or not: nobody is behind such a connection."""
    for path in (f"{served.root}table/x/ws", "/"):
        request = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.origin}\r\n{UPGRADE}{more}\r\n"
        ended(opening(served, request.encode()))
    assert served.told == []


def test_of_who_is_refused_a_websocket_nothing_is_told(served: Served) -> None:
    host = f"Host: 127.0.0.1:{served.port}\r\n{UPGRADE}"
    for path, origin, code in (
        ("/x/table/x/ws", f"Origin: {served.origin}\r\n", b"404"),
        (f"{served.root}table/x/ws", "", b"403"),
        (f"{served.root}table/x/ws", "Origin: http://elsewhere.example\r\n", b"403"),
    ):
        answer = ended(opening(served, f"GET {path} HTTP/1.1\r\n{host}{origin}\r\n".encode()))
        assert answer.startswith(b"HTTP/1.1 " + code)
    assert served.told == []


def test_only_so_many_pages_are_connected(served: Served) -> None:
    """Those that never look at a table count too."""
    name = served.sit("kuhn", "random")
    request = f"GET {served.root}table/{name}/ws HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.origin}\r\n{UPGRADE}\r\n"
    most = max(FEWEST, 8 * served.house.tables.most)
    pages = []
    for _ in range(most):
        pages.append(opening(served, request.encode()))
        assert pages[-1].recv(12) == b"HTTP/1.1 101"
    assert ended(opening(served, request.encode())).startswith(b"HTTP/1.1 503 ")
    assert served.ask("games")[0] == 200
    for page in pages:
        page.close()


def test_a_page_that_does_not_read_keeps_no_table_from_being_put_away(served: Served) -> None:
    """Whatever it waits for; even as many messages as it may are waiting."""
    name = served.sit("kuhn", "random")
    sitting = served.house.tables.open[name]

    async def clear() -> None:
        for waiting in range(WAITING + 1):
            page = Shown()
            for _ in range(waiting):
                page.told.put_nowait({})
            sitting.pages.add(page)
        await served.house.tables.clear()

    served.call(clear)
    assert not served.house.tables.open


def test_of_a_page_that_leaves_abruptly_nothing_is_told(served: Served) -> None:
    name = served.sit("kuhn", "random")
    with served.page(name) as page:
        page.turn()
        connection = page.socket.socket
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, no farewell
        connection.close()
        for _ in range(200):
            if not served.house.tables.open[name].pages:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the page is still at the table")
    time.sleep(0.1)
    assert served.told == []


def test_a_form_that_is_too_long_is_refused(served: Served) -> None:
    assert served.ask("sit", "game=" + "x" * 5000, Origin=served.origin)[0] == 413


STARTED = """
import time
from cardai.cli import main
from cardai.web import pages
from cardai.web.offers import Offers
Offers.games = lambda offers: time.sleep(600)
pages.ENDING = 30.0  # a disk that is busy may take longer than a second for a match
main(["play", "kuhn", "--vs", "random", "--browser", "--no-open"])
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal for one process")
def test_ctrl_c_ends_the_server_soon_whoever_is_silent_or_waits_and_keeps_the_match(matches: Path) -> None:
    """A page that reads nothing more, a connection that says nothing, a request over which a thread thinks for minutes."""
    words = [sys.executable, "-c", STARTED]
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    try:
        assert started.stdout is not None
        at = urlsplit(started.stdout.readline().strip())
        origin = {"Origin": f"http://{at.netloc}"}
        asking = HTTPConnection(at.netloc, timeout=60)
        asking.request("GET", at.path)
        table = str(asking.getresponse().headers["Location"])
        asking.close()
        with socket.create_connection((at.hostname, at.port)), socket.create_connection((at.hostname, at.port)) as waiting, \
             connect(f"ws://{at.netloc}{table}/ws", additional_headers=origin, open_timeout=60) as page:  # fmt: skip
            waiting.sendall(f"GET {at.path}games HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
            Page(page).say("look")
            Page(page).turn()
            begun = time.monotonic()
            started.send_signal(signal.SIGINT)
            _, err = started.communicate(timeout=60)
            assert time.monotonic() - begun < 30  # a fifth of a second on a quiet machine
    finally:
        started.kill()
    assert (started.returncode, err.splitlines()[1:]) == (0, [])
    assert [file.name for file in matches.iterdir() if not file.name.startswith(".")] == [
        f"{table.rpartition('/')[2]}.jsonl"
    ]


def test_a_mistake_of_ours_is_told_in_a_line(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.web.pages.matches", lambda: {}["nothing"])
    assert served.ask("games")[0] == 500
    for _ in range(200):
        if served.told:
            break
        time.sleep(0.02)
    assert served.told == ["A page was not served: KeyError: 'nothing'"]
