"""The report of an experiment on Poker-CNN's betting: tables and pictures of whatever has been measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve
from poker_cnn_ablations import acting_section, networks_section
from poker_cnn_generations import BETS, FINAL, LEAGUE, Work
from poker_cnn_variants import variants_section

from cardai.arena import tournament
from cardai.commands.show.heatmap import draw as draw_heatmap
from cardai.training.runs import Run

_SPENT = ("step", "seconds", "cpu_seconds")


def write(work: Work, out: Path, command: str) -> None:
    """Write report.md and its pictures."""
    out.mkdir(parents=True, exist_ok=True)
    experiment = work.experiment
    lines = [
        f"# {experiment.title}",
        "",
        f"Written by `{command}`. Chips a hand, blinds 50/100, duplicate decks, 95% intervals.",
        "",
        "## The authors' networks",
        "",
        "Measured from their weights, with one standard error.",
        "",
        "| match | chips a hand |",
        "|---|---|",
    ]
    lines += [f"| {p.match} | {p.chips:+.1f} +- {p.error:.1f} |" for p in experiment.published]
    for label in work.begun():
        lines += final_section(work, label)
    lines += league_section(work, out)
    for label in work.begun():
        lines += acting_section(work, label)
    lines += variants_section(work)
    lines += networks_section(work, out)
    lines += rates(work)
    if experiment.findings and experiment.entries[0].label in work.begun():  # they are of ours
        lines += ["", "## What did not work, and what did", "", *experiment.findings.strip().splitlines()]
    (out / "report.md").write_text("\n".join([*lines, ""]))


def final_section(work: Work, label: str) -> list[str]:
    """Return the section on an entry's last generation."""
    standings = tournament.saved(work.runs / FINAL, work.finalists(label), "gauntlet")
    if standings is None:
        return []
    entry = next(entry for entry in work.experiment.entries if entry.label == label)
    run = Run.open(work.runs / label / BETS)
    trainer: Any = run.trainer()
    made = len(work.generations(label))
    lines = ["", f"## The last generation of {label}", ""]
    lines += [
        f"{made} generations of {trainer.hands:,} hands (full length: {entry.generations} of {entry.hands:,}).",
        "",
    ]
    lines += ["| opponent | chips a hand | hands | of the exact maximum |", "|---|---|---|---|"]
    for j, name in enumerate(standings.agents[1:], 1):
        cell = standings.cell(0, j)
        if cell is None:
            continue
        most = work.experiment.ceilings.get(name)
        part = f"{cell.mean / most:.0%} of {most:.1f}" if most else ""
        hands = standings.pairings[0, j].hands
        lines.append(f"| {work.short(name)} | {cell.mean:+.1f} +- {cell.half_width:.1f} | {hands:,} | {part} |")
    return lines


def league_section(work: Work, out: Path) -> list[str]:
    """Return the section on the league; draws its pictures."""
    everybody = work.everybody()
    played = tournament.saved(work.runs / LEAGUE, everybody)
    if played is None:
        return []
    names = [work.short(spec) for spec in played.agents]
    draw_heatmap(evolve(played, agents=tuple(names)), work.experiment.title, str(out / "league.png"))
    curves(played, names, out / "learning.png")
    lines = ["", "## League", "", "![league](league.png)", "", "![learning curves](learning.png)", ""]
    lines += ["| player | mean over all | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for i, name in enumerate(names):
        cells = [played.cell(i, j) if i != j else None for j in range(len(names))]
        row = ["" if cell is None else f"{cell.mean:+.1f} +- {cell.half_width:.1f}" for cell in cells]
        lines.append(f"| {name} | {played.row_mean(i):+.1f} | " + " | ".join(row) + " |")
    return lines


def rates(work: Work) -> list[str]:
    """Return a table of each generation's length, speed and loss, from the runs' metrics."""
    lines = []
    for entry in work.experiment.entries:
        path = work.runs / entry.label / BETS
        if not (path / "run.json").is_file():
            continue
        before = dict.fromkeys(_SPENT, 0.0)
        for row in Run.open(path).read_metrics():
            spent = " | ".join(f"{row[name] - before[name]:,.0f}" for name in _SPENT)
            speeds = " | ".join(f"{row.get(f'cpu_{what}_per_second', 0):,.0f}" for what in ("hands", "samples"))
            name = f"{entry.label} {row['generation']:.0f}"
            lines.append(f"| {name} | {spent} | {row['events']:,.0f} | {speeds} | {row['value_loss']:.4g} |")
            before = row
    if not lines:
        return []
    return [
        "",
        "## Training",
        "",
        f"{processor()}, one thread, beside other work: wall seconds are more than a quiet machine takes. Play and learning",
        "are both in the seconds of a generation.",
        "",
        "| generation | hands | wall s | CPU s | events learned | hands / CPU s | samples / CPU s | value loss |",
        "|---|---|---|---|---|---|---|---|",
        *lines,
    ]


def processor() -> str:
    """Return the processor's name and how many of it there are."""
    found = [line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")]
    return f"{found[0] if found else platform.processor()}, {os.cpu_count()} virtual cores"


def _cpuinfo() -> list[str]:
    file = Path("/proc/cpuinfo")
    return file.read_text().splitlines() if file.is_file() else []


def curves(played: Any, names: Sequence[str], path: Path) -> None:
    """Draw each run's chips a hand against each reference by generation."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    runs: dict[str, list[int]] = {}
    for i, spec in enumerate(played.agents):
        if ":generation=" in spec:
            runs.setdefault(names[i].rsplit(" ", 1)[0], []).append(i)
    others = [j for j, spec in enumerate(played.agents) if ":generation=" not in spec]
    figure = Figure(figsize=(5 * len(runs) + 2, 4), layout="constrained")
    axes = figure.subplots(1, len(runs), squeeze=False, sharey=True)[0]
    for axis, (label, rows) in zip(axes, runs.items(), strict=True):
        for k, j in enumerate(others):
            known = [(g, cell) for g, cell in enumerate(played.cell(i, j) for i in rows) if cell is not None]
            aside = 0.06 * (k - (len(others) - 1) / 2)  # so that intervals do not hide one another
            places = [g + aside for g, _ in known]
            means, widths = [c.mean for _, c in known], [c.half_width for _, c in known]
            axis.errorbar(places, means, widths, marker="o", markersize=4, capsize=2, label=names[j], color=f"C{k}")
        axis.axhline(0, color="grey", linewidth=0.8)
        axis.set_title(label)
        axis.set_xlabel("generation")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0].set_ylabel("chips a hand")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=110)
