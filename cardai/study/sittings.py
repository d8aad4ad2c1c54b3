"""Sittings: all matches that one player has kept, as a list to search, and what they come to a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from cardai.arena.journal import journal_of, kept_in
from cardai.arena.records import Record, RecordFile, read
from cardai.arena.statistics import Estimate, group_sums, ratio
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import CardaiError


def began(match: Path) -> str:
    """Return when a kept match began, as its file's name says ("2026-11-24 18:30"), "" where it has another name."""
    name = match.name
    day, clock = name[:10], name[11:17]
    told = name[4:5] == name[7:8] == name[10:11] == "-" and clock.isdecimal() and day.replace("-", "").isdecimal()
    return f"{day} {clock[:2]}:{clock[2:4]}" if told else ""


@frozen(eq=False)
class Sitting:
    """One kept match. ``who`` is the number of the player in it, ``won`` what each finished hand brought him, in order."""

    path: Path
    game: str
    others: tuple[str, ...]
    who: int
    hands: Sequence[Record]
    won: Float64s
    groups: Int64s
    """(hands,) what tells those apart whose winnings do not depend on one another."""

    @property
    def began(self) -> str:
        """When it began (:func:`began`)."""
        return began(self.path)

    @property
    def text(self) -> str:
        """What a search looks through."""
        return " ".join((self.path.name, self.game, *self.others)).casefold()

    def has(self, wanted: Sequence[str], named: Callable[[str], str]) -> bool:
        """Whether all casefolded words occur in it, or in what ``named`` calls its game."""
        text = f"{self.text} {named(str(self.game)).casefold()}" if wanted else ""
        return all(word in text for word in wanted)


def sitting(path: Path, player: str) -> Sitting | None:
    """Return the match at ``path`` as ``player``'s, None where it is none of his or has no finished hand; of one that is being
    played, or whose process was killed, what its journal holds.

    Raises:
        UsageError, DamagedFileError: it cannot be read.
    """
    file: RecordFile = read(journal_of(path))
    names = file.header.get("agents", ())  # foreign, as the game is: what is made of them is looked through first
    if player not in names:
        return None
    who = names.index(player)
    hands = [hand for hand in file.hands if who in hand["seats"]]
    won = np.array([hand["returns"][hand["seats"].index(who)] for hand in hands], np.float64)
    others = tuple(name for k, name in enumerate(names) if k != who)
    groups = np.array([hand.get("group", k) for k, hand in enumerate(hands)], np.int64)
    return Sitting(path, file.header["game"], others, who, hands, won, groups) if hands else None


def sittings(
    folder: Path, player: str, words: Iterable[str] = (), named: Callable[[str], str] = str
) -> tuple[list[Sitting], list[str]]:
    """Return the matches in ``folder`` in which every one of ``words`` occurs, the newest first, and what cannot be read.

    ``named`` says what people call the game of a spec, which is searched too.
    """
    wanted = [word.casefold() for word in words]
    found, damaged = [], []
    for path, file in kept_in(folder):
        if not file.is_file():  # a pipe is waited for forever
            continue
        try:
            one = sitting(path, player)
        except CardaiError as error:
            damaged.append(str(error))
            continue
        if one is not None and one.has(wanted, named):
            found.append(one)
    return found, damaged


@frozen
class Tally:
    """What the matches of one game against the same opponents come to: a hand's winnings, in the game's unit, and the curve."""

    game: str
    others: tuple[str, ...]
    matches: int
    hands: int
    won: Estimate
    curve: tuple[float, ...]
    """The sum won after each hand, oldest first; of long ones every so many."""


MOST = 200


def tallies(played: Sequence[Sitting]) -> list[Tally]:
    """Return a tally a game and opponents, those with the most hands first."""
    kinds: dict[tuple[str, tuple[str, ...]], list[Sitting]] = {}
    for one in reversed(played):  # the oldest first
        kinds.setdefault((one.game, one.others), []).append(one)
    found = [_tally(game, others, several) for (game, others), several in kinds.items()]
    return sorted(found, key=lambda tally: (-tally.hands, tally.game))


def _tally(game: str, others: tuple[str, ...], several: Sequence[Sitting]) -> Tally:
    won = np.concatenate([one.won for one in several])
    matches = np.repeat(np.arange(len(several)), [len(one.won) for one in several])
    groups = np.stack([matches, np.concatenate([one.groups for one in several])], axis=1)
    _, groups = np.unique(groups, axis=0, return_inverse=True)
    a_hand = ratio(group_sums(groups, won), group_sums(groups, np.ones(len(won))))
    curve = np.cumsum(won)
    shown = np.unique(np.linspace(0, len(curve) - 1, min(MOST, len(curve))).round().astype(int))
    return Tally(game, others, len(several), len(won), a_hand, tuple(float(x) for x in curve[shown]))


def hands_of(played: Sequence[Sitting]) -> list[Record]:
    """Return the hands of several matches of one game, the player's number 0 in all, groups told apart."""
    out: list[Record] = []
    groups: dict[tuple[int, int], int] = {}  # numbered anew: theirs may be as large as a file can say
    for k, one in enumerate(played):
        for hand in one.hands:
            seats = [0 if agent == one.who else agent + 1 for agent in hand["seats"]]
            group = groups.setdefault((k, int(hand.get("group", 0))), len(groups))
            out.append({**hand, "seats": seats, "group": group})
    return out
