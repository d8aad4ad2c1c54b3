"""What trees of :mod:`cardai.solve.search` are made of, and what a search says when it ends."""

from __future__ import annotations

import itertools
from math import log, sqrt
from typing import Any

import numpy as np
from attrs import define, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import unpack_view
from cardai.core.game import Amounts, Game, Legal
from cardai.core.legal import legal_columns, legal_list


@define
class Node:
    """What is known of one decision: for each of its ``actions``, how often it was begun, finished, and what it brought."""

    actions: list[int]
    begun: list[int]
    finished: list[int]
    total: list[float]
    visits: int = 0

    def choose(self, spread: float, luck: int) -> int:
        """Return the place of the action with the highest upper confidence bound, and count it as begun.

        What was never tried comes first, in an order that ``luck`` turns: the first of all is often to fold.
        """
        best, highest, first = 0, -float("inf"), luck % len(self.actions)
        for place in (*range(first, len(self.actions)), *range(first)):
            begun = self.begun[place]
            if not begun:
                best = place
                break
            done = self.finished[place]
            mean = self.total[place] / done if done else 0.0
            bound = mean + spread * sqrt(log(self.visits) / begun)
            if bound > highest:
                best, highest = place, bound
        return self.begin(best)

    def begin(self, place: int) -> int:
        """Count the action at ``place`` as begun, and return the place."""
        self.begun[place] += 1
        self.visits += 1
        return place

    def nearest(self, action: int) -> int:
        """Return the place of ``action``, or of the nearest amount that is searched."""
        return min(range(len(self.actions)), key=lambda place: abs(self.actions[place] - action))


@frozen(eq=False)
class Found:
    """What a search says of each of its ``actions`` (A,): how often it was played, and its mean return (NaN: never finished)."""

    actions: Int64s
    visits: Float64s
    values: Float64s
    deviation: float
    """The standard deviation of the returns of who searches."""

    def chances(self, together: bool, by_visits: bool) -> Float64s:
        """Return how likely each action (A,) is to be played: the best alone, or each as often as it was tried."""
        if by_visits:
            return np.asarray(self.visits / self.visits.sum())
        values = np.where(np.isnan(self.values), -np.inf, self.values)
        best = self.visits == self.visits.max() if together else np.ones(len(values), bool)
        best = best & (values == values[best].max())
        return np.asarray(best / best.sum())


FAR = 4
"""An amount that is more than so many times the next smaller one is not tried: all chips at once, with little in the pot."""


def offered(game: Game, legal: Legal, row: int, view: Any) -> list[int]:
    """Return what is searched of a row's legal actions: all of a mask; beside amounts the raises that have a name (half the
    pot, the pot, all-in), or where none has one the smallest and the largest. ``view`` is the packed view of the row."""
    actions = legal_list(legal, row)
    if isinstance(legal, Amounts) and legal.kinds[row, 2]:
        low, high = int(legal.min_amount[row]), int(legal.max_amount[row])
        named = [amount for _, amount in game.named_raises(unpack_view(game.view_fields, view))]
        sizes = sorted({min(max(amount, low), high) for amount in named})
        if sizes:
            near = [size for below, size in itertools.pairwise(sizes) if size <= FAR * below]
            actions = [action for action in actions if action < 2] + [sizes[0], *near]
    return actions


def legal_bytes(legal: Legal, row: int) -> bytes:
    """Return what tells a row's legal actions from others of the same view."""
    return bytes(legal_columns(legal)[row].tobytes())


def column_of(actions: Int64s, legal: Legal) -> Int64s:
    """Return the columns (A,) of a policy in which ``actions`` stand: all amounts share one."""
    return np.minimum(actions, 2) if isinstance(legal, Amounts) else actions


def best_of(found: Found, among: Bools) -> int:
    """Return the place of the best action ``among`` (A,) some: the one with the highest value that has one."""
    return int(np.argmax(np.where(among, np.where(np.isnan(found.values), -1e300, found.values), -np.inf)))
