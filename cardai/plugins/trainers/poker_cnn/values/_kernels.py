"""Kernels of Poker-CNN's labels: the mean payout of sampled redraws, and the odds of hold'em hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below
from cardai.poker.hands._equity_kernels import board_key, board_set, value_on
from cardai.poker.hands._ranking_kernels import CATEGORY_SHIFT, PAIR, paying_category, rank_set
from cardai.poker.hands._strength_kernels import win_rate_on

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
        fill_stub(cards_of(hands[i], 31), stub)
        counter = 0
        for hold in range(32):
            kept, need = cards_of(hands[i], hold), 5
            for j in range(5):
                need -= hold >> j & 1
            royal = need < 5 and is_royal(kept)
            times = 1 if need == 0 else redraws * 10 if royal else redraws
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
                total += pays[_ROYAL - 1 if category == _ROYAL and not royal else category]
            out[i, hold] = total / times


@kernel
def cards_of(hand: Any, hold: Any) -> Any:
    """Return the set of those cards of ``hand`` (5,) whose bit in ``hold`` is 1."""
    kept = np.uint64(0)
    for j in range(5):
        if hold >> j & 1:
            kept |= np.uint64(1) << np.uint64(hand[j])
    return kept


@kernel
def fill_stub(taken: Any, stub: Any) -> None:
    """Fill ``stub`` with the cards that are not in the set ``taken``."""
    count = 0
    for card in range(52):
        if not taken >> np.uint64(card) & np.uint64(1):
            stub[count] = card
            count += 1


@kernel
def is_royal(kept: Any) -> Any:
    """Return whether all cards of a set are of one royal flush."""
    royal = False
    for suit in range(4):
        royal |= kept & (_TENS_AND_UP << np.uint64(13 * suit)) == kept
    return royal


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
        whole[:] = board[i]
        missing = np.sum(whole < 0)
        out[i] = 0.0
        taken = board_set(board[i]) | (np.int64(1) << first) | (np.int64(1) << second)
        times = deals if missing else 1
        number = 0
        for _ in range(times):
            used = taken
            for k in range(5 - missing, 5):
                whole[k], number = draw_card(used, seeds[i], number)
                used |= np.int64(1) << np.int64(whole[k])
            key, held = board_key(whole, keys), board_set(whole)
            own = value_on(key, held, first, second, keys, low, high, values)
            out[i, 1 + final_category(own)] += 1.0 / times
            if missing == 0:
                out[i, 0] = win_rate_on(whole, first, second, tables)
                continue
            a, number = draw_card(used, seeds[i], number)
            b, number = draw_card(used | (np.int64(1) << a), seeds[i], number)
            other = value_on(key, held, a, b, keys, low, high, values)
            out[i, 0] += ((own > other) + 0.5 * (own == other)) / times


@kernel
def draw_card(taken: Any, seed: Any, number: Any) -> Any:
    """Return a random card that is not in the set ``taken``, and how many random numbers have been drawn by then."""
    card = below(seed, number, 52)
    while (taken >> card) & 1:
        number += 1
        card = below(seed, number, 52)
    return card, number + 1
