"""Pages about what was played: past matches, what they come to and cost, hands again, drills, the data out and away.

All of it is read off the records that the terminal's commands read, by the same functions (:mod:`cardai.ui.past`).
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlencode

from attrs import define, evolve, field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from cardai.arena.records import RecordFile
from cardai.core.errors import CardaiError, UsageError
from cardai.core.game import Game
from cardai.formats.rooms.coach import coach_of
from cardai.study.coach import Coaches, dearest_first
from cardai.study.drills import Question
from cardai.study.drills import due as due_of
from cardai.study.sittings import Sitting as Played
from cardai.study.sittings import Tally, sitting, tallies
from cardai.ui import again, kept, past
from cardai.ui.match import PERSON, Match
from cardai.ui.players import against, known_as
from cardai.ui.recording import Recording
from cardai.web.felt import drawn
from cardai.web.jobs import Jobs, Progress, said_of
from cardai.web.offers import Offers
from cardai.web.render import render
from cardai.web.sittings import Judge, Sittings, Told

SHOWN = 200
"""Matches, or hands, of one page."""
DEAREST = 20


@define(eq=False)
class Past:
    """The pages; ``show`` fills in a template, ``form`` reads a form."""

    root: str
    tables: Sittings
    offers: Offers
    show: Callable[..., Response]
    form: Callable[[Request], Awaitable[dict[str, str]]]
    jobs: Jobs
    coaches: Coaches = field(factory=lambda: Coaches(coach_of))

    def routes(self) -> list[Route]:
        """Return what is answered here."""
        return [
            Route("/past", self._list),
            Route("/past/costs", self._costs),
            Route("/past/match/{name}", self._match),
            Route("/past/match/{name}/{number}", self._hand),
            Route("/past/again", self._again, methods=["POST"]),
            Route("/drill", self._drill),
            Route("/past/export", self._export),
            Route("/past/delete", self._delete, methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        words = request.query_params.get("q", "")
        played, damaged = await run_in_threadpool(past.played, words.split())
        found = [one for one in played if one.path.stem not in self.tables.open]
        count = len(await run_in_threadpool(past.files))
        return self.show("past.html", words=words, playing=[] if words else self._playing(), matches=[self._row(one) for one in found[:SHOWN]], more=len(found) - SHOWN,
                         tallies=[self._sum(one) for one in tallies(found)], damaged=damaged, files=count)  # fmt: skip

    def _playing(self) -> list[dict[str, object]]:
        """Return the matches at tables, which come among the others once the table is put away."""
        found = []
        for table in self.tables.open.values():
            if type(table.match) is Match:  # practice is kept nowhere
                won = [record["returns"][record["seats"].index(PERSON)] for record in table.match.records]
                found.append({"name": table.name, "title": self._title(table.spec, table.match.table.names[1:]), "hands": len(won),
                              "won": float(sum(won))})  # fmt: skip
        return found

    async def _costs(self, request: Request) -> Response:
        """What the matches of one game against the same opponents come to, once the coach has read them all."""
        game, others = request.query_params.get("game", ""), tuple(request.query_params.getlist("vs"))
        listed, _ = await run_in_threadpool(past.played)
        tally = next((one for one in tallies(listed) if (one.game, one.others) == (game, others)), None)
        if tally is None:
            return self._nothing("There are no such matches.")
        own = [one for one in listed if (one.game, one.others) == (game, others)]
        key = ("costs", game, others, tuple((one.path.name, len(one.won)) for one in own))

        def reads(progress: Progress) -> past.Known:
            found = _whole(own)
            return past.known(tallies(found)[0], found, self.coaches, True, progress)

        known = await self.jobs.of(key, reads)
        if not isinstance(known, past.Known):
            return self.show("reading.html", done=known[0], total=known[1])
        unit = known.review.setting.unit if known.review is not None else ""
        costs = [(name, known.review.sums(name)) for name in known.review.keys] if known.review is not None else []
        dearest = known.review.dearest(DEAREST) if known.review is not None else []
        return self.show("costs.html", tally=self._sum(tally), known=known, costs=costs, unit=unit,
                         dearest=[(_where(own, tally, hand.number), decision) for hand, decision in dearest])  # fmt: skip

    async def _match(self, request: Request) -> Response:
        one = await self._named(request.path_params["name"])
        if one is None:
            return self._nothing("There is no such match.")
        hands = list(enumerate(zip(one.hands, one.won, strict=True), 1))[:SHOWN]
        return self.show("match.html", match=self._row(one), name=one.path.stem, hands=[(n, won, len(hand["actions"])) for n, (hand, won) in hands],
                         more=len(one.hands) - SHOWN)  # fmt: skip

    async def _hand(self, request: Request) -> Response:
        one, number = await self._named(request.path_params["name"]), _number(request.path_params["number"])
        if one is None or not 1 <= number <= len(one.hands):
            return self._nothing("There is no such hand.")
        coach = await run_in_threadpool(self.coaches.of, one.game)
        record = one.hands[number - 1]
        seat = record["seats"].index(one.who)

        names = [*one.others[: one.who], "you", *one.others[one.who :]]

        def work() -> Told:
            recording = Recording(coach.game, RecordFile({"agents": names}, [record]), seat)
            return drawn(evolve(recording.steps(0)[-1].scene, person=True), False)

        graded = await self.jobs.of(("hand", one.path.name, number), lambda progress: self._graded(one, number))
        if isinstance(graded, tuple):
            return self.show("reading.html", done=0, total=0)
        told = await self.tables.work.do(work)
        players = await run_in_threadpool(self.offers.advisers, one.game) if one.others else []
        return self.show("hand.html", match=self._row(one), name=one.path.stem, number=number, last=len(one.hands), parts=told["parts"],
                         graded=graded, others=one.others, players=players)  # fmt: skip

    def _graded(self, one: Played, number: int) -> str:
        """Return a hand's graded decisions as HTML, or why there are none."""
        record, coach = one.hands[number - 1], self.coaches.of(one.game)
        try:
            graded = coach.hand(record, record["seats"].index(one.who))
        except UsageError as error:
            return render("coach.html", decisions=[], left_out={said_of(error): 1}, unit="")
        return render("coach.html", decisions=dearest_first(graded), left_out=graded.left_out, unit=coach.unit)

    async def _again(self, request: Request) -> Response:
        """Lay a table for a hand that was played, against the same players or another one that is offered."""
        form = await self.form(request)
        one = await self._named(form.get("name", ""))
        number = _number(form.get("hand", ""))
        if one is None or not 1 <= number <= len(one.hands):
            return self._nothing("There is no such hand.")
        others, player = one.others, form.get("player", "")
        coach = await run_in_threadpool(self.coaches.of, one.game)
        if player:
            others = (await run_in_threadpool(self.offers.adviser, one.game, player),) * (coach.game.num_players - 1)
        record = one.hands[number - 1]
        return self._practise(lambda: again.Again(coach, record, one.who, others), coach.game)

    def _practise(self, made: Callable[[], Match], game: Game, judge: Judge | None = None) -> Response:
        table = self.tables.practise(f"again-{secrets.token_urlsafe(9)}", game, made, judge)
        return RedirectResponse(f"{self.root}table/{quote(table.name)}", 303)

    async def _drill(self, request: Request) -> Response:
        """Lay a table at the dearest mistake that is due, as soon as the coach has found them."""
        listed, _ = await run_in_threadpool(past.played)
        key = ("mistakes", tuple((one.path.name, len(one.won)) for one in listed))
        asked = await self.jobs.of(key, lambda progress: _mistakes(_whole(listed), self.coaches, progress))
        if isinstance(asked, tuple):
            return self.show("reading.html", done=asked[0], total=asked[1])
        ready = due_of(asked, await run_in_threadpool(again.due), again.today())
        if not ready:
            return self._nothing("No mistake of yours is due. Play, or come again tomorrow.")
        question = ready[0]
        path = next(one.path for one in listed if question.name.startswith(f"{one.path.name} "))
        one = await run_in_threadpool(sitting, path, past.PLAYER)
        if one is None:
            return self._nothing("There is no such match.")
        coach, left = await run_in_threadpool(self.coaches.of, question.game), len(ready) - 1
        decision, record = question.decision, question.record
        return self._practise(lambda: again.Again(coach, record, one.who, one.others, decision.place), coach.game,
                              _asking(question, left, self.root))  # fmt: skip

    async def _export(self, request: Request) -> Response:
        out = tempfile.TemporaryFile()  # noqa: SIM115 (it goes with the answer)
        await run_in_threadpool(past.export, out)
        length = out.tell()
        out.seek(0)
        headers = {"Content-Disposition": 'attachment; filename="cardai-data.zip"', "Content-Length": str(length)}
        return StreamingResponse(_pieces(out), 200, headers, "application/zip")

    async def _delete(self, request: Request) -> Response:
        """Remove everything; tables that are being played are put away first, so that nothing writes it anew."""
        await self.tables.clear()
        await run_in_threadpool(past.delete)
        return self.show("problem.html", words="All your data were removed.")

    async def _named(self, name: str) -> Played | None:
        """Return the match of that name with its finished hands, None where there is none."""
        path = await run_in_threadpool(kept.named, name)
        return None if path is None else await run_in_threadpool(sitting, path, past.PLAYER)

    def _row(self, one: Played) -> dict[str, object]:
        """Return a match as lists show it."""
        return {"name": one.path.stem, "began": one.began or one.path.name, "title": self._title(one.game, one.others),
                "hands": len(one.won), "won": float(one.won.sum())}  # fmt: skip

    def _title(self, game: str, others: Sequence[str]) -> str:
        name = known_as(game)
        return f"{name} against {against(others)}" if others else name

    def _sum(self, tally: Tally) -> dict[str, object]:
        """Return a tally as pages show it, its curve as points of a picture 300 wide and 60 high."""
        curve = (0.0, *tally.curve)  # before the first hand
        low, high = min(curve), max(curve)
        span, count = high - low or 1.0, len(curve) - 1
        points = " ".join(f"{300 * k / count:.1f},{58 - 56 * (y - low) / span:.1f}" for k, y in enumerate(curve))
        return {"title": self._title(tally.game, tally.others), "matches": tally.matches, "hands": tally.hands, "won": tally.won,
                "total": tally.curve[-1], "points": points, "zero": f"{58 - 56 * (0 - low) / span:.1f}",
                "link": urlencode([("game", tally.game), *(("vs", name) for name in tally.others)])}  # fmt: skip

    def _nothing(self, words: str) -> Response:
        return self.show("problem.html", 404, words=words)


