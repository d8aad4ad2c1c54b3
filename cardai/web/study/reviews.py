"""The pages of reviews: a match that is kept, each decision graded by the best judge there is, the dearest first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from cardai import make
from cardai.arena.journal import journal_of
from cardai.core.errors import UsageError
from cardai.formats import read_hands
from cardai.poker.spot_options import command
from cardai.study.judge import judge_for
from cardai.study.report import plain
from cardai.study.review import LEAST, number
from cardai.study.session import job_of, run
from cardai.ui import kept
from cardai.ui.past import PLAYER
from cardai.web.offers import matches
from cardai.web.render import render
from cardai.web.sittings import said_of
from cardai.web.study.room import Room

MATCHES = 50
"""Matches that are listed."""
MOST = 8
"""Reviews that are remembered."""
DEAREST = 20
"""Decisions that are shown."""


@define(eq=False)
class Reviewing:
    """A review under way, or done: ``found`` is what ``cardai review --json`` prints."""

    name: str
    path: Path
    done: int = 0
    total: int = 0
    over: bool = False
    words: str = ""
    """Why there is none, or that it was stopped."""
    stopping: bool = False
    found: Mapping[str, Any] | None = None

    def work(self) -> None:
        """Grade, in the thread for it."""
        try:
            held = read_hands(journal_of(self.path))
            game = make.game(held.header["game"])
            review, whole = run(job_of(held, game, PLAYER, judge_for(game)), progress=self._told)
            self.found = plain(review)
            self.words = "" if whole else f"Stopped after {len(review.hands):,} hands."
        except Exception as error:  # whatever it is, the page that waits for it must hear of it
            self.words = said_of(error)
        self.over = True

    def _told(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self.stopping:
            raise KeyboardInterrupt  # as Ctrl-C does: what is graded so far is the review


@frozen(eq=False)
class ReviewPages:
    """Reviews of kept matches, one graded at a time."""

    room: Room
    reviews: dict[str, Reviewing]
    pool: list[ThreadPoolExecutor] = field(factory=list)

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study/reviews", self._list),
            Route("/study/review/{name}", self._review),
            Route("/study/review/{name}/begin", self._begin, methods=["POST"]),
            Route("/study/review/{name}/stop", self._stop, methods=["POST"]),
            Route("/study/review/{name}/state", self._state),
        ]

    async def _list(self, request: Request) -> Response:
        held = await run_in_threadpool(matches, MATCHES)
        return self.room.page("study/reviews.html", matches=held, reviews=self.reviews)

    async def _begin(self, request: Request) -> Response:
        name = request.path_params["name"]
        path = await run_in_threadpool(kept.named, name)
        if path is None:
            raise UsageError("There is no such match.")
        if any(not one.over for one in self.reviews.values()):
            raise UsageError("A review is under way: wait until it is over, or stop it.")
        while len(self.reviews) >= MOST:
            del self.reviews[next(iter(self.reviews))]
        if not self.pool:
            errors = np.geterr()  # numpy keeps them by thread
            self.pool.append(ThreadPoolExecutor(1, "cardai-review", initializer=lambda: np.seterr(**errors)))
        self.reviews[name] = Reviewing(name, path)
        self.pool[0].submit(self.reviews[name].work)
        return self._to(name)

    async def _stop(self, request: Request) -> Response:
        review = self._named(request)
        review.stopping = True
        for _ in range(40):
            if review.over:
                break
            await asyncio.sleep(0.05)
        return self._to(review.name)

    async def _state(self, request: Request) -> Response:
        review = self._named(request)
        return JSONResponse({"over": review.over, "html": render("study/reviewing.html", review=review)})

    async def _review(self, request: Request) -> Response:
        review = self._named(request)
        words = command("review", str(journal_of(review.path)), "--hero", PLAYER, "--top", f"{DEAREST}")
        shown = None if review.found is None else drawn(review.found)
        return self.room.page("study/review.html", review=review, found=shown, command=words)

    def _named(self, request: Request) -> Reviewing:
        found = self.reviews.get(request.path_params["name"])
        if found is None:
            raise UsageError("There is no review of this match yet.")
        return found

    def _to(self, name: str) -> Response:
        return RedirectResponse(f"{self.room.root()}study/review/{name}", 303)


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
        **{key: found[key] for key in ("game", "hero", "judge", "unit", "money", "hands", "decisions")},
        "verdicts": ", ".join(_counted(name, count) for name, count in found["verdicts"].items() if count),
        "left_out": {**found["hands_left_out"], **found["decisions_left_out"]},
        "won": _spread(found["won_a_hand"]),
        "rating": "" if found["rating"] is None else f"{found['rating']:.1f}",
        "sums": [
            {"key": key, "name": one["name"], "decisions": one["decisions"], "mistakes": one["mistakes"], "cost": (one["cost"]["mean"], number(one["cost"]["mean"])), "per_100": _spread(one["per_100"])}
            for key, one in rows
        ],
        "dearest": dear,
        "costly": len(found["dearest"]),
    }  # fmt: skip


def _counted(verdict: str, count: int) -> str:
    """Return "3 mistakes", "1 inaccuracy", "7 good"."""
    several = "inaccuracies" if verdict == "inaccuracy" else f"{verdict}s"
    return f"{count:,} {verdict if count == 1 or verdict == 'good' else several}"


def _spread(figure: Mapping[str, Any]) -> str:
    """Return a mean with half of its 95% interval: "1.23 ± 0.45"."""
    if figure["mean"] is None:
        return "?"
    if figure["low"] is None:
        return number(figure["mean"])
    return f"{number(figure['mean'])} ± {number((figure['high'] - figure['low']) / 2)}"
