"""One hand against all others as the board comes: every equity on flop, turn and river, from one ranking of all runouts.

*x* is the chance to win minus the chance to lose, from -1 to 1: what a hand wins of a pot to which both gave 1. Hands are
numbered as in :mod:`cardai.poker.hands.combos`; those that hold a card of the other hand or of the board, or one that is not
in the deck, have x = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from math import comb

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.cards.text import card_set
from cardai.core.arrays import Bools, Float64s, Int64s
from cardai.core.rng import Rows, derive_many
from cardai.poker.contract import FRENCH
from cardai.poker.hands.combos import COUNT, compatible, left_by, pair_index, pairs
from cardai.poker.hands.ranking import Values, rank_high
from cardai.poker.hands.strength import PREFLOP

Rank = Callable[[npt.NDArray[np.uint8]], Values]
"""What hands of seven cards (n, 7) are worth, (n,)."""
SAMPLE = 1000
"""Boards from which a deck's chances before the flop are estimated that no table holds."""


@cache
def _structure(left: int) -> tuple[Int64s, Int64s, Bools, Float64s]:
    """Return of the P pairs among ``left`` cards (hold'em: 1,081 of 47), by place: (P,) lower, higher, (P, P) which are
    disjoint, and (left, P) which hold each card."""
    high, low = np.tril_indices(left, -1)
    holds = np.zeros((left, len(low)))
    holds[low, np.arange(len(low))] = holds[high, np.arange(len(low))] = 1.0
    return low, high, (holds.T @ holds) == 0, holds


@frozen(eq=False)
class Equities:
    """What all hands have on one board: ``x`` (1326,), and ``strong``, the one hand's chance against a random of them."""

    x: Float64s
    strong: float


@frozen(eq=False)
class Runouts:
    """All that can come after a flop, for ``hand`` (two cards) against every other.

    The n cards that are left, five fewer than the deck's, are 47 in hold'em, and the P pairs of them 1,081.
    """

    hand: tuple[int, int]
    flop: tuple[int, int, int]
    deck: tuple[int, ...] = FRENCH.cards
    rank: Rank = rank_high

    @cached_property
    def cards(self) -> Int64s:
        """(n,) the cards that can come, ascending."""
        return np.setdiff1d(self.deck, [*self.hand, *self.flop])

    @cached_property
    def _pairs(self) -> tuple[Int64s, Int64s, Bools, Float64s]:
        return _structure(len(self.cards))

    @cached_property
    def hands(self) -> Int64s:
        """(P,) the numbers of the other hands, by place."""
        low, high, _, _ = self._pairs
        return pair_index(self.cards[low], self.cards[high])

    @cached_property
    def ranks(self) -> npt.NDArray[np.int32]:
        """(P, P): the value of each hand (columns) with each turn and river (rows); wrong where they share a card."""
        low, high, _, _ = self._pairs
        both = np.stack([self.cards[low], self.cards[high]], axis=1).astype(np.uint8)
        deals = np.empty((len(low), len(low), 7), np.uint8)
        deals[:, :, :3] = self.flop
        deals[:, :, 3:5] = both[:, None]
        deals[:, :, 5:] = both[None]
        return self.rank(deals.reshape(-1, 7)).reshape(len(low), len(low))

    @cached_property
    def results(self) -> npt.NDArray[np.float32]:
        """(P, P): 1 where a hand (columns) wins on a runout (rows), -1 where it loses, 0 where it cannot be held."""
        low, high, disjoint, _ = self._pairs
        whole = np.empty((len(low), 7), np.uint8)
        whole[:, :3], whole[:, 5:] = self.flop, self.hand
        whole[:, 3], whole[:, 4] = self.cards[low], self.cards[high]
        return np.asarray(np.sign(self.ranks - self.rank(whole)[:, None]) * disjoint, np.float32)

    @cached_property
    def on_flop(self) -> Equities:
        """Equities with two cards to come."""
        coming = comb(len(self.cards) - 2, 2)
        return self._equities(self.results.sum(axis=0, dtype=np.float64) / coming, np.ones(COUNT, bool))

    @cached_property
    def _turns(self) -> Float64s:
        """(n, P): x on the turn, by the place of its card."""
        holds = self._pairs[3].astype(np.float32)
        return np.asarray(holds @ self.results, np.float64) / (len(self.cards) - 3)

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
        fits = self._pairs[2][row]
        out = np.zeros(COUNT)
        out[self.hands[fits]] = _shares(self.ranks[row][fits])
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


