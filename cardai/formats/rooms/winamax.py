"""Winamax hand histories: cash, Go Fast, Expresso, tournaments; hold'em for 2 to 10."""

from __future__ import annotations

import re
from typing import ClassVar

from attrs import frozen

from cardai.core.format import Format
from cardai.core.hookspecs import hookimpl
from cardai.formats.rooms.lines import Hand, LineRoom
from cardai.formats.rooms.room_format import RoomFormat
from cardai.formats.rooms.text import amounts, currency, moment
from cardai.formats.rooms.told import Refused, Told

_HEAD = re.compile(
    r"HandId: #(?P<number>[\d-]{1,60}) - (?P<game>.*?) \((?P<stakes>[^()]*)\) - (?P<time>.*)$", re.IGNORECASE
)
_GAME = re.compile(r"^Hold[\u2019' ]?em (no|pot|fixed)? ?limit$", re.IGNORECASE)
_TABLE = re.compile(r"^Table: ['\"](.*)['\"] .*?Seat #?(\d+) is the button")
_LIMITS = {"no": "nolimit", "pot": "potlimit"}


class WinamaxRoom(LineRoom):
    """The dialect: no colon behind names, bets that nobody calls come back within what is collected."""

    room = "Winamax"
    mark = "Winamax Poker"
    first: ClassVar[re.Pattern[str]] = re.compile(r"Winamax Poker - .*HandId: #")
    seat: ClassVar[re.Pattern[str]] = re.compile(r"^Seat (\d+): (.+) \(([^()]*\d[^()]*)\)(.*)$")

    def head(self, hand: Hand, told: Told) -> None:
        head = _HEAD.search(hand.lines[0])
        if head is None:
            raise Refused("the head cannot be read", hand.lines[0][:80])
        told.number, told.time = head["number"], moment(head["time"])
        game = _GAME.match(head["game"].strip())
        if game is None:
            raise Refused("another game", head["game"][:40])
        told.betting = _LIMITS.get((game[1] or "").lower(), "limit")
        told.stakes = tuple(amounts(head["stakes"]))[-2:]
        if "Tournament" in hand.lines[0][: head.start()]:
            told.tournament = hand.lines[0].partition('"')[2].partition('"')[0][:60] or "tournament"
        for line in hand.lines[1:3]:
            if table := _TABLE.match(line):
                told.table, told.button = table[1], int(table[2])
                told.currency = "" if told.tournament or "play money" in line else currency(head["stakes"])


@frozen
class Winamax(RoomFormat):
    """Text, a blank line between hands; one hand begins ``Winamax Poker - ``."""

    dialect: ClassVar[LineRoom] = WinamaxRoom()


@hookimpl
def cardai_format() -> type[Format]:
    return Winamax
