"""What to do before the flop against a player, by what follows on some flops, and what that wins on others.

Over all 1,755 classes of flops the best answers are exact and so is exploitability. Over a sample, answers that are chosen
and scored on the same flops look better than they are. So answers are chosen on one half of the sample and scored on the
other: a legal strategy of a responder, whose score is an unbiased value, a lower bound on exploitability. Scored on the
flops that chose them, answers give an estimate that is too high in the mean (the maximum of means is at most the mean of
maxima).

The responder treats the 1,326 hands by their 169 classes; what hands win is kept as sums over a class, times the other's
range and probabilities, so that all of it is linear in what follows on each flop.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Float64s, Int64s
from cardai.poker.buckets.tables import starting_classes
from cardai.poker.hand_classes import CLASSES
from cardai.poker.hands.combos import COUNT
from cardai.poker.ranges.public_tree import DEAL, DECISION
from cardai.poker.responses.street_response import StreetTree, Walker, pairings

FLOPS = comb(52, 3)
"""What both seats can be dealt: 22,100 flops, of 1,755 classes."""


@frozen(eq=False)
class PreflopGame:
    """The betting before the flop as the responder in either seat meets it.

    ``ends`` (2, t, 169) are what the classes of each seat win at its ends by folds, ``places`` the rows of flop values
    (:meth:`~.street_response.Walker.flop_values`) that follow its DEAL nodes.
    """

    one: StreetTree
    ends: Float64s = field(repr=False)
    places: Int64s = field(repr=False)

    @classmethod
    def of(cls, walker: Walker) -> PreflopGame:
        """Return that of a walker's player."""
        one, hands = walker.streets[0][0], np.ones((2, COUNT))
        reaches = walker.reaches(one.root, hands, [])
        ends = [_by_class(walker.at_the_ends([one], seat, [reaches[1 - seat]], [])[0]) for seat in range(2)]
        places = [walker.flop_roots.index(int(deal)) for deal in one.deals]
        return cls(one, np.array(ends), np.array(places, np.int64))

    def best(self, follows: Float64s) -> tuple[Float64s, list[dict[int, Int64s]]]:
        """Return (2,) what the best answers win in each seat, and those answers.

        ``follows`` (roots, 2, 169) is the mean over flops of what classes win from the flop on; answers hold for each of a
        seat's decisions (169,) the number of the action that each class takes.
        """
        answers: list[dict[int, Int64s]] = [{}, {}]
        return np.array([self._won(seat, follows, answers[seat], True) for seat in range(2)]), answers

    def score(self, follows: Float64s, answers: Sequence[dict[int, Int64s]]) -> Float64s:
        """Return (2,) what ``answers`` win in each seat (see :meth:`best`), in chips a hand."""
        return np.array([self._won(seat, follows, answers[seat], False) for seat in range(2)])

    def _won(self, seat: int, follows: Float64s, answers: dict[int, Int64s], choose: bool) -> float:
        node, child = self.one.street.node, self.one.street.child
        later = follows[self.places, seat] * FLOPS / comb(48, 3)
        values = np.empty((len(node), CLASSES))
        for i in range(len(node) - 1, -1, -1):
            kind, actor, count, _, number = node[i]
            if kind == DEAL:
                values[i] = later[number]
            elif kind != DECISION:
                values[i] = self.ends[seat, number]
            elif actor != seat:
                values[i] = values[child[i, :count]].sum(axis=0)
            else:
                below = values[child[i, :count]]
                if choose:
                    answers[i] = below.argmax(axis=0)
                values[i] = np.take_along_axis(below, answers[i][None], axis=0)[0]
        return float(values[0].sum()) / pairings(0)


@frozen(eq=False)
class TwoSided:
    """Exploitability from sampled flops, chips a hand, mean over both seats."""

    lower: Float64s = field(repr=False)
    """(n,) what the answers that the other half chose win, flop by flop: their mean is an unbiased lower bound."""
    upper: float
    """What the answers of the whole sample win on it: too high in the mean."""


def two_sided(game: PreflopGame, flops: Float64s) -> TwoSided:
    """Return both estimates of ``flops`` (n, roots, 2, 169), drawn as they are dealt, in the order of their strata.

    Halves are every other flop. Of a single one nothing can be said from below: ``lower`` is empty.
    """
    upper = float(game.best(flops.mean(axis=0))[0].mean())
    if len(flops) < 2:
        return TwoSided(np.zeros(0), upper)
    chosen = [game.best(flops[half::2].mean(axis=0))[1] for half in range(2)]
    lower = [game.score(flop, chosen[1 - number % 2]).mean() for number, flop in enumerate(flops)]
    return TwoSided(np.array(lower), upper)


def _by_class(values: Float64s) -> Float64s:
    """Return (t, 169) the sums over each class's hands of (t, 1326) values."""
    return np.array([np.bincount(starting_classes(), row, CLASSES) for row in values]).reshape(-1, CLASSES)
