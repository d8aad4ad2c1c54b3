"""Ranges on a board: hands in order of strength, and what each wins from an opposing range."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.poker.hands import _equity_kernels, _range_kernels
from cardai.poker.hands.combos import COUNT, left_by, pairs
from cardai.poker.hands.ranking import batch_tables

Weights = npt.NDArray[np.floating]  # type: ignore[type-arg]


@frozen(eq=False)
class BoardHands:
    """The hands that a board leaves possible."""

    hands: npt.NDArray[np.int64]
    """(n,) their numbers; on a whole board in ascending order of strength."""
    ends: npt.NDArray[np.int64]
    """(n,) on a whole board: for each place, one past the last of equal strength; else n throughout (all tie)."""

    def fold(self, weights: Weights, amount: float = 1.0) -> npt.NDArray[np.float64]:
        """Return (1326,) what each hand wins if the opposing range ``weights`` (1326,) loses ``amount`` by folding."""
        out = np.zeros(COUNT)
        _range_kernels.fold_values(_PAIRS, self.hands, weights, amount, out)
        return out

    def showdown(self, weights: Weights, amount: float = 1.0) -> npt.NDArray[np.float64]:
        """Return (1326,) what each hand wins from the range ``weights`` (1326,) if the better hand wins ``amount``."""
        out = np.zeros(COUNT)
        _range_kernels.showdown_values(_PAIRS, self.hands, self.ends, weights, amount, out)
        return out


_CARDS = pairs()
_PAIRS = _CARDS.astype(np.int64)


def board_hands(board: Sequence[int]) -> BoardHands:
    """Return the hands on a board of 0, 3, 4 or 5 cards."""
    if len(board) < 5:
        hands = np.flatnonzero(left_by(board))
        return BoardHands(hands, np.full(len(hands), len(hands)))
    ranked = np.empty(COUNT, np.int64)
    count = int(_equity_kernels.rank_all(np.array(board, np.int8), _CARDS, batch_tables(7), ranked))
    ends = np.empty(count, np.int64)
    _range_kernels.level_ends(ranked[:count], ends)
    return BoardHands(ranked[:count] & 2047, ends)
