"""Kernels of Poker-CNN's labels: the mean payout of sampled redraws, and the odds of hold'em hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.cards.poker._equity_kernels import board_key, board_set, value_on
from cardai.cards.poker._ranking_kernels import CATEGORY_SHIFT, PAIR, paying_category, rank_set
from cardai.cards.poker._strength_kernels import win_rate_on
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


@kernel
def final_category(value: Any) -> Any:
    """Return the category 0-10 of a high value: high card, low pair, jacks or better, two pair, ..., royal flush."""
    paying = paying_category(value)
    if paying > 0:
        return paying + 1
    return 1 if value >> CATEGORY_SHIFT == PAIR else 0


@kernel
def final_odds(hole: Any, board: Any, tables: Any, deals: Any, seeds: Any, out: Any) -> None:
    """Fill ``out`` (n, 12): the chance to beat a random hand (a tie half), then those of the final categories.

    Exact on the river, else from ``deals`` random boards and opponents.

    Args:
        hole: (n, 2) int8. board: (n, 5) int8, -1 where not dealt. seeds: (n,) uint64.
    """
    keys, low, high, values, _ = tables
    whole = np.empty(5, np.int8)
    for i in range(hole.shape[0]):
        first, second = np.int64(hole[i, 0]), np.int64(hole[i, 1])
        missing = 0
        for k in range(5):
            whole[k] = board[i, k]
            missing += board[i, k] < 0
        for k in range(12):
            out[i, k] = 0.0
        taken = board_set(board[i]) | (np.int64(1) << first) | (np.int64(1) << second)
        times = deals if missing else 1
        number = 0
        for _ in range(times):
            used = taken
            for k in range(5 - missing, 5):
                card = below(seeds[i], number, 52)
                number += 1
                while (used >> card) & 1:
                    card = below(seeds[i], number, 52)
                    number += 1
                used |= np.int64(1) << card
                whole[k] = card
            key, held = board_key(whole, keys), board_set(whole)
            own = value_on(key, held, first, second, keys, low, high, values)
            out[i, 1 + final_category(own)] += 1.0 / times
            if missing == 0:
                out[i, 0] = win_rate_on(whole, first, second, tables)
                continue
            a = below(seeds[i], number, 52)
            number += 1
            while (used >> a) & 1:
                a = below(seeds[i], number, 52)
                number += 1
            used |= np.int64(1) << a
            b = below(seeds[i], number, 52)
            number += 1
            while (used >> b) & 1:
                b = below(seeds[i], number, 52)
                number += 1
            other = value_on(key, held, a, b, keys, low, high, values)
            out[i, 0] += ((own > other) + 0.5 * (own == other)) / times
