"""One range as the usual grid of 13 x 13: each class with its weight, for a terminal and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cardai.core.arrays import Float64s
from cardai.poker.hand_classes import class_text, class_weights

if TYPE_CHECKING:
    from rich.table import Table

FULL, EMPTY = (200, 54, 44), (60, 60, 60)
"""The colours of a weight of 1 and of 0 in a terminal."""


def range_table(weights: Float64s) -> Table:
    """Return the grid for a terminal: each class with its weight in %, on a colour as strong as that."""
    from rich.table import Table
    from rich.text import Text

    mean = class_weights(weights)
    table = Table(box=None, show_header=False, padding=(0, 0), pad_edge=False)
    for row in range(13):
        cells = []
        for column in range(13):
            number = 13 * row + column
            weight = float(mean[number])
            if weight <= 0:
                cells.append(Text(f" {class_text(number):<3}  - ", style="dim"))
                continue
            tone = [round(low + weight * (high - low)) for high, low in zip(FULL, EMPTY, strict=True)]
            style = f"white on rgb({tone[0]},{tone[1]},{tone[2]})"
            cells.append(Text(f" {class_text(number):<3}{_percent(weight):>3} ", style=style))
        table.add_row(*cells)
    return table


def _percent(weight: float) -> str:
    """Return a weight in %, in three characters; one that is not 0 never as 0."""
    percent = 100 * weight
    return f"{percent:.0f}" if percent >= 0.95 else f"{percent:.1f}".lstrip("0") if percent >= 0.05 else "<.1"


def draw_range(weights: Float64s, title: str, file: str | Path) -> None:
    """Write the grid as a picture to ``file``: each class filled as high as its weight."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    from cardai.commands.show.pictures import save

    mean = class_weights(weights)
    figure = Figure(figsize=(8.4, 8.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xlim=(0, 13), ylim=(13, 0), aspect="equal", xticks=[], yticks=[])
    axes.set_title(title, fontsize=11)
    for number in range(169):
        row, column = divmod(number, 13)
        high = min(1.0, float(mean[number]))
        axes.add_patch(Rectangle((column, row), 1, 1, facecolor="#e9e9e9", edgecolor="none"))
        axes.add_patch(Rectangle((column, row + 1 - high), 1, high, facecolor="#c8362c", edgecolor="none"))
        axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=1.0))
        axes.text(column + 0.07, row + 0.3, class_text(number), fontsize=9, color="white" if high > 0.75 else "#333333")
        if 0 < high < 1:
            axes.text(column + 0.07, row + 0.88, _percent(high), fontsize=8, color="white" if high > 0.3 else "#333333")
    save(figure, file)
