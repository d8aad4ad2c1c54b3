"""The pages of reviews: a match that is kept, or a poker room's hand history, each decision graded by the best judge there
is, the dearest first."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from cardai import make
from cardai.arena.journal import journal_of
from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.files import write_atomically
from cardai.core.text import one_line
from cardai.formats import read_hands
from cardai.formats.folders import ZIP, swells
from cardai.formats.packed import MAGIC, Unpacked
from cardai.formats.rooms.coach import coach_of
from cardai.formats.rooms.review import Asked, job_of_rooms
from cardai.poker.grading.flops import RangeBook
from cardai.poker.spot_options import command
from cardai.study import session
from cardai.study.report import plain
from cardai.study.review import LEAST, number
from cardai.ui import kept
from cardai.ui.past import PLAYER
from cardai.ui.players import known_as
from cardai.web.jobs import Job, Line
from cardai.web.offers import matches
from cardai.web.render import render
from cardai.web.study.room import Room, visitor

MATCHES = 50
"""Matches that are listed."""
MOST = 8
"""Reviews that are remembered."""
DEAREST = 20
"""Decisions that are shown."""
MOST_UPLOAD = 8 << 20
"""Bytes of a hand history: some 8,000 hands."""
TOO_LONG = f"A hand history may have {MOST_UPLOAD >> 20} MiB here, unpacked. The command line has no such limit: cardai review FILE"
MOST_NAME = 100
"""Characters of a file's or a player's name."""
MOST_SECONDS = 3600.0
"""Of a review; then what is graded is shown."""
LINE: Line = "reviews"


@define(eq=False)
class Reviewing(Job):
    """A review under way, or done: ``found`` is what ``cardai review --json`` prints."""

    title: str
    """The match, or the file."""
    made: Callable[[], session.Job]
    """Makes what is graded, in the thread for it."""
    command: str
    until: float = field(factory=lambda: time.monotonic() + MOST_SECONDS)

    def work(self) -> Mapping[str, Any]:
        """Grade, in the thread for it."""
        self.until = time.monotonic() + MOST_SECONDS
        review, whole = session.run(self.made(), progress=self._graded)
        if not whole:
            self.words = f"Stopped after {len(review.hands):,} hands."
        return plain(review)

    def _graded(self, done: int, total: int) -> None:
        self.told(done, total)
        if time.monotonic() > self.until:
            raise KeyboardInterrupt


@frozen(eq=False)
class ReviewPages:
    """Reviews of kept matches and of rooms' files, one graded at a time."""

    room: Room
    reviews: dict[str, Reviewing] = field(factory=dict)

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study/reviews", self._list),
            Route("/study/hands", self._hands, methods=["POST"]),
            Route("/study/review/{name}", self._review),
            Route("/study/review/{name}/begin", self._begin, methods=["POST"]),
            Route("/study/review/{name}/stop", self._stop, methods=["POST"]),
            Route("/study/review/{name}/state", self._state),
        ]

    async def _list(self, request: Request) -> Response:
        held = await run_in_threadpool(matches, MATCHES)
        files = [one for one in reversed(self.reviews.values()) if one.name not in {match["name"] for match in held}]
        return self.room.page(
            "study/reviews.html", matches=held, reviews=self.reviews, files=files, most=MOST_UPLOAD >> 20
        )

    async def _begin(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = await run_in_threadpool(kept.named, name)
        if path is None:
            raise UsageError("There is no such match.")
        words = command("review", str(journal_of(path)), "--hero", PLAYER, "--top", f"{DEAREST}")
        return self._to(
            self._begun(Reviewing(name, lambda: _of_match(path), words, name=name, visitor=visitor(request)))
        )

    async def _hands(self, request: Request) -> Response:
        """Begin the review of a room's hand history, which is the request's body; answer with where it stands."""
        given = request.query_params
        named, hero = (one_line(given.get(name, ""))[:MOST_NAME] for name in ("file", "hero"))
        named = named.rpartition("/")[2] or "hands.txt"
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_UPLOAD:
                return JSONResponse({"wrong": TOO_LONG}, 413)
        try:
            if await run_in_threadpool(_swells, bytes(body)):
                return JSONResponse({"wrong": TOO_LONG}, 413)
        except DamagedFileError as error:
            return JSONResponse({"wrong": str(error)}, 400)
        recent = bool(given.get("recent"))
        more = [*(["--hero", hero] if hero else []), *(["--recent"] if recent else []), "--top", f"{DEAREST}"]
        made = Reviewing(named, lambda: _of_rooms(bytes(body), named, hero, recent), command("review", named, *more), visitor=visitor(request))  # fmt: skip
        try:
            self._begun(made)
        except UsageError as error:
            return JSONResponse({"wrong": str(error)}, 400)
        return JSONResponse({"review": f"{self.room.root()}study/review/{made.name}"})

    def _begun(self, made: Reviewing) -> Reviewing:
        """Have a review done. Raises UsageError where its visitor has one on the way."""
        jobs = self.room.bench.jobs
        jobs.need_turn(LINE, made.visitor, "A review")
        over = [name for name, one in self.reviews.items() if not one.under_way]
        for name in over[: max(0, len(self.reviews) - MOST + 1)]:
            del self.reviews[name]
        self.reviews.pop(made.name, None)  # the new one is the latest
        self.reviews[made.name] = made
        jobs.begin(LINE, made, made.work)
        return made

    async def _stop(self, request: Request) -> Response:
        review = self._named(request)
        await self.room.bench.jobs.stop(review)
        return self._to(review)

    async def _state(self, request: Request) -> Response:
        review = self._named(request)
        html = render("study/reviewing.html", review=review, ahead=self.room.bench.jobs.ahead(LINE, review))
        return JSONResponse({"over": not review.under_way, "html": html})

    async def _review(self, request: Request) -> Response:
        review = self._named(request)
        shown = None if review.found is None else drawn(review.found)
        return self.room.page(
            "study/review.html", review=review, found=shown, command=review.command,
            ahead=self.room.bench.jobs.ahead(LINE, review),
        )  # fmt: skip

    def _named(self, request: Request) -> Reviewing:
        found = self.reviews.get(request.path_params["name"])
        if found is None:
            raise UsageError("There is no review of this match yet.")
        return found

    def _to(self, review: Reviewing) -> Response:
        return RedirectResponse(f"{self.room.root()}study/review/{review.name}", 303)


def _swells(body: bytes) -> bool:
    """Whether hands that came packed are longer than may come. Raises DamagedFileError: they cannot be unpacked."""
    if body.startswith(ZIP):
        return swells(io.BytesIO(body), MOST_UPLOAD)
    if not body.startswith(MAGIC):
        return False
    return len(io.BufferedReader(Unpacked(io.BytesIO(body))).read(MOST_UPLOAD + 1)) > MOST_UPLOAD


def _of_match(path: Path) -> session.Job:
    """Return the review of a kept match. Raises CardaiError."""
    held = read_hands(journal_of(path))
    game = make.game(held.header["game"])
    return coach_of(game).job(held, PLAYER)


def _of_rooms(body: bytes, named: str, hero: str, recent: bool) -> session.Job:
    """Return the review of a room's hands, as ``cardai review`` makes it of a file ``named`` so.

    Raises:
        UsageError: it is no room's, or shows nobody's cards.
    """
    asked = Asked(RangeBook({}), "0.66", "none", 1.0, 100, 1, recent, None, None)
    with tempfile.TemporaryDirectory(prefix="cardai-") as folder:
        path = Path(folder) / "hands"
        write_atomically(path, body)
        try:
            job = job_of_rooms(str(path), hero or None, asked, None)
        except CardaiError as error:
            raise UsageError(str(error).replace(str(path), named)) from None
    if job is None:
        raise DamagedFileError(f"{named} is no hand history of a poker room that is known here.")
    return job


def drawn(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a review's page shows, its numbers as the text of ``cardai review`` has them."""
    rows = [("all", found["total"]), *((key, one) for key, sums in found["sums"].items() for one in sums)]
    dear = []
    for one in found["dearest"][:DEAREST]:
        situation = one["situation"]
        where = [situation[key] for key in ("phase", "position", "kind", "line") if situation.get(key)]
        dear.append(
            {
                "hand": one["number"], "verdict": one["verdict"], "cost": number(one["cost"]),
                "floor": number(one["floor"]) if one["floor"] >= LEAST else "", "taken": one["words"],
                "taken_value": number(one["value"]), "best": one["best_words"], "best_value": number(one["best_value"]),
                "where": ", ".join(where), "reasons": [reason["words"] for reason in one["reasons"]],
            }
        )  # fmt: skip
    return {
        "game": known_as(found["game"]),
        **{key: found[key] for key in ("hero", "judge", "unit", "money", "hands", "decisions")},
        "verdicts": ", ".join(_counted(name, count) for name, count in found["verdicts"].items() if count),
        "left_out": {**found["hands_left_out"], **found["decisions_left_out"]},
        "won": _spread(found["won_a_hand"]),
        "rating": "" if found["rating"] is None else f"{found['rating']:.1f}",
        "sums": [
            {"key": key, "name": one["name"], "decisions": one["decisions"], "mistakes": one["mistakes"], "cost": (one["cost"]["mean"], _figure(one["cost"]["mean"])), "per_100": _spread(one["per_100"])}
            for key, one in rows
        ],
        "dearest": dear,
        "costly": len(found["dearest"]),
    }  # fmt: skip


def _counted(verdict: str, count: int) -> str:
    """Return "3 mistakes", "1 inaccuracy", "7 good"."""
    several = "inaccuracies" if verdict == "inaccuracy" else f"{verdict}s"
    return f"{count:,} {verdict if count == 1 or verdict == 'good' else several}"


def _figure(mean: float | None) -> str:
    """Return a mean, "?" where there is none."""
    return "?" if mean is None else number(mean)


def _spread(figure: Mapping[str, Any]) -> str:
    """Return a mean with half of its 95% interval: "1.23 ± 0.45"."""
    if figure["mean"] is None:
        return "?"
    if figure["low"] is None:
        return number(figure["mean"])
    return f"{number(figure['mean'])} ± {number((figure['high'] - figure['low']) / 2)}"
