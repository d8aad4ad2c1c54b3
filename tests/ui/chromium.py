"""A real browser without a window, driven by its own protocol (CDP): a page, keys, clicks, pictures."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def found() -> str | None:
    """Return the browser's program, None where there is none."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


class Tab:
    """One page."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._count = 0

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._count += 1
        await self._socket.send_json({"id": self._count, "method": method, "params": parameters})
        while True:
            answer = await self._socket.receive_json(timeout=60)
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    async def ask(self, script: str) -> Any:
        """Return the value of a script in the page."""
        return (await self.call("Runtime.evaluate", expression=script, returnByValue=True))["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key: a printable one, or Enter."""
        text = "\r" if key == "Enter" else key
        code = 13 if key == "Enter" else ord(key.upper())
        down = {"key": key, "text": text, "windowsVirtualKeyCode": code}
        await self.call("Input.dispatchKeyEvent", type="keyDown", **down)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    async def click(self, x: float, y: float) -> None:
        """Click a place of the page, in pixels."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def picture(self) -> bytes:
        """Return what the page looks like, as PNG."""
        return base64.b64decode((await self.call("Page.captureScreenshot", format="png"))["data"])


@asynccontextmanager
async def tab(address: str, width: int = 1000, height: int = 640) -> AsyncIterator[Tab]:
    """Open a page in a browser of its own, and close both behind."""
    program = found()
    assert program is not None
    folder = tempfile.mkdtemp(prefix="cardai-chromium-")
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--hide-scrollbars",
    ]
    options += [
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        f"--window-size={width},{height}",
        "about:blank",
    ]
    process = await asyncio.create_subprocess_exec(
        program, *options, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        port = await _port(Path(folder) / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = await answer.json()
            target = next(page for page in pages if page["type"] == "page")
            async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Tab(socket)
                await page.call("Page.navigate", url=address)
                yield page
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        shutil.rmtree(folder, ignore_errors=True)


async def _port(file: Path) -> str:
    """Wait for the file in which the browser says where it listens."""
    for _ in range(600):
        if file.exists() and (lines := file.read_text().split()):
            return lines[0]
        await asyncio.sleep(0.1)
    raise AssertionError("The browser did not start.")
