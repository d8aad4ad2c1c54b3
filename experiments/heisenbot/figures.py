"""The paper's figures 1 to 5, ours beside what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.heisenbot.paper import PLAYERS, PPRL, PPRW, TITLES, WIN_RATES
from experiments.heisenbot.roundrobin import Pairings
from experiments.heisenbot.withheld import Withheld

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"
_LAST_TURN = 32
_WHO = ("the player who could knock first", "the other player")


def _save(figure: Figure, file: Path) -> None:
    figure.savefig(file, dpi=110, facecolor="white")


def _bare(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)


def deadwood_by_turn(withheld: Withheld, file: Path) -> None:
    """Figure 1: the distribution of deadwood after each turn, and where gins fall."""
    counts = np.array(withheld.deadwoods)[: _LAST_TURN + 1]
    turns = np.array([turn for turn in range(1, _LAST_TURN + 1) if counts[turn].sum() >= 100])
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    quantile = {
        share: np.array([np.searchsorted(np.cumsum(counts[t]), share * counts[t].sum()) for t in turns])
        for share in (0.05, 0.25, 0.5, 0.75, 0.95)
    }
    above.fill_between(turns, quantile[0.05], quantile[0.95], color=BLUE, alpha=0.15, lw=0, label="90% of hands")
    above.fill_between(turns, quantile[0.25], quantile[0.75], color=BLUE, alpha=0.3, lw=0, label="50% of hands")
    above.plot(turns, quantile[0.5], color=BLUE, lw=2, label="median")
    above.axhline(10, color=GREY, lw=1, ls="--")
    above.text(0.7, 10.6, "10: may knock", color=GREY, fontsize=9)
    above.set_ylabel("deadwood after the turn")
    above.set_ylim(0)
    above.set_title(f"Figure 1: simple against itself, knocks withheld until turn 30 ({withheld.rounds:,} rounds)")
    above.legend(frameon=False)
    gins = np.array(withheld.gins)[turns] / counts[turns].sum(axis=1) * 100
    below.bar(turns, gins, color=ORANGE)
    below.set_ylabel("gin at this turn\n(% of hands in play)")
    below.set_xlabel("turns of both players")
    for axes in (above, below):
        _bare(axes)
        axes.set_xlim(0.5, _LAST_TURN + 0.5)
    _save(figure, file)


def score_by_waiting(withheld: Withheld, file: Path) -> None:
    """Figure 2: the score of a knock against turns since it was first possible."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.axhline(0, color=GREY, lw=1)
    for noted, label, colour, side in zip(withheld.since, _WHO, (BLUE, ORANGE), (1, -1), strict=True):
        number, total, square = np.array(noted)[:19].T
        waited = np.arange(len(number))[number > 30]
        number, total, square = number[waited], total[waited], square[waited]
        mean = total / number
        error = 1.96 * np.sqrt(np.maximum(square / number - mean**2, 0) / number)
        axes.errorbar(waited, mean, error, color=colour, marker="o", ms=4, lw=1.5, capsize=3, label=label)
        for x, y, above in zip(waited, mean, error, strict=True):
            place = y + side * (above + 0.5)
            axes.text(x, place, f"{y:.1f}", ha="center", va="bottom" if side > 0 else "top", fontsize=8, color=colour)
    axes.set_xticks(range(0, 19, 2))
    axes.set_xlabel("turns of both players since the player could first knock")
    axes.set_ylabel("mean score of a knock now")
    axes.set_title("Figure 2: score against turns after the first chance to knock (95% intervals)")
    axes.legend(frameon=False)
    axes.margins(y=0.12)
    _bare(axes)
    _save(figure, file)


def win_rates(pairings: Pairings, file: Path) -> None:
    """Figure 3: the heat map of win rates with intervals, and the difference to the paper."""
    size = len(PLAYERS)
    ours, paper = np.full((size, size), np.nan), np.full((size, size), np.nan)
    width = np.zeros((size, size))
    for i, first in enumerate(PLAYERS):
        for j, second in enumerate(PLAYERS):
            if i != j:
                ours[i, j], width[i, j] = np.array(pairings[first, second]["wins"]) * 100
                paper[i, j] = WIN_RATES[first][second]
    figure = Figure(figsize=(13.5, 5.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.imshow(ours, cmap="RdBu", vmin=0, vmax=100, alpha=0.6)
    right.imshow(ours - paper, cmap="PuOr", vmin=-5, vmax=5, alpha=0.6)
    for i in range(size):
        for j in range(size):
            if i != j:
                left.text(j, i, f"{ours[i, j]:.1f}\n± {width[i, j]:.1f}", ha="center", va="center")
                right.text(j, i, f"{ours[i, j] - paper[i, j]:+.1f}\n({paper[i, j]:.1f})", ha="center", va="center")
    left.set_title("Figure 3: wins of the row against the column, %")
    right.set_title("ours less the paper's (the paper's), percentage points")
    for axes in (left, right):
        axes.set_xticks(range(size), TITLES)
        axes.set_yticks(range(size), TITLES)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    _save(figure, file)


def over_opponents(pairings: Pairings, player: str, name: str) -> tuple[float, float]:
    """Return the mean and the standard deviation of a figure over the four opponents."""
    values = [pairings[player, other][name][0] for other in PLAYERS if other != player]
    return float(np.mean(values)), float(np.std(values, ddof=1))


def _bars(axes: Any, pairings: Pairings, names: tuple[str, str], labels: tuple[str, str], scale: float) -> None:
    at = np.arange(len(PLAYERS))
    for k, (name, label, colour) in enumerate(zip(names, labels, (BLUE, ORANGE), strict=True)):
        found = np.array([over_opponents(pairings, player, name) for player in PLAYERS]) * scale
        x = at + (k - 0.5) * 0.36
        axes.bar(x, found[:, 0], 0.34, yerr=found[:, 1], color=colour, alpha=0.85, capsize=4, label=label)
        for place, (value, spread) in zip(x, found, strict=True):
            axes.text(place, value + spread + 0.25, f"{value:.1f}", ha="center", fontsize=9)
    axes.set_xticks(at, TITLES)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(0)
    _bare(axes)


def bonuses(pairings: Pairings, file: Path) -> None:
    """Figure 4: gins and undercuts won."""
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.subplots()
    _bars(axes, pairings, ("gin", "undercut"), ("gin", "undercut won"), 100)
    axes.set_ylabel("% of scored rounds")
    axes.set_title("Figure 4: gins and undercuts (mean ± s.d. over the four opponents)")
    axes.legend(frameon=False)
    _save(figure, file)


def points(pairings: Pairings, file: Path) -> None:
    """Figure 5: points per round won and lost, the published ones as crosses."""
    figure = Figure(figsize=(9, 4.8), layout="constrained")
    axes = figure.subplots()
    _bars(axes, pairings, ("PPRW", "PPRL"), ("PPRW (points per round won)", "PPRL (points per round lost)"), 1)
    label = "published"
    for k, published in enumerate((PPRW, PPRL)):
        for player, (value, spread) in published.items():
            x = PLAYERS.index(player) + (k - 0.5) * 0.36 + 0.11
            axes.errorbar(x, value, spread, color="black", marker="x", ms=7, lw=1, capsize=2, label=label)
            label = "_"
    axes.set_ylabel("points")
    axes.set_ylim(0, 33)
    axes.set_title("Figure 5: points per round (mean ± s.d. over the four opponents)")
    axes.legend(frameon=False, ncols=3, loc="upper left", fontsize=9)
    _save(figure, file)
