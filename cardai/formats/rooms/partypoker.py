"""PartyPoker hand histories, of both forms (until about 2019, and since): cash, fast forward, tournaments; hold'em for 2 to 10."""

from __future__ import annotations

import re
from typing import ClassVar

from attrs import frozen

from cardai.core.format import Format
from cardai.core.hookspecs import hookimpl
from cardai.formats.rooms.lines import Hand, LineRoom, goes_on
from cardai.formats.rooms.room_format import RoomFormat
from cardai.formats.rooms.text import amounts, cards, currency, moment
from cardai.formats.rooms.told import Act, Refused, Told

_HOLDEM = re.compile(r"(?<!Double )(?<!Short Deck )(?<!6\+ )Hold[\u2019' ]?em", re.IGNORECASE)
_OTHER = re.compile(r"Omaha|Stud|Draw|Razz|Double Hold|Short ?Deck|6\+", re.IGNORECASE)
_LIMIT = re.compile(r"\b(NL|PL|FL)\b")
_STAKES = re.compile(r"([^\s/]*\d[\d.,]*)/([^\s/]*\d[\d.,]*)")
_BLINDS = re.compile(r"(?:Blinds(?:-Antes)?|Stakes)\s*\(\s*([\d.,' ]+)/\s*([\d.,' ]+)", re.IGNORECASE)
_TOURNEY = re.compile(r"Tourn(?:ey|ament)|Trny|Buy-?in", re.IGNORECASE)
_TOURNEY_NUMBER = re.compile(r"(?:Trny: ?|Tournament #)(\d+)", re.IGNORECASE)
_BUTTON = re.compile(r"Seat (\d+) is the button", re.IGNORECASE)
_TABLE = re.compile(r"^Table (?:Table )?(.*?) *\(")
_LIMITS = {"NL": "nolimit", "PL": "potlimit"}


class PartyPokerRoom(LineRoom):
    """The dialect: amounts in brackets are what an action adds, unless "to" stands between two; no colon behind names."""

    room = "PartyPoker"
    mark = "istory "
    first: ClassVar[re.Pattern[str]] = re.compile(
        r"\*{3,} ?Hand History For Game (?P<number>\w{1,60}) ?\*{3,}", re.IGNORECASE
    )
    seat: ClassVar[re.Pattern[str]] = re.compile(r"^Seat (\d+): (.+) \(\s*([^()/]*\d[^()/]*?)\s*\)(.*)$", re.IGNORECASE)
    verbs: ClassVar[dict[str, str]] = {**LineRoom.verbs, "bet": "bet", "call": "call", "raise": "raise"}

    def head(self, hand: Hand, told: Told) -> None:
        match = self.first.match(hand.lines[0])
        if match is None:
            raise Refused("no hand begins", hand.lines[0][:60])
        told.number = match["number"]
        title = hand.lines[1] if len(hand.lines) > 1 else ""
        if _OTHER.search(title) or not _HOLDEM.search(title):
            raise Refused("another game", (_OTHER.search(title) or [title[:40]])[0])
        limit = _LIMIT.search(title)
        told.betting = _LIMITS.get(limit[1], "limit") if limit else "limit"
        if _TOURNEY.search(title):
            number = _TOURNEY_NUMBER.search(" ".join(hand.lines[1:20]))
            told.tournament = number[1] if number else "tournament"
            if limit is None and "No Limit" in title:
                told.betting = "nolimit"
        else:
            told.currency = currency(title)
        self._tabled(hand, told, title)

    def _tabled(self, hand: Hand, told: Told, title: str) -> None:
        """Note stakes, time, table and button."""
        head, _, date = title.partition(" - ")
        told.time = moment(re.sub(r"(\w),(?=\w)", r"\1, ", date))
        blinds = next((found for line in hand.lines[24:0:-1] if (found := _BLINDS.search(line))), None)
        stakes = blinds or _STAKES.search(head)
        if stakes:
            told.stakes = (amounts(stakes[1])[0], amounts(stakes[2])[0])
        for line in hand.lines[2:6]:
            if line.startswith("Table"):
                table = _TABLE.match(line)
                told.table = table[1] if table else line[6:60]
            if button := _BUTTON.search(line):
                told.button = int(button[1])

    def single(self, name: str, street: int, kind: str, amount: int, all_in: bool) -> Act:
        return Act(name, street, kind, added=amount, all_in=all_in)

    def other(self, told: Told, name: str, verb: str, behind: str) -> bool:
        street = {0: 0, 3: 1, 4: 2, 5: 3}.get(len(told.boards[0]) if told.boards else 0, 0)
        if verb == "is" and behind.lower().startswith("all-in"):
            if given := amounts(behind):
                told.acts.append(Act(name, street, "put", added=given[0], all_in=True))
            return True
        if verb == "is" and behind.startswith("sitting out"):
            rest = behind[11:]  # a line end is sometimes missing here
            after = next((other for other in told.seats if rest.startswith(other)), "")
            return not after or self.said(told, after, rest[len(after) :], street)
        if verb in ("wins", "won"):
            self._wins(told, name, behind)
            return True
        if verb == "balance":
            return True
        return super().other(told, name, verb, behind)

    def _wins(self, told: Told, name: str, behind: str) -> None:
        """Note what a line says that ``name`` wins, and others in the same line (files without line ends)."""
        others = [(at, other) for other in told.seats if (at := behind.find(f"{other} wins ")) >= 0]
        end, after = min(others, default=(len(behind), ""))
        given = amounts(behind[:end])
        if given and "bounty" not in behind[:end].lower():
            told.add(told.collected, name, given[0])
            told.ended = goes_on(behind[:end]) and (
                "from" not in behind[:end] or "main" in behind[:end]
            )  # it stands last
        if after:
            self._wins(told, after, behind[end + len(after) + 6 :])

    def line(self, told: Told, line: str, street: int) -> None:
        if street >= 0:
            return
        if "Rake:" in line:
            told.rake = (told.rake or 0) + sum(sum(amounts(part.partition("|")[0])) for part in line.split("Rake:")[1:])
            return
        name = next((n for n in sorted(told.seats, key=len, reverse=True) if line.startswith(f"{n} ")), "")
        rest = line[len(name) :]
        if not name or "balance" not in rest:
            return
        if "Cashed out" in rest:
            told.insured.add(name)
        if "collected" in rest and (given := amounts(rest.partition("collected")[2].partition(", net")[0])):
            told.add(told.collected, name, given[0])
        held = cards(rest.partition("[")[2].partition("]")[0])
        if len(held) == 2:
            told.cards.setdefault(name, held)


@frozen
class PartyPoker(RoomFormat):
    """Text; one hand begins ``***** Hand History for Game ...``."""

    dialect: ClassVar[LineRoom] = PartyPokerRoom()


@hookimpl
def cardai_format() -> type[Format]:
    return PartyPoker
