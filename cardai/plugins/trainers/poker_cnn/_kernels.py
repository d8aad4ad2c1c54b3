"""Kernels of Poker-CNN's labels: the mean payout of sampled redraws."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards._ranking_kernels import paying_category, rank_set
from cardai.core.kernel import kernel
from cardai.core.rng import below

_ROYAL = 9
_TENS_AND_UP = np.uint64(0b1111100000000)


@kernel
def redraw_means(hands: Any, pays: Any, redraws: Any, seeds: Any, out: Any) -> None:
    """Fill ``out`` (n, 32) with the mean payout of ``redraws`` sampled completions of each hold.

    A hold that is part of a royal flush is sampled ten times as often; a royal flush by any other hold counts as a
    straight flush (Poker-CNN's way of keeping rare large payouts from spoiling labels).

    Args:
        hands: (n, 5) int8. pays: (10,) int64 by category. seeds: (n,) uint64.
    """
    stub = np.empty(47, np.int64)
    for i in range(hands.shape[0]):
        held_all = np.uint64(0)
        for j in range(5):
            held_all |= np.uint64(1) << np.uint64(hands[i, j])
        count = 0
        for card in range(52):
            if not held_all >> np.uint64(card) & np.uint64(1):
                stub[count] = card
                count += 1
        counter = 0
        for hold in range(32):
            kept = np.uint64(0)
            need = 5
            for j in range(5):
                if hold >> j & 1:
                    kept |= np.uint64(1) << np.uint64(hands[i, j])
                    need -= 1
            royal = False
            for suit in range(4):
                top = _TENS_AND_UP << np.uint64(13 * suit)
                if need < 5 and kept & top == kept:
                    royal = True
            times = redraws * 10 if royal else redraws
            if need == 0:
                times = 1
            total = 0.0
            for _ in range(times):
                final = kept
                for k in range(need):
                    pick = k + below(seeds[i], counter, 47 - k)
                    counter += 1
                    card = stub[pick]
                    stub[pick] = stub[k]
                    stub[k] = card
                    final |= np.uint64(1) << np.uint64(card)
                category = paying_category(rank_set(final))
                if category == _ROYAL and not royal:
                    category = _ROYAL - 1
                total += pays[category]
            out[i, hold] = total / times
