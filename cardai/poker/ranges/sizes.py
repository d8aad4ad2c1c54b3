"""Sizes of bets as spots have them: by player, street and raise, for donk bets, in pots, chips, multiples or evenly growing.

>>> plan = bet_plan("0.5+1+allin/2.5x,donk=none,button.river=75%+e", ["turn", "river"])
>>> [len(level) for level in plan.menus["first", "turn"]], plan.menus["donk", "river"], plan.menus["button", "river"][0][1]
([3, 1], ((),), Size(kind=3, value=0.0))
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from cardai.core.errors import UsageError
from cardai.poker.ranges._public_tree_kernels import ALL, CHIPS, EVEN, MULTIPLE, POT, Growth

WHO = ("first", "button", "donk")
"""Whose menus there are: who acts first, the button, and who acts first on a street after calling a bet on the last."""
_NAMED = {"pot": (POT, 1.0), "half": (POT, 0.5), "allin": (ALL, 0.0), "a": (ALL, 0.0), "e": (EVEN, 0.0)}
_NUMBER = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(%|x|c|e)?")
_KINDS = {"%": POT, "x": MULTIPLE, "c": CHIPS, "e": EVEN, None: POT}
_ENDS = {POT: "", MULTIPLE: "x", CHIPS: "c", EVEN: "e"}
_ORDER = (POT, MULTIPLE, CHIPS, EVEN, ALL)
_EXAMPLE = (
    "Write 0.5 or 50% of the pot, 2.5x (a raise to 2.5 times the bet), 120c (chips), e or 2e (all-in by even growth over the "
    "streets to come, or over 2), and allin, joined by +."
)
MOST_SIZES = 30
Level = tuple["Size", ...]


@frozen
class Size:
    """One size: what kind of number it is (see :mod:`._public_tree_kernels`), and the number."""

    kind: int
    value: float


@frozen
class BetPlan:
    """The menus of a spot."""

    menus: dict[tuple[str, str], tuple[Level, ...]]
    """By who and street: the sizes of the first bet, of the first raise, and so on; the last holds for all later ones."""
    streets: tuple[str, ...]
    add_allin: float = field(default=0.0)
    """All-in is added where it is at most so many pots."""
    force_allin: float = field(default=0.0)
    """A bet is all-in where no more than so many pots would be behind after its call."""
    merge: float = field(default=0.0)
    """Sizes that are closer than this to a larger one are left out: (1 + larger) / (1 + smaller) < 1 + merge, in pots."""

    def growth(self, until: int, scale: int, unit: int, aggressor: int) -> Growth:
        """Return what a tree is grown from: sizes are rounded to ``unit`` of the tree's chips, ``scale`` to a chip here."""
        depth = max(len(levels) for levels in self.menus.values())
        widest = max([1, *(len(level) for levels in self.menus.values() for level in levels)])
        counts = np.zeros((len(self.streets), len(WHO), depth), np.int64)
        sizes = np.zeros((*counts.shape, widest, 2))
        for (who, street), levels in self.menus.items():
            for k in range(depth):
                level, place = levels[min(k, len(levels) - 1)], (self.streets.index(street), WHO.index(who), k)
                counts[place] = len(level)
                for i, size in enumerate(level):
                    sizes[place][i] = size.kind, size.value * (scale if size.kind == CHIPS else 1)
        limits = np.array([self.add_allin, self.force_allin, self.merge])
        none = np.zeros((len(self.streets), 1), np.int64)
        return Growth(
            until, True, True, none, np.zeros((*none.shape, widest + 1)), unit, aggressor, counts, sizes, limits
        )


