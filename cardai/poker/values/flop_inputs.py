"""A flop as a network of the flop is asked about it: many pots and ranges at once, in little time.

What is shown of a situation is what :mod:`.prepared` and :mod:`.network_inputs` show of it, but for rounding. How often every
hand beats and ties every other over all 1,176 ways to go on is counted once, then ranges are met by products of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.ranges._lanes import LANES
from cardai.poker.ranges.hands import HOLDEM
from cardai.poker.ranges.leaves import apart
from cardai.poker.values import _leaf_kernels as kernels
from cardai.poker.values.match_ups import both_leave, legal_hands
from cardai.poker.values.network_inputs import HAND_INPUTS, ranges_context
from cardai.poker.values.prepared import CONTEXT


class FlopInputs:
    """One flop; hands are numbered as all of hold'em's are. It takes 11 MB."""

    def __init__(self, flop: Sequence[int]) -> None:
        self.flop = tuple(flop)
        numbers = legal_hands(self.flop)
        cards = np.array([card for card in HOLDEM.deck if card not in self.flop], np.int8)
        n, rivers = len(numbers), len(cards) * (len(cards) - 1) // 2
        place = np.full(COUNT, -1, np.int64)
        place[numbers] = np.arange(n)
        orders, ends = np.zeros((rivers, n), np.int16), np.zeros((rivers, n), np.int16)
        counts, moments = np.zeros(rivers, np.int64), np.zeros((2, len(cards), n))
        kernels.order_rivers(
            np.array(self.flop, np.int8), cards, pairs(), batch_tables(7), place, orders, ends, counts, moments
        )
        mean, square = moments.sum(axis=1) / ((len(cards) - 2) * (len(cards) - 3))  # by both cards of each way to go on
        strength, spread = mean, np.sqrt(np.maximum(square - mean**2, 0.0))
        order = np.argsort(np.round(strength, 9), kind="stable")
        sorted_ = np.round(strength, 9)[order]
        self._ends = np.searchsorted(sorted_, sorted_, side="right").astype(np.int16)
        self.order: Int64s = numbers[order]
        """(H,) the hands, in the order in which they are shown: the weakest first."""
        self._low, self._high = (HOLDEM.cards[self.order] + 1).astype(np.uint8).T.copy()
        self._strength, self._spread = strength[order], spread[order]
        beaten, tied = np.zeros((2, n, n), np.int16)
        back, level = np.argsort(order), np.empty(n, np.int16)
        for river, count in enumerate(counts.tolist()):
            level[:] = -1
            level[back[orders[river, :count]]] = ends[river, :count]
            kernels.add_match_ups(level, beaten, tied)
        meet = apart(HOLDEM)[np.ix_(self.order, self.order)]
        self._win = beaten * meet
        self._whole = 2 * self._win + tied * meet

    def inputs(self, ranges: Float64s, half_pots: Float64s, stack: Float64s) -> tuple[Float32s, Float32s, Float32s]:
        """Return what a network is shown: context (C, 2, inputs), hands (C, 2, H, HAND_INPUTS) and met (C, 2, H).

        Args:
            ranges: (2, C, 1326) each sums to 1, without the hands that the flop blocks. half_pots: (C,) what each player has
                put in. stack: (C,) what each began with.
        """
        count, n = ranges.shape[1], len(self.order)
        hands, met = np.empty((count, 2, n, HAND_INPUTS), np.float32), np.empty((count, 2, n), np.float32)
        summaries, moments = np.empty((count, 2, CONTEXT), np.float32), np.empty((count, 2, 2))
        places, ways = np.arange(n, dtype=np.int16), both_leave(self.flop)
        for first in range(0, count, LANES // 2):
            some = ranges[:, first : first + LANES // 2, self.order]
            columns = np.zeros((n, LANES), np.float32)
            columns[:, : 2 * some.shape[1]] = some.transpose(2, 1, 0).reshape(n, -1)
            win, whole = (self._win @ columns).reshape(-1), (self._whole @ columns).reshape(-1)
            for k in range(some.shape[1]):
                at = first + k
                kernels.describe(
                    2 * k, ways, places, self._ends, self._low, self._high, self._strength, self._spread, columns.reshape(-1),
                    win, whole, hands[at], met[at], summaries[at], moments[at],
                )  # fmt: skip
        boards = np.tile(np.array(self.flop, np.int8), (count, 1))
        return ranges_context(summaries, half_pots, moments[..., 0], moments[..., 1], boards, stack), hands, met
