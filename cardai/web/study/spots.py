"""The pages of a solved spot: its decisions, the cards that come, locks, and what two spots do differently."""

from __future__ import annotations

from functools import partial
from typing import Any

from attrs import evolve, frozen
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cardai.core.errors import UsageError
from cardai.poker.ranges.locks import Lock, lock_text, parse_lock
from cardai.poker.ranges.reading import compared, next_cards
from cardai.poker.ranges.showing import standing
from cardai.poker.ranges.solution import Solution
from cardai.poker.spot_options import command
from cardai.web.render import face
from cardai.web.study import drawn, forms
from cardai.web.study.bench import Study
from cardai.web.study.forms import Form
from cardai.web.study.pages import far
from cardai.web.study.room import Room, form_of, line_of, visitor

MOST_CARDS_SECONDS = 30.0
"""Of looking behind every card that can come: what takes longer is left to the command line."""


@frozen(eq=False)
class SpotPages:
    """What is read in a solved spot."""

    room: Room

    def routes(self) -> list[Route]:
        """Return the routes, each behind the door."""
        return [
            Route("/study/spot/{name}", self._spot),
            Route("/study/spot/{name}/cards", self._cards),
            Route("/study/spot/{name}/lock", self._lock, methods=["POST"]),
            Route("/study/spot/{name}/unlock", self._unlock, methods=["POST"]),
            Route("/study/compare", self._compare),
        ]

    async def _spot(self, request: Request) -> Response:
        study, line = self.room.named(request.path_params["name"]), line_of(request.query_params.get("at", ""))
        if study.under_way or study.solution is None:
            board = [face(card) for card in study.spot.cards()]
            return self.room.page("study/solving.html", board=board, line=line, **far(self.room, study))
        way = await self.room.looked(study, lambda solution: drawn.way(solution, line))
        given = {"study": study, "line": line, "way": way, **self._about(study, request)}
        if way["kind"] == "decision":
            found = await self.room.looked(study, partial(drawn.decision, line=line))
            given |= {"found": found, "command": study.command(line), "reading": _reading(study, line)}
            return await run_in_threadpool(partial(self.room.page, "study/spot.html", **given))  # a thousand hands
        return self.room.page("study/card.html", deck=drawn.deck(), command=study.command(), **given)

    def _about(self, study: Study, request: Request) -> dict[str, Any]:
        """Return what all pages of a spot say of it."""
        assert study.solution is not None
        others = [
            (one.name, drawn.called(one.spot, study.spot))
            for one in self.room.bench.of(visitor(request))
            if one is not study and not one.under_way and one.spot.board == study.spot.board
        ]
        return {
            "standing": standing(study.solution),
            "board": [face(card) for card in study.spot.cards()],
            "curve": drawn.curve(study.curve, study.to),
            "locks": [lock_text(lock) for lock in study.spot.locks],
            "others": others,
            "further": f"{min(study.to, study.solution.exploitability) / 4:.1g}",
        }

    # -- the cards that come -----------------------------------------------------------------------------------------

    async def _cards(self, request: Request) -> Response:
        study, line = self.room.named(request.path_params["name"]), line_of(request.query_params.get("at", ""))

        def read(solution: Solution) -> tuple[dict[str, Any], list[dict[str, Any]]]:
            way = drawn.way(solution, line)
            if 50 * solution.solver.layout.seconds > MOST_CARDS_SECONDS:
                raise UsageError(f"To look behind every card takes too long for a page: {study.command()} --out DIR")
            return way, next_cards(solution, line)

        way, found = await self.room.looked(study, read)
        given = {"study": study, "line": line, "way": way, **self._about(study, request)}
        return self.room.page(
            "study/cards.html", command=_reading(study, line, "--cards"), **given, **drawn.run_outs(found)
        )

    # -- locks -------------------------------------------------------------------------------------------------------

    async def _lock(self, request: Request) -> Response:
        form, study = await form_of(request), self.room.named(request.path_params["name"])
        line = line_of(forms.text(form, "line"))
        position = await self.room.looked(study, lambda solution: solution.at(line))
        locks = [parse_lock(text) for text in forms.texts(form, "lock", forms.MOST_LOCKS)]  # listed before
        if any(line_of(lock.line) != line for lock in locks):
            raise UsageError("Locks are listed for the decision that is shown.")
        if "share0" in form or not locks:
            locks.append(Lock(line, shares_of(form, position.tokens), forms.text(form, "hands")))
        spot = evolve(study.spot, locks=(*study.spot.locks, *locks))
        if len(spot.locks) > forms.MOST_LOCKS:
            raise UsageError(f"At most {forms.MOST_LOCKS} locks can be given.")
        return self.room.to(await self.room.begin(spot, study.to, request), line)

    async def _unlock(self, request: Request) -> Response:
        form, study = await form_of(request), self.room.named(request.path_params["name"])
        gone, line = forms.text(form, "lock"), line_of(forms.text(form, "line"))
        left = tuple(lock for lock in study.spot.locks if lock_text(lock) != gone)
        return self.room.to(await self.room.begin(evolve(study.spot, locks=left), study.to, request), line)

    # -- two of them -------------------------------------------------------------------------------------------------

    async def _compare(self, request: Request) -> Response:
        given = request.query_params
        both = [self.room.named(given.get(name, "")) for name in ("a", "b")]
        line = line_of(given.get("at", ""))
        positions = [await self.room.looked(study, lambda solution: solution.at(line)) for study in both]
        found = await run_in_threadpool(lambda: compared(*positions))
        way = await self.room.looked(both[0], lambda solution: drawn.way(solution, line))
        return self.room.page(
            "study/compare.html", line=line, steps=_steps(way, found), both=both, way=way, found=drawn.two(positions, found),
            titles=[drawn.called(both[k].spot, both[1 - k].spot) for k in range(2)], command=_commands(both, line),
            standings=[standing(study.solution) for study in both if study.solution is not None],
        )  # fmt: skip


