"""The pages of reports over flops that are begun here: a form, how far they are, and the rows that are there.

What is solved is kept in the person's own library at once, so that a report that is stopped goes on, here or by its command.
"""

from __future__ import annotations

import time
from typing import Any

from attrs import define, evolve, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from cardai.cards.text import cards_text
from cardai.core.errors import CardaiError, UsageError
from cardai.core.locks import DirectoryLock
from cardai.core.text import clock
from cardai.poker.hand_classes import class_text
from cardai.poker.ranges.flop_report import Goal, KeptReport, Row, columns, reports
from cardai.poker.ranges.flops import SIZES, Subset, subset
from cardai.poker.ranges.library import Library, image
from cardai.poker.ranges.solution import Solution
from cardai.poker.ranges.spot import Spot, parse_board
from cardai.poker.spot_options import ENOUGH, arguments, command
from cardai.web.jobs import DONE, Job, Line
from cardai.web.render import render
from cardai.web.study import forms
from cardai.web.study.forms import Form
from cardai.web.study.room import Room, form_of, said, visitor
from cardai.web.study.shelf import OWN, key_of
from cardai.web.study.shelves import cells_of

ANY_FLOP = "Kc8d3h"
"""In the place of the report's flops: three suits and ranks, which takes the most."""
ITERATIONS = 1000
"""Of a flop, as on the command line."""
MOST_FLOPS = 95
"""Of a report that a page begins."""
MOST_SECONDS = 7200.0
"""Of a report, by what its flops take at the least; and of solving it: then it stops, and can go on."""
MOST = 8
"""Reports that are remembered."""
LINE: Line = "reports"


@define(eq=False)
class Reporting(Job):
    """A report under way: ``found`` are its rows."""

    spot: Spot
    flops: Subset
    chosen: bool
    """Whether these are flops that stand for all."""
    to: float
    library: Library
    rows: list[Row] = field(factory=list)
    now: str = ""
    """The flop that is being solved, and how far it is."""
    until: float = 0.0

    def work(self) -> list[Row]:
        """Solve what is missing, in the thread for it."""
        self.rows, self.until = [], time.monotonic() + MOST_SECONDS
        self.told(0, len(self.flops.flops))
        with DirectoryLock(self.library.directory, "The library {} is being added to", "."):
            for one in reports(self.library, self.spot, self.flops, Goal(self.to, ITERATIONS), heard=self._heard):
                self.rows.append(one)
                self.now = ""
                self.told(len(self.rows), len(self.flops.flops))
        return self.rows

    def _heard(self, now: Solution) -> bool:
        self.compiling = False
        self.now = f"{now.spot.board}: {now.iterations:,} iterations"
        if now.measured is not None:
            self.now += f", {now.exploitability:.3g} % of the pot exploitable"
        self.heed()
        if time.monotonic() > self.until:
            raise KeyboardInterrupt
        return True

    def command(self) -> str:
        """Return the command that gives the same rows."""
        words = ["--flops", f"{len(self.flops.flops)}"]
        if not self.chosen:
            words = [word for flop in self.flops.flops for word in ("--board", flop)]
        directory = str(self.library.directory)
        return command("report", directory, *words, *arguments(self.spot)[2:], "--to", f"{self.to:.12g}%")


