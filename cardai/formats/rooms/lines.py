"""The engine of rooms that write lines: hands cut apart, lines given to the player whose name they begin with.

A name may hold spaces, colons, brackets and digits, so a line is never taken apart by punctuation: it belongs to the longest
name of the table that it begins with and behind which words of the room follow. What is no such line (chat, announcements)
is passed over: if it was an action after all, the rules refuse the hand.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

from attrs import frozen

from cardai.formats.rooms.text import amounts, cards
from cardai.formats.rooms.told import Act, Post, Refused, Seat, Told

MAX_LINES = 3000
"""Lines of a hand; more is no hand."""
MAX_LINE = 1000
"""Characters of a line that are looked at."""
_AROUND = "\ufeff \t\r\n\x00\u200e\u200f"
_ALL_IN = re.compile(r"all[- ]?in", re.IGNORECASE)
_ACTS = r"(?:folds\b|checks\b|calls [^a-z]*\d|bets [^a-z]*\d|raises [^a-z]*\d)"
_STRANGER = {True: re.compile(rf"^(.{{1,40}}?): {_ACTS}"), False: re.compile(rf"^([^:]{{1,40}}?) {_ACTS}")}
"""What an action of somebody without a seat looks like, by whether the room writes a colon behind names; who chats, it does."""
_POSTER = re.compile(r"^(.{1,40}?):? posts (?:small|big|the ante|ante|dead|straddle)\b[^:\"]*\d")
_GOES_ON = re.compile(r"\d.*(?:[^\W\d_]|[€)])")
_SECTION = re.compile(r"^\*{2,3} ?(.*?) ?\*{2,3}(.*)$")
_BOARDS = {"FIRST": 0, "1ST": 0, "SECOND": 1, "2ND": 1, "THIRD": 2, "3RD": 2, "FOURTH": 3}
_POSTS = (
    (re.compile(r"ante\b"), "ante"),
    (re.compile(r"small (?:&|and) big|big blind ?(?:\+|&|and) ?(?:dead|small)"), "both"),
    (re.compile(r"straddle"), "straddle"),
    (re.compile(r"missed|dead"), "dead"),
    (re.compile(r"small blind.*out of position"), "dead"),
    (re.compile(r"big blind.*out of position"), "extra"),
    (re.compile(r"small blind"), "small"),
    (re.compile(r"big blind"), "big"),
)


@frozen
class Hand:
    """The lines of one hand, stripped, and the number of the first."""

    line: int
    lines: list[str]


def goes_on(behind: str) -> bool:
    """Whether something stands behind the amount of what was won ("from pot", "USD"): else a file may end within the number."""
    return _GOES_ON.search(behind) is not None


class LineRoom(ABC):
    """A dialect. Subclasses say how a hand begins, what its head holds, and how they spell what differs."""

    room: ClassVar[str]
    first: ClassVar[re.Pattern[str]]
    """Matches where a hand's first line begins."""
    mark: ClassVar[str]
    """What every such line has in it."""
    seat: ClassVar[re.Pattern[str]]
    """A line that seats a player: groups number, name, stack (as text), rest."""
    colon: ClassVar[bool] = False
    """Whether actions have a colon behind the name."""
    verbs: ClassVar[dict[str, str]] = {
        **{"folds": "fold", "checks": "check", "calls": "call", "bets": "bet", "raises": "raise"},
        **{"folds.": "fold", "checks.": "check"},
    }

    @abstractmethod
    def head(self, hand: Hand, told: Told) -> None:
        """Note what the lines before the seats say. Raises Refused."""

    def hands(self, lines: Iterable[str], first: int = 1) -> Iterator[Hand | Refused]:
        """Yield each hand's lines, of which the first has the number ``first``; a hand that never ends is cut off and refused."""
        held: list[str] | None = None
        begun = 0
        for number, line in enumerate(lines, first):
            text = line.strip(_AROUND)[:MAX_LINE]
            if self.mark in text and (found := self.first.search(text)):
                text = text[found.start() :]  # files that were cut and put together have it within a line
                if held:
                    yield Hand(begun, held)
                held, begun = [text], number
            elif held is not None and text:
                held.append(text)
                if len(held) > MAX_LINES:
                    yield Refused("too many lines", f"more than {MAX_LINES:,} from line {begun}")
                    held = None
        if held:
            yield Hand(begun, held)

    def begins(self, line: str, here: bool = False) -> bool:
        """Whether a hand begins in ``line``; ``here``: with its first character."""
        if self.mark not in line:
            return False
        return (self.first.match(line.strip(_AROUND)) if here else self.first.search(line)) is not None

    def told(self, hand: Hand) -> Told:
        """Return what a hand's lines say. Raises Refused."""
        told = Told(self.room, line=hand.line)  # (a head may say another room)
        self.head(hand, told)
        start = self._seats(hand.lines, told)
        _Reader(self, told).read(hand.lines[start:])
        return told

    def _seats(self, lines: list[str], told: Told) -> int:
        """Seat the players and return the place of the line behind the last of them."""
        last = 0
        for place, line in enumerate(lines):
            if last and line.startswith(("***", "**")):
                break
            match = self.seat.match(line)
            if match is None:
                continue
            number, name, stack, rest = match.groups()
            given = amounts(stack)
            if not given or name in told.seats:
                if last and name in told.seats:
                    break  # a summary without a head
                continue
            told.seats[name] = Seat(int(number), min(given[0], told.cap or given[0]), self.sits_out(rest))
            last = place + 1
        if not told.seats:
            raise Refused("no seats", "the hand names no players")
        return last

    def sits_out(self, rest: str) -> bool:
        """Whether what stands behind a stack says that the player is not in the hand."""
        return "sitting out" in rest or "out of hand" in rest

    def line(self, told: Told, line: str, street: int) -> None:  # noqa: B027 (most rooms have none)
        """Note a line that begins with nobody's name."""

    def said(self, told: Told, name: str, rest: str, street: int) -> bool:
        """Note what ``rest`` of a line says of ``name``; whether these were words of the room."""
        rest = rest.removeprefix(":").lstrip()
        verb, _, behind = rest.partition(" ")
        kind = self.verbs.get(verb)
        if kind is not None:
            told.acts.append(self.act(name, street, kind, behind))
            return True
        if verb in ("posts", "straddle", "straddles"):
            self.post(told, name, rest)
            return True
        return self.other(told, name, verb, behind)

    def act(self, name: str, street: int, kind: str, behind: str) -> Act:
        """Return an action; ``behind`` its verb stand its amounts."""
        all_in = _ALL_IN.search(behind) is not None
        given = amounts(behind) if kind not in ("fold", "check") else []
        if kind == "raise" and len(given) > 1:
            return Act(name, street, kind, to=given[1], all_in=all_in)
        if kind == "raise":
            return self.single(name, street, kind, given[0] if given else -1, all_in)
        return Act(name, street, kind, added=given[0] if given else -1, all_in=all_in)

    def single(self, name: str, street: int, kind: str, amount: int, all_in: bool) -> Act:
        """Return a raise with one amount: what is then put in on the street (a room may mean another thing)."""
        return Act(name, street, kind, to=amount, all_in=all_in)

    def post(self, told: Told, name: str, rest: str) -> None:
        """Note a post."""
        given = amounts(rest)
        if given:
            kind = next((kind for words, kind in _POSTS if words.search(rest)), "extra")
            told.posts.append(Post(name, kind, given[-1], _ALL_IN.search(rest) is not None))

    def other(self, told: Told, name: str, verb: str, behind: str) -> bool:
        """Note what is neither action nor post; whether these were words of the room."""
        if verb in ("shows", "showed", "mucks", "mucked", "doesn't", "discloses"):
            held = cards(behind.partition("]")[0]) if "[" in behind else ()
            if len(held) == 2:
                told.cards[name] = held
            return True
        if verb == "collected":
            given = amounts(behind)
            told.add(told.collected, name, given[0] if given else 0)
            told.ended = goes_on(behind)
            return True
        return False


