"""One hand against all others as the board comes: every equity on flop, turn and river, from one ranking of all runouts.

*x* is the chance to win minus the chance to lose, from -1 to 1: what a hand wins of a pot to which both gave 1. Hands are
numbered as in :mod:`cardai.poker.hands.combos`; those that hold a card of the other hand or of the board have x = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from math import comb

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.text import card_set
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.poker.hands.combos import COUNT, compatible, left_by, pair_index, pairs
from cardai.poker.hands.ranking import rank_high
from cardai.poker.hands.strength import PREFLOP

LEFT = 47
"""Cards that neither the one hand nor the flop holds."""


@cache
def _structure() -> tuple[Int64s, Int64s, Bools, Float64s]:
    """Return of the pairs among the 47 cards, by place: (1081,) lower, higher, (1081, 1081) which are disjoint, and
    (47, 1081) which hold each card."""
    high, low = np.tril_indices(LEFT, -1)
    holds = np.zeros((LEFT, len(low)))
    holds[low, np.arange(len(low))] = holds[high, np.arange(len(low))] = 1.0
    return low, high, (holds.T @ holds) == 0, holds


@frozen(eq=False)
class Equities:
    """What all hands have on one board: ``x`` (1326,), and ``strong``, the one hand's chance against a random of them."""

    x: Float64s
    strong: float


@frozen(eq=False)
class Runouts:
    """All that can come after a flop, for ``hand`` (two cards) against every other."""

    hand: tuple[int, int]
    flop: tuple[int, int, int]

    @cached_property
    def cards(self) -> Int64s:
        """(47,) the cards that can come, ascending."""
        return np.setdiff1d(np.arange(52), [*self.hand, *self.flop])

    @cached_property
    def hands(self) -> Int64s:
        """(1081,) the numbers of the other hands, by place."""
        low, high, _, _ = _structure()
        return pair_index(self.cards[low], self.cards[high])

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """(1081, 1081): the value of each hand (columns) with each turn and river (rows); wrong where they share a card."""
        low, high, _, _ = _structure()
        both = np.stack([self.cards[low], self.cards[high]], axis=1).astype(np.uint8)
        deals = np.empty((len(low), len(low), 7), np.uint8)
        deals[:, :, :3] = self.flop
        deals[:, :, 3:5] = both[:, None]
        deals[:, :, 5:] = both[None]
        return rank_high(deals.reshape(-1, 7)).reshape(len(low), len(low))

    @cached_property
    def results(self) -> npt.NDArray[np.float32]:
        """(1081, 1081): 1 where a hand (columns) wins on a runout (rows), -1 where it loses, 0 where it cannot be held."""
        low, high, disjoint, _ = _structure()
        whole = np.empty((len(low), 7), np.uint8)
        whole[:, :3], whole[:, 5:] = self.flop, self.hand
        whole[:, 3], whole[:, 4] = self.cards[low], self.cards[high]
        return np.asarray(np.sign(self.ranks - rank_high(whole)[:, None]) * disjoint, np.float32)

    @cached_property
    def on_flop(self) -> Equities:
        """Equities with two cards to come."""
        return self._equities(self.results.sum(axis=0, dtype=np.float64) / comb(LEFT - 2, 2), np.ones(COUNT, bool))

    @cached_property
    def _turns(self) -> Float64s:
        """(47, 1081): x on the turn, by the place of its card."""
        holds = _structure()[3].astype(np.float32)
        return np.asarray(holds @ self.results, np.float64) / (LEFT - 3)

    def on_turn(self, turn: int) -> Equities:
        """Return equities with the river to come."""
        place = int(np.searchsorted(self.cards, turn))
        return self._equities(self._turns[place], without(turn))

    def on_river(self, turn: int, river: int) -> Equities:
        """Return the results on a whole board."""
        row = self._row(turn, river)
        return self._equities(self.results[row].astype(np.float64), without(turn) & without(river))

    def ranked(self, turn: int, river: int) -> Float64s:
        """Return (1326,) how strong each hand is among all on a whole board: the share that it beats, ties half."""
        row = self._row(turn, river)
        fits = _structure()[2][row]
        values = self.ranks[row][fits]
        order = np.sort(values)
        share = (np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right")) / (2 * len(order))
        out = np.zeros(COUNT)
        out[self.hands[fits]] = share
        return out

    def _row(self, turn: int, river: int) -> int:
        one, two = sorted(np.searchsorted(self.cards, [turn, river]).tolist())
        return int(two * (two - 1) // 2 + one)

    def _equities(self, x: Float64s, fits: Bools) -> Equities:
        out = np.zeros(COUNT)
        out[self.hands] = x
        out *= fits
        count = int(fits[self.hands].sum())
        return Equities(out, 0.5 - float(out.sum()) / count / 2)


@cache
def _card_masks() -> Bools:
    both, out = pairs(), np.ones((52, COUNT), bool)
    for card in range(52):
        out[card] = (both != card).all(axis=1)
    return out


def without(card: int) -> Bools:
    """Return (1326,) which hands do not hold ``card``."""
    return np.asarray(_card_masks()[card])


@cache
def _preflop() -> Float64s:
    """Return (1326,) each hand's chance to beat a random one before the flop."""
    both = pairs().astype(np.int64)
    ranks = both % 13
    high, low = ranks.max(axis=1), ranks.min(axis=1)
    suited = both[:, 0] // 13 == both[:, 1] // 13
    return np.asarray(np.where(suited, PREFLOP[high, low], PREFLOP[low, high]))


def before_flop(hand: Sequence[int]) -> Equities:
    """Return roughly what all hands have against ``hand`` before the flop: from both chances against a random hand.

    By the odds e = p(1 - q) / (p(1 - q) + q(1 - p)) for hands that beat a random one with p and q.
    """
    own, chance = _preflop(), _preflop()[pair_index(np.array([hand[0]]), np.array([hand[1]]))[0]]
    wins, loses = own * (1 - chance), chance * (1 - own)
    x = (wins - loses) / (wins + loses) * left_by(hand)
    return Equities(x, float(chance))


def sampled_before_flop(hand: Sequence[int], boards: Int64s) -> Float64s:
    """Return (1326,) an estimate of x before the flop whose mean is right, from random ``boards`` (m, 5) without ``hand``.

    A board that a hand's cards block counts 0 for it, and the others as much more, so that no quotient of two random
    numbers is taken. Hands that share a card with ``hand`` have 0.
    """
    both = pairs().astype(np.uint8)
    deals = np.empty((len(boards), COUNT, 7), np.uint8)
    deals[:, :, :5] = boards[:, None]
    deals[:, :, 5:] = both[None]
    whole = np.concatenate([boards, np.broadcast_to(np.array(hand, np.int64), (len(boards), 2))], axis=1)
    fits = compatible(np.array([card_set(board) for board in boards.tolist()], np.uint64))
    results = np.sign(rank_high(deals.reshape(-1, 7)).reshape(len(boards), COUNT) - rank_high(whole)[:, None]) * fits
    free = left_by(hand)
    return np.asarray(results.mean(axis=0) * (comb(50, 5) / comb(48, 5)) * free)
