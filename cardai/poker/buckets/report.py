"""What a bucket holds, for people: how common it is, how its hands may end, and examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.core.rng import derive, derive_many
from cardai.poker.buckets.tables import STREETS, Buckets
from cardai.poker.hands.boards import BOARD_SIZES, boards
from cardai.poker.hands.combos import compatible, left_by, pairs
from cardai.poker.hands.strength import PREFLOP, win_rates

HISTOGRAM_BINS = 10


@frozen
class Example:
    """A hand on a board, and the chance to win it all against a random hand once the board is whole."""

    board: tuple[int, ...]
    hand: tuple[int, int]
    strength: float
    outcomes: tuple[float, ...]
    """The share of whole boards that end in each tenth of strength, weakest first."""


@frozen
class BucketReport:
    """One bucket of a street."""

    street: str
    bucket: int
    of: int
    share: float
    """Of all boards and hands of the street, as they are dealt."""
    examples: tuple[Example, ...]
    strength: float
    """The mean over the examples."""
    outcomes: tuple[float, ...]
    """The mean over the examples."""


def shares(buckets: Buckets, street: int) -> npt.NDArray[np.float64]:
    """Return (K,) how often each bucket of a street (0 to 3) is dealt, of 1."""
    table, known = buckets.tables[street], boards(BOARD_SIZES[street])
    out = np.zeros(buckets.counts[street])
    sets = np.zeros(len(known.cards), np.uint64)
    for column in known.cards.T:
        sets |= np.uint64(1) << column.astype(np.uint64)
    for start in range(0, len(table), 4096):
        part = slice(start, start + 4096)
        weights = known.weights[part, None] * compatible(sets[part])
        out += np.bincount(table[part].ravel(), weights.ravel(), minlength=len(out))
    return np.asarray(out / out.sum(), np.float64)


def report(buckets: Buckets, street: int, bucket: int, examples: int = 8, seed: int = 0) -> BucketReport:
    """Return what ``bucket`` of ``street`` (0 to 3) holds, with random examples.

    Raises:
        ValueError: there is no such bucket, or no hand is in it.
    """
    if not 0 <= bucket < buckets.counts[street]:
        raise ValueError(
            f"The {STREETS[street]} has the buckets 0 to {buckets.counts[street] - 1}. There is no bucket {bucket}."
        )
    share = float(shares(buckets, street)[bucket])
    if not share:
        raise ValueError(
            f"No hand is in the bucket {bucket} of the {STREETS[street]}: some of its {buckets.counts[street]:,} are empty."
        )
    table, known = buckets.tables[street], boards(BOARD_SIZES[street])
    found: list[Example] = []
    stream = derive_many(derive(seed, "examples", street, bucket), count=len(known.cards))
    for number in np.argsort(stream):
        board = tuple(int(card) for card in known.cards[number])
        inside = left_by(board) & (table[number] == bucket)
        hands = np.flatnonzero(inside)
        if len(hands):
            a, b = pairs()[hands[int(stream[number] % np.uint64(len(hands)))]]
            found.append(example(board, (int(b), int(a))))
        if len(found) == examples or (street == 0 and found):
            break
    if street == 0:
        cards = pairs()[np.flatnonzero(table[0] == bucket)]
        found = [example((), (int(b), int(a))) for a, b in cards[:examples]]
    outcomes = np.mean([one.outcomes for one in found], axis=0)
    strength = float(np.mean([one.strength for one in found]))
    return BucketReport(
        STREETS[street], bucket, buckets.counts[street], share, tuple(found), strength, tuple(map(float, outcomes))
    )


def example(board: Sequence[int], hand: tuple[int, int]) -> Example:
    """Return how a hand on a board of 0, 3, 4 or 5 cards may end, exactly (before the flop: its mean alone)."""
    if not board:
        high, low = sorted((card % 13 for card in hand), reverse=True)
        mean = float(PREFLOP[high, low] if hand[0] // 13 == hand[1] // 13 else PREFLOP[low, high])
        return Example((), hand, mean, (0.0,) * HISTOGRAM_BINS)
    rest = [card for card in range(52) if card not in board and card not in hand]
    more: list[tuple[int, ...]] = [()]
    if len(board) == 4:
        more = [(card,) for card in rest]
    elif len(board) == 3:
        more = [(a, b) for i, a in enumerate(rest) for b in rest[:i]]
    whole = np.array([(*board, *cards) for cards in more], np.int8)
    chances = win_rates(np.repeat(np.array([hand], np.int8), len(whole), axis=0), whole)
    ends = np.minimum((chances * HISTOGRAM_BINS).astype(np.int64), HISTOGRAM_BINS - 1)
    counts = np.bincount(ends, minlength=HISTOGRAM_BINS) / len(whole)
    return Example(tuple(board), hand, float(chances.mean()), tuple(float(x) for x in counts))


__all__ = ["BucketReport", "Example", "example", "report", "shares"]
