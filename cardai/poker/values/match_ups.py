"""What hands meet: how much of a range each beats, ties and meets, over all boards that can still come, in any game of hands."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np

from cardai.core.arrays import Float64s, Int64s
from cardai.core.errors import UsageError
from cardai.poker.hands import _equity_kernels as kernels
from cardai.poker.hands.combos import pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.ranges.hands import HOLDEM, Hands
from cardai.poker.ranges.leaves import apart


def legal_hands(board: Sequence[int], hands: Hands = HOLDEM) -> Int64s:
    """Return (H,) the numbers of the hands that ``board`` leaves, in order."""
    return np.flatnonzero(~np.isin(hands.cards, board).any(axis=1))


def whole_boards(board: Sequence[int], hands: Hands = HOLDEM) -> list[tuple[int, ...]]:
    """Return the whole boards that ``board`` can become: as many cards short, at most, as a player holds."""
    missing, most = hands.whole - len(board), hands.held
    if not 0 <= missing <= most:
        raise UsageError(
            f"Ranges are encoded on boards of {hands.whole - most} to {hands.whole} cards. Got {len(board)}."
        )
    rest = [card for card in hands.deck if card not in board]
    return [(*board, *added) for added in itertools.combinations(rest, missing)]


def both_leave(board: Sequence[int], hands: Hands = HOLDEM) -> int:
    """Return how many whole boards come with two hands that do not collide."""
    return comb(len(hands.deck) - len(board) - 2 * hands.held, hands.whole - len(board))


def against(board: Sequence[int], ranges: Float64s, hands: Hands = HOLDEM) -> Float64s:
    """Return (3, m, 2, K) the weight that each hand beats, ties and meets of either of m pairs of ranges (m, 2, K).

    It is summed over all whole boards that ``board`` can become.
    """
    if hands != HOLDEM:
        return np.stack([ranges @ kind.T for kind in _match_ups(tuple(board), hands)])
    boards = np.array(whole_boards(board), np.int8)
    out = np.zeros((3, *ranges.shape))
    for k, both in enumerate(ranges):
        sums, by_board = np.zeros((2, 3, both.shape[1])), np.zeros((len(boards), 2))
        kernels.ranges_on_boards(boards, pairs(), batch_tables(7), both, sums, by_board)
        out[:, k] = sums[::-1].transpose(1, 0, 2)  # the kernel's first side is what meets the second range
    return out


@lru_cache(maxsize=256)
def _match_ups(board: tuple[int, ...], hands: Hands) -> Float64s:
    """Return (3, K, K) on how many whole boards the row's hand beats, ties and meets the column's."""
    out = np.zeros((3, len(hands.cards), len(hands.cards)))
    for whole in whole_boards(board, hands):
        strengths, left = hands.strengths(whole), np.zeros(len(hands.cards))
        left[legal_hands(whole, hands)] = 1.0
        meet = apart(hands) * left * left[:, None]
        more = strengths[:, None] - strengths
        out += np.stack([meet * (more > 0), meet * (more == 0), meet])
    return out


def strength_moments(board: Sequence[int], hands: Hands = HOLDEM) -> Float64s:
    """Return (2, K) the mean of each hand's strength on whole boards, and of its square; nan for hands that the board blocks.

    A hand's strength is its chance to beat a hand at random, ties counted half.
    """
    return _moments(tuple(int(card) for card in board), hands)


@lru_cache(maxsize=4096)
def _moments(board: tuple[int, ...], hands: Hands) -> Float64s:
    sums, count = np.zeros((2, len(hands.cards))), np.zeros(len(hands.cards))
    for whole in whole_boards(board, hands):
        win, tie, met = against(whole, np.ones((1, 2, len(hands.cards))), hands)[:, 0, 0]
        alive = met > 0
        strength = (win[alive] + 0.5 * tie[alive]) / met[alive]
        sums[0, alive] += strength
        sums[1, alive] += strength**2
        count += alive
    with np.errstate(invalid="ignore"):
        found = np.asarray(np.where(count > 0, sums / count, np.nan))
    found.flags.writeable = False  # it is handed out again
    return found
