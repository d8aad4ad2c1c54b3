"""What a file says of one hand, before any rules are asked: seats, posts, actions, cards, who collected what.

Amounts are in :data:`~cardai.formats.rooms.text.UNITS`; players go by name, which is unique at a table.
"""

from __future__ import annotations

from datetime import datetime

from attrs import define, field, frozen

from cardai.core.errors import DamagedFileError


class Refused(DamagedFileError):
    """A hand that cannot be read. ``reason`` is a word or two that such hands are counted by."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


@frozen
class Seat:
    """A seat that was taken when the hand began. ``number`` is the table's, ``out``: said to sit out."""

    number: int
    stack: int
    out: bool = False


@frozen
class Post:
    """Chips put in before the cards: ``kind`` is ante, small, big, both, straddle, dead or extra (out of position)."""

    name: str
    kind: str
    amount: int
    all_in: bool = False


@frozen
class Act:
    """An action: ``kind`` is fold, check, call, bet, raise or put (chips of which it is not said what they are).

    ``to`` is what the player has then put in on this street, ``added`` what the action itself put in; -1: not said.
    """

    name: str
    street: int
    kind: str
    added: int = -1
    to: int = -1
    all_in: bool = False


@define
class Told:
    """A hand as its file tells it."""

    room: str
    number: str = ""
    line: int = 0
    time: datetime | None = None
    """In UTC; without a zone where the file names none."""
    table: str = ""
    tournament: str = ""
    currency: str = ""
    betting: str = "nolimit"
    stakes: tuple[int, ...] = ()
    """Blinds (in limit games: bets) that the header names; they may be stale."""
    cap: int = 0
    button: int = 0
    seats: dict[str, Seat] = field(factory=dict)
    posts: list[Post] = field(factory=list)
    acts: list[Act] = field(factory=list)
    boards: list[tuple[int, ...]] = field(factory=list)
    cards: dict[str, tuple[int, ...]] = field(factory=dict)
    collected: dict[str, int] = field(factory=dict)
    returned: dict[str, int] = field(factory=dict)
    left: dict[str, int] = field(factory=dict)
    """What each has in the end, where the file says that in place of what was collected."""
    unpaid: bool = False
    """The file does not say who won what: the cards do, and who throws his away has lost."""
    mucked: set[str] = field(factory=set)
    """Who threw his cards away at the end, or showed none, where the file says so."""
    apart: bool = False
    """Whether the file says that what nobody called is in no ``collected``, though no line gives it back."""
    hero: str = ""
    rake: int | None = None
    """All fees that the file says, together; None: it says none."""
    tax: int = 0
    """What of ``rake`` is a tax: GGPoker writes one also where it took none from the pot."""
    dropped: int = 0
    """Chips that the room itself put into the pot."""
    insured: set[str] = field(factory=set)
    """Who sold the hand to the room before it was over: what they collected is none of the pot."""
    away: set[str] = field(factory=set)
    """Who posts and is folded at once, all-in or not: players who are away."""
    strangers: list[str] = field(factory=list)
    """Who acts and has no seat, or somebody who chats: where a hand does not agree with the rules, they are why."""
    posters: list[str] = field(factory=list)
    """Who posts and has no seat."""
    short_blinds: bool = False
    """A big blind that is all-in for less may be called as it is (PHH); in rooms it is called in full."""
    ended: bool = False
    """Whether the file says that the hand came to its end."""

    def add(self, where: dict[str, int], name: str, amount: int) -> None:
        """Add an amount to a player's in one of the tables of this hand."""
        where[name] = where.get(name, 0) + amount

    def board(self, number: int, dealt: tuple[int, ...]) -> None:
        """Note that board ``number`` now is, or goes on with, ``dealt``."""
        while len(self.boards) <= number:
            self.boards.append(())
        before = self.boards[number]
        new = tuple(card for card in dealt if card not in before)
        self.boards[number] = before + (new if len(new) == len(dealt) - len(before) else dealt)