def _steps(way: dict[str, Any], found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return where a comparison can go: back to each decision of the line, and on by each action, with their lines."""
    back = [
        (f"before {one['who']}: {one['before'] or 'the beginning'}", one["before"])
        for one in way["steps"]
        if one["card"] is None
    ]
    return [*back, *((f"on: {one['action']}", f"{way['line']} {one['token']}".strip()) for one in found["actions"])]


def _reading(study: Study, line: str, *more: str) -> str:
    """Return the commands that solve a spot and read in it."""
    out = study.source or drawn.spot_directory(study.spot)
    read = command("spot", out, *more, *(["--at", line] if line else []))
    return read if study.source else f"{study.command(out=out)} && {read}"


def _commands(both: list[Study], line: str) -> str:
    """Return the commands that solve two spots and compare them."""
    outs = [study.source or f"{drawn.spot_directory(study.spot)}-{'ab'[k]}" for k, study in enumerate(both)]
    made = [study.command(out=out) for study, out in zip(both, outs, strict=True) if not study.source]
    return " && ".join([*made, command("spot", outs[0], "--compare", outs[1], *(["--at", line] if line else []))])


def shares_of(form: Form, tokens: tuple[str, ...]) -> dict[str, float]:
    """Return how often each action is taken by a form's fields, in parts of 1. Raises UsageError."""
    given = {}
    for number, token in enumerate(tokens):
        text = forms.text(form, f"share{number}") or "0"
        try:
            given[token] = float(text.removesuffix("%"))
        except ValueError:
            given[token] = -1.0
        if not 0 <= given[token] <= 100:
            raise UsageError(f"How often {token} is done is a percentage from 0 to 100. Got {text[:40]!r}.")
    total = sum(given.values())
    if total <= 0:
        raise UsageError("Say how often the actions are taken: all of them are 0.")
    return {token: round(share / total, 9) for token, share in given.items() if share > 0}
