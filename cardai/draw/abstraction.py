"""Action abstraction of draw poker: how many cards are kept, rather than which."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import Views
from cardai.draw.actions import FIRST_DISCARD, HOLDS
from cardai.learn.abstraction import ActionAbstraction

HoldValueFunction = Callable[[Views], Float64s]
"""The value (n, 32) of each hold (bit i keeps card i of ``hand``)."""
_KEPT = np.array([5 - mask.bit_count() for mask in range(HOLDS)])


class DrawCountAbstraction(ActionAbstraction):
    """Draw games with betting: fold, call, raise, and how many cards to keep (0 to 5); ``holds`` says which ones."""

    def __init__(self, holds: HoldValueFunction) -> None:
        super().__init__(FIRST_DISCARD + 6)
        self.probed = FIRST_DISCARD
        self.holds = holds

    def legal(self, legal: Bools) -> Bools:
        kept = [legal[:, FIRST_DISCARD + np.flatnonzero(size == _KEPT)].any(axis=1) for size in range(6)]
        return np.concatenate([legal[:, :FIRST_DISCARD], np.stack(kept, axis=1)], axis=1)

    def same_kind(self, legal: Bools) -> Bools:
        drawing = legal[:, FIRST_DISCARD:].any(axis=1)
        draws = np.arange(self.count) >= FIRST_DISCARD
        return np.asarray(draws[None, :] == np.asarray(drawing)[:, None])

    def abstract(self, actions: Int64s) -> Int64s:
        kept = FIRST_DISCARD + _KEPT[np.maximum(actions - FIRST_DISCARD, 0)]
        return np.asarray(np.where(actions < FIRST_DISCARD, actions, kept), np.int64)

    def best_holds(self, views: Views) -> tuple[Int64s, Int64s]:
        """Return the action (n, 6) of the best hold of each size, and the size (n,) of the best hold of all."""
        values = self.holds(views)[:, ::-1]  # by discard mask: 31 - hold
        sized = np.where(np.arange(6)[:, None] == _KEPT, 0.0, -np.inf)  # (6, 32)
        every = values[:, None, :] + sized[None]
        return FIRST_DISCARD + every.argmax(axis=2), every.max(axis=2).argmax(axis=1)

    def concrete(self, views: Views, chosen: Int64s) -> Int64s:
        out = np.array(chosen, np.int64)
        rows = np.flatnonzero(out >= FIRST_DISCARD)
        if len(rows):
            out[rows] = self.best_holds(views[rows])[0][np.arange(len(rows)), out[rows] - FIRST_DISCARD]
        return out

    def concrete_policy(self, views: Views, probabilities: Float64s, legal: Bools) -> Float64s:
        return self._at_best_holds(views, probabilities, legal, 0.0)

    def concrete_values(self, views: Views, values: Float64s, legal: Bools) -> Float64s:
        return self._at_best_holds(views, values, legal, np.nan)

    def _at_best_holds(self, views: Views, given: Float64s, legal: Bools, elsewhere: float) -> Float64s:
        """Return (n, A) what is ``given`` (n, C) of abstract actions, sizes of draws at the best hold of each."""
        out = np.full(legal.shape, elsewhere)
        out[:, :FIRST_DISCARD] = given[:, :FIRST_DISCARD]
        rows = np.flatnonzero(legal[:, FIRST_DISCARD:].any(axis=1))
        if len(rows):
            out[rows[:, None], self.best_holds(views[rows])[0]] = given[rows, FIRST_DISCARD:]
        return out
