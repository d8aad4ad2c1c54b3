"""Ranges as poker players write them: "22+,A2s+,KTo+:0.5" and back to the weights of the 1,326 hands.

Parts are joined by commas, semicolons or spaces; a later part replaces what an earlier one said of the same hands.

* ``QQ`` the six pairs, ``AKs`` the four suited hands, ``AKo`` the twelve others, ``AK`` both, ``AsKh`` one hand.
* ``22+`` the pair and all higher ones, ``QQ-`` and all lower ones; ``A2s+`` the first card stays and the second rises to just
  below it, ``ATs-`` falls to the two; ``Axs``, ``Kx`` the first card with every lower one.
* ``99-66`` pairs from one to the other; ``A5s-A2s`` the first card stays; ``JTs-87s`` both cards fall together.
* ``15%`` the best hands by their chance against a random one (:mod:`cardai.poker.hand_order`); ``random`` (or ``any``) every
  hand.
* ``:0.5``, ``@0.5`` or ``:50%`` a weight (1 if none is given); a number above 1 is in percent (``@50``).
* ``[50]AA,KK[/50]`` the same weight for several parts, in percent, as GTO+ and Flopzilla have it.
* 1,326 numbers are PioSolver's: a weight a hand in its order (:func:`cardai.poker.range_numbers.pio_order`).

>>> from cardai.poker.notation import parse_range
>>> int(parse_range("22+").sum()), int(parse_range("A2s+,AKo").sum()), float(parse_range("KTo+:0.5").sum())
(78, 60, 18.0)
>>> int(parse_range("QQ-,Axs").sum()), float(parse_range("[50]AA,KK[/50],AKs@0.25").sum())
(114, 7.0)
"""

from __future__ import annotations

import re

import numpy as np

from cardai.cards.text import GLYPHS, RANKS, SUITS, cards_text, parse_cards
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hand_classes import class_number, class_of, class_text, number_of
from cardai.poker.hand_order import best_classes
from cardai.poker.hands.combos import COUNT, pair_index, pairs
from cardai.poker.range_numbers import numbers_of

__all__ = ["LONGEST", "class_of", "class_text", "parse_range", "range_parts", "range_text"]

LONGEST = 200_000
"""Characters of a range; more is none."""
_EVERYTHING = ("random", "any", "all", "100%")
_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
_ANY_LOWER = re.compile(r"([2-9TJQKA])[x*]([so]?)", re.IGNORECASE)
_HAND = re.compile(r"[2-9TJQKA][cdhs][2-9TJQKA][cdhs]", re.IGNORECASE)
_TOP = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%")
_BRACKET = re.compile(r"\[\s*(/?)\s*(\d{1,3}(?:\.\d{1,9})?)\s*%?\s*\]")
_KNOWN = (
    "Known are hands such as QQ, AKs, AKo, AK and AsKh, 22+, QQ-, A2s+, Axs, 99-66, JTs-87s, 15%, random, a weight behind a "
    "colon or @, weights in brackets ([50]AA,KK[/50]), and PioSolver's 1,326 numbers"
)
_LETTERS = str.maketrans(GLYPHS, SUITS)
"""Hands may be given as they are shown."""


def parse_range(text: str) -> Float64s:
    """Return (1326,) the weights that ``text`` gives the hands of :mod:`cardai.poker.hands.combos`.

    Raises:
        UsageError: quoting the part that cannot be read, or if no hand has a weight.
    """
    if len(text) > LONGEST:
        raise UsageError(f"A range of {len(text):,} characters is none: at most {LONGEST:,} are read.")
    weights = numbers_of(text)
    if weights is None:
        weights = np.zeros(COUNT)
        for part, given in _parts(text.translate(_LETTERS)):
            hands, weight = _part(part, text)
            weights[hands] = weight if given is None else given
    if not weights.any():
        raise UsageError(f"The range {_short(text)!r} holds no hand.")
    return weights


def range_text(weights: Float64s) -> str:
    """Return weights (1326,) as notation that :func:`parse_range` reads back, to six digits of each weight."""
    if (weights == 1.0).all():
        return "random"
    words = [(name, f"{weight:.6g}") for name, weight in range_parts(weights)]
    return ",".join(name if weight == "1" else f"{name}:{weight}" for name, weight in words if float(weight) > 0)


def range_parts(weights: Float64s) -> list[tuple[str, float]]:
    """Return a range as the fewest words ("22+", "A5s-A2s", "AsKh") with their weights: pairs, suited, offsuit, single hands."""
    classes, cards = class_of(), pairs()
    low, high = np.full(169, np.inf), np.full(169, -np.inf)
    np.minimum.at(low, classes, weights)
    np.maximum.at(high, classes, weights)
    parts: list[tuple[str, float]] = []
    for line in _lines():
        parts += _runs(line, low, high)
    for number in np.flatnonzero(low != high):
        hands = np.flatnonzero(classes == number)
        parts += [(cards_text(cards[hand][::-1]), float(weights[hand])) for hand in hands if weights[hand] > 0]
    return parts


def _lines() -> list[list[int]]:
    """Return the classes in lines along which words run: the pairs, then of each first card the suited and the offsuit hands."""
    lines = [[14 * k for k in range(13)]]
    lines += [[13 * row + column for column in range(row + 1, 13)] for row in range(12)]
    return lines + [[13 * column + row for column in range(row + 1, 13)] for row in range(12)]


