"""What hands win of a pot that sees a flop with chips behind, by a stated rule: nothing after the flop is played.

    share = 1/n + slope (equity - 1/n) + last (place - 1/2) 2/n

of n players, whose shares sum to 1. ``equity`` is what the hand wins where all check to the end; a ``slope`` above 1 says that
better hands win more than that and worse ones less, since bets follow; ``place`` is 0 for who acts first on every street, 1 for who
acts last, evenly between. The numbers are fitted to pots for two that ``cardai solve`` solved (experiments/preflop_shares.py);
between two depths they change with the logarithm of what is behind over the pot, and beyond the deepest they stay. Pots of three
and more take the same numbers, which is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from cardai.core.arrays import Float64s


@frozen
class Depth:
    """The rule's numbers where ``behind`` pots are behind."""

    behind: float
    slope: float
    last: float


CHECKED_DOWN = (Depth(0.0, 1.0, 0.0),)
"""Every hand wins its equity."""
FITTED = (Depth(0.0, 1.0, 0.0), Depth(4.39, 2.071, 0.0737), Depth(17.727, 2.3006, 0.1101))
"""python experiments/preflop_shares.py DIRECTORY: 3-bet pots and single-raised ones at 100 big blinds on 12 flops."""


@frozen(eq=False)
class Shares:
    """The rule at R depths, as kernels take it."""

    slope: Float64s
    last: Float64s


def shares_at(behind: Float64s, known: Sequence[Depth]) -> Shares:
    """Return the rule for each of ``behind`` (R,) pots behind."""
    points, at = np.log1p([depth.behind for depth in known]), np.log1p(behind)
    return Shares(
        np.interp(at, points, [depth.slope for depth in known]), np.interp(at, points, [depth.last for depth in known])
    )
