"""The crosstable of a tournament as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from cardai.core.tournament import Standings


def draw(standings: Standings, title: str, file: str) -> None:
    """Write the crosstable as a heat map to ``file`` (the ending names the format)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(standings.agents)
    wins = standings.game.measure == "wins"
    values = np.full((count, count), np.nan)
    texts: dict[tuple[int, int], str] = {}
    figure = Figure(figsize=(1.6 + 1.1 * count, 1.4 + 0.8 * count), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for i in range(count):
        for j in range(count):
            cell = standings.cell(i, j) if i != j else None
            if cell is None:
                continue
            shown = cell.scaled(100) if wins else cell
            values[i, j] = shown.mean
            texts[i, j] = shown.text(1 if wins else 2).replace(" ± ", "\n± ")
    if wins:
        low, high = 0.0, 100.0
    else:
        high = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
        low, high = -(high or 1.0), high or 1.0
    for (i, j), text in texts.items():
        dark = abs(values[i, j] - (low + high) / 2) > 0.4 * (high - low)
        axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    image = axes.imshow(values, cmap="RdBu", alpha=0.7, vmin=low, vmax=high)
    axes.set_xticks(range(count), standings.agents, rotation=30, ha="right")
    axes.set_yticks(range(count), standings.agents)
    axes.set_title(title)
    axes.set_xlabel("against")
    label = "games won (%)" if wins else f"mean return a hand ({standings.game.unit})"
    figure.colorbar(image, ax=axes, label=label)
    figure.savefig(file, dpi=150)
