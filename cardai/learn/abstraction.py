"""Action abstraction: what a learner chooses among is a game's actions, or fewer abstract ones that become actions."""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import Views

PROBED = 8
"""How many kinds of action are tried for ending the hand at once: the first ones (fold, call, raise in betting games)."""


class ActionAbstraction:
    """The game's actions themselves."""

    def __init__(self, count: int) -> None:
        self.count = count
        """How many abstract actions there are (C)."""
        self.probed = min(count, PROBED)
        """The first so many abstract actions are actions of the same number, and may end the hand."""

    def legal(self, legal: Bools) -> Bools:
        """Return the legal abstract actions (n, C) for legal actions (n, A)."""
        return legal

    def same_kind(self, legal: Bools) -> Bools:
        """Return (n, C): the abstract actions of the kind that is up (betting or drawing), for the legal ones (n, C)."""
        return np.ones(legal.shape, np.bool_)

    def abstract(self, actions: Int64s) -> Int64s:
        """Return the abstract actions (n,) that actions (n,) amount to."""
        return np.asarray(actions, np.int64)

    def concrete(self, views: Views, chosen: Int64s) -> Int64s:
        """Return the actions (n,) of abstract actions (n,)."""
        return chosen

    def concrete_policy(self, views: Views, probabilities: Float64s, legal: Bools) -> Float64s:
        """Return probabilities of actions (n, A) for those of abstract actions (n, C)."""
        return probabilities

    def concrete_values(self, views: Views, values: Float64s, legal: Bools) -> Float64s:
        """Return values of actions (n, A) for those of abstract actions (n, C); NaN where there is none."""
        return values
