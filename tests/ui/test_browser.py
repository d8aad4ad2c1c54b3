"""The app in a page: who gets in and who does not, and that its process ends with it; whole hands in a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("textual_serve", reason="the page needs the extra play")

import aiohttp

from cardai.arena import records
from cardai.arena.journal import journal_of
from cardai.ui.browser import Door, is_local, opened
from tests.support import ROOT, sizes

HELLO = "import os, sys; sys.stdout.write('__GANGLION__\\n'); sys.stdout.flush(); said = b''\n"
ECHO = [sys.executable, "-c", HELLO + "while b'quit' not in said and (more := os.read(0, 4096)):\n    said += more"]
"""What stands for the app where only the door is tested: it says that it is one, and waits to be told to end."""


@asynccontextmanager
async def served(
    words: list[str], sessions: int = 4, host: str = "127.0.0.1", told: list[str] | None = None
) -> AsyncIterator[Door]:
    door, told = Door(words, host, sessions), [] if told is None else told
    runner = await opened(door, 0, told.append)
    try:
        yield door
    finally:
        await runner.cleanup()


async def until(reached: Callable[[], bool], what: str) -> None:
    for _ in range(1500):
        if reached():
            return
        await asyncio.sleep(0.04)
    raise AssertionError(what)


def alive(pid: int) -> bool:
    """Say whether a process still runs (one that ended and was not waited for does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1]


async def status(session: aiohttp.ClientSession, address: str, **headers: str) -> int:
    async with session.get(address, headers=headers) as answer:
        return answer.status


async def ws_status(session: aiohttp.ClientSession, address: str, **headers: str) -> int:
    """Return 101 where a WebSocket is let in, else what it was refused with."""
    try:
        async with session.ws_connect(address.replace("http", "ws", 1) + "ws", headers=headers):
            return 101
    except aiohttp.WSServerHandshakeError as refused:
        return refused.status


def test_the_page_is_there_for_who_knows_the_token_and_for_nobody_else() -> None:
    async def look() -> None:
        async with served(ECHO) as door, aiohttp.ClientSession() as session:
            root = f"http://127.0.0.1:{door.port}/"
            assert len(door.token) >= 32
            assert await status(session, door.address) == 200
            assert await status(session, f"{root}{door.token[:-1]}x/") == 404
            assert await status(session, root) == 404
            assert await status(session, f"{root}static/js/textual.js") == 200
            assert await status(session, f"{root}static/") in (403, 404)
            assert await status(session, f"{root}static/../server.py") == 404
            origin = f"http://127.0.0.1:{door.port}"
            assert await ws_status(session, f"{root}{'x' * len(door.token)}/", Origin=origin) == 404
            async with session.get(door.address) as answer:
                page = await answer.text()
                assert "https://" not in page  # nothing is fetched from elsewhere
                assert answer.headers["X-Frame-Options"] == "DENY"

    asyncio.run(look())


def test_foreign_origins_are_refused() -> None:
    async def look() -> None:
        async with served(ECHO) as door, aiohttp.ClientSession() as session:
            own = f"http://127.0.0.1:{door.port}"
            for origin in (
                "http://evil.example",
                "null",
                f"https://127.0.0.1:{door.port}",
                "http://127.0.0.1",
                f"http://127.0.0.1:{door.port + 1}",
                f"http://localhost:{door.port}",  # the page itself was opened under the other name
            ):
                assert await ws_status(session, door.address, Origin=origin) == 403, origin
                assert await status(session, door.address, Origin=origin) == 403, origin
            assert await ws_status(session, door.address) == 403  # a browser always says its Origin
            assert not door.open
            assert await ws_status(session, door.address, Origin=own) == 101

    asyncio.run(look())


def test_names_that_point_here_are_refused() -> None:
    """DNS rebinding: a page of evil.example, whose name has come to mean 127.0.0.1, is its own Origin."""

    async def look() -> None:
        async with served(ECHO) as door, aiohttp.ClientSession() as session:
            for host in (
                f"evil.example:{door.port}",
                "127.0.0.1",
                f"127.0.0.1.evil.example:{door.port}",
                f"10.0.0.1:{door.port}",
            ):
                assert await status(session, door.address, Host=host) == 403, host
                assert await ws_status(session, door.address, Host=host, Origin=f"http://{host}") == 403, host
            assert await status(session, door.address, Host=f"localhost:{door.port}") == 200

    asyncio.run(look())


