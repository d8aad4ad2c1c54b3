"""iPoker hand histories (XML, a session a file): cash, Twister, tournaments; hold'em for 2 to 10.

The few tags that matter are found one by one and in whatever order; no XML is parsed, so files that are cut off, or none of
whose quotes match, are read as far as they go.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import ClassVar

from attrs import define, field, frozen

from cardai.core.format import Format
from cardai.core.hookspecs import hookimpl
from cardai.formats.rooms.room_format import RoomFormat
from cardai.formats.rooms.text import amounts, cards, currency, moment
from cardai.formats.rooms.told import Act, Post, Refused, Seat, Told

MAX_HAND = 400_000
"""Characters of a hand; more is no hand."""
APART = 20
"""The client's version from which on ``win`` is without what nobody called, where no ``<uncalled_bet_enabled>`` says it."""
_TAG = re.compile(r"<(/?)(\w{1,30})((?:\s[^<>]{0,2000})?)>([^<]{0,500})")
_ATTRIBUTE = re.compile(r"""(\w{1,30})\s*=\s*(?:"([^"]{0,300})"|'([^']{0,300})')""")
_CARD = re.compile(r"\b([CDHS])(10|[2-9TJQKA])\b", re.IGNORECASE)
_HOLDEM = re.compile(r"^(?:Hold[' ]?em|LH|Холдем|THM|NLH)\b", re.IGNORECASE)
_SPLIT = re.compile(r"(?=<(?:game\s+gamecode|session)\b)|(?<=</game>)")
_NO = re.compile(r"\b(?:NL|SL|LZ|No limit|БЛ|LN|N\.L)\b", re.IGNORECASE)
_POT = re.compile(r"\b(?:PL|LP|Pot limit)\b", re.IGNORECASE)
_STAKES = re.compile(r"([^\s/]*\d[\d.,]*)[^\s/\d]*/([^\s/]*\d[\d.,]*)\D*$")
_NOTED = frozenset(
    {"gametype", "tablename", "nickname", "tournamentname", "tournamentcode", "buyin", "totalbuyin", "mode", "currency"}
    | {"tablecurrency", "uncalled_bet_enabled", "client_version"}
)
"""The tags before the hands that are read: every hand takes them along."""
_POSTS = {"1": "small", "2": "big", "15": "ante", "9": "extra", "33": "straddle"}
_ACTS = {"0": "fold", "4": "check", "3": "call", "5": "bet", "6": "raise", "7": "put", "23": "raise"}


@define
class Session:
    """What stands before the hands, and holds for all of them."""

    tags: dict[str, str] = field(factory=dict)

    def note(self, text: str) -> None:
        for _, name, _, behind in _TAG.findall(text):
            if name in _NOTED and (behind.strip() or name not in self.tags):
                self.tags[name] = html.unescape(behind.strip())


@frozen
class Game:
    """The text of one hand, its first line's number, and its session."""

    line: int
    text: str
    session: dict[str, str]


