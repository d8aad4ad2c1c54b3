"""The report, printed from the measurements: a figure that was not measured is said to be missing, with its command."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from limit_measures import Figures
from limit_sections import BLIND, BLUEPRINT_STEPS, CURVE_STEPS, CURVES, GAME, RIVER_STEPS, Plan

from cardai.core.files import write_atomically

PUBLISHED = {
    "always_call": "1163.48", "always_raise": "3697.69", "mix:fold=0,call=1,raises=1": "2406.55", "random": "3466.32",
    "acpc_mix": "2491.79",
}  # fmt: skip
"""Johanson et al., "Accelerating best response calculation in large extensive games" (IJCAI 2011), and values that
cardai's documents quoted before; mbb a hand."""


def write(plan: Plan, figures: Figures, out: Path) -> None:
    """Write report.md."""
    lines = [
        "# Limit hold'em near equilibrium",
        "",
        "Written by `python experiments/limit_equilibrium/run.py`. Every figure is a command's; RUNS is the directory of --runs.",
        f"The game is {GAME}; figures are thousandths of a big blind a hand (mbb/g), with 95 % intervals.",
        *training(plan, figures),
        *targets(plan, figures),
        *exploitability(plan, figures),
        *matches(plan, figures),
        *local(plan, figures),
        *exact(plan, figures),
        *curves(plan, figures),
        *missing(plan),
    ]
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "report.md", ("\n".join(lines) + "\n").encode())


def command(figures: Figures, words: tuple[object, ...]) -> str:
    """Return a command as a table's cell."""
    text = shlex.join(["cardai", *map(str, words)]).replace(figures.runs, "RUNS")
    return f"`{text}`"


def cell(found: dict[str, Any] | None, form: str) -> str:
    """Return a figure, or that there is none."""
    return "not measured" if found is None else form.format(**found)


def training(plan: Plan, figures: Figures) -> list[str]:
    """Return the section on training."""
    lines = ["", "## Training", "", "| run | step | CPU s | a CPU s |", "|---|---|---|---|"]
    for name, row in figures.known.items():
        if name.startswith("cardai train"):
            speed = row["step"] / row["cpu_seconds"]
            lines.append(f"| `{name}` | {row['step']:,} | {row['cpu_seconds']:,.0f} | {speed:,.0f} |")
    return lines


def targets(plan: Plan, figures: Figures) -> list[str]:
    """Return what was to be reached beside what was."""
    lines = ["", "## Targets", "", "| what | target | measured |", "|---|---|---|"]
    found = figures.get(*plan.response(plan.player, "river", plan.of(100)))
    lines.append(
        f"| a best response from the river wins at most | 60 | {cell(found, '{mean:.1f} ({low:.1f} to {high:.1f})')} |"
    )
    for other, least in (("threshold", 150), ("holdem_heuristic", 350)):
        for name, who in (("ours", plan.player), ("the blueprint", plan.blueprint)):
            played = figures.get(*plan.match(who, other, plan.games))
            won = None if played is None else played["players"][0]["figures"]["mbb/g"]
            lines.append(
                f"| {name} wins from {other} more than | {least} | {cell(won, '{mean:+.0f} ({low:+.0f} to {high:+.0f})')} |"
            )
    lines += [
        "",
        "Agents of the competition of 2010 were exploitable by 135 to 422 in all (Johanson et al. 2011): a bound from the river",
    ]
    return [*lines, "alone is not that figure, and a lower one proves nothing about the earlier streets."]


def exploitability(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of best responses."""
    lines = [
        "", "## Lower bounds on exploitability", "",
        "A best response from a street on, over sampled boards (the interval: bootstrap within strata). From an earlier street",
        "the bound is nearer to exploitability itself.", "",
        "| player | from | boards | mbb/g | CPU s | command |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, words in (*plan.responses(), *plan.deeper()):
        found = figures.get(*words)
        row = cell(found, "{from} | {boards} | {mean:.1f} ({low:.1f} to {high:.1f}) | {cpu_seconds:,.0f}")
        lines.append(f"| {name} | {row if found else ' | | not measured | '} | {command(figures, words)} |")
    return lines


def matches(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of matches."""
    lines = ["", "## Matches", "", "Each deal is played in both seats.", ""]
    lines += ["| player | opponent | games | mbb/g | CPU s | command |", "|---|---|---|---|---|---|"]
    for words in plan.matches():
        found = figures.get(*words)
        who = "ours" if words[4] == plan.player else "the blueprint"
        row = " | not measured | "
        if found is not None:
            won = found["players"][0]["figures"]["mbb/g"]
            half = (won["high"] - won["low"]) / 2
            row = f"{found['games']:,} | {won['mean']:+.0f} ± {half:.0f} | {found['cpu_seconds']:,.0f}"
        lines.append(f"| {who} | {words[6]} | {row} | {command(figures, words)} |")
    return lines


def local(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of local best responses."""
    lines = ["", "## Local best response", "", "A negative figure proves nothing.", ""]
    lines += ["| player | hands | mbb/g | CPU s | command |", "|---|---|---|---|---|"]
    for name, words in plan.lbrs():
        found = figures.get(*words)
        row = cell(found, "{hands:,} | {mean:+.0f} ± {half_width:.0f} | {cpu_seconds:,.0f}")
        lines.append(f"| {name} | {row if found else ' | not measured | '} | {command(figures, words)} |")
    return lines


def exact(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of players that do not look at their cards."""
    lines = ["", "## Exploitability of players that do not look at their cards, exactly", ""]
    lines += ["| player | mbb/g | known before | CPU s | command |", "|---|---|---|---|---|"]
    for name in BLIND:
        words = plan.response(name, "preflop", 0)
        found = figures.get(*words)
        row = cell(found, "{mean:.2f}"), PUBLISHED[name], cell(found, "{cpu_seconds:,.0f}") if found else ""
        lines.append(f"| {name} | {' | '.join(row)} | {command(figures, words)} |")
    return lines


def curves(plan: Plan, figures: Figures) -> list[str]:
    """Return the table over buckets."""
    lines = ["", f"## Other buckets, after {CURVE_STEPS:,} iterations, from the river", ""]
    lines += ["| buckets a street, river | boards | mbb/g | command |", "|---|---|---|---|"]
    for name in CURVES:
        words = plan.response(plan.curve(name), "river", plan.of(100))
        found = figures.get(*words)
        row = cell(found, "{boards} | {mean:.1f} ({low:.1f} to {high:.1f})")
        lines.append(f"| {name} | {row if found else ' | not measured'} | {command(figures, words)} |")
    return lines


def missing(plan: Plan) -> list[str]:
    """Return what this report does not show, with the commands that would."""
    lines = ["", "## What is not here", ""]
    if not plan.poker_cnn:
        lines += [
            "- Poker-CNN: no trained run is at hand. `python experiments/poker_cnn_limit/run.py` trains it (hours), and",
            "  `python experiments/limit_equilibrium/run.py --poker-cnn runs/poker_cnn_limit/ours/bets` measures it here (not tried).",
        ]
    return [
        *lines,
        f"- More iterations than {BLUEPRINT_STEPS:,} and more boards than {RIVER_STEPS:,} on the river: both runs go on with",
        "  `cardai train --resume RUN --steps N`.",
        f"- Exploitability itself: `cardai evaluate best-response --game {GAME} --agent RUNS/river --from preflop --out FILE`",
        "  takes days of CPU and goes on from FILE.",
    ]
