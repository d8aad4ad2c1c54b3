"""The grid of a decision for a notebook: 13 x 13 classes of hands, each filled with the colours of its actions."""

from __future__ import annotations

import html

from attrs import frozen

from cardai.arena.report import as_text
from cardai.cards.text import cards_glyphs
from cardai.core.arrays import Float64s
from cardai.poker.hand_classes import class_text
from cardai.poker.ranges.grid import colours, grid
from cardai.poker.ranges.position import Position

CELL = 34
"""Pixels of a class."""


@frozen(eq=False, repr=False)
class DecisionGrid:
    """A decision whose grid a notebook draws; printed it is the table of its actions."""

    position: Position

    @property
    def title(self) -> str:
        """Which decision it is."""
        where = self.position.line or "at the beginning"
        return f"{cards_glyphs(self.position.board)}, {where}"

    def rows(self) -> list[list[str]]:
        """Return a row an action: its words and how often it is taken."""
        found = zip(self.position.actions, self.position.frequencies, strict=True)
        return [[words, f"{100 * often:.1f} %"] for words, often in found]

    def __str__(self) -> str:
        from rich.table import Table
        from rich.text import Text

        table = Table("action", "how often", box=None, pad_edge=False)
        for row in self.rows():
            table.add_row(*row)
        return as_text([Text(self.title), table])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown, hues = grid(self.position), colours(self.position.actions)
        cells = [_cell(number, shown.weights[number], shown.shares[:, number], hues) for number in range(169)]
        lines = "".join(f"<tr>{''.join(cells[13 * row : 13 * row + 13])}</tr>" for row in range(13))
        keys = " ".join(
            f"<span style='color:{hue}'>■</span> {html.escape(words)} {often}"
            for (words, often), hue in zip(self.rows(), hues, strict=True)
        )
        table = f"<table style='border-collapse:collapse'>{lines}</table>"
        return f"<div><p>{html.escape(self.title)}</p>{table}<p>{keys}</p></div>"


def _cell(number: int, weight: float, share: Float64s, hues: list[str]) -> str:
    """Return one class: as high as its weight, as wide as each action is taken; empty where it is not in the range."""
    stops, at = [], 0.0
    for hue, part in zip(hues, share, strict=True):
        stops.append(f"{hue} {100 * at:.1f}% {100 * (at + part):.1f}%")
        at += float(part)
    fill = f"linear-gradient(90deg,{','.join(stops)})" if share.sum() > 0 else "none"
    look = (
        f"width:{CELL}px;height:{CELL}px;padding:0 2px;border:1px solid #8884;font:11px sans-serif;text-align:left;"
        f"vertical-align:top;background:{fill} bottom/100% {100 * min(1.0, weight):.0f}% no-repeat"
    )
    told = ", ".join(f"{100 * part:.0f} %" for part in share)
    return f"<td style='{look}' title='{class_text(number)}: {told}'>{class_text(number)}</td>"
