"""A real Chromium without a window, where there is one, and a table's page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from tests.web.conftest import Served

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SIZES = {390: (390, 844), 1280: (1280, 720), 2560: (2560, 1440)}
"""A phone, a small screen, a large one: width and height by width."""


def found() -> str | None:
    """Return the program of a browser that can be driven, None where there is none."""
    if find_spec("playwright") is None:
        return None
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def browser() -> Iterator[Any]:
    """Return a browser that can open pages."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found(), args=list(ARGUMENTS))
        yield started
        started.close()


@contextmanager
def opened(started: Any, served: Served, path: str, width: int = 1280, **more: Any) -> Iterator[Any]:
    """Return the page at ``path``; whatever goes wrong in it fails at the end."""
    wrong: list[str] = []
    context = started.new_context(viewport=dict(zip(("width", "height"), SIZES[width], strict=True)), **more)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url) if f"127.0.0.1:{served.port}" not in asked.url else None)
    page.goto(f"{served.origin}{served.root}{path}")
    yield page
    context.close()
    assert wrong == []


def turn(page: Any) -> None:
    """Wait until the person is to act, or the hand is over."""
    page.wait_for_selector("#table:not(.busy) #actions :is(.act, .size)")
