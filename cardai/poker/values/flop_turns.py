"""The turns that can follow a flop, as a network of the turn is asked about them: many pots and ranges at once, in little time.

What is shown of a situation is what :mod:`.prepared` and :mod:`.network_inputs` show of it, but for rounding. Instead of
comparing hands anew for every situation, the rivers of a flop are put in order once, and each is swept for sixteen ranges
side by side in vector instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges._rollout_kernels import add_wins
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.leaves import apart
from cardai.poker.values import _leaf_kernels as kernels
from cardai.poker.values.network_inputs import HAND_INPUTS, ranges_context
from cardai.poker.values.prepared import CONTEXT


class FlopTurns:
    """The turns behind a flop.

    Args:
        flop: three cards. numbers: (n,) the hands' numbers, in order of the vectors.
    """

    def __init__(self, flop: Sequence[int], numbers: Int64s) -> None:
        self.flop, self.numbers = tuple(flop), np.asarray(numbers, np.int64)
        self.cards = tuple(card for card in HOLDEM.deck if card not in self.flop)
        count, n = len(self.cards), len(self.numbers)
        places = HOLDEM.cards[self.numbers]
        self._low, self._high = (places + 1).astype(np.uint8).T.copy()
        place = np.full(COUNT, -1, np.int64)
        place[self.numbers] = np.arange(n)
        rivers = count * (count - 1) // 2
        self._orders, self._ends = np.zeros((rivers, n), np.int16), np.zeros((rivers, n), np.int16)
        self._counts, moments = np.zeros(rivers, np.int64), np.zeros((2, count, n))
        cards = np.array(self.cards, np.int8)
        kernels.order_rivers(
            np.array(self.flop, np.int8),
            cards,
            pairs(),
            batch_tables(7),
            place,
            self._orders,
            self._ends,
            self._counts,
            moments,
        )
        mean, square = moments / (count - 3)  # a hand leaves so many rivers behind a turn that it leaves
        self._strength, self._spread = mean, np.sqrt(np.maximum(square - mean**2, 0.0))
        self.left = [np.flatnonzero(~(places == card).any(axis=1)) for card in self.cards]
        """By card: the places of the turn's hands, in order of the vectors."""
        self._sorted = [self._by_strength(card) for card in range(count)]
        self._mass = np.zeros(LANES * 53)
        self._win, self._whole = np.zeros((2, LANES * n), np.float32)

    def _by_strength(self, card: int) -> tuple[Int64s, Any, Any]:
        """Return (places of the turn's hands among ``left``, from the weakest; the same among the vectors; ends)."""
        strength = np.round(self._strength[card, self.left[card]], 9)
        order = np.argsort(strength, kind="stable")
        ends = np.searchsorted(strength[order], strength[order], side="right")
        return order, self.left[card][order].astype(np.int16), ends.astype(np.int16)

    @cached_property
    def showdowns(self) -> Float32s:
        """(n, n) how often the row's hand beats the column's, less how often it loses, over all rivers that leave both."""
        wins, level = np.zeros((len(self.numbers),) * 2, np.int16), np.empty(len(self.numbers), np.int16)
        for order, end, count in zip(self._orders, self._ends, self._counts.tolist(), strict=True):
            level[:] = -1
            level[order[:count]] = end[:count]
            add_wins(level, wins)
        pairs_meet = (len(self.cards) - 4) * (len(self.cards) - 5) // 2
        return wins * (apart(HOLDEM)[np.ix_(self.numbers, self.numbers)] / np.float32(pairs_meet))

    def order(self, card: int) -> Int64s:
        """Return (H,) the places among the vectors of the turn's hands, in the order in which they are shown."""
        return self.left[card][self._sorted[card][0]]

    def inputs(
        self, card: int, ranges: Float64s, half_pots: Float64s, stack: Float64s
    ) -> tuple[Float32s, Float32s, Float32s]:
        """Return what a network is shown: context (C, 2, inputs), hands (C, 2, H, HAND_INPUTS) and met (C, 2, H).

        Args:
            card: the turn's, by place. ranges: (2, C, n) each sums to 1, without the hands that the card blocks.
            half_pots: (C,) what each player has put in. stack: (C,) what each began with.
        """
        _, left, ends = self._sorted[card]
        count, n = ranges.shape[1:]
        hands = np.empty((count, 2, len(left), HAND_INPUTS), np.float32)
        met, summaries = np.empty((count, 2, len(left)), np.float32), np.empty((count, 2, CONTEXT), np.float32)
        moments = np.empty((count, 2, 2))
        for first in range(0, count, LANES // 2):
            some = ranges[:, first : first + LANES // 2]
            columns = np.zeros((n, LANES), np.float32)
            columns[:, : 2 * some.shape[1]] = some.transpose(2, 1, 0).reshape(n, -1)
            flat = columns.reshape(-1)
            kernels.beat(
                card, len(self.cards), self._orders, self._ends, self._counts, self._low, self._high, flat, self._mass, self._win,
                self._whole,
            )  # fmt: skip
            for k in range(some.shape[1]):
                at = first + k
                kernels.describe(
                    2 * k, len(self.cards) - 5, left, ends, self._low, self._high, self._strength[card], self._spread[card], flat,
                    self._win, self._whole, hands[at], met[at], summaries[at], moments[at],
                )  # fmt: skip
        boards = np.tile(np.array((*self.flop, self.cards[card]), np.int8), (count, 1))
        return ranges_context(summaries, half_pots, moments[..., 0], moments[..., 1], boards, stack), hands, met


def flop_turns(flop: Sequence[int], numbers: Int64s) -> FlopTurns:
    """Return the turns behind a flop; those of the last few are kept."""
    return _flop_turns(tuple(flop), tuple(numbers.tolist()))


@lru_cache(8)
def _flop_turns(flop: tuple[int, ...], numbers: tuple[int, ...]) -> FlopTurns:
    return FlopTurns(flop, np.array(numbers, np.int64))