@frozen(eq=False)
class ReportPages:
    """Reports that are begun here, one solved at a time."""

    room: Room
    begun: dict[str, Reporting] = field(factory=dict)

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study/reports", self._list),
            Route("/study/reports/new", self._new),
            Route("/study/reports/check", self._check, methods=["POST"]),
            Route("/study/reports/begin", self._begin, methods=["POST"]),
            Route("/study/reports/{name}", self._report),
            Route("/study/reports/{name}/state", self._state),
            Route("/study/reports/{name}/stop", self._stop, methods=["POST"]),
            Route("/study/reports/{name}/on", self._on, methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        """What is under way, or was stopped, stands where the libraries' reports stand."""
        return RedirectResponse(f"{self.room.root()}study/library", 303)

    async def _new(self, request: Request) -> Response:
        given = request.query_params.get("from", "").partition("/")
        fields, to = forms.fields_of(forms.EXAMPLES[-1].options.spot()), f"{ENOUGH:g}"
        count, flops = f"{SIZES[0]}", ""
        if given[2]:
            known = await run_in_threadpool(self.room.shelf.report, given[0], given[2])
            fields, to = forms.fields_of(known.spot), f"{known.to:g}"
            count, flops = (f"{len(known.flops.flops)}", "") if known.chosen else ("", " ".join(known.flops.flops))
        return await self._form(fields, to, count, flops)

    async def _form(
        self, fields: dict[str, str], to: str, count: str, flops: str, words: str = "", code: int = 200
    ) -> Response:
        classes = [[class_text(13 * row + column) for column in range(13)] for row in range(13)]
        named = await run_in_threadpool(self.room.shelf.named_ranges)
        sizes = [f"{size}" for size in SIZES if size <= MOST_FLOPS]
        return self.room.page(
            "study/report_form.html", code, fields=fields, to=to, words=words, classes=classes, named=named, count=count,
            flops=flops, sizes=sizes,
        )  # fmt: skip

    def _made(self, form: Form, who: str) -> Reporting:
        """Return the report that a form asks for. Raises UsageError where it makes no sense, or takes too much."""
        spot = forms.options_of({**form, "board": [ANY_FLOP]}).spot()
        if spot.locks or spot.limit or spot.cap or spot.minimum or spot.checked_down or spot.aggressor >= 0:
            raise UsageError("A report knows ranges, pot, stacks, bets, rake and all-in thresholds.")
        flops, chosen = flops_of(form)
        made = Reporting(spot, flops, chosen, forms.goal_of(form), self.room.shelf.library(OWN), visitor=who)
        layout, words = self.room.bench.needs(spot)
        least = 100 * layout.seconds * len(flops.flops)
        if least > MOST_SECONDS:
            raise UsageError(
                f"{len(flops.flops)} flops of this take {clock(least)} at the least, and a page may take {clock(MOST_SECONDS)}. "
                f"Look at fewer flops or bets, narrow the ranges, or run it on the command line: {made.command()}"
            )
        self.room.shelf.need_room(len(flops.flops))
        made.words = f"Each flop: {words} {len(flops.flops)} flops: {clock(least)} at the least."
        return made

    async def _check(self, request: Request) -> Response:
        form = await form_of(request)
        try:
            async with self.room.laying:
                made = await run_in_threadpool(self._made, form, "")
        except (CardaiError, ValueError) as error:
            return JSONResponse({"wrong": said(error)})
        return JSONResponse({"found": {"words": made.words, "command": made.command()}})

    async def _begin(self, request: Request) -> Response:
        form = await form_of(request)
        try:
            async with self.room.laying:
                made = await run_in_threadpool(self._made, form, visitor(request))
            self._do(made)
        except (CardaiError, ValueError) as error:
            given = {name: " ".join(values) for name, values in form.items()}
            blank = dict.fromkeys(forms.fields_of(forms.EXAMPLES[0].options.spot()), "")
            return await self._form(blank | given, given.get("to", ""), given.get("count", ""), given.get("flops", ""), said(error), 400)  # fmt: skip
        over = [name for name, one in self.begun.items() if not one.under_way]
        for name in over[: max(0, len(self.begun) - MOST + 1)]:
            del self.begun[name]
        self.begun[made.name] = made
        return self._to(made)

    def _do(self, report: Reporting) -> None:
        jobs = self.room.bench.jobs
        jobs.need_turn(LINE, report.visitor, "A report")
        jobs.begin(LINE, report, report.work)

    async def _report(self, request: Request) -> Response:
        report = self._named(request)
        kept = await run_in_threadpool(self._kept, report)
        if report.state == DONE and kept:
            return RedirectResponse(f"{self.room.root()}study/report/{kept}", 303)
        return self.room.page("study/reporting.html", command=report.command(), kept=kept, **self._far(report))

    def _kept(self, report: Reporting) -> str:
        """Return the address of what the library has of a report, "" where that is not yet two flops."""
        wanted = _alike(report.spot, report.flops.flops[0])
        found = (one for name, _, one in self.room.shelf.reports() if name == OWN and _like(one, wanted))
        one = next(found, None)
        return f"{OWN}/{key_of(one)}" if one is not None else ""

    def _far(self, report: Reporting) -> dict[str, Any]:
        """Return what the page of a report under way shows."""
        rows = sorted(report.rows, key=lambda one: -one["weight"])
        names = columns(rows) if rows else []
        return {
            "report": report, "ahead": self.room.bench.jobs.ahead(LINE, report), "heads": [name.replace("_", " ") for name in names],
            "rows": [cells_of(one, names) for one in rows],
        }  # fmt: skip

    async def _state(self, request: Request) -> Response:
        report = self._named(request)
        html = render("study/reported.html", root=self.room.root(), **self._far(report))
        return JSONResponse({"over": not report.under_way, "html": html})

    async def _stop(self, request: Request) -> Response:
        report = self._named(request)
        await self.room.bench.jobs.stop(report)
        return self._to(report)

    async def _on(self, request: Request) -> Response:
        report = self._named(request)
        self._do(report)
        return self._to(report)

    def _named(self, request: Request) -> Reporting:
        found = self.begun.get(request.path_params["name"])
        if found is None:
            raise UsageError("There is no such report here (any more); what it has solved is in the library.")
        return found

    def _to(self, report: Reporting) -> Response:
        return RedirectResponse(f"{self.room.root()}study/reports/{report.name}", 303)


def flops_of(form: Form) -> tuple[Subset, bool]:
    """Return the flops that a form asks for, and whether they stand for all. Raises UsageError."""
    count, named = forms.text(form, "count"), forms.text(form, "flops").replace(",", " ").split()
    if not named:
        if count not in {f"{size}" for size in SIZES if size <= MOST_FLOPS}:
            raise UsageError(f"Choose how many flops stand for all, or name some. Got {count[:20]!r}.")
        return subset(int(count)), True
    boards = []
    for word in named:
        cards = parse_board(word)
        if len(cards) != 3:
            raise UsageError(f"A flop is three cards. Got {word[:20]!r}.")
        boards.append(cards_text(cards))
    if not 2 <= len(set(boards)) == len(boards) <= MOST_FLOPS:
        raise UsageError(f"A report is over 2 to {MOST_FLOPS} flops, each named once. Got {len(boards)}.")
    return Subset(tuple(boards), (1 / len(boards),) * len(boards), 0.0, 0.0, 0.0), False


def _alike(spot: Spot, flop: str) -> Spot:
    """Return what all spots of a report have in common."""
    return evolve(image(evolve(spot, board=flop))[0], board="")


def _like(one: KeptReport, wanted: Spot) -> bool:
    return evolve(one.spot, board="") == wanted
