"""What our value network is given: arrays of :mod:`.prepared`, scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.arrays import Float32s, Float64s, Int64s
from cardai.poker.values import prepared
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.situations import STACK

SCALARS = 7
PUBLIC = 13 + 5
CONTEXT_INPUTS = 2 * prepared.CONTEXT + SCALARS + PUBLIC
"""Numbers a seat that describe both ranges, the pot and the board."""
HAND_INPUTS = 15
"""Numbers a hand."""


def context_inputs(data: Prepared, stack: float = STACK) -> Float32s:
    """Return (n, 2, C) what the context sees, by seat: own range, other range, pot and stacks, hold'em's board.

    ``stack`` is what each player began the hand with.
    """
    shares = data.ranges.astype(np.float32) / data.ranges.shape[2]
    equity = np.stack([data.hands[:, prepared.EQUITY + 1 - s] for s in range(2)], axis=1).astype(np.float32)
    mean, square = (shares * equity).sum(axis=2), (shares * (equity - 0.5) ** 2).sum(axis=2)
    return ranges_context(data.context.astype(np.float32), data.half_pots, mean, square, data.boards, stack)


def ranges_context(
    summaries: Float32s,
    half_pots: npt.NDArray[Any],
    mean: npt.NDArray[Any],
    square: npt.NDArray[Any],
    boards: npt.NDArray[np.int8],
    stack: float | Float64s,
) -> Float32s:
    """Return (n, 2, C) what the context sees.

    Args:
        summaries: (n, 2, CONTEXT) what each range looks like. half_pots: (n,). mean, square: (n, 2) a range's mean equity, and
            the mean square of what it is off 0.5. boards: (n, cards). stack: what each player began with, one number or (n,).
    """
    n = len(summaries)
    both = np.concatenate([summaries, summaries[:, ::-1]], axis=2) * np.float32(8.0)
    half = half_pots.astype(np.float64)
    behind = np.maximum(stack - half, 1.0) / half
    scalars = np.zeros((n, 2, SCALARS), np.float32)
    scalars[:, :, 0] = np.array([-1.0, 1.0])
    scalars[:, :, 1] = (np.log(half / stack) / 3)[:, None]
    scalars[:, :, 2] = (np.log1p(behind / 2) / np.log(3.0) / 4)[
        :, None
    ]  # pot bets that are left: each makes a pot three
    scalars[:, :, 3] = np.minimum(behind, 4.0)[:, None] / 4
    scalars[:, :, 4] = (half / stack)[:, None]
    scalars[:, :, 5] = 2 * mean - 1
    scalars[:, :, 6] = 2 * np.sqrt(square)
    public = np.zeros((n, 2, PUBLIC), np.float32)
    if boards.shape[1] >= 3:  # of a board of one card the hands' strengths say all
        public[:, :, :13] = np.stack([(boards % 13 == rank).sum(axis=1) for rank in range(13)], axis=1)[:, None]
        suits = np.sort(np.stack([(boards // 13 == s).sum(axis=1) for s in range(4)], axis=1), axis=1)[:, ::-1]
        public[:, :, 13:17] = suits[:, None] / 2.0
        public[:, :, 17] = boards.shape[1] - 4
    return np.concatenate([both, scalars, public], axis=2)


def hand_inputs(data: Prepared, chosen: Int64s | None, equities: bool = True) -> tuple[Float32s, Float32s]:
    """Return ((n, 2, h, HAND_INPUTS), (n, 2, h) weight met) of all hands, or of the hands ``chosen`` (n, 2, h) by seat.

    ``equities`` False leaves out what depends on the actual ranges, but for the weight that is met.
    """
    rows = data.hands

    def of(row: int, seat: int) -> Float32s:
        column = rows[:, row]
        return np.asarray(column if chosen is None else np.take_along_axis(column, chosen[:, seat], axis=1), np.float32)

    seats, mets = [], []
    for seat in range(2):
        other = 1 - seat
        strength, spread = of(prepared.STRENGTH, seat), of(prepared.SPREAD, seat)
        if equities:
            against, own = of(prepared.EQUITY + other, seat), of(prepared.EQUITY + seat, seat)
            tie, met = of(prepared.TIE + other, seat), of(prepared.MET + other, seat)
            strong, weak = of(prepared.STRONG + other, seat), of(prepared.WEAK + other, seat)
        else:
            against = own = strength
            tie = strong = weak = np.zeros_like(strength)
            met = of(prepared.MET + other, seat)
        bends = [np.maximum(against - edge, 0.0) * 4 for edge in (0.25, 0.5, 0.75, 0.9)]
        bends += [-np.log(x + 0.002) / 3 - 0.5 for x in (1 - against, against, 1 - own)]
        features = [against, 2 * own - 1, tie, 2 * strength - 1, 4 * spread, 2 * strong, 2 * weak, met - 0.9, *bends]
        if not equities:
            features[7] = np.zeros_like(met)
        seats.append(np.stack(features, axis=2))
        mets.append(met)
    return np.stack(seats, axis=1), np.stack(mets, axis=1)


def choose_hands(rng: np.random.Generator, data: Prepared, count: int) -> Int64s:
    """Return (n, 2, h) hands of each situation at random, all different for a seat."""
    total = data.ranges.shape[2]
    steps = rng.integers(0, total, (len(data), 2, 1))
    stride = rng.permutation(total)[:count]
    return np.asarray((steps + stride) % total, np.int64)