def _whole(listed: Sequence[Played]) -> list[Played]:
    """Return matches with their hands; those that went meanwhile are left out."""
    found = []
    for one in listed:
        with suppress(CardaiError):
            found.append(sitting(one.path, past.PLAYER))
    return [one for one in found if one is not None]


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces, and close it: all data may be a gigabyte, which no answer holds in memory."""
    with file:
        while piece := file.read(1 << 16):
            yield piece


def _number(text: str) -> int:
    """Return the number of a hand, 0 where it is none."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _mistakes(found: Sequence[Played], coaches: Coaches, progress: Callable[[int, int], None]) -> list[Question]:
    return past.mistakes(found, coaches, lambda words: None, progress)


def _asking(question: Question, left: int, root: str) -> Judge:
    """Return what grades the first answer at a question's table."""
    open_questions = [question]

    def judge(match: Match, action: int) -> Told | None:
        if not open_questions:
            return None
        answer = again.answered(match, open_questions.pop(), action)
        html = render("answer.html", answer=answer, unit=match.coach.unit, left=left, root=root)
        return {"kind": "advice", "title": "Right." if answer.right else "Not the best.", "html": html}

    return judge


def _where(found: Sequence[Played], tally: Tally, number: int) -> tuple[str, int]:
    """Return the match's name and the hand's number in it of a hand that is counted over all matches of a tally."""
    for one in found:
        if (one.game, one.others) == (tally.game, tally.others):
            if number <= len(one.won):
                return Path(one.path).stem, number
            number -= len(one.won)
    return "", 0
