"""Records as PokerStars' hand histories: self-play in money of one's choice, rooms' hands in their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from attrs import frozen

from cardai.core.errors import CardaiError, UsageError
from cardai.core.format import LeftOut, Written
from cardai.core.text import each_once, shown
from cardai.formats.rooms.played import Games, Hand, walked
from cardai.formats.rooms.stars_writing import Setting, hand_text

_UNSAID = re.compile(r"[^\w .()+#=@!&/'-]|^\s|\s$")


@frozen
class Writing:
    """The options of the format, of self-play: what a chip is worth, whose cards are told, numbers, times and table."""

    chip: float
    currency: str
    hero: str
    dealt_all: bool
    first: int
    start: datetime
    table: str


def written(header: Mapping[str, Any], hands: Sequence[Mapping[str, Any]], how: Writing) -> Written:
    """Return records as a file of PokerStars' hands; those that it cannot say are left out with the reason.

    Raises:
        UsageError: the records' game is not hold'em, or no player is called ``hero``.
    """
    games = Games(header)
    agents = [str(agent) for agent in header.get("agents", ())]
    if how.hero and how.hero not in agents:
        raise UsageError(f"Nobody in the records is called {how.hero!r}. There are {', '.join(agents[:20])}.")
    names = table_names(agents)
    own = each_once(shown(_BREAKS.sub(" ", agent)).strip() or "_" for agent in agents)
    texts: list[str] = []
    left_out: list[str] = []
    for count, record in enumerate(hands):
        try:
            game, note = games.of(record), record.get("room") or {}
            if len(note.get("boards", ())) > 1:
                raise _Unsaid("hands that are run more than once are not written", "run more than once")
            if int(note.get("rake", 0)) < 0:
                raise _Unsaid("chips that the room added to a pot cannot be written", "the room added to the pot")
            hand = walked(game, record, own if note else names)
            hero = agents.index(how.hero) if how.hero else note_hero(record, note)
            texts.append(hand_text(game, hand, _setting(record, note, hand, hero, count, how)))
        except (CardaiError, LookupError, TypeError, ValueError) as error:
            reason = error.reason if isinstance(error, _Unsaid) else "does not fit the game"
            left_out.append(LeftOut(f"hand {count + 1}: {error}", reason))
    return Written("\n\n".join(texts), len(texts), tuple(left_out))


_BREAKS = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What some reader or other ends a line at."""


class _Unsaid(UsageError):
    """A hand that the format has no words for. ``reason`` is what such hands are counted by."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def note_hero(record: Mapping[str, Any], note: Mapping[str, Any]) -> int:
    """Return the agent whose cards are told from the start: the room's hero (-1: nobody), or the first of all."""
    if not note:
        return 0
    hero = int(note.get("hero", -1))
    return int(record["seats"][hero]) if hero >= 0 else -1


def table_names(agents: Sequence[str]) -> list[str]:
    """Return agents as names that fit into lines, each once."""
    return each_once(_UNSAID.sub("_", agent)[:60] or "_" for agent in agents)


def _setting(
    record: Mapping[str, Any], note: Mapping[str, Any], hand: Hand, hero: int, count: int, how: Writing
) -> Setting:
    """Return what the text of a hand needs beside the hand."""
    n = len(hand.names)
    by_position = [record["seats"][seat] for seat in hand.seats]
    hidden = tuple(position for position, seat in enumerate(hand.seats) if seat in set(note.get("unknown", ())))
    heroes = [p for p in range(n) if by_position[p] == hero and p not in hidden]
    others = [p for p in range(n) if p not in heroes and p not in hidden] if how.dealt_all else []
    number, time = how.first + count, how.start + timedelta(minutes=count)
    if not note:
        seats = tuple(seat + 1 for seat in hand.seats)
        return Setting(
            number, time, how.table, 100 * how.chip, how.currency * bool(how.chip), (*heroes, *others), seats
        )
    digits = re.sub(r"\D", "", str(note.get("number", "")))[-18:]
    if note.get("time"):
        time = datetime.fromisoformat(str(note["time"]))
    net = [int(note["net"][seat]) for seat in hand.seats]
    currency, chip = re.sub(r"[^A-Za-z]", "", str(note.get("currency", "")))[:9], float(note.get("chip", 1))
    if chip < 0.01:
        raise _Unsaid("amounts with more than two decimals are not written", "parts of a cent")
    return Setting(
        number=int(digits) if digits else number,
        time=time,
        table=shown(_BREAKS.sub(" ", str(note.get("table", "")).replace("'", ""))[:60]) or how.table,
        cents=100 * chip if currency or chip != 1 else 0,
        currency=currency,
        dealt=(*heroes, *others),
        seats=tuple(int(note["seats"][seat]) for seat in hand.seats),
        tournament=re.sub(r"\D", "", str(note.get("tournament", ""))) or ("1" if note.get("tournament") else ""),
        rake=int(note.get("rake", 0)),
        collected=tuple(net[p] + hand.put[p] - hand.returned[p] for p in range(n)),
        hidden=hidden,
    )
