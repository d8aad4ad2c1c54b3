"""Boards up to the names of suits: 1 empty board, 1,755 flops, 16,432 boards of four cards, 134,459 of five.

A board here is a *set* of cards. Two boards are of one class if a renaming of suits makes one the other; the class's
least board (in colexicographic order) represents it. Whatever is known of each hand on a representative is then known on
every board: look the board up by :func:`~cardai.poker.hands._boards_kernels.board_index`, and the hand under the renaming.

>>> from cardai.poker.hands.combos import pair_index, pairs
>>> from cardai.cards.text import cards_text, parse_cards
>>> known = boards(3)
>>> number, renaming = known.find(parse_cards("Kd7s2c"))
>>> hand = pair_index(*np.array([parse_cards("KhKc")]).T)[0]
>>> cards_text(known.cards[number]), cards_text(pairs()[hand_maps()[renaming, hand]])
('Kc7d2h', 'KhKs')
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt
from attrs import frozen

from cardai.poker.hands import _boards_kernels as kernels
from cardai.poker.hands import combos

BOARD_SIZES = (0, 3, 4, 5)
"""How many cards lie on the board in each of hold'em's four rounds."""
COUNTS = {0: 1, 3: 1755, 4: 16_432, 5: 134_459}
"""How many classes of boards there are, by number of cards."""
DEALT_ORDERS = 2_554_656
"""How many ways there are to deal flop, turn and river one after the other, up to the names of suits."""
RENAMINGS = np.array(list(itertools.permutations(range(4))), np.int64)
"""The 24 renamings of suits (24, 4), old suit -> new suit; number 0 changes nothing."""


@frozen
class Boards:
    """All boards of ``size`` cards and their classes."""

    size: int
    cards: npt.NDArray[np.int8]
    """(m, size) the representatives, cards ascending."""
    weights: npt.NDArray[np.int32]
    """(m,) how many boards each class has; they sum to C(52, size)."""
    class_of: npt.NDArray[np.int32]
    """(C(52, size),) each board's class, by board_index."""
    renaming_of: npt.NDArray[np.uint8]
    """(C(52, size),) the number of a renaming that turns each board into its representative."""

    def find(self, board: Sequence[int]) -> tuple[int, int]:
        """Return the class of a board and the number of the renaming that makes it the representative.

        Raises:
            ValueError: it is not ``size`` different cards.
        """
        if len(set(board)) != self.size or len(board) != self.size or not all(0 <= card < 52 for card in board):
            raise ValueError(f"A board of {self.size} different cards is wanted. Got {list(board)}.")
        index = int(kernels.board_index(np.array(board, np.int64), self.size))
        return int(self.class_of[index]), int(self.renaming_of[index])


@cache
def boards(size: int) -> Boards:
    """Return the boards of 0, 3, 4 or 5 cards (for five: a second of CPU and 13 MB).

    Raises:
        ValueError: another size.
    """
    if size not in BOARD_SIZES:
        raise ValueError(f"A board has 0, 3, 4 or 5 cards. Got {size}.")
    total = comb(52, size)
    class_of, renaming_of = np.full(total, -1, np.int32), np.zeros(total, np.uint8)
    room = COUNTS[size]
    cards, weights = np.zeros((room, size), np.int8), np.zeros(room, np.int32)
    count = kernels.fill_classes(RENAMINGS, _inverses(), class_of, renaming_of, cards, weights)
    assert count == room
    return Boards(size, cards, weights, class_of, renaming_of)


def _inverses() -> npt.NDArray[np.int64]:
    """Return (24,) the number of each renaming's inverse."""
    found = {tuple(renaming): number for number, renaming in enumerate(RENAMINGS.tolist())}
    return np.array([found[tuple(np.argsort(renaming).tolist())] for renaming in RENAMINGS])


@cache
def hand_maps() -> npt.NDArray[np.int16]:
    """Return (24, 1326): what each hand (numbered as in :mod:`~cardai.poker.hands.combos`) becomes under each renaming."""
    out = np.empty((len(RENAMINGS), combos.COUNT), np.int16)
    kernels.fill_hand_maps(RENAMINGS, combos.pairs().astype(np.int64), out)
    return out


def runouts(flop: Sequence[int]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return the turn and river cards that can follow a flop, up to renamings that leave the flop as it is.

    Returns:
        (m, 2) int8 turn and river, and (m,) int32 how many of the 2,352 run-outs each stands for. Over the 1,755
        flops there are 2,554,656 in all.
    """
    out, weights = np.empty((49 * 48, 2), np.int8), np.zeros(49 * 48, np.int32)
    count = kernels.fill_runouts(np.array(flop, np.int64), RENAMINGS, out, weights)
    return out[:count], weights[:count]
