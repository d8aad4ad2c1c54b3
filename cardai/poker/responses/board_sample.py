"""Boards drawn in strata."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from cardai.core.arrays import Int64s
from cardai.core.rng import derive, derive_many
from cardai.poker.hands.boards import RENAMINGS, boards


@frozen
class BoardSample:
    """Boards (n, k) in random order of suits, and the stratum of each."""

    boards: Int64s
    strata: Int64s


def sample_boards(cards: int, count: int, seed: int) -> BoardSample:
    """Return ``count`` boards of 3, 4 or 5 cards, each stratum as often as its share says.

    A stratum is what ranks and suits repeat (two pair and three of a suit, say). The classes of boards stand in order of
    strata, within them at random, and every 1/count of the deck's boards one is taken: each board is as likely as it is
    dealt, so a mean over the sample is unbiased (systematic sampling: Cochran, Sampling Techniques, 1977, chapter 8).
    """
    known = boards(cards)
    stratum = _strata(known.cards)
    order = np.lexsort((derive_many(derive(seed, "order", cards), count=len(stratum)), stratum))
    start, shifts = (derive_many(derive(seed, name, cards), count=n) for name, n in (("start", 1), ("suits", count)))
    shares = np.cumsum(known.weights[order].astype(np.float64))
    places = (np.arange(count) + float(start[0]) / 2.0**64) / count * shares[-1]
    chosen = order[np.minimum(np.searchsorted(shares, places, side="right"), len(order) - 1)]
    found = known.cards[chosen].astype(np.int64)
    names = RENAMINGS[(shifts % np.uint64(len(RENAMINGS))).astype(np.int64)]
    suits = np.take_along_axis(names, found // 13, axis=1)
    return BoardSample(suits * 13 + found % 13, stratum[chosen])


def _strata(cards: np.ndarray) -> Int64s:  # type: ignore[type-arg]
    """Return (m,) the number of each board's stratum: how often its ranks and suits repeat."""
    out = np.zeros(len(cards), np.int64)
    for values, size in ((cards % 13, 13), (cards // 13, 4)):
        counts = np.stack([(values == value).sum(axis=1) for value in range(size)], axis=1)
        counts = -np.sort(-counts, axis=1)[:, : min(size, 5)]
        for column in counts.T:
            out = out * 6 + column
    return np.asarray(np.unique(out, return_inverse=True)[1], np.int64)
