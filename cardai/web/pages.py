"""The pages: which game, against whom, the table; each a template filled in on the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from pathlib import Path
from urllib.parse import parse_qs, quote

from attrs import Factory, field, frozen
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from cardai import make
from cardai.arena.display import explained, flowing
from cardai.core.errors import CardaiError
from cardai.ui import kept
from cardai.ui.drilling import Drill, Drilling
from cardai.ui.players import Player, title_of
from cardai.web.door import Door, Guarded
from cardai.web.jobs import SOON, Jobs
from cardai.web.offers import Offers, Table, ladder, matches
from cardai.web.past import Past
from cardai.web.render import HERE, render
from cardai.web.sittings import FullError, Sitting, Sittings
from cardai.web.socket import judged, talk
from cardai.web.study.bench import Bench
from cardai.web.study.pages import Pages
from cardai.web.study.reports import ReportPages
from cardai.web.study.reviews import ReviewPages
from cardai.web.study.room import Room
from cardai.web.study.shelf import Shelf
from cardai.web.study.shelves import ShelfPages
from cardai.web.study.spots import SpotPages

LONGEST_FORM = 4096
"""Bytes of a form."""
TIDYING = 10.0
"""Seconds between two looks for tables that nobody shows."""
ENDING = 1.0
"""Seconds in which matches are put in their places, and what works stops, when the server ends; all of it is on the disk before."""


@frozen
class Asked:
    """What the owner asked for when the server was started: what the first page leads to."""

    table: Table | None = None
    resume: bool = False
    record: Path | None = None
    seed: int | None = None
    library: Path | None = None
    """Solved spots that the study shows."""
    drill: Drill | None = None
    """A library's spots to play, in place of a game."""

    @classmethod
    def of(
        cls,
        game: str | None,
        opponents: tuple[str, ...],
        resume: bool,
        record: str | None,
        seed: int | None,
        library: Path | None = None,
        drill: Drill | None = None,
    ) -> Asked:
        """Return what a call of the command asks for; one opponent takes all further seats."""
        path = None if record is None else Path(record)
        if game is None:
            return cls(None, resume, path, seed, library, drill)
        seats = make.game(game).num_players - 1
        return cls(Table(game, opponents * seats if len(opponents) == 1 else opponents), resume, path, seed, library)


