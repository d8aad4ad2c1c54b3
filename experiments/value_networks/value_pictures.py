"""The report's pictures: losses by the number of solves, and what our network says beside what was solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from value_sections import CODES

TABLE_2 = {
    "e_hs2": (0.0254, 0.0387, 0.0330, 0.0434),
    "public_nested": (0.0080, 0.0436, 0.0161, 0.0478),
    "potential_aware": (0.0052, 0.0267, 0.0102, 0.0297),
    "range_1326": (0.0102, 0.0102, 0.0143, 0.0143),
}
"""Huber losses in arXiv 1807.00900, table 2: abstracted and unabstracted in training, the same in the test."""


def draw_curves(known: dict[tuple[str, int], dict[str, Any]], file: Path) -> None:
    """Draw the turn's losses by the number of solves, and what the publication has of 240,000."""
    from matplotlib.figure import Figure

    from cardai.commands.show.pictures import save

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for number, spec in enumerate(("ours", *CODES)):
        points = [
            (solves, found[spec]["test"]["huber_player"])
            for (street, solves), found in known.items()
            if street == "turn" and found[spec]
        ]
        if points:
            solves, losses = zip(*points, strict=True)
            error = [one["half_width"] for one in losses]
            axes.errorbar(
                solves,
                [one["mean"] for one in losses],
                error,
                label=spec,
                marker="o",
                ms=4,
                capsize=2,
                color=f"C{number}",
            )
        if spec in TABLE_2:
            axes.plot([240_000], [TABLE_2[spec][3]], "s", color=f"C{number}", mfc="none")
    axes.plot([], [], "s", color="gray", mfc="none", label="published")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("turn situations that were learned from")
    axes.set_ylabel("Huber loss per player on boards not seen")
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    save(figure, file)


def draw(run: Path, file: Path) -> None:
    """Draw the values of six test situations, hands in order of equity: solved as lines, predicted as points."""
    import numpy as np
    from matplotlib.figure import Figure

    from cardai.cards.text import cards_text
    from cardai.commands.show.pictures import save
    from cardai.poker.values.prepared import EQUITY
    from cardai.poker.values.runs import held_out

    network, data, _ = held_out(run, None, 400)
    firsts = np.unique(data.intervals, return_index=True)[1]
    others = np.setdiff1d(np.arange(len(data)), firsts)
    rows = np.concatenate([firsts, others])[:6]
    part = data.take(rows)
    found = network.values(part) / 2
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    for place, (axes, k) in enumerate(zip(figure.subplots(2, 3).ravel(), range(len(rows)), strict=False)):
        for seat, colour in enumerate(("tab:blue", "tab:red")):
            order = np.argsort(part.hands[k, EQUITY + 1 - seat], kind="stable")
            name = ("first to act", "button")[seat]
            axes.plot(part.values[k, seat, order] / 2, color=colour, lw=0.8, label=f"{name}, solved")
            axes.plot(found[k, seat, order], ".", color=colour, ms=1.6, alpha=0.5, label=f"{name}, predicted")
        board = cards_text([int(card) for card in part.boards[k]])
        axes.set_title(f"{board}, pot {2 * int(part.half_pots[k]):,} of 40,000", fontsize=10)
        if place == 0:
            axes.legend(fontsize=8, markerscale=5)
        axes.set_xlabel("hands in order of equity against the other's range")
        axes.set_ylabel("value in pots")
    save(figure, file)