def _runs(line: list[int], low: Float64s, high: Float64s) -> list[tuple[str, float]]:
    """Return a word for each run of classes of one weight in a line that begins with its highest class."""
    parts: list[tuple[str, float]] = []
    place = 0
    while place < len(line):
        weight = low[line[place]]
        end = place
        while end + 1 < len(line) and low[line[end + 1]] == high[line[end + 1]] == weight:
            end += 1
        if weight == high[line[place]] and weight > 0:
            first, last = class_text(line[place]), class_text(line[end])
            parts.append((first if end == place else f"{last}+" if place == 0 else f"{first}-{last}", float(weight)))
        else:
            end = place
        place = end + 1
    return parts


def _parts(text: str) -> list[tuple[str, float | None]]:
    """Return the words of a range, each with the weight of the brackets that it stands in (None: in none)."""
    found: list[tuple[str, float | None]] = []
    inside: list[float] = []
    at = 0
    for bracket in [*_BRACKET.finditer(text), None]:
        words = text[at : bracket.start() if bracket else len(text)]
        found += [(part, inside[-1] if inside else None) for part in re.split(r"[,;\s]+", words) if part]
        if bracket is None:
            break
        weight = float(bracket[2]) / 100
        if weight > 1 or (bracket[1] and not inside):
            raise _unreadable(bracket[0], text, "brackets hold a weight from 0 to 100, and [/50] ends [50]")
        if bracket[1]:
            inside.pop()
        else:
            inside.append(weight)
        at = bracket.end()
    if inside:
        raise _unreadable(f"[{100 * inside[-1]:g}]", text, "the bracket is never closed")
    return found


def _part(part: str, whole: str) -> tuple[Int64s, float]:
    match = re.fullmatch(r"([^:@]*)(?:[:@](.*))?", part)
    if match is None:
        raise _unreadable(part, whole, "one weight at most stands behind a hand")
    body, given = match[1], match[2]
    weight = 1.0 if given is None else _weight(given, part, whole)
    if body.lower() in _EVERYTHING:
        return np.arange(COUNT), weight
    if _HAND.fullmatch(body):
        try:
            first, second = parse_cards(body)
        except ValueError:
            raise _unreadable(part, whole, "one card cannot be held twice") from None
        return pair_index(np.array([first]), np.array([second])), weight
    if top := _TOP.fullmatch(body):
        if not 0 < float(top[1]) <= 100:
            raise _unreadable(part, whole, "a share of all hands is more than 0 % and at most 100 %")
        wanted = [class_number(name) for name in best_classes(float(top[1]) / 100)]
    else:
        wanted = _classes(body, part, whole)
    return np.flatnonzero(np.isin(class_of(), wanted)), weight


def _weight(given: str, part: str, whole: str) -> float:
    try:
        value = float(given[:-1]) / 100 if given.endswith("%") else float(given)
        if value > 1 and not given.endswith("%"):
            value /= 100
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise _unreadable(part, whole, "a weight is a number from 0 to 1, or in percent up to 100")
    return value


def _classes(body: str, part: str, whole: str) -> list[int]:
    """Return the classes that a word without weight names."""
    if lower := _ANY_LOWER.fullmatch(body.removesuffix("+")):
        high = RANKS.index(lower[1].upper())
        firsts = range(high, 13) if body.endswith("+") else (high,)
        return [n for first in firsts for rank in range(first) for n in _kinds(first, rank, lower[2].lower())]
    if body.endswith(("+", "-")):
        high, low, kind = _one(body[:-1], part, whole)
        rising = body.endswith("+")
        if high == low:
            return [number_of(rank, rank, "") for rank in (range(high, 13) if rising else range(high + 1))]
        return [n for rank in (range(low, high) if rising else range(low + 1)) for n in _kinds(high, rank, kind)]
    if "-" not in body:
        return _kinds(*_one(body, part, whole))
    return _between(body, part, whole)


def _between(body: str, part: str, whole: str) -> list[int]:
    """Return the classes from one to the other: "99-66", "A5s-A2s", "JTs-87s"."""
    first, second = (_one(end, part, whole) for end in body.split("-", 1))
    if first < second:
        first, second = second, first
    (high, low, kind), (high_end, low_end, kind_end) = first, second
    if kind != kind_end:
        raise _unreadable(part, whole, "both ends must be suited, or both not")
    if high == low and high_end == low_end:
        return [number_of(rank, rank, "") for rank in range(high_end, high + 1)]
    if high == high_end and high != low and high_end != low_end:
        return [n for rank in range(min(low, low_end), max(low, low_end) + 1) for n in _kinds(high, rank, kind)]
    if high - low == high_end - low_end and high != low:
        return [n for step in range(high - high_end + 1) for n in _kinds(high - step, low - step, kind)]
    raise _unreadable(part, whole, "the ends must be pairs, share their first card, or be as far apart")


def _one(text: str, part: str, whole: str) -> tuple[int, int, str]:
    """Return a class's higher rank, lower rank, and s, o or nothing."""
    match = _CLASS.fullmatch(text)
    if match is None:
        raise _unreadable(part, whole, _KNOWN)
    ranks = sorted((RANKS.index(match.group(k).upper()) for k in (1, 2)), reverse=True)
    kind = match.group(3).lower()
    if kind and ranks[0] == ranks[1]:
        raise _unreadable(part, whole, "a pair is neither suited nor offsuit")
    return ranks[0], ranks[1], kind


def _kinds(high: int, low: int, kind: str) -> list[int]:
    return [number_of(high, low, one) for one in ([kind] if kind or high == low else ["s", "o"])]


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."


def _unreadable(part: str, whole: str, why: str) -> UsageError:
    quoted = (
        f"The range {_short(whole)!r} cannot be read at {_short(part)!r}"
        if part != whole.strip()
        else f"The range {_short(whole)!r} cannot be read"
    )
    return UsageError(f"{quoted}{'. ' if why is _KNOWN else ': '}{why}.")
