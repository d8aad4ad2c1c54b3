"""GGPoker hand histories (Natural8 and other skins): cash, Rush & Cash, tournaments, Spin & Gold; hold'em for 2 to 10."""

from __future__ import annotations

import re
from typing import ClassVar

from attrs import frozen

from cardai.core.format import Format
from cardai.core.hookspecs import hookimpl
from cardai.formats.rooms.room_format import RoomFormat
from cardai.formats.rooms.stars import StarsRoom
from cardai.formats.rooms.text import amounts
from cardai.formats.rooms.told import Refused, Told

KINDS = {"OM": "Omaha", "SD": "short deck", "AF": "all-in or fold", "PL": "Omaha"}
"""What the letters before a hand's number say, where it is no hold'em."""


class GGPokerRoom(StarsRoom):
    """The dialect itself. Others' names are hexadecimal numbers, and their ``Dealt to`` lines have no cards."""

    room = "GGPoker"
    mark = "Poker Hand #"
    first: ClassVar[re.Pattern[str]] = re.compile(r"(?<![A-Za-z])Poker Hand #(?P<number>[A-Z]{2,4}\d{1,25}):")

    def game(self, told: Told, rest: str) -> None:
        kind = KINDS.get(told.number[:2])
        if kind is not None:
            raise Refused("another game", kind)
        super().game(told, rest)

    def line(self, told: Told, line: str, street: int) -> None:
        if line.startswith("Cash Drop"):
            told.dropped += sum(amounts(line))


@frozen
class GGPoker(RoomFormat):
    """Text, a blank line between hands; one hand begins ``Poker Hand #HD...``."""

    dialect: ClassVar[StarsRoom] = GGPokerRoom()


@hookimpl
def cardai_format() -> type[Format]:
    return GGPoker
