"""The pages of libraries: their spots, and reports over flops, sorted and filtered."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from attrs import frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from cardai.core.errors import UsageError
from cardai.poker.ranges.flop_report import KeptReport, Row, chosen, columns, mean
from cardai.poker.ranges.library import Entry
from cardai.poker.spot_options import command
from cardai.web.render import face
from cardai.web.study import drawn
from cardai.web.study.room import Room, line_of, visitor
from cardai.web.study.shelf import OWN


@frozen(eq=False)
class ShelfPages:
    """What libraries hold."""

    room: Room

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study/library", self._library),
            Route("/study/library/{library}/{key}", self._open),
            Route("/study/report/{library}/{key}", self._report),
            Route("/study/spot/{name}/keep", self._keep, methods=["POST"]),
        ]

    async def _library(self, request: Request) -> Response:
        shelf = self.room.shelf
        spots, damaged = await run_in_threadpool(shelf.spots)
        reports = await run_in_threadpool(shelf.reports)
        known = shelf.libraries()
        return self.room.page(
            "study/library.html", spots=[_entry(name, one) for name, one in spots], damaged=damaged,
            reports=[_about(name, key, one) for name, key, one in reports],
            command=" && ".join(command("library", str(one.directory)) for one in known.values() if one.directory.is_dir()),
        )  # fmt: skip

    async def _open(self, request: Request) -> Response:
        given = request.path_params
        async with self.room.laying:
            solution, source = await run_in_threadpool(self.room.shelf.opened, given["library"], given["key"])
            return self.room.to(self.room.bench.add(solution, source, visitor(request)))

    async def _keep(self, request: Request) -> Response:
        study = self.room.named(request.path_params["name"])
        if study.source:
            raise UsageError(f"It is kept already, in {study.source}.")
        await self.room.looked(study, self.room.shelf.keep)
        return RedirectResponse(f"{self.room.root()}study/library", 303)

    async def _report(self, request: Request) -> Response:
        given, asked, shelf = request.path_params, request.query_params, self.room.shelf
        line, only, sort = line_of(asked.get("at", "")), asked.get("only", "")[:100], asked.get("sort", "")[:100]
        report = await run_in_threadpool(shelf.report, given["library"], given["key"])
        async with self.room.laying:
            rows = await run_in_threadpool(shelf.rows_of, report, line)
        shown = chosen(rows, only, sort)
        if not shown:
            raise UsageError(f"No flop of the report is {only!r}.")
        try:
            words = shelf.command(given["library"], report, line, only, sort)
        except UsageError as error:
            words = str(error)
        names = columns(shown)
        heads = [
            (name, _query(line, only, f"-{name}" if sort == name else name), _sorted(name, sort)) for name in names
        ]
        textures = sorted({one["texture"] for one in rows})
        return self.room.page(
            "study/report.html", about=_about(given["library"], given["key"], report), heads=heads, line=line, only=only,
            sort=sort, textures=[("all flops", _query(line, "", sort)), *((one, _query(line, one, sort)) for one in textures)],
            rows=[_row(one, names, report, given["library"]) for one in shown], command=words,
            mean=_row(mean(shown), names, report, ""), words={word for one in textures for word in one.split()},
        )  # fmt: skip


def _query(line: str, only: str, sort: str) -> str:
    return urlencode({name: text for name, text in (("at", line), ("only", only), ("sort", sort)) if text})


def _sorted(name: str, sort: str) -> str:
    return "descending" if sort == name else "ascending" if sort == f"-{name}" else ""


def _entry(name: str, one: Entry) -> dict[str, Any]:
    """Return what the list says of a spot."""
    return {
        "library": name,
        "own": name == OWN,
        "key": one.path.name,
        "board": [face(card) for card in one.spot.cards()],
        "where": " ".join(word for word in (one.position, one.raised) if word),
        "pot": (one.spot.pot, f"{one.spot.pot:,}"),
        "stacks": "+".join(f"{each:,}" for each in dict.fromkeys(one.spot.stacks)),
        "bets": one.spot.bets if not one.spot.limit else f"limit {'+'.join(map(str, one.spot.limit))}",
        "locks": len(one.spot.locks),
        "far": (one.exploitability if one.measured else 1e9, f"{one.exploitability:.3g}" if one.measured else "not measured"),
    }  # fmt: skip


def _about(name: str, key: str, one: KeptReport) -> dict[str, Any]:
    spot = one.spot
    position = next(iter(one.entries.values()))
    return {
        "library": name,
        "key": key,
        "flops": len(one.flops.flops),
        "where": " ".join(word for word in (position.position, position.raised) if word),
        "pot": f"{spot.pot:,}",
        "stacks": "+".join(f"{each:,}" for each in dict.fromkeys(spot.stacks)),
        "bets": spot.bets,
        "to": f"{one.to:g}",
        "chosen": one.chosen,
    }


def _row(one: Row, names: list[str], report: KeptReport, library: str) -> dict[str, Any]:
    """Return a row's cells, and where its spot is opened."""
    entry = report.entries.get(one["flop"])
    link = f"{library}/{entry.path.name}" if entry is not None and library else ""
    return {**cells_of(one, names), "link": link}


def cells_of(one: Row, names: list[str]) -> dict[str, Any]:
    """Return a row's cells as the command prints them, and its flop's cards."""
    texts = [f"{one[name]:.2f}" if isinstance(one.get(name), float) else str(one.get(name, "")) for name in names]
    texts[2] = f"{one['weight']:.4f}"
    return {"cells": texts, "board": [face(card) for card in drawn.cards_of(one["flop"])]}
