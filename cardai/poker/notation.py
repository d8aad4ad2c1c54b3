"""Ranges as poker players write them: "22+,A2s+,KTo+:0.5" and back to the weights of the 1,326 hands.

Parts are joined by commas; a later part replaces what an earlier one said of the same hands.

* ``QQ`` the six pairs, ``AKs`` the four suited hands, ``AKo`` the twelve others, ``AK`` both, ``AsKh`` one hand.
* ``22+`` the pair and all higher ones; ``A2s+`` the first card stays and the second rises to just below it.
* ``99-66`` pairs from one to the other; ``A5s-A2s`` the first card stays; ``JTs-87s`` both cards fall together.
* ``:0.5`` or ``:50%`` a weight from 0 to 1 (1 if none is given). ``random`` (or ``any``, ``100%``) is every hand.

>>> from cardai.poker.notation import parse_range
>>> int(parse_range("22+").sum()), int(parse_range("A2s+,AKo").sum()), float(parse_range("KTo+:0.5").sum())
(78, 60, 18.0)
"""

from __future__ import annotations

import re

import numpy as np

from cardai.cards.text import RANKS, cards_text, parse_cards
from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hands.combos import COUNT, pair_index, pairs

_EVERYTHING = ("random", "any", "all", "100%")
_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)", re.IGNORECASE)
_HAND = re.compile(r"[2-9TJQKA][cdhs][2-9TJQKA][cdhs]", re.IGNORECASE)
_KNOWN = (
    "Known are hands such as QQ, AKs, AKo, AK and AsKh, 22+, A2s+, 99-66, JTs-87s, random, and a weight behind a colon"
)


def parse_range(text: str) -> Float64s:
    """Return (1326,) the weights that ``text`` gives the hands of :mod:`cardai.poker.hands.combos`.

    Raises:
        UsageError: quoting the part that cannot be read, or if no hand has a weight.
    """
    weights = np.zeros(COUNT)
    for part in re.split(r"[,\s]+", text.strip()):
        if part:
            hands, weight = _part(part, text)
            weights[hands] = weight
    if not weights.any():
        raise UsageError(f"The range {text!r} holds no hand.")
    return weights


def class_of() -> Int64s:
    """Return (1326,) each hand's class: 13 x row + column of the usual grid, aces first, suited above the diagonal."""
    cards = pairs().astype(np.int64)
    rank, suit = cards % 13, cards // 13
    high, low = 12 - rank.max(axis=1), 12 - rank.min(axis=1)
    return np.asarray(np.where(suit[:, 0] == suit[:, 1], 13 * high + low, 13 * low + high), np.int64)


def class_text(number: int) -> str:
    """Return a class of the grid as text: "AA", "AKs", "AKo"."""
    row, column = divmod(number, 13)
    first, second = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return first + second + ("" if row == column else "s" if column > row else "o")


def range_text(weights: Float64s) -> str:
    """Return weights (1326,) as notation that :func:`parse_range` reads back, to six digits of each weight."""
    if (weights == 1.0).all():
        return "random"
    classes, cards, parts = class_of(), pairs(), []
    for number in range(169):
        hands = np.flatnonzero(classes == number)
        given = np.unique(weights[hands])
        if len(given) == 1:
            parts += [(class_text(number), given[0])]
        else:
            parts += [(cards_text(cards[hand][::-1]), weights[hand]) for hand in hands]
    return ",".join(name if weight == 1 else f"{name}:{weight:.6g}" for name, weight in parts if weight > 0)


def _part(part: str, whole: str) -> tuple[Int64s, float]:
    body, colon, given = part.partition(":")
    weight = _weight(given, part, whole) if colon else 1.0
    if body.lower() in _EVERYTHING:
        return np.arange(COUNT), weight
    if _HAND.fullmatch(body):
        try:
            first, second = parse_cards(body)
        except ValueError:
            raise _unreadable(part, whole, "one card cannot be held twice") from None
        return pair_index(np.array([first]), np.array([second])), weight
    wanted = _classes(body, part, whole)
    return np.flatnonzero(np.isin(class_of(), wanted)), weight


def _weight(given: str, part: str, whole: str) -> float:
    try:
        value = float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise _unreadable(part, whole, "a weight is a number from 0 to 1")
    return value


def _classes(body: str, part: str, whole: str) -> list[int]:
    """Return the classes that a word without weight names."""
    if body.endswith("+"):
        high, low, kind = _one(body[:-1], part, whole)
        if high == low:
            return [_number(rank, rank, "") for rank in range(high, 13)]
        return [n for rank in range(low, high) for n in _kinds(high, rank, kind)]
    if "-" not in body:
        return _kinds(*_one(body, part, whole))
    first, second = (_one(end, part, whole) for end in body.split("-", 1))
    if first < second:
        first, second = second, first
    (high, low, kind), (high_end, low_end, kind_end) = first, second
    if kind != kind_end:
        raise _unreadable(part, whole, "both ends must be suited, or both not")
    if high == low and high_end == low_end:
        return [_number(rank, rank, "") for rank in range(high_end, high + 1)]
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
    return [_number(high, low, one) for one in ([kind] if kind or high == low else ["s", "o"])]


def _number(high: int, low: int, kind: str) -> int:
    row, column = 12 - high, 12 - low
    return 13 * column + row if kind == "o" else 13 * row + column


def _unreadable(part: str, whole: str, why: str) -> UsageError:
    quoted = (
        f"The range {whole!r} cannot be read at {part!r}"
        if part != whole.strip()
        else f"The range {whole!r} cannot be read"
    )
    return UsageError(f"{quoted}: {why}.")
