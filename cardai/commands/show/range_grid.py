"""The usual 13 x 13 grid of a decision: pairs on the diagonal, suited hands above it, aces first; as text and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.poker.hand_classes import class_text
from cardai.poker.ranges.grid import colours, grid, shown_actions

if TYPE_CHECKING:
    from rich.table import Table

    from cardai.poker.ranges.position import Position


def text_grid(position: Position) -> Table:
    """Return the grid for a terminal: a number in % a class, on the colours of its actions where there are colours."""
    from rich.table import Table
    from rich.text import Text

    found, tones = grid(position), [_rgb(colour) for colour in colours(position.actions)]
    added, _ = shown_actions(position.actions)
    table = Table(box=None, show_header=False, padding=(0, 0), pad_edge=False)
    for row in range(13):
        cells = []
        for column in range(13):
            number = 13 * row + column
            share = found.shares[:, number]
            if share.sum() < 0.5:
                cells.append(Text(f" {class_text(number):<3}  - ", style="dim"))
                continue
            tone = sum((s * np.array(t) for s, t in zip(share, tones, strict=True)), np.zeros(3))
            style = f"white on rgb({int(tone[0])},{int(tone[1])},{int(tone[2])})"
            cells.append(Text(f" {class_text(number):<3}{100 * share[added].sum():3.0f} ", style=style))
        table.add_row(*cells)
    return table


def draw(position: Position, title: str, file: str | Path) -> None:
    """Write the grid as a picture to ``file``: bars as wide as the frequencies, as high as the class's weight."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle

    from cardai.commands.show.pictures import save

    found, tones = grid(position), colours(position.actions)
    figure = Figure(figsize=(8.4, 9.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(0, 13), ylim=(13, 0), aspect="equal", xticks=[], yticks=[])
    axes.set_title(title, fontsize=11)
    for number in range(169):
        row, column = divmod(number, 13)
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor="#e9e9e9", edgecolor="none"))
        left, high = float(column), min(1.0, float(found.weights[number]))
        for share, tone in zip(found.shares[:, number], tones, strict=True):
            bar = Rectangle((left, row + 1 - high), float(share), high, facecolor=tone, edgecolor="none")
            axes.add_patch(bar)
            left += float(share)
        axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=1.0))
        inside = found.shares[:, number].sum() > 0.5 and high > 0.6
        axes.text(column + 0.07, row + 0.3, class_text(number), fontsize=9, color="white" if inside else "#555555")
    labels = [
        f"{words} {100 * often:.1f} %" for words, often in zip(position.actions, position.frequencies, strict=True)
    ]
    handles: list[Any] = [Patch(facecolor=tone, label=label) for tone, label in zip(tones, labels, strict=True)]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)), frameon=False)
    save(figure, file)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
