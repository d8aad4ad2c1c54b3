"""The pages of the study: what there is, a spot's form, how far its solving is, its decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from urllib.parse import quote

from attrs import field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from cardai.core.errors import CardaiError, UsageError
from cardai.poker.hand_classes import class_text, class_weights
from cardai.poker.notation import parse_range, range_text
from cardai.poker.range_forms import combos
from cardai.poker.ranges.options import ENOUGH
from cardai.poker.ranges.showing import standing
from cardai.poker.ranges.solution import Solution
from cardai.web.render import face, render
from cardai.web.study import drawn, forms
from cardai.web.study.bench import Bench, Study
from cardai.web.study.forms import EXAMPLES, Form

T = TypeVar("T")
Page = Callable[..., Response]


@frozen(eq=False)
class Pages:
    """The study's pages. ``root`` is the path that all begin with, ``page`` makes an answer of a template."""

    bench: Bench
    root: Callable[[], str]
    page: Page
    laying: asyncio.Lock = field(factory=asyncio.Lock)
    """Held while a tree is laid out to say what it takes: one at a time, whoever asks."""

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study", self._study),
            Route("/study/new", self._new),
            Route("/study/check", self._check, methods=["POST"]),
            Route("/study/range", self._range, methods=["POST"]),
            Route("/study/solve", self._solve, methods=["POST"]),
            Route("/study/spot/{name}", self._spot),
            Route("/study/spot/{name}/state", self._state),
            Route("/study/spot/{name}/stop", self._stop, methods=["POST"]),
            Route("/study/spot/{name}/on", self._on, methods=["POST"]),
        ]

    # -- what there is, and a form -----------------------------------------------------------------------------------

    async def _study(self, request: Request) -> Response:
        mine = [self._shown(one) for one in self.bench.of(visitor(request))]
        examples = [
            {"name": one.name, "title": one.title, "about": one.about, "fields": self._fields(one.name)}
            for one in EXAMPLES
        ]
        return self.page("study/home.html", mine=mine, examples=examples)

    def _shown(self, one: Study) -> dict[str, object]:
        far = f"{one.solution.exploitability:.3g} %" if one.solution is not None and not one.under_way else one.state
        return {"name": one.name, "board": [face(card) for card in one.spot.cards()], "pot": f"{one.spot.pot:,}", "bets": one.spot.bets, "far": far, "locks": len(one.spot.locks)}  # fmt: skip

    def _fields(self, name: str) -> dict[str, str]:
        return forms.fields_of(next(one for one in EXAMPLES if one.name == name).options.spot())

    async def _new(self, request: Request) -> Response:
        given, fields = request.query_params, self._fields("river")
        if (known := self.bench.get(given.get("from", ""))) is not None:
            fields = forms.fields_of(known.spot)
        elif any(one.name == given.get("example") for one in EXAMPLES):
            fields = self._fields(given["example"])
        return self._form(fields, f"{ENOUGH:g}")

    def _form(self, fields: dict[str, str], to: str, words: str = "", code: int = 200) -> Response:
        deck = [[face(13 * suit + rank) for rank in range(12, -1, -1)] for suit in (3, 2, 1, 0)]
        classes = [[class_text(13 * row + column) for column in range(13)] for row in range(13)]
        return self.page("study/form.html", code, fields=fields, to=to, words=words, deck=deck, classes=classes)

    # -- solving -----------------------------------------------------------------------------------------------------

    async def _solve(self, request: Request) -> Response:
        form = await forms.read_form(request)
        if form is None:
            return PlainTextResponse("This form is too long.", 413)
        try:
            to, spot = forms.goal_of(form), await run_in_threadpool(lambda: forms.options_of(form).spot())
            async with self.laying:
                study = await run_in_threadpool(self.bench.begin, spot, to, visitor(request))
        except (CardaiError, ValueError) as error:
            given = {name: " ".join(values) for name, values in form.items()}
            blank = dict.fromkeys(forms.fields_of(EXAMPLES[0].options.spot()), "")
            return self._form(blank | given, given.get("to", ""), said(error), 400)
        return self._to(study)

    async def _check(self, request: Request) -> Response:
        async with self.laying:
            return await self._answered(request, lambda form: self.bench.needs(forms.options_of(form).spot())[1])

    async def _range(self, request: Request) -> Response:
        return await self._answered(request, lambda form: range_of(forms.text(form, "range")))

    async def _answered(self, request: Request, work: Callable[[Form], object]) -> Response:
        """Return what ``work`` says of a form as JSON: {"found"}, or {"wrong"} where it cannot be read."""
        form = await forms.read_form(request)
        if form is None:
            return PlainTextResponse("This form is too long.", 413)
        try:
            return JSONResponse({"found": await run_in_threadpool(work, form)})
        except (CardaiError, ValueError) as error:
            return JSONResponse({"wrong": said(error)})

    async def _state(self, request: Request) -> Response:
        study = self._named(request)
        return JSONResponse(
            {"over": not study.under_way, "html": render("study/progress.html", root=self.root(), **self._far(study))}
        )

    def _far(self, study: Study) -> dict[str, object]:
        return {"study": study, "ahead": self.bench.ahead(study), "curve": drawn.curve(study.curve, study.to)}

    async def _stop(self, request: Request) -> Response:
        study = self._named(request)
        self.bench.stop(study)
        for _ in range(40):  # an iteration is soon over: then the page that comes next has what is there
            if not study.under_way:
                break
            await asyncio.sleep(0.05)
        return self._to(study)

    async def _on(self, request: Request) -> Response:
        form, study = await forms.read_form(request) or {}, self._named(request)
        self.bench.go_on(study, forms.goal_of(form))
        return self._to(study)

    def _to(self, study: Study) -> Response:
        return RedirectResponse(f"{self.root()}study/spot/{quote(study.name)}", 303)

    def _named(self, request: Request) -> Study:
        study = self.bench.get(request.path_params["name"])
        if study is None:
            raise UsageError("There is no such spot here (any more): solve it again.")
        return study

    # -- a solved spot -----------------------------------------------------------------------------------------------

    async def _spot(self, request: Request) -> Response:
        study, line = self._named(request), line_of(request)
        if study.under_way or study.solution is None:
            board = [face(card) for card in study.spot.cards()]
            return self.page("study/solving.html", board=board, **self._far(study))
        way = await self._looked(study, lambda solution: drawn.way(solution, line))
        given: dict[str, object] = {"study": study, "line": line, "way": way, "command": study.command(line)}
        given |= {"standing": standing(study.solution), "curve": drawn.curve(study.curve, study.to)}
        if way["kind"] == "decision":
            given["found"] = await self._looked(study, partial(drawn.decision, line=line))
            return self.page("study/spot.html", **given)
        deck = [[face(13 * suit + rank) for rank in range(12, -1, -1)] for suit in (3, 2, 1, 0)]
        return self.page("study/card.html", deck=deck, **given)

    async def _looked(self, study: Study, work: Callable[[Solution], T]) -> T:
        return await run_in_threadpool(self.bench.look, study, work)


def visitor(request: Request) -> str:
    """Return who asks, as far as that can be told: the address that the connection comes from."""
    return request.client.host if request.client is not None else ""


def line_of(request: Request) -> str:
    """Return the line of a request in words apart. Raises UsageError where it is longer than any."""
    line = request.query_params.get("at", "")
    if len(line) > forms.MOST["line"]:
        raise UsageError(f"A line has at most {forms.MOST['line']} characters.")
    return " ".join(line.split())


def said(error: Exception) -> str:
    """Return what is wrong, in one line."""
    return " ".join(str(error).split())


def range_of(text: str) -> dict[str, object]:
    """Return what a range holds: as notation, its count, and the mean weight of each class. Raises UsageError."""
    if not text:
        return {"text": "", "count": "0", "weights": [0.0] * 169}
    weights = parse_range(text)
    count = combos(weights)
    return {
        "text": range_text(weights),
        "count": f"{count:,.6g}",
        "weights": [round(float(one), 4) for one in class_weights(weights)],
    }