class IPokerRoom:
    """The dialect: cards have the suit first (``HA D10``), actions are numbered over all rounds."""

    room: ClassVar[str] = "iPoker"

    def begins(self, line: str, here: bool = False) -> bool:
        """Whether a session or a hand begins in ``line``; ``here``: with its first tag."""
        if here:
            return line.lstrip("\ufeff \t").startswith(("<?xml", "<session", "<game gamecode"))
        return "<session" in line or "<game gamecode" in line

    def hands(self, lines: Iterable[str], first: int = 1) -> Iterator[Game | Refused]:
        """Yield each hand's text, of lines of which the first has the number ``first``; one that never ends is refused."""
        session, held, size, begun = Session(), list[str](), 0, 0
        inside = False
        for number, line in enumerate(lines, first):
            for part in _SPLIT.split(line):
                if part.startswith("<session"):
                    session, inside = Session(), False
                if part[:6].strip() == "<game":
                    if inside:
                        yield Game(begun, "".join(held), dict(session.tags))
                    held, size, begun, inside = [], 0, number, True
                if not inside:
                    session.note(part[:20_000])
                    continue
                held.append(part)
                size += len(part)
                if size > MAX_HAND:
                    yield Refused("too long", f"the hand from line {begun}")
                    inside = False
                elif part.endswith("</game>"):
                    yield Game(begun, "".join(held), dict(session.tags))
                    inside = False
        if inside:
            yield Game(begun, "".join(held), dict(session.tags))

    def told(self, hand: Game) -> Told:
        """Return what a hand says. Raises Refused."""
        told = Told(self.room, line=hand.line)
        self._head(hand, told)
        street, acts, posts = 0, list[tuple[int, Act]](), list[tuple[int, Post]]()
        for closing, name, inner, behind in _TAG.findall(hand.text):
            if closing:
                told.ended = told.ended or name == "game"
                continue
            given = {key: html.unescape(one or other) for key, one, other in _ATTRIBUTE.findall(inner)}
            if name == "game":
                told.number = given.get("gamecode", "")
            elif name == "startdate":
                told.time = moment(behind)
            elif name == "player":
                self._player(told, given)
            elif name == "round":
                street = max(int(given.get("no", "0")[:2] or 0) - 1, 0) if given.get("no", "0").isdecimal() else 0
            elif name == "cards":
                self._cards(told, given, behind)
            elif name == "action":
                self._action(given, street, acts, posts)
        told.posts = [post for _, post in sorted(posts, key=lambda pair: pair[0]) if post.name in told.seats]
        told.acts = [act for _, act in sorted(acts, key=lambda pair: pair[0])]
        if missing := {act.name for act in told.acts} - told.seats.keys():
            raise Refused("a player without a seat", min(missing))
        return told

    def _head(self, hand: Game, told: Told) -> None:
        tags = hand.session
        kind = tags.get("gametype", "")[:100]
        if not _HOLDEM.match(kind):
            raise Refused("another game", kind[:40] or "not said")
        told.betting = "nolimit" if _NO.search(kind) else "potlimit" if _POT.search(kind) else "limit"
        if stakes := _STAKES.search(kind):
            told.stakes = (amounts(stakes[1])[0], amounts(stakes[2])[0])
        told.table, told.hero = tags.get("tablename", "")[:60], tags.get("nickname", "")
        apart, version = tags.get("uncalled_bet_enabled", ""), tags.get("client_version", "").partition(".")[0][:9]
        told.apart = apart == "true" or (apart != "false" and version.isdecimal() and int(version) >= APART)
        name = tags.get("tournamentname") or tags.get("tournamentcode")
        if name or tags.get("buyin") or tags.get("totalbuyin"):
            told.tournament = (tags.get("tournamentcode") or name or "tournament")[:60]
        elif tags.get("mode", "real") == "real":
            named = currency(tags.get("tablecurrency", "")) or currency(kind)
            told.currency = named or currency(tags.get("currency", ""))  # of the account

    def _player(self, told: Told, given: dict[str, str]) -> None:
        name, chips = given.get("name", ""), amounts(given.get("chips", ""))
        number = int(given["seat"][:3]) if given.get("seat", "").isdecimal() else 0
        if given.get("dealer") == "1":
            told.button = number
        if not name or not chips or not number or name in told.seats:
            return
        told.seats[name] = Seat(number, chips[0])
        if won := sum(amounts(given.get("win", ""))):
            told.add(told.collected, name, won)
            told.ended = True

    def _cards(self, told: Told, given: dict[str, str], behind: str) -> None:
        found = cards(" ".join(rank + suit for suit, rank in _CARD.findall(behind)))
        if given.get("type", "").lower() == "pocket":
            if len(found) >= 2 and given.get("player", "") in told.seats:
                told.cards[given["player"]] = found
        elif found:
            told.board(0, found)

    def _action(
        self, given: dict[str, str], street: int, acts: list[tuple[int, Act]], posts: list[tuple[int, Post]]
    ) -> None:
        number, kind, name = given.get("no", ""), given.get("type", ""), given.get("player", "")
        order = int(number[:9]) if number.isdecimal() else 0
        amount = sum(amounts(given.get("sum", ""))[:1])
        if kind in _POSTS and amount:
            posts.append((order, Post(name, _POSTS[kind], amount)))
        elif kind in _ACTS:
            if kind == "23":
                acts.append((order, Act(name, street, "raise", to=amount)))
            elif kind in ("0", "4"):
                acts.append((order, Act(name, street, _ACTS[kind])))
            else:
                acts.append((order, Act(name, street, _ACTS[kind], added=amount, all_in=kind == "7")))


@frozen
class IPoker(RoomFormat):
    """XML: one ``<session>`` a file, a ``<game gamecode=...>`` a hand."""

    dialect: ClassVar[IPokerRoom] = IPokerRoom()


@hookimpl
def cardai_format() -> type[Format]:
    return IPoker
