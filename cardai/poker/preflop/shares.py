"""What hands win of a pot that sees a flop with chips behind, by a stated rule: nothing after the flop is played.

    share = 1/n + slope (equity - 1/n) + last (place - mean place) + bonus(hand) - mean bonus

of n players, whose shares sum to 1. ``equity`` is what the hand wins where all check to the end; ``slope`` above 1 says that
better hands win more than that, since bets follow; ``place`` is 0 for who acts first on every street, 1 for who acts last;
``bonus`` is of suited hands, pairs and connected ones. The numbers are fitted to pots for two that were solved by
``cardai solve``, at three depths, by :func:`fitted`; between them they change with the logarithm of what is behind over the pot.
For three players and more the same numbers are taken, and are a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Float64s
from cardai.poker.hand_classes import CLASSES

FEATURES = ("suited", "pair", "connected")


@frozen
class Depth:
    """The rule's numbers where ``behind`` pots are behind."""

    behind: float
    slope: float
    last: float
    suited: float
    pair: float
    connected: float


# fmt: off
CHECKED_DOWN = (Depth(0.0, 1.0, 0.0, 0.0, 0.0, 0.0),)
"""Every hand wins its equity."""
FITTED: tuple[Depth, ...] = (
    Depth(0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
)
# fmt: on


def features() -> Float64s:
    """Return (169, 3) whether a class is suited, is a pair, and how connected it is (1 for neighbours, 0 from 5 apart)."""
    row, column = np.divmod(np.arange(CLASSES), 13)
    apart = np.abs(row - column)
    near = np.clip(5 - apart, 0, 4) / 4
    return np.stack([column > row, row == column, np.where(apart == 0, 0.0, near)], axis=1).astype(np.float64)


@frozen(eq=False)
class Shares:
    """The rule at several depths, as kernels take it."""

    slope: Float64s
    """(R,)"""
    last: Float64s
    """(R,): half the difference between who acts last and first, times two over n."""
    bonus: Float64s = field(repr=False)
    """(R, 169)"""


def shares_at(behind: Float64s, known: Sequence[Depth]) -> Shares:
    """Return the rule for each of ``behind`` (R,) pots behind."""
    points = np.log1p([depth.behind for depth in known])
    at = np.log1p(behind)
    rows = {
        name: np.interp(at, points, [getattr(depth, name) for depth in known]) for name in ("slope", "last", *FEATURES)
    }
    bonus = np.stack([rows[name] for name in FEATURES], axis=1) @ features().T
    return Shares(rows["slope"], rows["last"], bonus)
