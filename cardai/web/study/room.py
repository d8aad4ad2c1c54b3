"""What the pages of the study share: the bench, how an answer is made, what a request names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

from attrs import field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardai.core.errors import UsageError
from cardai.poker.ranges.solution import Solution
from cardai.poker.ranges.spot import Spot
from cardai.web.study import forms
from cardai.web.study.bench import Bench, Study
from cardai.web.study.forms import Form
from cardai.web.study.shelf import Shelf

T = TypeVar("T")
Page = Callable[..., Response]


@frozen(eq=False)
class Room:
    """The study. ``root`` is the path that all begin with, ``page`` makes an answer of a template."""

    bench: Bench
    root: Callable[[], str]
    page: Page
    shelf: Shelf = field(factory=Shelf)
    laying: asyncio.Lock = field(factory=asyncio.Lock)
    """Held while a tree is laid out to say what it takes: one at a time, whoever asks."""

    def named(self, name: str) -> Study:
        """Return the spot of that name. Raises UsageError where there is none."""
        study = self.bench.get(name)
        if study is None:
            raise UsageError("There is no such spot here (any more): solve it again.")
        return study

    async def looked(self, study: Study, work: Callable[[Solution], T]) -> T:
        """Return what ``work`` reads in a spot's solution, in a thread. Raises UsageError where there is none yet."""
        return await run_in_threadpool(self.bench.look, study, work)

    async def begin(self, spot: Spot, to: float, request: Request) -> Study:
        """Have a spot solved. Raises UsageError as :meth:`Bench.begin` does."""
        async with self.laying:
            return await run_in_threadpool(self.bench.begin, spot, to, visitor(request))

    def to(self, study: Study, line: str = "") -> Response:
        """Return the way to a spot's page."""
        at = f"?at={quote(line)}" if line else ""
        return RedirectResponse(f"{self.root()}study/spot/{quote(study.name)}{at}", 303)


def visitor(request: Request) -> str:
    """Return who asks, as far as that can be told: the address that the connection comes from."""
    return request.client.host if request.client is not None else ""


def line_of(given: str) -> str:
    """Return a line in words apart. Raises UsageError where it is longer than any."""
    if len(given) > forms.MOST["line"]:
        raise UsageError(f"A line has at most {forms.MOST['line']} characters.")
    return " ".join(given.split())


async def form_of(request: Request) -> Form:
    """Return a request's form. Raises UsageError where it is longer than any of ours."""
    form = await forms.read_form(request)
    if form is None:
        raise UsageError("This form is too long.")
    return form


def said(error: Exception) -> str:
    """Return what is wrong, in one line."""
    return " ".join(str(error).split())