def _shares(values: npt.NDArray[np.int32]) -> Float64s:
    """Return (n,) the share of ``values`` (n,) that each beats, ties half."""
    order = np.sort(values)
    return (np.searchsorted(order, values, "left") + np.searchsorted(order, values, "right")) / (2 * len(order))


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
def dealt_from(deck: tuple[int, ...]) -> Bools:
    """Return (1326,) which hands a deck has."""
    return np.asarray(np.isin(pairs(), deck).all(axis=1))


def random_boards(cards: Int64s, count: int, size: int, seed: int) -> Int64s:
    """Return (count, size) random boards of ``cards``."""
    luck = Rows(derive_many(seed, "board", count=count)).random(len(cards))
    return np.asarray(cards[np.argsort(luck, axis=1)[:, :size]], np.int64)


def _on_boards(boards: Int64s, deck: tuple[int, ...], rank: Rank) -> npt.NDArray[np.int32]:
    """Return (m, 1326) the value of each hand on each of ``boards`` (m, 5), -1 where it cannot be held."""
    held = dealt_from(deck)
    deals = np.empty((len(boards), int(held.sum()), 7), np.uint8)
    deals[:, :, :5] = boards[:, None]
    deals[:, :, 5:] = pairs()[held]
    out = np.full((len(boards), COUNT), -1, np.int32)
    out[:, held] = rank(deals.reshape(-1, 7)).reshape(len(boards), -1)
    out[~compatible(np.array([card_set(board) for board in boards.tolist()], np.uint64))] = -1
    return out


@cache
def _preflop(deck: tuple[int, ...], rank: Rank) -> Float64s:
    """Return (1326,) each hand's chance to beat a random one before the flop: hold'em's table, else from random boards."""
    if (deck, rank) != (FRENCH.cards, rank_high):
        values, chance = _on_boards(random_boards(np.array(deck), SAMPLE, 5, 0), deck, rank), np.zeros(COUNT)
        for row in values:
            chance[row >= 0] += _shares(row[row >= 0])
        return np.asarray(chance / np.maximum((values >= 0).sum(axis=0), 1))
    both = pairs().astype(np.int64)
    ranks = both % 13
    high, low = ranks.max(axis=1), ranks.min(axis=1)
    suited = both[:, 0] // 13 == both[:, 1] // 13
    return np.asarray(np.where(suited, PREFLOP[high, low], PREFLOP[low, high]))


def before_flop(hand: Sequence[int], deck: tuple[int, ...] = FRENCH.cards, rank: Rank = rank_high) -> Equities:
    """Return roughly what all hands have against ``hand`` before the flop: from both chances against a random hand.

    By the odds e = p(1 - q) / (p(1 - q) + q(1 - p)) for hands that beat a random one with p and q.
    """
    own = _preflop(deck, rank)
    chance = own[pair_index(np.array([hand[0]]), np.array([hand[1]]))[0]]
    wins, loses = own * (1 - chance), chance * (1 - own)
    x = (wins - loses) / (wins + loses) * left_by(hand) * dealt_from(deck)
    return Equities(x, float(chance))


def sampled_before_flop(
    hand: Sequence[int], boards: Int64s, deck: tuple[int, ...] = FRENCH.cards, rank: Rank = rank_high
) -> Float64s:
    """Return (1326,) an estimate of x before the flop whose mean is right, from random ``boards`` (m, 5) without ``hand``.

    A board that a hand's cards block counts 0 for it, and the others as much more, so that no quotient of two random
    numbers is taken. Hands that share a card with ``hand`` have 0.
    """
    values = _on_boards(boards, deck, rank)
    whole = np.concatenate([boards, np.broadcast_to(np.array(hand, np.int64), (len(boards), 2))], axis=1)
    results = np.sign(values - rank(whole)[:, None]) * (values >= 0)
    missed = comb(len(deck) - 2, 5) / comb(len(deck) - 4, 5)
    return np.asarray(results.mean(axis=0) * missed * left_by(hand))
