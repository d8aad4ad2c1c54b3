"""What a game of gin rummy declares of its rules, for players and learners that go by more than its views.

>>> from cardai import game
>>> from cardai.gin.contract import knock_limits, need_gin
>>> knock_limits(need_gin(game("gin:oklahoma=true"), "This table plays"))[:3]
array([2, 3, 4])
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cardai.core.agent import need_family
from cardai.core.arrays import Int64s
from cardai.core.errors import UsageError
from cardai.core.game import Game
from cardai.core.spec import brief
from cardai.gin.fields import GIN


class GinGame(Game):
    """A game of gin rummy that declares itself. Every attribute is required."""

    target: int
    """The match ends when a player has this many points."""
    knock_limit: int
    """Knocking needs deadwood of at most this, ..."""
    oklahoma: bool
    """... or of at most the points of the first up-card, ..."""
    oklahoma_ace: Literal["gin", "one"]
    """... of which an ace demands gin, or allows one point."""
    double_spades: bool
    """Whether a hand whose first up-card is a spade scores twice as much."""
    default_encoder = "gin_compact"


def need_gin(game: Game, who: str) -> GinGame:
    """Return ``game`` as the gin that it declares itself to be; ``who`` begins the message: "gin_values learns".

    Raises:
        UsageError: it is no gin, or does not declare its rules.
    """
    need_family(game, GIN, who)
    if not isinstance(game, GinGame):
        raise UsageError(
            f"{who} gin rummy by its rules. {brief(game)} does not declare them (cardai.gin.contract.GinGame)."
        )
    return game


def knock_limits(game: GinGame) -> Int64s:
    """Return (52,) the most deadwood that may knock, by the first up-card."""
    if not game.oklahoma:
        return np.full(52, game.knock_limit, np.int64)
    limits = np.array([min(card % 13 + 2, 10) for card in range(52)], np.int64)
    limits[12::13] = 1 if game.oklahoma_ace == "one" else 0
    return limits