class _Reader:
    """One hand's lines behind its seats, read street by street."""

    def __init__(self, room: LineRoom, told: Told) -> None:
        self.room, self.told = room, told
        self.street, self.summary = 0, False
        self.names = sorted(told.seats, key=len, reverse=True)
        self.all = tuple(self.names)

    def read(self, lines: list[str]) -> None:
        for line in lines:
            if line.startswith("**") and not line.startswith(self.all) and (section := _SECTION.match(line)):
                self._section(section[1].upper(), section[2])
            elif self.summary:
                self._summed(line)
            elif not self._named(line):
                self._unnamed(line)

    def _section(self, title: str, behind: str) -> None:
        told, words = self.told, title.replace("-", " ").split()
        if "SUMMARY" in words:
            self.summary = told.ended = True
        elif "PRE" in words or "PREFLOP" in words:
            self.street = 0
        else:
            street = next((k for k, word in enumerate(("FLOP", "TURN", "RIVER"), 1) if word in words), 0)
            if street:
                self.street = street
                told.board(next((_BOARDS[word] for word in words if word in _BOARDS), 0), cards(behind))

    def _named(self, line: str) -> bool:
        for name in self.names:
            if line.startswith(name) and self.room.said(self.told, name, line[len(name) :], self.street):
                return True
        return False

    def _unnamed(self, line: str) -> None:
        told = self.told
        if line.startswith("Dealt to "):
            name = next((name for name in self.names if line.startswith(name, 9)), "")
            held = cards(line[9 + len(name) :]) if name else ()
            if held:
                told.hero = told.hero or name
                told.cards[name] = held
        elif line.startswith("Uncalled bet"):
            head, _, name = line.partition(" returned to ")
            name = next((known for known in self.names if name.startswith(known)), "")
            if given := amounts(head):
                told.add(told.returned, name, given[0])
        else:
            if (stranger := _STRANGER[self.room.colon].match(line)) and not line.startswith(self.all):
                told.strangers.append(stranger[1])
            if (poster := _POSTER.match(line)) and not line.startswith(self.all):
                told.posters.append(poster[1])
            self.room.line(told, line, self.street)

    def _summed(self, line: str) -> None:
        told = self.told
        if line.startswith("Total pot"):
            _, *tails = line.split("|")
            told.rake = sum(sum(amounts(tail)) for tail in tails) if tails else told.rake
            told.tax = sum(sum(amounts(tail)) for tail in tails if tail.strip().startswith("Tax"))
        elif line.startswith("Seat ") and "[" in line:
            _, _, rest = line.partition(": ")
            name = next((name for name in self.names if rest.startswith(name)), "")
            held = cards(rest[len(name) :].partition("[")[2].partition("]")[0])
            if name and len(held) == 2:
                told.cards.setdefault(name, held)
        else:
            self.room.line(told, line, -1)
