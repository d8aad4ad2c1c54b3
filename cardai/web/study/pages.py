"""The first pages of the study: what there is, a spot's form, and how far its solving is."""

from __future__ import annotations

import time
from collections.abc import Callable

from attrs import frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cardai.core.errors import CardaiError
from cardai.poker.hand_classes import class_text, class_weights
from cardai.poker.notation import parse_range, range_text
from cardai.poker.range_forms import combos
from cardai.poker.spot_options import ENOUGH, arguments, command
from cardai.web.jobs import WAITING
from cardai.web.render import face, render
from cardai.web.study import drawn, forms
from cardai.web.study.bench import Study
from cardai.web.study.forms import EXAMPLES, Form
from cardai.web.study.room import Room, form_of, line_of, said, visitor


@frozen(eq=False)
class Pages:
    """Home, the form, and solving."""

    room: Room

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study", self._study),
            Route("/study/new", self._new),
            Route("/study/check", self._check, methods=["POST"]),
            Route("/study/range", self._range, methods=["POST"]),
            Route("/study/solve", self._solve, methods=["POST"]),
            Route("/study/spot/{name}/state", self._state),
            Route("/study/spot/{name}/stop", self._stop, methods=["POST"]),
            Route("/study/spot/{name}/on", self._on, methods=["POST"]),
        ]

    # -- what there is, and a form -----------------------------------------------------------------------------------

    async def _study(self, request: Request) -> Response:
        self.room.bench.warm(drawn.warm)
        mine = [self._shown(one) for one in self.room.bench.of(visitor(request))]
        examples = [
            {"name": one.name, "title": one.title, "about": one.about, "fields": self._fields(one.name)}
            for one in EXAMPLES
        ]
        return self.room.page("study/home.html", mine=mine, examples=examples)

    def _shown(self, one: Study) -> dict[str, object]:
        far = f"{one.solution.exploitability:.3g} %" if one.solution is not None and not one.under_way else one.state
        return {"name": one.name, "board": [face(card) for card in one.spot.cards()], "pot": f"{one.spot.pot:,}", "bets": one.spot.bets, "far": far, "locks": len(one.spot.locks)}  # fmt: skip

    def _fields(self, name: str) -> dict[str, str]:
        return forms.fields_of(next(one for one in EXAMPLES if one.name == name).options.spot())

    async def _new(self, request: Request) -> Response:
        self.room.bench.warm(drawn.warm)
        given, fields = request.query_params, self._fields("river")
        if (known := self.room.bench.get(given.get("from", ""))) is not None:
            fields = forms.fields_of(known.spot)
        elif any(one.name == given.get("example") for one in EXAMPLES):
            fields = self._fields(given["example"])
        return await self._form(fields, f"{ENOUGH:g}")

    async def _form(self, fields: dict[str, str], to: str, words: str = "", code: int = 200) -> Response:
        deck = drawn.deck()
        classes = [[class_text(13 * row + column) for column in range(13)] for row in range(13)]
        named = await run_in_threadpool(self.room.shelf.named_ranges)
        return self.room.page(
            "study/form.html", code, fields=fields, to=to, words=words, deck=deck, classes=classes, named=named
        )

    # -- solving -----------------------------------------------------------------------------------------------------

    async def _solve(self, request: Request) -> Response:
        form = await forms.read_form(request)
        if form is None:
            return PlainTextResponse("This form is too long.", 413)
        try:
            to, spot = forms.goal_of(form), await run_in_threadpool(lambda: forms.options_of(form).spot())
            study = await self.room.begin(spot, to, request)
        except (CardaiError, ValueError) as error:
            given = {name: " ".join(values) for name, values in form.items()}
            blank = dict.fromkeys(forms.fields_of(EXAMPLES[0].options.spot()), "")
            return await self._form(blank | given, given.get("to", ""), said(error), 400)
        return self.room.to(study)

    async def _check(self, request: Request) -> Response:
        if self.room.bench.cold:
            return await self._answered(
                request, lambda form: {"words": "What solving needs is being compiled, once for all."}
            )
        async with self.room.laying:
            return await self._answered(request, self._needs)

    def _needs(self, form: Form) -> dict[str, str]:
        """Return what a form's spot takes, and the command that solves it. Raises UsageError."""
        spot, to = forms.options_of(form).spot(), forms.goal_of(form)
        words = self.room.bench.needs(spot)[1]
        return {"words": words, "command": command("solve", *arguments(spot), "--to", f"{to:.12g}%")}

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
        study, given = self.room.named(request.path_params["name"]), request.query_params
        study.watched = time.monotonic(), line_of(given.get("at", ""))
        told = {"over": not study.under_way, "html": render("study/progress.html", root=self.room.root(), **far(self.room, study))}  # fmt: skip
        seen = study.seen
        if seen is not None and given.get("seen", "") != f"{seen['iterations']}":
            told |= {
                "seen": seen["iterations"],
                "glimpse": render("study/glimpse.html", root=self.room.root(), found=seen),
            }
        return JSONResponse(told)

    async def _stop(self, request: Request) -> Response:
        study = self.room.named(request.path_params["name"])
        await self.room.bench.jobs.stop(study)
        return self.room.to(study)

    async def _on(self, request: Request) -> Response:
        form, study = await form_of(request), self.room.named(request.path_params["name"])
        self.room.bench.go_on(study, forms.goal_of(form))
        return self.room.to(study)


def far(room: Room, study: Study) -> dict[str, object]:
    """Return what the page of a spot that is being solved shows."""
    compiling = study.compiling or (study.state == WAITING and room.bench.compiling)
    return {
        "study": study,
        "ahead": room.bench.ahead(study),
        "compiling": compiling,
        "curve": drawn.curve(study.curve, study.to),
    }


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
