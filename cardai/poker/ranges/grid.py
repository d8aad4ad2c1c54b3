"""The usual 13 x 13 grid of a decision: pairs on the diagonal, suited hands above it, aces first; and the actions' colours."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s
from cardai.poker.hand_classes import class_of
from cardai.poker.ranges.position import Position

FOLD, PASSIVE = "#4f79a7", "#59a14f"
RAISES = ("#f2a65a", "#e8743b", "#c8362c", "#8e1b1b", "#5c0f2e")
"""Colours: folds blue, checks and calls green, bets and raises from orange to dark red, the larger the darker."""


@frozen(eq=False)
class Grid:
    """The 169 classes of a decision with A actions."""

    weights: Float64s
    """(169,) the mean weight of the class's hands in the range, from 0 to 1."""
    shares: Float64s
    """(A, 169) how often each action is taken; zeros where the class is not in the range."""


def grid(position: Position) -> Grid:
    """Return the frequencies of a decision by class of hands, weighted by the range."""
    classes, own = class_of()[position.hands], position.weights[position.seat]
    total = np.bincount(classes, own, 169)
    count = np.bincount(classes, minlength=169)
    taken = np.stack([np.bincount(classes, own * row, 169) for row in position.strategy])
    scale = 1.0 / np.maximum(total, 1e-300)
    most = max(float(own.max()), 1e-300)
    shares = np.where(total > 1e-6 * most, taken * scale, 0.0)
    return Grid(total / np.maximum(count, 1) / most, shares)


def colours(actions: tuple[str, ...]) -> list[str]:
    """Return a colour for each action."""
    raises = [k for k, words in enumerate(actions) if not words.startswith(("fold", "check", "call"))]
    out = []
    for k, words in enumerate(actions):
        if k in raises:
            place = raises.index(k) * (len(RAISES) - 1) // max(len(raises) - 1, 1)
            out.append(RAISES[place if len(raises) > 1 else 1])
        else:
            out.append(FOLD if words.startswith("fold") else PASSIVE)
    return out


def shown_actions(actions: tuple[str, ...]) -> tuple[list[int], str]:
    """Return the actions that the numbers of the text grid add up, and what they are called."""
    raises = [k for k, words in enumerate(actions) if words.startswith(("bet", "raise", "all-in"))]
    if raises:
        return raises, "bets or raises"
    return [k for k, words in enumerate(actions) if words.startswith("call")], "calls"