def bet_plan(text: str, streets: Sequence[str], **limits: float) -> BetPlan:
    """Return the menus that ``text`` gives the streets.

    A menu is sizes joined by ``+``; ``/`` separates those of the first bet from those of the first raise and so on. Menus are
    joined by commas: one without a name is everybody's on every street, ``river=`` is everybody's there, ``button=`` or
    ``first=`` one player's, ``donk=`` that of who acts first after calling on the street before, ``button.river=`` one
    player's on one street; the more particular name holds.

    Raises:
        UsageError: it cannot be read, or leaves a street without a menu.
    """
    found: dict[tuple[str, str], tuple[Level, ...]] = {}
    for part in text.split(","):
        name, equals, menu = part.partition("=")
        who, street = _named(name.strip(), streets, text) if equals else ("", "")
        if (who, street) in found:
            raise UsageError(f"The bets {text!r} name {name.strip()!r} twice.")
        found[who, street] = tuple(
            _level(level, text, k) for k, level in enumerate((menu if equals else part).split("/"))
        )
    menus = {}
    for street in streets:
        for who in WHO:
            keys = [
                (who, street),
                (who, ""),
                *([("first", street), ("first", "")] if who == "donk" else []),
                ("", street),
            ]
            known = [found[key] for key in [*keys, ("", "")] if key in found]
            if not known:
                raise UsageError(
                    f"The bets {text!r} say nothing of the {street}. Write {street}=0.5+1+allin, for example."
                )
            menus[who, street] = known[0]
    for name, value in limits.items():
        if not 0.0 <= value <= 100.0:
            raise UsageError(f"{name} is a number of pots from 0 to 100. Got {value:g}.")
    return BetPlan(menus, tuple(streets), **limits)


def plain_bets(text: str) -> str:
    """Return bets as every other way to write each of their levels gives them; what cannot be read stays as it is.

    >>> plain_bets("pot+50%/a+2.50x, donk=")
    '0.5+1/2.5x+allin,donk=none'
    """
    try:
        return ",".join(map(_plain_part, text.split(",")))
    except UsageError:
        return text


def _plain_part(part: str) -> str:
    name, equals, menu = part.rpartition("=")
    levels = [
        sorted(_level(level, part, k), key=lambda size: (_ORDER.index(size.kind), size.value))
        for k, level in enumerate(menu.split("/"))
    ]
    return f"{name.strip()}{equals}" + "/".join("+".join(map(_word, level)) or "none" for level in levels)


def _word(size: Size) -> str:
    if size.kind == ALL:
        return "allin"
    if size.kind == EVEN and not size.value:
        return "e"
    return f"{size.value:.12g}{_ENDS[size.kind]}"


def _named(name: str, streets: Sequence[str], text: str) -> tuple[str, str]:
    """Return whom and which street a menu's name means."""
    words = name.split(".")
    who = [word for word in words if word in WHO]
    street = [word for word in words if word in streets]
    if not words or len(who) > 1 or len(street) > 1 or len(who) + len(street) != len(words):
        raise UsageError(
            f"The bets {text!r} name {name!r}. The streets to come are {', '.join(streets)}; players are first, button, donk "
            "(who acts first after calling on the street before): river, button, donk.river."
        )
    return (who or [""])[0], (street or [""])[0]


def _level(text: str, whole: str, depth: int) -> Level:
    if text.strip() in ("", "none"):
        return ()
    sizes = [_size(word, whole, depth) for word in text.split("+")]
    if len(set(sizes)) < len(sizes):
        raise UsageError(f"The bets {whole!r} name a size twice.")
    if len(sizes) > MOST_SIZES:
        raise UsageError(f"A menu of at most {MOST_SIZES} bets is possible. Got {len(sizes)}.")
    return tuple(sizes)


def _size(word: str, whole: str, depth: int) -> Size:
    name = word.strip().lower()
    if name in _NAMED:
        return Size(*_NAMED[name])
    match = _NUMBER.fullmatch(name)
    kind = _KINDS[match.group(2)] if match else POT
    value = float(match.group(1)) / (100 if match.group(2) == "%" else 1) if match else 0.0
    most = {POT: 1000.0, MULTIPLE: 100.0, CHIPS: 1e9, EVEN: 3.0}[kind]
    if not 0.0 < value < most + (kind == EVEN):
        raise UsageError(f"The bets {whole!r} hold {word!r}, which is no size. {_EXAMPLE}")
    if kind == EVEN and value != int(value):
        raise UsageError(f"The bets {whole!r} hold {word!r}: the streets of even growth are a whole number.")
    if kind == MULTIPLE and (depth == 0 or value <= 1.0):
        why = "is of a bet before it: it stands behind a /" if depth == 0 else "does not raise"
        raise UsageError(f"The bets {whole!r} hold {word!r}, which {why}. Write 0.5+1/2.5x, for example.")
    return Size(kind, value)
