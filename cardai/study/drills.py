"""Drills: one's own mistakes, or spots of a library, as questions: the dearest of those that are due first, each asked again the
later the better it went.

A question that is answered without a cost comes again after 1, 2, 4, 8, ... days (Leitner's boxes); one that is missed, today.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import asdict, field, frozen
from attrs.validators import ge

from cardai.arena.records import Record
from cardai.core.errors import DamagedFileError
from cardai.core.files import read_json, refuse_link, write_json
from cardai.core.schema import structure, whole
from cardai.study.graded import Decision, GradedHand

MOST_BOXES = 10


@frozen
class Known:
    """How a question went: its box, and the day (a number, :meth:`datetime.date.toordinal`) from which it is due again."""

    box: int = field(default=0, validator=whole(0, MOST_BOXES))
    due: int = field(default=0, validator=whole())
    cost: float = field(default=0.0, validator=ge(0.0))
    """What the last answer cost, in the unit of its judge."""

    def answered(self, right: bool, today: int, cost: float = 0.0) -> Known:
        """Return how it stands after an answer of ``today``."""
        if not right:
            return Known(0, today, cost)
        box = min(self.box + 1, MOST_BOXES)
        return Known(box, today + 2 ** (box - 1))


@frozen
class _File:
    cardai: str
    known: dict[str, Known] = field(factory=dict)


@frozen(eq=False)
class Question:
    """One mistake: the hand, whose seat, and what was done there. ``name`` tells it from all others."""

    name: str
    game: str
    record: Record
    seat: int
    decision: Decision


def questions(match: Path, game: str, hands: Sequence[Record], graded: Iterable[GradedHand]) -> list[Question]:
    """Return the mistakes of a reviewed match (``hands`` are those of the review, by their number from 1)."""
    return [
        Question(f"{match.name} {hand.number} {decision.place}", game, hands[hand.number - 1], hand.seat, decision)
        for hand in graded
        for decision in hand.decisions
        if decision.cost > 0
    ]


def due(asked: Iterable[Question], known: Mapping[str, Known], today: int) -> list[Question]:
    """Return the questions that are due, the dearest first."""
    ready = [one for one in asked if known.get(one.name, Known()).due <= today]
    return sorted(ready, key=lambda one: (-one.decision.cost, one.name))


def order(names: Sequence[str], known: Mapping[str, Known], today: int, rng: np.random.Generator) -> list[str]:
    """Return the questions of a sitting: those that are due, the dearest first, then in any order those that were never asked.

    Where there are none, all of them, the one that is due next first.
    """
    asked = [name for name in names if name in known]
    new = sorted(name for name in names if name not in known)
    ready = sorted((name for name in asked if known[name].due <= today), key=lambda name: (-known[name].cost, name))
    found = [*ready, *(new[k] for k in rng.permutation(len(new)))]
    return found or sorted(asked, key=lambda name: (known[name].due, name))


def read(path: Path) -> dict[str, Known]:
    """Return how questions went; where there is no file yet, none was asked. Raises DamagedFileError."""
    if not path.exists():
        return {}
    found = structure(read_json(path), _File, f"The file {path}")
    if found.cardai != "drills":
        raise DamagedFileError(f"The file {path} holds no drills.")
    return dict(found.known)


def write(path: Path, known: Mapping[str, Known]) -> None:
    """Keep how questions went. Raises WriteError, and DamagedFileError where a link is in the file's place."""
    refuse_link(path)
    write_json(path, {"cardai": "drills", "known": {name: asdict(one) for name, one in known.items()}})
