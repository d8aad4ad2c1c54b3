"""The end of a hand as kernels on a row: knock, lay down melds, lay off, score."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64
from cardai.gin._melds_kernels import (
    U0,
    best_arrangement,
    count_best,
    from_gin,
    lay_off_best,
    lay_off_first_fit,
    points_of,
    size_of,
    to_gin,
)
from cardai.gin.actions import (
    BIG_GIN,
    FIRST_MELD,
    GIN,
    KNOCKED,
    MELDS,
    OVER,
    PASS,
    PUSH,
    SHOW,
    UNDERCUT,
)

# options as numbers
TIE_UNDERCUT = 0
TIE_PUSH = 1
LAYOFFS_FIRST_FIT = 0
LAYOFFS_BEST = 1
MELDS_RANDOM = 0
MELDS_FIRST = 1
MELDS_CHOOSE = 2
ACE_GIN = 0
ACE_ONE = 1
_ACE = 12
_SPADES = 3


@kernel
def knock_limit(row: Any, rules: Any) -> Any:
    """Return the most deadwood to knock with: in Oklahoma gin the first up-card's points, none for an ace."""
    if not rules["oklahoma"]:
        return rules["knock_limit"]
    rank = row["first_up_card"] % 13
    if rank == _ACE:
        return np.int64(1 if rules["oklahoma_ace"] == ACE_ONE else 0)
    return np.int64(min(rank + 2, 10))


@kernel
def end(row: Any, ending: Any) -> None:
    row["current"] = -4
    row["phase"] = OVER
    row["ending"] = ending


@kernel
def knock(row: Any, rules: Any, seat: Any) -> None:
    row["knocker"] = seat
    if rules["melds"] == MELDS_CHOOSE:
        row["phase"] = SHOW
        return
    _show_best(row, rules, seat)
    if rules["layoffs"] == LAYOFFS_FIRST_FIT or row["deadwood"][seat] == 0:
        _show_best(row, rules, 1 - seat)
    _settle(row, rules)


@kernel
def knock_big_gin(row: Any, rules: Any, seat: Any) -> None:
    """Lay down all eleven cards without a discard."""
    if row["able"][seat] == 0:
        row["able"][seat] = row["turns"] + 1
    knock(row, rules, seat)


@kernel
def _show_best(row: Any, rules: Any, seat: Any) -> None:
    """Lay down one arrangement with the least deadwood: drawn from all of them, or always the first.

    The draw is a hash of the cards dealt so far, so that a hand replays from its chance outcomes and actions.
    """
    hand = to_gin(row["hands"][seat])
    _show_one_of(row, rules, seat, hand)
    row["deadwood"][seat] = points_of(hand & ~shown_by(row, seat))


@kernel
def _show_one_of(row: Any, rules: Any, seat: Any, cards: Any) -> None:
    number = 0
    if rules["melds"] == MELDS_RANDOM:
        ways = count_best(cards)
        if ways > 1:
            seed = U0
            for k in range(row["dealt"]):
                seed = hash64(seed, row["deck"][k])
            number = below(seed, seat, ways)
    row["shown"][seat] = best_arrangement(cards, number, row["melds"][seat])


@kernel
def shown_by(row: Any, seat: Any) -> Any:
    """Return the cards ``seat`` has laid down in melds (gin order)."""
    melds = row["melds"][seat]
    return melds[0] | melds[1] | melds[2] | melds[3]


@kernel
def show(row: Any, rules: Any, seat: Any, action: Any) -> None:
    """Lay down one chosen meld, or finish."""
    if action != PASS:
        row["melds"][seat][row["shown"][seat]] = MELDS[action - FIRST_MELD]
        row["shown"][seat] += 1
        return
    row["deadwood"][seat] = points_of(to_gin(row["hands"][seat]) & ~shown_by(row, seat))
    if seat == row["knocker"]:
        row["current"] = 1 - seat
    else:
        _settle(row, rules)


@kernel
def _settle(row: Any, rules: Any) -> None:
    """Lay off and score."""
    knocker = row["knocker"]
    other = 1 - knocker
    if row["deadwood"][knocker] > 0:
        _lay_off(row, rules, knocker, other)
    difference = row["deadwood"][other] - row["deadwood"][knocker]
    ending = KNOCKED
    points = difference
    if row["deadwood"][knocker] == 0:
        ending = GIN
        points = difference + rules["gin_bonus"]
        if size_of(row["hands"][knocker]) == 11:
            ending = BIG_GIN
            points = difference + rules["big_gin_bonus"]
    elif difference < 0 or (difference == 0 and rules["tie"] == TIE_UNDERCUT):
        ending = UNDERCUT
        points = difference - rules["undercut_bonus"]
    elif difference == 0:
        ending = PUSH
    if rules["double_spades"] and row["first_up_card"] // 13 == _SPADES:
        points *= 2
    row["result"][knocker] = points
    row["result"][other] = -points
    row["drawn"] = -1
    row["taken"] = -1
    end(row, ending)


@kernel
def _lay_off(row: Any, rules: Any, knocker: Any, other: Any) -> None:
    table = row["melds"][knocker].copy()
    hand = to_gin(row["hands"][other])
    if rules["layoffs"] == LAYOFFS_BEST and rules["melds"] != MELDS_CHOOSE:
        laid = lay_off_best(hand, table, row["shown"][knocker])
        _show_one_of(row, rules, other, hand & ~laid)
    else:
        laid = lay_off_first_fit(hand & ~shown_by(row, other), table, row["shown"][knocker])
    row["layoffs"] = size_of(laid)
    row["laid_off"] = from_gin(laid)
    row["deadwood"][other] = points_of(hand & ~shown_by(row, other) & ~laid)
