"""PokerStars hand histories: cash, Zoom, home games, tournaments, play money; hold'em for 2 to 10, read and written."""

from __future__ import annotations

import re
from typing import ClassVar

from attrs import frozen

from cardai.core.format import Format
from cardai.core.hookspecs import hookimpl
from cardai.formats.rooms.lines import Hand
from cardai.formats.rooms.room_format import RoomFormat
from cardai.formats.rooms.stars import StarsRoom
from cardai.formats.rooms.told import Refused, Told


class PokerStarsRoom(StarsRoom):
    """The dialect itself."""

    room = "PokerStars"
    mark = "#"
    first: ClassVar[re.Pattern[str]] = re.compile(
        r"(?P<room>PokerStars|Full ?Tilt(?: Poker)?|Run It Once(?: Poker)?|Poker(?:Master|Bros)|PPPoker|UPoker|Upoker|KKPoker|"
        r"XPoker|ClubGG|BetOnline(?: Poker)?|Coin ?Poker)\b(?P<words>[^#:'\"]{0,40})#(?P<number>\d{1,25}):",
        re.IGNORECASE,
    )

    def head(self, hand: Hand, told: Told) -> None:
        match = self.first.match(hand.lines[0])
        if match is not None:
            told.room = self.room if match["room"].lower() == "pokerstars" else match["room"]
            words = match["words"].lower()
            if not ("hand" in words or "game" in words):
                raise Refused("another language", hand.lines[0][:60])
        super().head(hand, told)


@frozen
class PokerStars(RoomFormat):
    """Text, a blank line between hands; one hand begins ``PokerStars Hand #...``."""

    dialect: ClassVar[StarsRoom] = PokerStarsRoom()


@hookimpl
def cardai_format() -> type[Format]:
    return PokerStars
