"""The curve of mean winnings a hand, by hand, of every pair of a series of matches."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardai.commands.invocation import note
from cardai.core.extras import install_command

if TYPE_CHECKING:
    from cardai.formats.acpc.series import Pairing, Series


def draw(planned: Series, found: Mapping[tuple[int, int], Pairing], file: Path) -> None:
    """Draw what the first of each pair won a hand, over the hands played, into ``file``; without matplotlib, say so."""
    if importlib.util.find_spec("matplotlib") is None:
        note(f"The curve is not drawn: that needs matplotlib. Run: {install_command('plot')}")
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from cardai.commands.show.pictures import save

    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for (i, j), pairing in found.items():
        curve = pairing.curve()
        hands = np.arange(1, len(curve) + 1)
        axes.plot(hands, curve, lw=1.2, label=f"{_short(planned.players[i])} against {_short(planned.players[j])}")
    axes.axhline(0, color="black", lw=0.6)
    seeds = f"{len(planned.seeds)} seed" + "s" * (len(planned.seeds) != 1)
    axes.set(xlabel="hands", ylabel="mean winnings a hand (mbb)", title=f"{planned.game}, both seatings, {seeds}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    save(figure, file)
    note(f"Curve: {file}")


def _short(player: str) -> str:
    """Return a player's spec or command without directories."""
    return " ".join(word.rpartition("/")[2] for word in player.split())
