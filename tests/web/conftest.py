"""Pages served by a thread of the test's process, and those who ask for them over real connections."""

from __future__ import annotations

import asyncio
import http.client
import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

HERE = all(find_spec(name) for name in ("starlette", "uvicorn", "jinja2", "websockets"))
collect_ignore_glob = [] if HERE else ["test_*.py"]  # the pages need the extra play


@pytest.fixture(autouse=True)
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this test's matches are kept."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cardai.web.sittings.PACE", 0.0)
    monkeypatch.setattr("cardai.web.pages.SOON", 20.0)  # who plays a game is waited for, however slow the machine
    return tmp_path / "data" / "matches"


class Served:
    """A server in a thread, and requests to it."""

    def __init__(self, house: Any) -> None:
        self.house = house
        self.told: list[str] = []
        self.loop = asyncio.new_event_loop()
        self._ready, self._over = threading.Event(), asyncio.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        if self._failed is not None:
            raise self._failed

    def _run(self) -> None:
        from cardai.web.serving import served

        async def run() -> None:
            async with served(self.house, self.told.append):
                self._ready.set()
                await self._over.wait()

        try:
            self.loop.run_until_complete(run())
        except BaseException as error:
            self._failed = error
        finally:
            self._ready.set()
            self.loop.close()

    def close(self) -> None:
        """End the server."""
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)
        assert not self._thread.is_alive()
        if self._failed is not None:
            raise self._failed

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Await a coroutine function in the server's loop."""
        return asyncio.run_coroutine_threadsafe(function(*arguments), self.loop).result(60)

    @property
    def port(self) -> int:
        return int(self.house.door.port)

    @property
    def root(self) -> str:
        return str(self.house.door.root)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, body: str | bytes | None = None, method: str = "", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """Return the status, the text and the headers of an answer; ``path`` behind the root unless it begins with a slash."""
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            whole = path if path.startswith("/") else self.root + path
            asking.request(method or ("GET" if body is None else "POST"), whole, body, headers)
            answer = asking.getresponse()
            return answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.getheaders()}
        finally:
            asking.close()

    def sit(self, game: str, player: str = "") -> str:
        """Sit down by the form; return the table's name."""
        code, text, headers = self.ask("sit", f"game={game}&player={player}", Origin=self.origin)
        assert code == 303, text
        return headers["location"].rpartition("/")[2]

    @contextmanager
    def page(self, name: str, big_blinds: bool = False) -> Iterator[Page]:
        """Return the page of a table, which has begun to look."""
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect

        address = f"ws://127.0.0.1:{self.port}{self.root}table/{name}/ws"
        with connect(address, additional_headers={"Origin": self.origin}, open_timeout=60) as socket:
            page = Page(socket)
            with suppress(ConnectionClosed):  # a page that is refused may hear it before it has looked
                page.say("look", big_blinds=big_blinds)
            yield page

    def forget(self, name: str) -> None:
        """Put away a table that no page shows, as if its time had come."""
        sitting = self.house.tables.open[name]
        end = time.monotonic() + 60
        while sitting.pages:  # the server hears a moment later that a page has gone
            assert time.monotonic() < end
            time.sleep(0.01)
        while name in self.house.tables.open:  # a thread may still be at work for it, or the server put it away itself
            assert time.monotonic() < end
            sitting.left = -math.inf
            self.call(self.house.tables.tidy)


class Page:
    """A table's page, as its script speaks."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.at = 0
        self.heard: list[dict[str, Any]] = []

    def say(self, does: str, **more: Any) -> None:
        self.socket.send(json.dumps({"does": does, "at": self.at, **more}))

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message that is wanted."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(timeout=120))
            self.heard.append(message)
            self.at = message.get("at", self.at)
            if wanted(message):
                return message

    def turn(self) -> dict[str, Any]:
        """Return the scene in which the person is to act, or the hand is over."""
        return self.hear(lambda m: m["kind"] == "failed" or (m["kind"] == "scene" and (m["mine"] or m["over"])))


@pytest.fixture(scope="session")
def compiled() -> None:
    """What solving a spot and drawing it needs is compiled, for which no request is to wait."""
    from cardai.web.study.drawn import warm

    warm()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that the tests of a module share, with room for four tables."""
    from cardai.web.door import Door
    from cardai.web.pages import House
    from cardai.web.sittings import Sittings

    running = Served(House(Door("127.0.0.1"), Sittings(4)))
    yield running
    running.close()


@pytest.fixture
def served(server: Served) -> Iterator[Served]:
    """The shared server; the tables that a test leaves are put away."""
    yield server

    async def clear() -> None:
        for sitting in list(server.house.tables.open.values()):
            await sitting.put_away()
        server.house.tables.open.clear()

    server.call(clear)
    server.told.clear()
