"""What a table's page and the server say to one another: small JSON messages, checked like all that comes from outside."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from attrs import field, frozen, validators
from starlette.websockets import WebSocket, WebSocketDisconnect

from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.schema import structure, whole
from cardai.study.coach import When, dearest_first, word_of, words_of
from cardai.ui.keys import Act, Keyboard, Meaning
from cardai.ui.lines import value_text
from cardai.ui.match import Match
from cardai.web.jobs import said_of
from cardai.web.offers import Offers
from cardai.web.render import render
from cardai.web.sittings import Page, Sitting, Sittings, Told

MOST_PAGES = 4
"""Pages that show one table."""
WAITING = 16
"""What a page may say while something that it said is being done; beyond that nothing more is read of it."""
GONE = (WebSocketDisconnect, RuntimeError)
"""What is raised of a page that left, by itself or while it was told something."""
DOES = ("look", "act", "cards", "typed", "next", "advisers", "advise", "coach")


@frozen
class Said:
    """What a page says: what it ``does`` at the decision number ``at``, with an action, cards, or a text."""

    does: str = field(validator=validators.in_(DOES))
    at: int = field(default=0, validator=whole())
    action: int = field(default=0, validator=whole())
    cards: tuple[int, ...] = field(default=())
    text: str = field(default="", validator=validators.max_len(200))
    big_blinds: bool = False
    coach: When = field(default="", validator=validators.in_(("", "after", "now")))


def understood(text: str) -> Said:
    """Return what a page said. Raises DamagedFileError where it is not in the page's language."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError("A page's message is no JSON.") from error
    return structure(value, Said, "A page's message")


async def talk(ws: WebSocket, tables: Sittings, offers: Offers) -> None:
    """Show a table on a page, and do what it says, until either side is gone."""
    try:
        sitting = await tables.at(ws.path_params["name"])
        if sitting is None:
            raise UsageError("There is no such table.")
        if len(sitting.pages) >= MOST_PAGES:
            raise UsageError(f"{MOST_PAGES} pages show this table already.")
    except CardaiError as error:
        await _refuse(ws, said_of(error))
        return
    page = Page()
    await ws.accept()
    sending = asyncio.create_task(_send(ws, page))
    try:
        await _listen(ws, sitting, page, offers)
    finally:
        sitting.leave(page)
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, *GONE):
            await sending


async def _refuse(ws: WebSocket, words: str) -> None:
    """Tell a page why it sees no table: a browser shows nobody what an answer without a WebSocket says."""
    await ws.accept()
    with contextlib.suppress(*GONE):
        await ws.send_text(json.dumps({"kind": "refused", "words": words}))
        await ws.close(1013)


async def _send(ws: WebSocket, page: Page) -> None:
    """Send what the page is told; nothing more to tell closes it."""
    while (message := await page.told.get()) is not None:
        await ws.send_text(json.dumps(message))
    await ws.close(1001)


async def _listen(ws: WebSocket, sitting: Sitting, page: Page, offers: Offers) -> None:
    """Do what the page says, one after another, until it is gone."""
    heard: asyncio.Queue[Said | None] = asyncio.Queue(WAITING)
    hearing = asyncio.create_task(_hear(ws, heard))
    try:
        while (said := await heard.get()) is not None:
            if said.does == "look":
                page.big_blinds, page.coach = said.big_blinds, said.coach
                sitting.join(page)
                continue
            words = await _do(sitting, page, offers, said)
            if words:
                await page.told.put({"kind": "said", "words": words})
    finally:
        hearing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await hearing


async def _hear(ws: WebSocket, heard: asyncio.Queue[Said | None]) -> None:
    """Hear the page, also while something that it said is being done: uvicorn reads on, signs of life too, once all is taken."""
    while (said := await _heard(ws)) is not None:
        await heard.put(said)
    await heard.put(None)


async def _heard(ws: WebSocket) -> Said | None:
    """Return what the page says next, None where it is gone. What is not in its language ends the session."""
    with contextlib.suppress(*GONE):
        try:
            return understood(await ws.receive_text())
        except (DamagedFileError, KeyError):  # KeyError: bytes, no text
            await ws.close(1003)
    return None


async def _do(sitting: Sitting, page: Page, offers: Offers, said: Said) -> str:
    """Do what a page says; return what it is to hear."""
    if said.does == "next":
        await sitting.next_hand(said.at)
    elif said.does in ("advisers", "advise", "coach"):
        try:
            await (_coach(sitting, page) if said.does == "coach" else _advise(sitting, page, offers, said))
        except CardaiError as error:
            return said_of(error)
    else:
        return await _act(sitting, page, said)
    return ""


async def _act(sitting: Sitting, page: Page, said: Said) -> str:
    """Do what a page's action, cards or line mean; the coach speaks of it where he is to."""
    before = sitting.at
    judge = judged if page.coach == "now" else None
    words = await sitting.act(lambda board: meaning(board, said), said.at, judge)
    if not words and page.coach == "after" and sitting.at != before and sitting.scene and sitting.scene.end is not None:
        try:
            return words_of(*await sitting.graded())
        except CardaiError as error:  # nobody judges this game: it is said once
            page.coach = ""
            return said_of(error)
    return words


def judged(match: Match, action: int) -> Told | None:
    """Return what the coach says at once of an action, None where it cost nothing."""
    try:
        found = match.judged(action)
        words = word_of(found, match.coach.unit) or (match.praise if found else "")
    except CardaiError as error:
        words = said_of(error)
    return {"kind": "said", "words": words} if words else None


async def _coach(sitting: Sitting, page: Page) -> None:
    """Tell the page what this hand's decisions cost. Raises CardaiError."""
    graded, unit = await sitting.graded()
    html = render("coach.html", decisions=dearest_first(graded), left_out=graded.left_out, unit=unit)
    await page.told.put({"kind": "advice", "title": "Your decisions, the dearest first", "html": html})


def meaning(board: Keyboard, said: Said) -> Meaning:
    """Return what a page's action, cards or line mean at a decision; whether an action is legal, the table checks."""
    if said.does == "act":
        return Act(said.action)
    if said.does == "typed":
        return board.typed(said.text)
    if board.several:
        return board.play(frozenset(said.cards))
    return board.card(said.cards[0]) if len(said.cards) == 1 else board.play(frozenset())


async def _advise(sitting: Sitting, page: Page, offers: Offers, said: Said) -> None:
    """Tell the page who can be asked, or what the one it asks would do. Raises CardaiError."""
    if said.does == "advisers":
        players = await asyncio.to_thread(offers.advisers, sitting.spec)
        await page.told.put(
            {"kind": "advice", "title": "Whose hint?", "html": render("advisers.html", players=players)}
        )
        return
    player = await asyncio.to_thread(offers.adviser, sitting.spec, said.text)
    advised, values_of = await sitting.advise(player)
    valued = any(one.value is not None for one in advised)
    rows = [
        {"words": one.words, "share": round(100 * one.probability), "value": value_text(one.value)} for one in advised
    ]
    html = render("advice.html", player=player, rows=rows, values_of=values_of if valued else "")
    await page.told.put({"kind": "advice", "title": f"{player} would", "html": html})
