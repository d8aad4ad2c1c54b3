"""The crosstable of a tournament as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cardai.commands.show.pictures import save
from cardai.core.text import one_line

if TYPE_CHECKING:
    from cardai.arena.tournament import Standings


def draw(standings: Standings, title: str, file: str) -> None:
    """Write the crosstable as a heat map to ``file`` (the ending names the format).

    Colours of mean returns go with the square root, so that small differences show beside large ones.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(standings.agents)
    wins = standings.game.measure == "wins"
    cells = {(i, j): standings.cell(i, j) for i in range(count) for j in range(count) if i != j}
    shown = {pair: cell.scaled(100) if wins else cell for pair, cell in cells.items() if cell is not None}
    values = np.full((count, count), np.nan)
    for pair, cell in shown.items():
        values[pair] = cell.mean
    norm = _norm(values, wins)
    places = _decimals(values, wins)
    wide, high = (0.72, 0.58) if places == 0 else (1.1, 0.8)
    figure = Figure(figsize=(2.6 + wide * count, 1.6 + high * count), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(values, cmap="RdBu", alpha=0.7, norm=norm, aspect="auto")
    for (i, j), cell in shown.items():
        dark = abs(float(norm(values[i, j])) - 0.5) > 0.4
        text = cell.text(places).replace(" ± ", "\n± ")
        axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    names = [one_line(name) for name in standings.agents]
    axes.set_xticks(range(count), names, rotation=30, ha="right")
    axes.set_yticks(range(count), names)
    axes.set_title(title)
    axes.set_xlabel("against")
    label = "games won (%)" if wins else f"mean return a hand ({standings.game.unit})"
    figure.colorbar(image, ax=axes, label=label, fraction=0.04, pad=0.02)
    save(figure, file)


def _norm(values: npt.NDArray[np.float64], wins: bool) -> Any:
    """Return how values become colours: shares from 0 to 100, returns by the signed square root."""
    from matplotlib.colors import FuncNorm, Normalize

    if wins:
        return Normalize(0.0, 100.0)
    most = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0

    def root(x: Any) -> Any:
        return np.sign(x) * np.sqrt(np.abs(x))

    def square(x: Any) -> Any:
        return np.sign(x) * np.square(x)

    return FuncNorm((root, square), vmin=-(most or 1.0), vmax=most or 1.0)


def _decimals(values: npt.NDArray[np.float64], wins: bool) -> int:
    """Return how many decimals tell results apart: the larger the returns, the fewer."""
    most = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    return 1 if wins or 10 <= most < 100 else 0 if most >= 100 else 2