@frozen(eq=False)
class House:
    """The server's state: who may come in, what is offered, what is played."""

    door: Door
    tables: Sittings
    asked: Asked = field(factory=Asked)
    offers: Offers = field(factory=Offers)
    first: dict[str, str] = field(factory=dict)
    """The table that was asked for at the start, by "name", once it is laid."""
    jobs: Jobs = field(factory=Jobs)
    """What pages wait for."""
    bench: Bench = field(default=Factory(lambda self: Bench(self.jobs), takes_self=True))
    """The spots of the study."""
    looking: dict[str, asyncio.Future[list[Player]]] = field(factory=dict)
    """Games whose players are being looked up: what that needs may have to be compiled."""
    laying: asyncio.Lock = field(factory=asyncio.Lock)
    """Held while it is: requests that come at once lead to one table."""

    def application(self) -> ASGIApp:
        """Return the application behind its door."""
        study = Room(self.bench, lambda: self.door.root, self._page, Shelf(self.asked.library))
        routes = [
            Route("/", self._root),
            Route("/games", self._games),
            Route("/players", self._players),
            Route("/sit", self._sit, methods=["POST"]),
            Route("/table/{name}", self._table),
            *Pages(study).routes(),
            *SpotPages(study).routes(),
            *ShelfPages(study).routes(),
            *ReportPages(study).routes(),
            *ReviewPages(study).routes(),
            Route("/drill/spots", self._library_drilled, methods=["POST"]),
            WebSocketRoute("/table/{name}/ws", lambda ws: talk(ws, self.tables, self.offers)),
            *Past(self.door.root, self.tables, self.offers, self._page, _form, self.jobs).routes(),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ]
        return Guarded(Starlette(routes=routes, exception_handlers={CardaiError: self._refused}), self.door)

    async def tidying(self) -> None:
        """Put away tables that nobody shows, until it is cancelled; then keep all matches."""
        try:
            while True:
                await asyncio.sleep(TIDYING)
                with contextlib.suppress(CardaiError, OSError):
                    await self.tables.tidy()
        finally:
            await asyncio.gather(asyncio.to_thread(self.jobs.close, ENDING), self.tables.close(ENDING))

    def stop(self) -> None:
        """Have whoever works stop, as soon as he heeds it: the server ends."""
        self.jobs.end()
        self.tables.work.end()

    def _page(self, template: str, code: int = 200, **given: object) -> Response:
        return HTMLResponse(render(template, root=self.door.root, **given), code)

    async def _refused(self, request: Request, error: Exception) -> Response:
        return self._page(
            "problem.html", 503 if isinstance(error, FullError) else 400, words=str(error), back=self._back(request)
        )

    def _back(self, request: Request) -> str:
        """Return which of our own pages a request came from, "" where it is none."""
        came = request.headers.get("referer", "")[:2000]
        path = came.partition("://")[2].partition("/")[2]
        return f"/{path}" if f"/{path}".startswith(self.door.root) else ""

    # -- pages ---------------------------------------------------------------------------------------------------------

    async def _root(self, request: Request) -> Response:
        asked = self.asked
        if asked.drill is not None:
            return await self._drilled(asked.drill, asked.seed)
        if asked.table is None and not asked.resume:
            return RedirectResponse(f"{self.door.root}games", 303)
        if asked.table is not None and not asked.table.opponents and make.game(asked.table.game).num_players > 1:
            return RedirectResponse(f"{self.door.root}players?game={quote(asked.table.game)}", 303)
        async with self.laying:
            if "name" not in self.first:
                self.first["name"] = (await self._asked_for()).name
        return self._to(self.first["name"])

    async def _asked_for(self) -> Sitting:
        asked = self.asked
        if asked.table is None:
            path = asked.record if asked.record is not None else await run_in_threadpool(kept.last)
            return await self.tables.resume(path)
        seed = asked.seed if asked.seed is not None else int.from_bytes(os.urandom(4), "big")
        return await self.tables.begin(asked.table.game, asked.table.opponents, seed, asked.record)

    async def _drilled(self, drill: Drill, seed: int | None = None) -> Response:
        """Lay a table at which the spots of a library are drilled."""
        root = seed if seed is not None else int.from_bytes(os.urandom(4), "big")
        match = await run_in_threadpool(Drilling, drill, root)
        return self._to(
            self.tables.practise(f"drill-{secrets.token_urlsafe(9)}", match.game, lambda: match, judged).name
        )

    async def _library_drilled(self, request: Request) -> Response:
        form = await _form(request)
        shelf = Shelf(self.asked.library)
        return await self._drilled(Drill(str(shelf.library(form.get("library", "")).directory)))

    async def _games(self, request: Request) -> Response:
        offered, held = await run_in_threadpool(self.offers.games), await run_in_threadpool(matches)
        return self._page("games.html", games=offered, kept=held)

    async def _players(self, request: Request) -> Response:
        spec = request.query_params.get("game", "")
        game = await run_in_threadpool(self.offers.game, spec)
        alone = game.num_players == 1
        players = [] if alone else await self._looked_up(spec)
        if players is None:
            return self._page("looking.html", title=title_of(game, spec))
        seats = await run_in_threadpool(self.offers.seats, spec)
        cash = await run_in_threadpool(self.offers.has_cash, spec)
        return self._page("players.html", seats=seats, cash=cash, usual=game.num_players, game=spec, title=title_of(game, spec), rules=flowing(game.rules), alone=alone,
                          players=ladder(players))  # fmt: skip

    async def _looked_up(self, spec: str) -> list[Player] | None:
        """Return who plays an offered game, None where that takes longer: whoever asks again hears it then."""
        if spec not in self.looking:
            self.looking[spec] = asyncio.ensure_future(run_in_threadpool(self.offers.players, spec))
        looked = self.looking[spec]
        if not (await asyncio.wait({looked}, timeout=SOON))[0]:
            return None
        self.looking.pop(spec, None)
        return looked.result()

    async def _sit(self, request: Request) -> Response:
        form = await _form(request)
        chosen = form.get("game", ""), form.get("player", ""), form.get("seats", ""), "cash" in form
        table = await run_in_threadpool(self.offers.table, *chosen)
        seed = int.from_bytes(os.urandom(4), "big")
        return self._to((await self.tables.begin(table.game, table.opponents, seed)).name)

    def _to(self, name: str) -> Response:
        return RedirectResponse(f"{self.door.root}table/{quote(name)}", 303)

    async def _table(self, request: Request) -> Response:
        sitting = await self.tables.at(request.path_params["name"])
        if sitting is None:
            return self._page("problem.html", 404, words="There is no such table.")
        game = await run_in_threadpool(sitting.game)
        rules = [paragraph for paragraph in flowing(game.rules).split("\n\n") if paragraph]
        return self._page("table.html", name=sitting.name, title=title_of(game, sitting.spec), rules=rules,
                          fields=explained(game))  # fmt: skip


async def _form(request: Request) -> dict[str, str]:
    """Return a form's fields; of one that is given twice, the first."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            raise HTTPException(413, "This form is too long.")
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
