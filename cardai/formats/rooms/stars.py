"""The dialect of PokerStars, which GGPoker writes with other heads: "NAME: raises $0.20 to $0.40 and is all-in"."""

from __future__ import annotations

import re
from typing import ClassVar

from cardai.formats.rooms.lines import Hand, LineRoom
from cardai.formats.rooms.text import amounts, currency, moment
from cardai.formats.rooms.told import Refused, Told

_MIXED = re.compile(r"\((Hold'?em[^(),]*|Omaha[^(),]*|[^(),]*(?:Stud|Razz|Draw|Badugi|Courchevel)[^(),]*)[,)]", re.I)
_HOLDEM = re.compile(r"Hold[\u2019' ]?em\s+\(?(No[ -]?Limit|Pot[ -]?Limit|Fixed[ -]?Limit|Limit|NL|PL|FL|LIMIT)", re.I)
_OTHER = re.compile(
    r"6\+|short ?-?deck|Split Hold'?em|Omaha|PLO|\bNLO|\bFLO|Courchevel|Stud|Razz|Draw|Badugi|Badacey|Fusion|Irish|"
    r"Pineapple|Double Hold'?em|HORSE|8-Game|Show ?time|Tempest|Deep Water|All-in or fold",
    re.I,
)
_STAKES = re.compile(r"\(([^()/]*\d[^()/]*/[^()]*\d(?:\s*\([^()]*\))?[^()]*)\)")
_TABLE = re.compile(r"^Table:?(?: ID)? (?:'(.*)'|(.*?))(?: \d+[- ]?max\b.*|\s+\(.*|\s+Seat #.*|)$", re.IGNORECASE)
_BUTTON = re.compile(r"Seat #?(\d+) is the button")
_CAP = re.compile(r"([^\s(-]*\d[\d.,]*) Cap\b", re.I)
LIMITS = {"no": "nolimit", "nl": "nolimit", "po": "potlimit", "pl": "potlimit"}


class StarsRoom(LineRoom):
    """What PokerStars and GGPoker have in common."""

    colon = True
    seat: ClassVar[re.Pattern[str]] = re.compile(
        r"^Seat (\d+): (.+?) ?\(([^()]*?\d[^()]*?) in chips[^)]*\)(.*)$", re.DOTALL
    )

    def head(self, hand: Hand, told: Told) -> None:
        first = hand.lines[0]
        match = self.first.match(first)
        if match is None:
            raise Refused("no hand begins", first[:60])
        told.number, rest = match["number"], first[match.end() :]
        self.game(told, rest)
        if "Tournament #" in rest:
            told.tournament = rest.partition("Tournament #")[2].partition(",")[0].strip()[:40]
        stakes = _STAKES.findall(rest)
        if stakes:
            told.stakes = tuple(amounts(stakes[-1]))
            told.currency = "" if told.tournament else currency(stakes[-1])
        if cap := _CAP.search(rest):
            told.cap = amounts(cap[1])[0]
        told.time = moment(rest)
        for line in hand.lines[1:3]:
            if line[:5].lower() == "table" and not told.table:
                found = _TABLE.match(line)
                told.table = (found[1] or found[2] or "") if found else ""
            if button := _BUTTON.search(line):
                told.button = int(button[1])
        if any(line.startswith("Hand cancelled") for line in hand.lines):
            raise Refused("the hand was cancelled", "")

    def game(self, told: Told, rest: str) -> None:
        """Note the betting that a head names. Raises Refused where it is another game than hold'em."""
        mixed = _MIXED.search(rest)
        words = mixed[1] if mixed else rest
        holdem = _HOLDEM.search(words)
        if holdem is None or _OTHER.search(words[max(0, holdem.start() - 12) : holdem.start()]):
            other = _OTHER.search(words)
            raise Refused("another game", other[0] if other else words.strip()[:40])
        told.betting = LIMITS.get(holdem[1][:2].lower(), "limit")

    def other(self, told: Told, name: str, verb: str, behind: str) -> bool:
        if verb == "cashed" and behind.startswith("out"):
            told.insured.add(name)
            return True
        return super().other(told, name, verb, behind)
