"""PokerStars hand histories: cash, Zoom, home games, tournaments, play money; hold'em for 2 to 10, read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

from attrs import Attribute, frozen, validators

from cardai.core.format import Format, Record, Written
from cardai.core.hookspecs import hookimpl
from cardai.core.spec import option
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
            if match["room"].lower() == "full tilt poker":  # as that room wrote before it was PokerStars'
                raise Refused("another room", match["room"])
            if not ("hand" in words or "game" in words):
                raise Refused("another language", hand.lines[0][:60])
        super().head(hand, told)


@frozen
class PokerStars(RoomFormat):
    """Text, a blank line between hands; one hand begins ``PokerStars Hand #...``.

    Chips of records are money, if ``chip`` is not 0.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()
    dialect: ClassVar[StarsRoom] = PokerStarsRoom()
    chip: float = option(0.01, help="Written: what a chip is worth, at least 0.01; 0: play money.")
    currency: Literal["USD", "EUR", "GBP"] = option("USD", help="Written: the currency.")
    hero: str = option("", help="Written: whose cards are told from the start; none: the first agent's.")
    dealt: Literal["hero", "all"] = option("hero", help="Written: whether all players' cards are told from the start.")
    first: int = option(
        200_000_000_001,
        help="Written: the number of the first hand.",
        validator=[validators.ge(1), validators.le(10**15)],
    )
    date: str = option("2000-01-01", help="Written: the day of the first hand; each is a minute after the last.")
    table: str = option("cardai", help="Written: the table's name.")

    @chip.validator
    def _worth(self, attribute: Attribute[Any], value: float) -> None:
        if value and not 0.01 <= value <= 10_000:
            raise ValueError(f"chip must be 0, or a worth from 0.01 to 10,000. Got {value}.")

    @date.validator
    def _day(self, attribute: Attribute[Any], value: str) -> None:
        datetime.strptime(value, "%Y-%m-%d")  # its ValueError says what is wrong

    def write(self, header: Mapping[str, Any], hands: Sequence[Record]) -> Written:
        from cardai.formats.rooms.stars_records import Writing, written

        start = datetime.strptime(self.date, "%Y-%m-%d").replace(tzinfo=UTC)
        table = self.table.replace("'", "").replace("\n", " ")
        return written(
            header, hands, Writing(self.chip, self.currency, self.hero, self.dealt == "all", self.first, start, table)
        )


@hookimpl
def cardai_format() -> type[Format]:
    return PokerStars
