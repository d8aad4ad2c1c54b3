"""The report: tables in Markdown beside the pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.heisenbot import figures
from experiments.heisenbot.paper import ABLE_TURN, GIN_TURN, PLAYERS, PPRL, PPRW, WIN_RATES
from experiments.heisenbot.roundrobin import Pairings
from experiments.heisenbot.withheld import Withheld


def write(pairings: Pairings, withheld: Withheld, games: int, command: str, out: Path) -> Path:
    """Write report.md and figure1.png to figure5.png to ``out``; return the report's path."""
    out.mkdir(parents=True, exist_ok=True)
    figures.deadwood_by_turn(withheld, out / "figure1.png")
    figures.score_by_waiting(withheld, out / "figure2.png")
    figures.win_rates(pairings, out / "figure3.png")
    figures.bonuses(pairings, out / "figure4.png")
    figures.points(pairings, out / "figure5.png")
    parts = [
        "# Heisenbot: the paper's five players, played again",
        "Eicholtz, Moss, Traino, Roberson: *Heisenbot: A Rule-Based Game Agent for Gin Rummy* (AAAI 2021). "
        f"Each pairing played {games:,} games to 100 points on duplicate decks. Written by `{command}`.",
        "## Figure 3: win rates",
        "Per cent of games won by the row against the column, with 95% intervals; in brackets the published figure.",
        _win_rates(pairings),
        "![win rates](figure3.png)",
        _distance(pairings),
        "## Figures 4 and 5: bonuses and points per round",
        "Mean and standard deviation over the four opponents. Gins and undercuts in per cent of scored rounds; the paper "
        "gives figure 4 as a picture without numbers.",
        _players(pairings),
        "![gins and undercuts](figure4.png)",
        "![points per round](figure5.png)",
        "## Figures 1 and 2: when to knock",
        _withheld(withheld),
        "![deadwood by turn](figure1.png)",
        "![score after the first chance to knock](figure2.png)",
    ]
    file = out / "report.md"
    file.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return file


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _win_rates(pairings: Pairings) -> str:
    rows = []
    for first in PLAYERS:
        cells = []
        for second in PLAYERS:
            if first == second:
                cells.append("")
                continue
            mean, half = pairings[first, second]["wins"]
            cells.append(f"{100 * mean:.1f} ± {100 * half:.1f} ({WIN_RATES[first][second]})")
        mean, _ = figures.over_opponents(pairings, first, "wins")
        published = float(np.mean(list(WIN_RATES[first].values())))
        rows.append([f"**{first}**", *cells, f"{100 * mean:.1f} ({published:.1f})"])
    return _table(["", *PLAYERS, "mean"], rows)


def _distance(pairings: Pairings) -> str:
    cells = {
        (first, second): 100 * pairings[first, second]["wins"][0] - WIN_RATES[first][second]
        for first in PLAYERS
        for second in PLAYERS
        if first != second
    }
    apart = [abs(d) for (first, second), d in cells.items() if "always-draw" not in (first, second)]
    drawn = [abs(d) for (first, second), d in cells.items() if "always-draw" in (first, second)]
    return (
        f"Largest difference to the paper: {max(apart):.1f} points, and {max(drawn):.1f} in Always Draw's row and column. "
        "The EAAI framework's own players score 91.4 (Simple) and 93.2 (Greedy) against Always Draw, not the published 89.1 "
        "and 94.6 (the framework measured over 20,000 games each)."
    )


def _players(pairings: Pairings) -> str:
    rows = []
    for player in PLAYERS:
        cells = []
        for name, scale, published in (
            ("PPRW", 1, PPRW),
            ("PPRL", 1, PPRL),
            ("gin", 100, {}),
            ("undercut", 100, {}),
            ("undercut suffered", 100, {}),
        ):
            mean, spread = figures.over_opponents(pairings, player, name)
            known = published.get(player)
            cells.append(
                f"{scale * mean:.1f} ± {scale * spread:.1f}" + (f" ({known[0]} ± {known[1]})" if known else "")
            )
        rows.append([f"**{player}**", *cells])
    return _table(["", "PPRW (paper)", "PPRL (paper)", "gin %", "undercut won %", "undercut suffered %"], rows)


def _withheld(withheld: Withheld) -> str:
    counts = np.array(withheld.deadwoods)
    turns = np.arange(len(counts))
    able = counts[:, :11].sum(axis=1)
    not_gin = counts[:, 1:11].sum(axis=1)
    gins = np.array(withheld.gins)
    return (
        f"The simple player against itself, {withheld.rounds:,} rounds, both withholding every knock until gin or turn 30 "
        "(turns of both players counted): the paper's figure 1 speaks of forced knocking past turn 30, and its averages fit "
        f"this experiment only. Mean turn at which a knock was possible: {(able * turns).sum() / able.sum():.1f} "
        f"({(not_gin * turns).sum() / not_gin.sum():.1f} without gin; paper {ABLE_TURN}). Mean turn of going gin: "
        f"{(gins * turns).sum() / gins.sum():.1f} (paper {GIN_TURN}). A player could *first* knock at turn "
        f"{withheld.first_able:.1f} on average, the earlier of the two at {withheld.earlier_able:.1f}. Figure 2 gives what a "
        "knock would have scored at each turn since, layoffs and bonuses included. After turn 30 figure 1 shows only hands "
        "in which neither has been able to knock since."
    )
