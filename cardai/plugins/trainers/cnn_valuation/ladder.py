"""No-limit raises as classes: the rungs of a ladder of bets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, field, frozen

from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.fields import Views
from cardai.learn.imitation.examples import Examples
from cardai.poker.rules.ladder import ladder_fraction

ALL_IN = -1.0


def _fractions(texts: Sequence[str]) -> tuple[float, ...]:
    return tuple(map(ladder_fraction, texts))


@frozen
class Ladder:
    """The classes 0 fold, 1 check or call, and one a rung.

    A raise is of the rung whose share of the pot after calling is nearest to its own, by ratio; one that puts in the whole
    stack is all-in, where the ladder has that rung. Where raising is legal, every rung is: what is played is the rung's
    amount, or the nearest that is legal.
    """

    rungs: tuple[float, ...] = field(converter=_fractions)

    @property
    def names(self) -> tuple[str, ...]:
        """What the classes are called."""
        return ("fold", "call", *("all-in" if share == ALL_IN else f"raise {share:g} pot" for share in self.rungs))

    def amounts(self, views: Views) -> Int64s:
        """Return (n, R) the chips in the hand that each rung raises to; legal or not."""
        rows, seat = np.arange(len(views)), views["player"].astype(np.int64)
        own, behind = (views[name][rows, seat].astype(np.int64)[:, None] for name in ("spent", "stacks"))
        called = own + views["to_call"].astype(np.int64)[:, None]
        pot = views["pot"].astype(np.float64)[:, None] + views["to_call"][:, None]
        shares = np.array(self.rungs)
        return np.asarray(np.where(shares == ALL_IN, own + behind, called + np.rint(shares * pot).astype(np.int64)))

    def labels(self, views: Views, action: Int64s) -> Int64s:
        """Return (n,) the classes of actions (n,): fold, call, or the chips raised to."""
        rows, seat = np.arange(len(views)), views["player"].astype(np.int64)
        own, behind = (views[name][rows, seat].astype(np.int64) for name in ("spent", "stacks"))
        called = own + views["to_call"].astype(np.int64)
        sizes = np.maximum(self.amounts(views) - called[:, None], 1)
        away = np.abs(np.log(sizes) - np.log(np.maximum(action - called, 1))[:, None])
        nearest = away.argmin(axis=1)
        if self.rungs[-1] == ALL_IN:
            nearest = np.where(action == own + behind, len(self.rungs) - 1, nearest)
        return np.where(action >= 2, 2 + nearest, action)

    def legal(self, kinds: Bools) -> Bools:
        """Return (n, 2 + R) which classes are legal from whether fold, call and a raise are (n, 3)."""
        return np.concatenate([kinds[:, :2], np.repeat(kinds[:, 2:], len(self.rungs), axis=1)], axis=1)

    def relabelled(self, examples: Examples) -> Examples:
        """Return examples of fold, call and raise as examples of these classes."""
        label = self.labels(examples.views, examples.action).astype(np.int16)
        return evolve(examples, label=label, legal=self.legal(examples.legal))

    def kinds(self, probabilities: Float64s) -> Float64s:
        """Return (n, 3) the probabilities of folding, calling and raising from those of the classes (n, 2 + R)."""
        raising = probabilities[:, 2:].sum(axis=1, keepdims=True)
        return np.concatenate([probabilities[:, :2], raising], axis=1)
