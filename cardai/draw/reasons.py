"""Why one hold is better than another: how often it is paid, and by what hand the difference comes, counted exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from cardai.cards.text import cards_glyphs
from cardai.core.arrays import Float64s
from cardai.core.reasons import Reason
from cardai.draw.contract import SoloDraw
from cardai.poker.hands.ranking import PAYING_HANDS, paying_category

MOST = 4
"""Draws of more cards are not counted: five of 47 come in 1,533,939 ways."""


def situation(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what hand was dealt to a single player who is paid by the hand."""
    return {"kind": f"dealt {PAYING_HANDS[int(paying_category(np.array([view['hand']]))[0])]}"}


def reasons(game: SoloDraw, view: Mapping[str, Any], taken: int, best: int) -> tuple[Reason, ...]:
    """Return what holding ``best`` pays more often, or more, than holding ``taken`` (masks of the hand's cards)."""
    hand = [int(card) for card in view["hand"]]
    chances = [categories(hand, hold) for hold in (taken, best)]
    names = [_called(hand, hold) for hold in (taken, best)]
    counted = [(name, chance) for name, chance in zip(names, chances, strict=True) if chance is not None]
    found = [
        Reason("paid", float(chance[1:].sum()), f"{name} is paid {chance[1:].sum():.1%} of the time.")
        for name, chance in counted
    ]
    if len(counted) == 2:
        worth = (counted[1][1] - counted[0][1]) * np.array(game.pays)
        most = int(np.argmax(worth))
        words = (
            f"{PAYING_HANDS[most].capitalize()}: {counted[1][1][most]:.1%} instead of {counted[0][1][most]:.1%}, "
            f"which is worth {worth[most]:+.3f}."
        )
        found.append(Reason(PAYING_HANDS[most], float(worth[most]), words))
    return tuple(found)


def categories(hand: Sequence[int], hold: int) -> Float64s | None:
    """Return (10,) the chance of each paying hand after a hold, None for five new cards."""
    kept = [card for i, card in enumerate(hand) if hold >> i & 1]
    if 5 - len(kept) > MOST:
        return None
    others = [card for card in range(52) if card not in hand]
    drawn = np.array(list(combinations(others, 5 - len(kept))), np.int64).reshape(comb(len(others), 5 - len(kept)), -1)
    hands = np.concatenate([np.tile(np.array(kept, np.int64), (len(drawn), 1)), drawn], axis=1)
    counts = np.bincount(paying_category(hands), minlength=len(PAYING_HANDS))
    return np.asarray(counts / len(drawn), np.float64)


def _called(hand: Sequence[int], hold: int) -> str:
    kept = [card for i, card in enumerate(hand) if hold >> i & 1]
    return f"Holding {cards_glyphs(kept)}" if kept else "A new hand"