def test_a_door_to_other_machines_knows_addresses_but_no_foreign_names() -> None:
    door = Door(ECHO, "0.0.0.0", 4)
    door.port = 8000
    assert not door.local
    assert door.knows_host("10.1.2.3:8000")
    assert door.knows_host("[fe80::1]:8000")
    assert not door.knows_host("10.1.2.3:8001")
    assert not door.knows_host("evil.example:8000")
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert not is_local("0.0.0.0")
    assert not is_local("192.168.1.5")


def test_no_more_pages_than_allowed_and_a_place_is_free_again() -> None:
    async def look() -> None:
        async with served(ECHO, sessions=2) as door, aiohttp.ClientSession() as session:
            origin = {"Origin": f"http://127.0.0.1:{door.port}"}
            address = door.address.replace("http", "ws", 1) + "ws"
            first = await session.ws_connect(address, headers=origin)
            second = await session.ws_connect(address, headers=origin)
            assert await ws_status(session, door.address, **origin) == 503
            assert await status(session, door.address) == 503
            await until(lambda: len(door.open) == 2, "two processes")
            (pid, *_) = [process.pid for process in door.open]
            assert pid is not None
            await first.close()
            await until(lambda: not door.full, "a free place")
            assert await ws_status(session, door.address, **origin) == 101
            await second.close()

    asyncio.run(look())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")
def test_a_process_ends_with_its_page_even_one_that_does_not_want_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardai.ui.browser.PATIENCE", 0.3)
    stubborn = [sys.executable, "-c", HELLO + "__import__('time').sleep(300)"]

    async def look(words: list[str]) -> None:
        async with served(words) as door, aiohttp.ClientSession() as session:
            origin = {"Origin": f"http://127.0.0.1:{door.port}"}
            page = await session.ws_connect(door.address.replace("http", "ws", 1) + "ws", headers=origin)
            await until(lambda: any(process.pid for process in door.open), "a process")
            (pid,) = [process.pid for process in door.open]
            assert pid is not None
            assert alive(pid)
            await page.send_str("[[[[")  # no language of the page's: the session ends
            await until(lambda: not alive(pid), "its end")
            assert not page.closed or page.close_code is not None

    asyncio.run(look(ECHO))
    asyncio.run(look(stubborn))


