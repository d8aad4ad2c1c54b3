"""What hands are worth on a board in a few numbers, from the cards alone: what buckets are clusters of, before they are cut.

Of each hand: how likely it will end above each of 24 strengths on the river (:data:`BINS` parts of its equity against a random
hand; with all cards out the part that it lies in is filled in part), then its mean equity against each of eight groups of
starting hands, from those that win least often to those that win most. Suits' names do not matter.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s, Int64s
from cardai.poker.buckets import _kernels as kernels
from cardai.poker.buckets.tables import PREFLOP, starting_classes
from cardai.poker.hands.boards import RENAMINGS, boards, hand_maps
from cardai.poker.hands.combos import COUNT, pairs
from cardai.poker.hands.ranking import batch_tables
from cardai.poker.hands.strength import PREFLOP as WIN_RATES

BINS, GROUPS = 24, 8
NUMBERS = BINS + GROUPS
RUNOUTS = 98
"""Of the 1,176 ways to go on from a flop, evenly taken: with them a flop takes 8 ms and not 90. From the turn all are counted."""
KEPT = 2_000
"""Boards that are kept, of 85 kB each: all flops that differ (1,755) and some more."""


@cache
def groups() -> Int64s:
    """Return (1326, GROUPS + 1) the groups of starting hands as ranges, whole classes of about as many hands, and all hands."""
    first, second = np.divmod(np.arange(PREFLOP), 13)
    high, low = np.maximum(first, second), np.minimum(first, second)
    order = np.argsort(np.where(first < second, WIN_RATES[high, low], WIN_RATES[low, high]), kind="stable")
    hands = np.bincount(starting_classes(), minlength=PREFLOP)[order]
    group_of = np.empty(PREFLOP, np.int64)
    group_of[order] = (np.cumsum(hands) - hands / 2) * GROUPS // COUNT
    out = np.ones((COUNT, GROUPS + 1), np.int64)
    out[:, :GROUPS] = np.eye(GROUPS, dtype=np.int64)[group_of[starting_classes()]]
    return out


class HandNumbers:
    """The numbers of all hands on boards that come, the last :data:`KEPT` of them kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], npt.NDArray[np.int16]] = OrderedDict()

    def of(self, board: Sequence[int], hands: Int64s) -> Float32s:
        """Return (n, NUMBERS) of ``hands`` (n,) on a board of 0, 3, 4 or 5 cards, from 0 to 1; 0 before the flop.

        A hand that the board blocks gets some numbers.
        """
        if not len(board):
            return np.zeros((len(hands), NUMBERS), np.float32)
        number, renaming = boards(len(board)).find(board)
        key = len(board), number
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = _evened(boards(len(board)).cards[number])
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return np.asarray(found[hand_maps()[renaming][hands]] / kernels.SCALE, np.float32)


def _evened(cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Return the numbers on a board; from a part of the run-outs, their mean over the suits that the board does not tell apart."""
    found = _numbers(cards)
    if len(cards) > 3:
        return found
    suits, ranks = np.divmod(cards.astype(np.int64), 13)
    same = [k for k, new in enumerate(RENAMINGS) if set((13 * new[suits] + ranks).tolist()) == set(cards.tolist())]
    return np.asarray(found[hand_maps()[same]].sum(axis=0, dtype=np.int64) // len(same), np.int16)


def _numbers(cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Return (1326, NUMBERS) on a board (3,), (4,) or (5,), of SCALE."""
    full = _completions(cards)
    equity = np.empty((len(full), COUNT, GROUPS + 1), np.int16)
    kernels.equities(full, pairs(), batch_tables(7), groups(), equity)
    there = equity[:, :, GROUPS] >= 0  # (m, 1326) hands that the whole board leaves
    count = np.maximum(there.sum(axis=0), 1)[:, None]
    out = np.zeros((COUNT, NUMBERS), np.int16)
    out[:, BINS:] = np.where(there[:, :, None], equity[:, :, :GROUPS], 0).sum(axis=0) // count
    whole = kernels.SCALE + 1
    if len(cards) == 5:
        parts = equity[0, :, GROUPS].astype(np.int64)[:, None] * BINS - whole * np.arange(BINS)
        out[:, :BINS] = np.clip(parts * kernels.SCALE // whole, 0, kernels.SCALE)
        return out
    bins = equity[:, :, GROUPS].astype(np.int64) * BINS // whole
    cells = (np.arange(COUNT) * BINS + bins)[there]
    shares = np.bincount(cells, minlength=COUNT * BINS).reshape(COUNT, BINS)
    out[:, :BINS] = (count - shares.cumsum(axis=1)) * kernels.SCALE // count
    return out


def _completions(cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return whole boards (m, 5) that begin with ``cards``."""
    rest = np.setdiff1d(np.arange(52), cards).tolist()
    ends = np.array(list(itertools.combinations(rest, 5 - len(cards))), np.int8)
    step = max(1, len(ends) // RUNOUTS)
    return np.concatenate([np.tile(cards, (len(ends[::step]), 1)), ends[::step]], axis=1)
