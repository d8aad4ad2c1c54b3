"""Why one play of gin is better than another, from what the player sees: deadwood, draws that help, the danger of a discard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardai.cards.text import card_glyph, cards_of
from cardai.core.reasons import Reason
from cardai.gin.actions import ASK_KNOCK, DISCARD, DRAW, KNOCK, OFFER, PHASES, TAKE
from cardai.gin.melds import card_points, deadwood, deadwoods, melded

ALL = (1 << 52) - 1
EARLY, MIDDLE = 4, 8
"""Own turns up to which a hand is called early, and middle."""


def situation(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what is asked, how far the hand is, and whether the player was offered the first card first."""
    turns = int(view["own_turns"])
    return {
        "phase": "early" if turns <= EARLY else "middle" if turns <= MIDDLE else "late",
        "position": "starter" if view["starter"] == view["player"] else "other seat",
        "kind": PHASES[int(view["phase"])],
    }


def reasons(view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
    """Return what the player's cards say for the action ``best`` against ``taken``."""
    phase = int(view["phase"])
    if phase == DISCARD and taken < TAKE and best < TAKE:
        return _of_discards(view, taken, best)
    if phase in (OFFER, DRAW):
        return _of_drawing(view)
    return _of_knocking(view, best) if phase == ASK_KNOCK else ()


def _of_discards(view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
    hand = int(view["hand"])
    names = card_glyph(taken), card_glyph(best)
    left = [hand & ~(1 << card) for card in (taken, best)]
    points = [deadwood(cards_of(cards)) for cards in left]
    draws = [helpful(cards, unseen(view)) for cards in left]
    danger = [dangers(view, card) for card in (taken, best)]
    found: list[tuple[bool, Reason]] = []  # what speaks for the best comes first
    if points[0] != points[1]:
        words = f"Without {names[0]} the deadwood is {points[0]}, without {names[1]} {points[1]}."
        found.append((points[0] > points[1], Reason("deadwood", points[0] - points[1], words)))
    if draws[0] != draws[1]:
        words = f"Unseen cards that make a new meld: {draws[0]} after {names[0]}, {draws[1]} after {names[1]}."
        found.append((draws[0] < draws[1], Reason("draws", draws[0] - draws[1], words)))
    if danger[0] != danger[1]:
        words = f"Pairs of cards that the opponent may hold and meld with: {danger[0]} for {names[0]}, {danger[1]} for {names[1]}."
        found.append((danger[0] > danger[1], Reason("danger", danger[0] - danger[1], words)))
    if not (1 << taken) & int(melded(np.array([hand], np.uint64))[0]) and card_points(taken) < card_points(best):
        words = f"{names[1]} counts {card_points(best)} points, {names[0]} only {card_points(taken)}."
        found.append((True, Reason("points", card_points(best) - card_points(taken), words)))
    return tuple(reason for _, reason in sorted(found, key=lambda pair: not pair[0]))


def _of_drawing(view: Mapping[str, Any]) -> tuple[Reason, ...]:
    hand, card = int(view["hand"]), int(view["up_card"])
    if card < 0:
        return ()
    before, after = deadwood(cards_of(hand)), _after(hand, card)
    melds = int(melded(np.array([hand | 1 << card], np.uint64))[0]).bit_count()
    grows = melds - int(melded(np.array([hand], np.uint64))[0]).bit_count()
    made = "makes a meld" if grows > 0 else "makes no meld"
    words = f"{card_glyph(card)} {made}: the deadwood goes from {before} to {after} after the best discard."
    draws, count = helpful(hand, unseen(view)), unseen(view).bit_count()
    other = f"Of the {count} unseen cards {draws} make a new meld."
    return Reason("deadwood", after - before, words), Reason("draws", draws, other)


def _of_knocking(view: Mapping[str, Any], best: int) -> tuple[Reason, ...]:
    hand = int(view["hand"])
    points, rest = deadwood(cards_of(hand)), unseen(view)
    gin = sum(_after(hand, card) == 0 for card in cards_of(rest))
    found = [Reason("deadwood", points, f"The deadwood is {points}, after {int(view['turns'])} turns of both.")]
    if points:
        words = f"{gin} of {rest.bit_count()} unseen cards would give gin."
        found.append(Reason("draws to gin", gin, words))
    elif best == KNOCK:
        found.append(Reason("gin", 1, "It is gin already: nothing can be better."))
    return tuple(found)


def _after(hand: int, card: int) -> int:
    """Return the least deadwood after ``card`` is taken and another one discarded."""
    full = hand | 1 << card
    left = np.array([full & ~(1 << other) for other in cards_of(hand)], np.uint64)
    return int(deadwoods(left).min())


def unseen(view: Mapping[str, Any]) -> int:
    """Return the cards (a set) that the player has not seen: the stock's, and the opponent's hidden ones."""
    seen = int(view["hand"]) | int(view["discard_set"]) | int(view["opponent_known"])
    return ALL & ~seen & ~(1 << int(view["up_card"]) if view["up_card"] >= 0 else 0)


def helpful(hand: int, unseen_cards: int) -> int:
    """Return how many of the unseen cards let more of ``hand``'s cards lie in melds."""
    cards = cards_of(unseen_cards)
    if not cards:
        return 0
    held = int(melded(np.array([hand], np.uint64))[0]).bit_count()
    grown = melded(np.array([hand | 1 << card for card in cards], np.uint64))
    return int((np.bitwise_count(grown) > held).sum())


def dangers(view: Mapping[str, Any], card: int) -> int:
    """Return with how many pairs of cards that the opponent may hold, or is known to, ``card`` makes a meld of three."""
    possible = unseen(view) | int(view["opponent_known"])
    rank, suit = card % 13, card // 13
    alike = sum(possible >> (13 * other + rank) & 1 for other in range(4) if other != suit)
    order = (rank + 1) % 13  # the ace is low
    ways = alike * (alike - 1) // 2
    for low in range(max(order - 2, 0), min(order, 10) + 1):
        others = [place for place in range(low, low + 3) if place != order]
        ways += all(possible >> (13 * suit + (place - 1) % 13) & 1 for place in others)
    return ways
