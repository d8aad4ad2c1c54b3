"""Kernels of equity: all hold'em hands ranked on a board, ranges swept against each other, hands compared board by board.

Hands of two cards are numbered as in :mod:`cardai.poker.hands.combos`. ``tables`` are those of
:func:`cardai.poker.hands.ranking.batch_tables` for seven cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below, hash64, uniform
from cardai.poker.hands._ranking_kernels import rank_set
from cardai.poker.hands._table_kernels import is_special, value_of_key

HANDS = 1326
_SHIFT = 11  # 2**11 > 1326: a rank and a hand's number in one int
_SPAN = 64  # random numbers set aside a sample (and as many again a try)


@kernel
def value_on(
    board_key: Any, board_set: Any, first: Any, second: Any, keys: Any, low: Any, high: Any, values: Any
) -> Any:
    """Return the value of two cards with a board of five, given as the sum of its keys and as an int64 set."""
    key = board_key + keys[first] + keys[second]
    if is_special(key):
        return np.int64(rank_set(board_set | (np.int64(1) << np.int64(first)) | (np.int64(1) << np.int64(second))))
    return np.int64(value_of_key(key, low, high, values))


@kernel
def board_key(board: Any, keys: Any) -> Any:
    """Return the sum of a board's card keys."""
    key = np.uint64(0)
    for k in range(5):
        key += keys[board[k]]
    return key


@kernel
def board_set(board: Any) -> Any:
    """Return a board (5,) as an int64 set, leaving out places without a card."""
    bits = np.int64(0)
    for k in range(5):
        if board[k] >= 0:
            bits |= np.int64(1) << np.int64(board[k])
    return bits


@kernel
def rank_all(board: Any, pairs: Any, tables: Any, out: Any) -> Any:
    """Write rank << 11 | number of every hand that shares no card with ``board`` (5,) to ``out``, ascending.

    Returns how many there are (1,081).
    """
    keys, low, high, values, _ = tables
    key, held = board_key(board, keys), board_set(board)
    count = 0
    for number in range(HANDS):
        a, b = pairs[number, 0], pairs[number, 1]
        if (held >> np.int64(a)) & 1 or (held >> np.int64(b)) & 1:
            continue
        out[count] = (value_on(key, held, a, b, keys, low, high, values) << _SHIFT) | number
        count += 1
    out[:count] = np.sort(out[:count])
    return count


@kernel
def weigh(ranked: Any, count: Any, pairs: Any, weights: Any, by_card: Any) -> Any:
    """Add the weights of ``count`` hands to ``by_card`` (52,) under each of their cards, and return their sum."""
    everything = 0.0
    for k in range(count):
        number = ranked[k] & ((1 << _SHIFT) - 1)
        w = weights[number]
        everything += w
        by_card[pairs[number, 0]] += w
        by_card[pairs[number, 1]] += w
    return everything


@kernel
def sweep(ranked: Any, count: Any, pairs: Any, weights: Any, win: Any, tie: Any, total: Any) -> None:
    """Add to ``win``, ``tie`` and ``total`` (1326,) the opposing weight that each hand beats, ties and meets at all.

    ``ranked`` holds ``count`` entries of :func:`rank_all`; ``weights`` (1326,) float64 is the opposing range. Hands that
    share a card never meet.
    """
    by_card = np.zeros(52)
    everything = weigh(ranked, count, pairs, weights, by_card)
    lower = 0.0
    lower_card = np.zeros(52)
    level_card = np.zeros(52)
    first = 0
    while first < count:
        last = first
        level = 0.0
        while last < count and ranked[last] >> _SHIFT == ranked[first] >> _SHIFT:
            number = ranked[last] & ((1 << _SHIFT) - 1)
            w = weights[number]
            level += w
            level_card[pairs[number, 0]] += w
            level_card[pairs[number, 1]] += w
            last += 1
        for k in range(first, last):
            number = ranked[k] & ((1 << _SHIFT) - 1)
            a, b = pairs[number, 0], pairs[number, 1]
            win[number] += lower - lower_card[a] - lower_card[b]
            tie[number] += level - level_card[a] - level_card[b] + weights[number]
            total[number] += everything - by_card[a] - by_card[b] + weights[number]
        lower += level
        for k in range(first, last):
            number = ranked[k] & ((1 << _SHIFT) - 1)
            a, b = pairs[number, 0], pairs[number, 1]
            w = weights[number]
            lower_card[a] += w
            lower_card[b] += w
            level_card[a] = 0.0
            level_card[b] = 0.0
        first = last


