"""Where the 4x13 card window lies on a plane: unpadded, padded and double-row layouts."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from cardai.core.arrays import Int64s

CLUBS_FIRST = (0, 1, 2, 3)
SPADES_FIRST = (3, 2, 1, 0)


@frozen(eq=False)
class Window:
    """A plane of ``height`` x ``width`` cells; row k of the window shows suit ``suits[k]`` from ``(tops[k], left)`` on.

    Columns are the ranks 2..A. A double row shows every suit twice.
    """

    height: int
    width: int
    tops: tuple[int, ...]
    left: int = 0
    suits: tuple[int, ...] = field(default=CLUBS_FIRST)

    @property
    def rows(self) -> Int64s:
        """The flat index of each window row's first cell, (k,) int64."""
        return np.array([top * self.width + self.left for top in self.tops], np.int64)

    @property
    def suit_of_row(self) -> Int64s:
        """The suit that each window row shows, (k,) int64."""
        return np.array(self.suits, np.int64)

    def cells(self) -> Int64s:
        """Return one flat cell index a card, (52,) int64, for reading planes back."""
        out = np.zeros(52, np.int64)
        for start, suit in zip(self.rows, self.suits, strict=True):
            out[13 * suit : 13 * suit + 13] = start + np.arange(13)
        return out

    def words(self) -> str:
        """Say where the window lies."""
        names = "".join("cdhs"[suit] for suit in self.suits)
        last = self.tops[-1]
        return f"rows {self.tops[0]}-{last} (suits {names}), columns {self.left}-{self.left + 12} (ranks 2..A)"


def window(size: str, placement: str, suits: tuple[int, ...] = CLUBS_FIRST) -> Window:
    """Return the window of a size ("4x13", "8x13", "15x15", "17x17") and placement ("corner", "centred").

    Centred is Poker-CNN's padding: rows 6-9, columns 2-14 of 17x17 and rows 5-8, columns 1-13 of 15x15.
    8x13 is its double row: the suits c, d, h, s and below them c, h, d, s, so that any two suits are neighbours.
    """
    if size == "4x13":
        return Window(4, 13, (0, 1, 2, 3), 0, suits)
    if size == "8x13":
        return Window(8, 13, tuple(range(8)), 0, (*suits, suits[0], suits[2], suits[1], suits[3]))
    side = int(size.split("x")[0])
    top, left = (0, 0) if placement == "corner" else ({17: 6, 15: 5}[side], {17: 2, 15: 1}[side])
    return Window(side, side, tuple(range(top, top + 4)), left, suits)
