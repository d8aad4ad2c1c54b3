"""What a layout makes of many tables at once, each as the seat sees it that the caller names, written where the caller says."""

from __future__ import annotations

import numpy as np

from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Layout
from cardai.core.game import Tables
from cardai.core.numbers import NumberLayout, field_columns, numbers_of
from cardai.core.rows import RowTables

_BLOCK = 512
"""Tables that are seen at a time: their numbers stay in the cache."""


def many_views(tables: Tables, layout: Layout) -> ManyViews:
    """Return what shows ``tables`` as ``layout`` has it: without views in between where game and layout have kernels for it."""
    if isinstance(tables, RowTables) and isinstance(layout, NumberLayout) and tables.kernels.numbers_of_many:
        return _KernelViews(tables, layout)
    return ManyViews(tables, layout)


class ManyViews:
    """Tables of any game under any layout."""

    def __init__(self, tables: Tables, layout: Layout) -> None:
        self.tables, self.layout = tables, layout

    def write(self, rows: Int64s, seats: Int64s, out: Float32s) -> None:
        """Write into ``out`` (m, \\*shape) float32 what seat ``seats[i]`` may know at table ``rows[i]``, (m,) each."""
        for seat in range(self.tables.game.num_players):
            at = np.flatnonzero(seats == seat)
            if len(at):
                out[at] = self.layout.encode(self.tables.views(seat, rows[at]))


class _KernelViews(ManyViews):
    """Tables of a fast game whose rows become numbers, and the numbers the code, without views in between."""

    tables: RowTables
    layout: NumberLayout

    def __init__(self, tables: RowTables, layout: NumberLayout) -> None:
        super().__init__(tables, layout)
        numbers = numbers_of(tables.game.view_fields)
        self._at = numbers.places(tables.kernels.numbered)
        self._columns = field_columns(numbers, layout.numbers)
        self._numbers = np.empty((min(_BLOCK, max(tables.count, 1)), numbers.width), np.int64)

    def write(self, rows: Int64s, seats: Int64s, out: Float32s) -> None:
        kernel = self.tables.kernels.numbers_of_many
        assert kernel is not None
        out.fill(0)
        for first in range(0, len(rows), _BLOCK):
            block = slice(first, first + _BLOCK)
            index = rows[block]
            numbers = self._numbers[: len(index)]
            kernel(self.tables.data, self.tables.rules, index, seats[block], self._at, numbers)
            self.layout.write(numbers if self._columns is None else numbers[:, self._columns], out[block])