@kernel
def ranges_on_boards(boards: Any, pairs: Any, tables: Any, ranges: Any, sums: Any, by_board: Any) -> None:
    """Sweep two ranges (2, 1326) against each other on every one of ``boards`` (m, 5).

    ``sums`` (2, 3, 1326) gathers win, tie and total of each side's hands; ``by_board`` (m, 2) is the first side's pot share
    and the weight of all matchups on each board.
    """
    ranked = np.empty(HANDS, np.int64)
    one = np.zeros((3, HANDS))
    for m in range(len(boards)):
        count = rank_all(boards[m], pairs, tables, ranked)
        for side in range(2):
            one[:] = 0.0
            sweep(ranked, count, pairs, ranges[1 - side], one[0], one[1], one[2])
            for k in range(count):
                number = ranked[k] & ((1 << _SHIFT) - 1)
                for what in range(3):
                    sums[side, what, number] += one[what, number]
                if side == 0:
                    by_board[m, 0] += ranges[0, number] * (one[0, number] + 0.5 * one[1, number])
                    by_board[m, 1] += ranges[0, number] * one[2, number]


@kernel
def share_pot(values: Any, shares: Any, wins: Any) -> None:
    """Add each player's share of one pot to ``shares`` (P,), and 1 to ``wins`` (P,) of a player who wins it alone."""
    best = values[0]
    for p in range(1, len(values)):
        best = max(best, values[p])
    winners = 0
    for p in range(len(values)):
        if values[p] == best:
            winners += 1
    for p in range(len(values)):
        if values[p] == best:
            shares[p] += 1.0 / winners
            if winners == 1:
                wins[p] += 1.0


@kernel
def hands_on_boards(boards: Any, hands: Any, tables: Any, sums: Any) -> None:
    """Compare ``hands`` (P, 2) on ``boards`` (m, 5); ``sums`` (3, P) gathers shares, wins and squares of shares."""
    keys, low, high, values, _ = tables
    found = np.zeros(len(hands), np.int64)
    shares = np.zeros(len(hands))
    for m in range(len(boards)):
        key, held = board_key(boards[m], keys), board_set(boards[m])
        for p in range(len(hands)):
            found[p] = value_on(key, held, hands[p, 0], hands[p, 1], keys, low, high, values)
        shares[:] = 0.0
        share_pot(found, shares, sums[1])
        for p in range(len(hands)):
            sums[0, p] += shares[p]
            sums[2, p] += shares[p] * shares[p]


@kernel
def finish_board(seed: Any, used: Any, board: Any) -> None:
    """Fill the places of ``board`` (5,) that hold -1 with random cards outside the int64 set ``used``."""
    number = 0
    for k in range(5):
        while board[k] < 0:
            card = below(seed, number, 52)
            number += 1
            if not (used >> card) & 1:
                board[k] = card
                used |= np.int64(1) << np.int64(card)


@kernel
def random_boards(seed: Any, board: Any, used: Any, out: Any) -> None:
    """Fill ``out`` (m, 5) with random completions of ``board`` (5,), -1 where not dealt, outside the set ``used``."""
    for m in range(len(out)):
        for k in range(5):
            out[m, k] = board[k]
        finish_board(hash64(seed, m), used, out[m])


@kernel
def draw_from(cumulative: Any, threshold: Any) -> Any:
    """Return the first index whose cumulative weight exceeds ``threshold``."""
    low = 0
    high = len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > threshold:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def deal_hands(stream: Any, used: Any, pairs: Any, cumulative: Any, numbers: Any) -> Any:
    """Draw a hand from each of P ranges, ``cumulative`` (P, 1326), into ``numbers`` (P,).

    Returns the int64 set of their cards with ``used``, or -1 where two share a card.
    """
    taken = np.int64(used)
    for p in range(len(cumulative)):
        number = draw_from(cumulative[p], uniform(stream, p) * cumulative[p, HANDS - 1])
        bits = (np.int64(1) << np.int64(pairs[number, 0])) | (np.int64(1) << np.int64(pairs[number, 1]))
        if taken & bits != 0:
            return np.int64(-1)
        taken |= bits
        numbers[p] = number
    return taken


@kernel
def ranges_sampled(
    seed: Any, board: Any, used: Any, pairs: Any, tables: Any, cumulative: Any, samples: Any, sums: Any
) -> Any:
    """Deal ``samples`` pots to P ranges, ``cumulative`` (P, 1326), and a board; ``sums`` as in hands_on_boards.

    Hands that share cards are dealt again, all of them, which leaves every possible deal its weight. Returns the number
    of pots dealt, fewer than ``samples`` if the ranges nearly always share cards.
    """
    keys, low, high, values, _ = tables
    players = len(cumulative)
    found = np.zeros(players, np.int64)
    numbers = np.zeros(players, np.int64)
    shares = np.zeros(players)
    dealt = 0
    for attempt in range(200 * samples):
        if dealt == samples:
            break
        stream = hash64(seed, attempt)
        taken = deal_hands(stream, used, pairs, cumulative, numbers)
        if taken < 0:
            continue
        whole = board.copy()
        finish_board(hash64(stream, _SPAN), taken, whole)
        key, held = board_key(whole, keys), board_set(whole)
        for p in range(players):
            a, b = pairs[numbers[p], 0], pairs[numbers[p], 1]
            found[p] = value_on(key, held, a, b, keys, low, high, values)
        shares[:] = 0.0
        share_pot(found, shares, sums[1])
        for p in range(players):
            sums[0, p] += shares[p]
            sums[2, p] += shares[p] * shares[p]
        dealt += 1
    return dealt