async def opening(door: Door, data: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection, say ``data``, and no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(data)
    return reader, writer


def test_who_says_nothing_half_a_request_or_does_not_read_is_cut_off_but_a_page_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cardai.ui.connections.SECONDS", 0.5)
    monkeypatch.setattr("cardai.ui.browser.PATIENCE", 0.3)

    async def look() -> None:
        async with served(ECHO) as door, aiohttp.ClientSession() as session:
            origin = {"Origin": f"http://127.0.0.1:{door.port}"}
            page = await session.ws_connect(door.address.replace("http", "ws", 1) + "ws", headers=origin)
            host = f"Host: 127.0.0.1:{door.port}\r\n".encode()
            whole = b"GET /static/js/textual.js HTTP/1.1\r\n" + host + b"\r\n"
            slow = [await opening(door, data) for data in (b"", b"GET / HT", b"GET / HTTP/1.1\r\n" + host, 50 * whole)]
            slow[3][1].transport.pause_reading()  # type: ignore[attr-defined]
            begun = asyncio.get_running_loop().time()
            for reader, writer in slow:
                writer.transport.resume_reading()  # type: ignore[attr-defined]
                with contextlib.suppress(ConnectionError):
                    await asyncio.wait_for(reader.read(), 10)
                writer.close()
            assert asyncio.get_running_loop().time() - begun < 5
            await page.send_json(["ping", "there"])
            async for message in page:
                if message.type == aiohttp.WSMsgType.TEXT:
                    assert message.json() == ["pong", "there"]
                    break
            assert len(door.open) == 1
            await page.close()

    asyncio.run(look())


def test_only_so_many_connections_wait_at_the_door() -> None:
    async def look() -> None:
        async with served(ECHO, sessions=2) as door:
            waiting = [await opening(door, b"GET / HT") for _ in range(door.connections.most)]
            for _ in range(3):
                reader, writer = await opening(door, b"")
                assert (await asyncio.wait_for(reader.read(), 10)).startswith(b"HTTP/1.1 503 ")
                writer.close()
            waiting[0][1].close()
            async with aiohttp.ClientSession() as session:
                for _ in range(100):
                    if await status(session, door.address) == 200:
                        break
                    await asyncio.sleep(0.02)
                else:
                    raise AssertionError("no place became free")
            for _, writer in waiting:
                writer.close()

    asyncio.run(look())


def test_bad_requests_are_refused_and_nothing_is_told_of_them(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []

    async def look() -> None:
        async with served(ECHO, told=told) as door:
            host = f"Host: 127.0.0.1:{door.port}\r\n".encode()
            ws = f"GET /{door.token}/ws HTTP/1.1\r\nOrigin: http://127.0.0.1:{door.port}\r\n".encode() + host
            for data, code in (
                (b"\xff\x00 garbage\r\n\r\n", b"400"),
                (b"GET / HTTP/9.9\r\n\r\n", b"400"),
                (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n", b"400"),
                (b"GET / HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n", b"400"),
                (b"GET /static/" + b"a" * 5_000 + b" HTTP/1.1\r\n" + host + b"\r\n", b"500"),
                (ws + b"\r\n", b"400"),
                (ws + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 99\r\n\r\n", b"400"),
            ):
                reader, writer = await opening(door, data)
                line = await asyncio.wait_for(reader.readline(), 10)
                assert line.split()[1] == code, (data[:40], line)
                writer.close()
            assert not door.pages

    asyncio.run(look())
    assert told == []
    assert not caplog.records


def test_a_mistake_of_ours_in_the_server_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("cardai.ui.browser.PAGE", "{nothing}")

    async def look() -> None:
        async with served(ECHO, told=told) as door, aiohttp.ClientSession() as session:
            assert await status(session, door.address) == 500

    asyncio.run(look())
    assert told == ["A page was not served: KeyError: 'nothing'"]


SERVER = """
import asyncio, sys
from cardai.ui.browser import Door, opened

async def serve():
    door = Door([sys.executable, "-m", "cardai", "play", "kuhn", "--vs", "random"], "127.0.0.1", 2)
    await opened(door, 0, print)
    print(door.address, flush=True)
    while not any(process.pid for process in door.open):
        await asyncio.sleep(0.02)
    print([process.pid for process in door.open][0], flush=True)
    await asyncio.sleep(300)

asyncio.run(serve())
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", sizes(signal.SIGKILL, signal.SIGTERM))
def test_a_pages_process_ends_with_its_server_even_where_that_is_killed(number: int, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    server = subprocess.Popen([sys.executable, "-c", SERVER], env=env, stdout=subprocess.PIPE, text=True)

    async def look() -> int:
        assert server.stdout is not None
        address = (await asyncio.to_thread(server.stdout.readline)).strip()
        async with aiohttp.ClientSession() as session:
            origin = {"Origin": "/".join(address.split("/")[:3])}
            page = await session.ws_connect(address.replace("http", "ws", 1) + "ws", headers=origin)
            drawn = bytearray()
            async for message in page:
                drawn.extend(message.data if isinstance(message.data, bytes) else b"")
                if b"Your turn" in drawn or b"cardai" in drawn:
                    break
            pid = int(await asyncio.to_thread(server.stdout.readline))
            assert alive(pid)
            server.send_signal(number)
            await until(lambda: not alive(pid), "its end")
        return pid

    try:
        asyncio.run(look())
    finally:
        server.kill()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def app_words(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cardai", "play", *arguments]


def test_a_hand_is_played_over_the_pages_wire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app's own process, keys sent as the page sends them; q and y end the process and close the page."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    file = tmp_path / "match.jsonl"

    async def play() -> None:
        words = app_words("kuhn", "--vs", "random", "--seed", "4", "--record", str(file))
        async with served(words) as door, aiohttp.ClientSession() as session:
            origin = {"Origin": f"http://127.0.0.1:{door.port}"}
            address = door.address.replace("http", "ws", 1) + "ws?width=80&height=24"
            page = await session.ws_connect(address, headers=origin)
            drawn = bytearray()

            async def read() -> None:
                async for message in page:
                    drawn.extend(message.data if isinstance(message.data, bytes) else b"")

            reader = asyncio.create_task(read())
            await until(lambda: b"Your turn" in drawn, "the table")
            for _ in range(4):
                await page.send_json(["stdin", "b"])
                await page.send_json(["stdin", "p"])
                await asyncio.sleep(0.3)
                if hands(file):
                    break
            await until(lambda: hands(file) == 1, "a finished hand")
            await page.send_json(["stdin", "q"])
            await asyncio.sleep(0.5)
            await page.send_json(["stdin", "y"])
            await asyncio.wait_for(reader, 60)
            await until(lambda: not door.open, "the process's end")

    asyncio.run(play())
    assert len(records.read(file).hands) == 1
    assert not journal_of(file).name.endswith(".open")


def hands(file: Path) -> int:
    """Return how many hands of a match under way are finished."""
    beside = journal_of(file)
    return len(records.read(beside).hands) if beside.exists() else 0
