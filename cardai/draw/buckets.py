"""Buckets of deuce-to-seven hands, for solvers: hands that can become the same are treated alike.

With draws to come a hand is four numbers (:mod:`cardai.draw._bucket_kernels`), what it is worth as it stands and by the best
draw of one card, of two, of three or more, on the scale of :mod:`cardai.draw.values`; buckets are clusters of these by
k-means. After the last draw a hand is its rank, and buckets are percentiles of the ranks that come there. Both are made from
hands as they are drawn to: mostly the best draw, now and then another. Cards that were thrown away are forgotten.

>>> made = draw_buckets(hands=6, final=4, draws=1)
>>> made.counts
(6, 4)
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Int64s
from cardai.draw import _bucket_kernels as kernels
from cardai.draw.holds import CHOOSE, SHARES, STARTS
from cardai.draw.values import draw_values
from cardai.poker.buckets._kmeans import k_means

CHOICES = kernels.CHOICES
SAMPLE = 60_000
"""Hands from which buckets are made, after each number of draws."""
ROUNDS = 15
"""Rounds of k-means."""
OTHER = 0.2
"""How often a hand of the sample draws another number of cards than the best."""


@frozen(eq=False)
class DrawBuckets:
    """Which hands are treated alike after each number of draws."""

    centres: tuple[Int64s, ...] = field(repr=False)
    """Of each number of draws done but the last, (K, 4): the centres of the buckets."""
    thresholds: Int64s = field(repr=False)
    """(K - 1,) after the last draw: the value at which each bucket but the first begins."""

    @property
    def draws(self) -> int:
        """How many draws there are."""
        return len(self.centres)

    @property
    def counts(self) -> tuple[int, ...]:
        """(draws + 1,): how many buckets there are after each number of draws."""
        return (*(len(one) for one in self.centres), len(self.thresholds) + 1)

    def same_as(self, other: DrawBuckets) -> bool:
        """Whether hands are told apart in the same way."""
        mine, theirs = (*self.centres, self.thresholds), (*other.centres, other.thresholds)
        return len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))

    def known(self) -> kernels.Known:
        """Return what the kernels take."""
        most = max(len(one) for one in self.centres)
        centres = np.zeros((self.draws, most, CHOICES), np.int64)
        for done, one in enumerate(self.centres):
            centres[done, : len(one)] = one
        counts = np.array(self.counts, np.int64)
        return kernels.Known(draw_values().sums[: self.draws], CHOOSE, STARTS, SHARES, centres, counts, self.thresholds)


def place_hands(known: kernels.Known, hands: Any, done: Any) -> tuple[Int64s, Int64s, Int64s]:
    """Return features (n, 4), buckets (n,) and what each choice discards (n, 4), as masks of cards as given, of ``hands``
    (n, 5) after ``done`` (n,) draws.
    """
    count = len(hands)
    out = np.empty((count, CHOICES), np.int64), np.empty(count, np.int64), np.empty((count, CHOICES), np.int64)
    kernels.place_hands(known, np.ascontiguousarray(hands, np.int64), np.ascontiguousarray(done, np.int64), *out)
    return out


@cache
def draw_buckets(hands: int, final: int, draws: int, seed: int = 0) -> DrawBuckets:
    """Return buckets: ``hands`` after each number of draws but the last of ``draws``, ``final`` after that."""
    rng = np.random.Generator(np.random.PCG64(seed))
    nothing = DrawBuckets((np.zeros((1, CHOICES), np.int64),) * draws, np.zeros(0, np.int64)).known()
    decks = rng.permuted(np.tile(np.arange(52), (SAMPLE, 1)), axis=1)
    held, drawn, centres = decks[:, :5].copy(), 5, []
    for done in range(draws):
        features, _, masks = place_hands(nothing, held, np.full(SAMPLE, done))
        points = np.ascontiguousarray(features, np.int16)
        centres.append(k_means(points, hands, seed + done, ROUNDS).points)
        best = np.where(
            rng.random(SAMPLE) < OTHER, rng.integers(CHOICES, size=SAMPLE), _best(features, draws - done, held)
        )
        thrown = masks[np.arange(SAMPLE), best][:, None] >> np.arange(5) & 1
        held = np.where(thrown == 1, decks[:, drawn : drawn + 5], held)
        drawn += 5
    values = np.sort(place_hands(nothing, held, np.full(SAMPLE, draws))[0][:, 0])
    ends = np.unique(values[np.arange(1, final) * SAMPLE // final])
    return DrawBuckets(tuple(centres), ends[ends > values[0]])


def _best(features: Int64s, left: int, held: Int64s) -> Int64s:
    """Return (n,) the choice that is worth most; standing pat is worth what the hand is with a draw less."""
    pat = draw_values().best(held, left - 1)
    return np.asarray(np.concatenate([pat[:, None], features[:, 1:]], axis=1).argmax(axis=1), np.int64)
