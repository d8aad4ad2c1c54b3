"""The app under a test's fingers: keys are pressed, clicks made, and what the screen shows is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from attrs import frozen
from textual.pilot import Pilot
from textual.widgets import Static

from cardai.ui.app import PlayApp, PlayOptions
from cardai.ui.keys import Keyboard
from cardai.ui.scene import Scene
from cardai.ui.table import Playing

PATIENCE = 6000
"""Looks at the app, 0.005 s apart, before a test gives up (kernels may have to be compiled)."""


@frozen(eq=False)
class Sat:
    """A person at the app."""

    app: PlayApp
    pilot: Pilot[None]

    @property
    def screen(self) -> Any:
        return self.app.screen

    @property
    def scene(self) -> Scene:
        scene: Scene | None = self.screen.scene
        assert scene is not None
        return scene

    @property
    def board(self) -> Keyboard:
        board: Keyboard | None = self.screen.board
        assert board is not None
        return board

    def shown(self, part: str) -> str:
        """Return the text of a part of the screen."""
        return str(self.screen.query_one(f"#{part}", Static).content)

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait until something is so."""
        for _ in range(PATIENCE):
            await self.pilot.pause()
            if reached():
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"The app did not get there. It says: {self.shown('message')}")

    async def ready(self) -> None:
        """Wait until the table is laid and nothing is under way."""
        await self.until(lambda: getattr(self.screen, "work", None) is None or not self.screen.work.busy)

    async def press(self, *keys: str) -> None:
        """Press keys, each when the app is ready for it."""
        for key in keys:
            await self.pilot.press(key)
            if isinstance(self.screen, Playing):
                await self.ready()

    async def click(self, part: str, words: str) -> None:
        """Click the middle of ``words`` where a part of the screen shows them."""
        widget = self.screen.query_one(f"#{part}")
        for y in range(widget.size.height):
            line = "".join(segment.text for segment in widget.render_line(y))
            if words in line:
                await self.pilot.click(f"#{part}", offset=(line.index(words) + len(words) // 2, y))
                return await self.ready()
        raise AssertionError(f"{words!r} is not to be seen in {self.shown(part)!r}")


@asynccontextmanager
async def seated(options: PlayOptions, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Sat]:
    """Give a person at the app that begins as ``options`` say, ready to press keys."""
    app = PlayApp(options)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        person = Sat(app, pilot)
        if isinstance(app.screen, Playing):
            await person.until(lambda: person.screen.scene is not None or app.problem is not None)
            if app.problem is not None:
                raise app.problem
            await person.ready()
        yield person
