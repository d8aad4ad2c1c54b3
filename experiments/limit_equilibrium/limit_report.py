"""The report, printed from the measurements: a figure that was not measured is said to be missing, with its command."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from limit_measures import Figures
from limit_picture import Point, draw
from limit_sections import (
    BLIND,
    BLUEPRINT_STEPS,
    BOARDS,
    CURVE_STEPS,
    CURVES,
    EARLIER,
    FEW,
    GAME,
    HANDS,
    PLAIN_STEPS,
    REFERENCES,
    RIVER_STEPS,
    SCALED,
    TABLES,
    TAKEN_STEPS,
    UNEVEN_EARLIER,
    UNEVEN_STEPS,
    Plan,
    generations,
)

from cardai.core.files import write_atomically

PUBLISHED = {
    "always_call": "1163.48", "always_raise": "3697.69", "mix:fold=0,call=1,raises=1": "2406.55", "random": "3466.32",
    "acpc_mix": "2491.79",
}  # fmt: skip
"""Johanson et al., "Accelerating best response calculation in large extensive games" (IJCAI 2011), and values that
cardai's documents quoted before; mbb a hand."""


def write(plan: Plan, figures: Figures, out: Path) -> None:
    """Write report.md."""
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Limit hold'em near equilibrium",
        "",
        "Written by `python experiments/limit_equilibrium/run.py`. Every figure is a command's; RUNS is the directory of --runs,",
        "CNN and LEAGUE are the runs of --poker-cnn and --league.",
        f"The game is {GAME}; figures are thousandths of a big blind a hand (mbb/g), with 95 % intervals.",
        *training(plan, figures),
        *picture(plan, figures, out),
        *targets(plan, figures),
        *findings(plan, figures),
        *exploitability(plan, figures),
        *bounds(plan, figures),
        *matches(plan, figures),
        *networks(plan, figures),
        *exact(plan, figures),
        *curves(plan, figures),
        *missing(plan),
    ]
    write_atomically(out / "report.md", ("\n".join(lines) + "\n").encode())


def command(figures: Figures, words: tuple[object, ...]) -> str:
    """Return a command as a table's cell."""
    return f"`{figures.named(shlex.join(['cardai', *map(str, words)]))}`"


def cell(found: dict[str, Any] | None, form: str) -> str:
    """Return a figure, or that there is none."""
    return "not measured" if found is None else form.format(**found)


def training(plan: Plan, figures: Figures) -> list[str]:
    """Return the section on training."""
    lines = ["", "## Tables of buckets", "", "| tables, made anew | CPU s | most memory, MB |", "|---|---|---|"]
    for words in TABLES:
        made = figures.get(*words)
        row = cell(made, "{cpu_seconds:,.0f} | {megabytes:,}") if made else "not measured | "
        lines.append(f"| {command(figures, words)} | {row} |")
    lines += ["", "## Training", "", "| run | step | CPU s | a CPU s | most memory, MB |", "|---|---|---|---|---|"]
    for name, row in figures.known.items():
        if name.startswith("cardai train"):
            speed = row["step"] / row["cpu_seconds"]
            most = f"{row['megabytes']:,}" if "megabytes" in row else ""
            lines.append(f"| `{name}` | {row['step']:,} | {row['cpu_seconds']:,.0f} | {speed:,.0f} | {most} |")
    return lines


def picture(plan: Plan, figures: Figures, out: Path) -> list[str]:
    """Draw curve.png of what was measured, and return its lines; nothing while there is nothing to draw."""
    spent = {name: row for name, row in figures.known.items() if name.startswith("cardai train")}

    def cpu(run: Path, step: int) -> float:
        """Return the CPU seconds of a run by ``step``: its whole time by its steps."""
        named = figures.named(str(run))
        rows = [row for name, row in spent.items() if name.endswith(f"--out {named}") and row["step"] >= step]
        return min((row["cpu_seconds"] * step / row["step"] for row in rows), default=0.0)

    def points(*rows: tuple[float, str]) -> list[Point]:
        found = [(time, figures.get(*plan.response(spec, "river", plan.of(BOARDS)))) for time, spec in rows]
        return [(time, one) for time, one in found if one is not None and time > 0]

    def river(run: Path, before: float, steps: tuple[int, ...]) -> list[tuple[float, str]]:
        return [(before + cpu(run, step), f"{run}:step={step}") for step in steps]

    whole, short = cpu(plan.blueprint, BLUEPRINT_STEPS), plan.curve("500 strength")
    lines = {
        "the blueprint, then ours: its river anew": points(
            (whole, str(plan.blueprint)), *river(plan.river, whole, (*EARLIER, RIVER_STEPS))
        ),
        "500 buckets": points((cpu(short, CURVE_STEPS), str(short)), (cpu(plan.plain, PLAIN_STEPS), str(plan.plain))),
        "its river anew, even=0": points(
            *river(plan.runs / "uneven", cpu(plan.plain, TAKEN_STEPS), (*UNEVEN_EARLIER, UNEVEN_STEPS))
        ),
    }
    bars = [(f"{name}, {words[words.index('--from') + 1]}", figures.get(*words)) for name, words in plan.deeper()]
    known = [(name, found) for name, found in bars if found is not None]
    drawn = {name: found for name, found in lines.items() if found}
    if not drawn or not known:
        return []
    draw(drawn, known[::-1], out / "curve.png")
    return ["", "![exploitability by training, and from earlier streets](curve.png)"]


def targets(plan: Plan, figures: Figures) -> list[str]:
    """Return what was to be reached beside what was."""
    lines = ["", "## Targets", "", "| what | target | measured |", "|---|---|---|"]
    found = figures.get(*plan.response(plan.player, "river", plan.of(BOARDS)))
    lines.append(
        f"| a best response from the river wins at most | 60 | {cell(found, '{mean:.1f} ({low:.1f} to {high:.1f})')} |"
    )
    for other, least in (("threshold", 150), ("holdem_heuristic", 350)):
        won = winnings(figures, plan.match(plan.player, other, plan.games))
        shown = cell(won, "{mean:+.0f} ({low:+.0f} to {high:+.0f})")
        lines.append(f"| ours wins from {other} more than | {least} | {shown} |")
    met = [winnings(figures, words) for who, _, words in plan.against_networks() if who == "ours"]
    known = [won for won in met if won is not None]
    least_won = min(known, key=lambda won: won["low"], default=None)
    shown = cell(least_won, "least of " + str(len(known)) + ": {mean:+.0f} ({low:+.0f} to {high:+.0f})")
    return [*lines, f"| ours wins from every generation of Poker-CNN more than | 0 | {shown} |"]


def findings(plan: Plan, figures: Figures) -> list[str]:
    """Return what the figures say together, in sentences; nothing of what was not measured."""
    lines = ["", "## What the figures say", ""]
    won = {
        who: one
        for who, other, words in plan.matches()
        if other == "holdem_heuristic" and (one := winnings(figures, words)) is not None
    }
    short_runs = {f"{name}, {CURVE_STEPS:,} iterations" for name in CURVES}
    whole, short = (
        [f"{one['mean']:+.0f} ({who})" for who, one in won.items() if (who in short_runs) == few]
        for few in (False, True)
    )
    if len(whole) > 1:
        lines += [
            "- **From holdem_heuristic** players that come near an equilibrium win much the same, in whichever way they do:",
            f"  {', '.join(whole)}." + (f" After fewer iterations: {', '.join(short)}." if short else ""),
            "  An equilibrium does not exploit: it wins what the other gives away by itself.",
        ]
    shown = [
        f"{found['mean']:.0f} from the {found['from']} ({found['boards']} boards)"
        for words in (plan.response(plan.player, "river", plan.of(BOARDS)), plan.deeper()[0][1], plan.deeper()[-1][1])
        if (found := figures.get(*words)) is not None
    ]
    if shown:
        lines += [
            f"- **Our player** loses to a perfect opponent at least {', '.join(shown)}, in mbb/g.",
            "  Agents of the competition of 2010 were exploitable by 135 to 422 in all (Johanson et al. 2011). The earlier the",
            "  street, the nearer a bound is to that figure; what the streets before it add is not in it.",
        ]
    lines += _even(plan, figures)
    return [*lines, *_league(plan, figures)] if len(lines) > 3 else []


def _even(plan: Plan, figures: Figures) -> list[str]:
    """Return what a share of even range buys, if both were measured from river and turn."""
    found = [
        [figures.get(*plan.response(spec, street, boards)) for street, boards in (("river", plan.of(BOARDS)), ("turn", plan.of(FEW)))]
        for spec in (plan.even0, plan.early)
    ]  # fmt: skip
    without, even = (
        ["{mean:.0f} ({low:.0f} to {high:.0f})".format(**one) for one in row if one is not None] for row in found
    )
    if len(without) < 2 or len(even) < 2:
        return []
    return [
        "- **The river learned anew** against ranges as the blueprint brings them alone (even=0) is unsafe: a perfect opponent brings",
        f"  other hands. Of one blueprint, after {EARLIER[0]:,} boards, it wins {without[0]} from the river and {without[1]} from the turn;",
        f"  where 0.3 of the range that replies is even over all hands, {even[0]} and {even[1]}.",
    ]


def _league(plan: Plan, figures: Figures) -> list[str]:
    """Return what our player in the league changed, by the newest generation of that run and the other run's as old."""
    if not (plan.league and plan.poker_cnn and generations(plan.league)):
        return []
    age = generations(plan.league)[-1]
    without, with_ours = (
        _figures_of(plan, figures, f"{run}:generation={age}") for run in (plan.poker_cnn, plan.league)
    )
    rows = [f"  - {what}: {without[what]} without, {with_ours[what]} with." for what in without if what in with_ours]
    return (
        [f"- **Our player in Poker-CNN's league**, generation {age} of both trainings, mbb/g:", *rows] if rows else []
    )


def _figures_of(plan: Plan, figures: Figures, spec: str) -> dict[str, str]:
    """Return the figures of one of Poker-CNN's generations in words."""
    out = {}
    for other in REFERENCES:
        won = winnings(figures, plan.match(spec, other, plan.games // 5, SCALED))
        if won is not None:
            out[f"wins from {other}"] = f"{won['mean']:+.0f} ({won['low']:+.0f} to {won['high']:+.0f})"
    for games in (plan.games, plan.games // 5):
        won = winnings(figures, plan.match(plan.player, spec, games, SCALED))
        if won is not None:
            out["wins from ours"] = f"{-won['mean']:+.0f} ({-won['high']:+.0f} to {-won['low']:+.0f})"
    lbr = figures.get(*plan.lbr(spec, plan.of(HANDS // 5), SCALED))
    if lbr is not None:
        out["a local best response wins"] = "{mean:+.0f} ± {half_width:.0f}".format(**lbr)
    river = figures.get(*plan.response(spec, "river", plan.of(FEW), SCALED))
    if river is not None:
        out[f"a best response from the river wins on the same {river['boards']} boards"] = interval(river)
    return out


def winnings(figures: Figures, words: tuple[object, ...]) -> dict[str, Any] | None:
    """Return what the first player of a match won, if it was played."""
    played = figures.get(*words)
    return None if played is None else played["players"][0]["figures"]["mbb/g"]


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
        row = " | | not measured | "
        if found:
            spent = f"{found['cpu_seconds']:,.0f}" if "cpu_seconds" in found else ""
            row = f"{found['from']} | {found['boards']} | {interval(found)} | {spent}"
        lines.append(f"| {name} | {row} | {command(figures, words)} |")
    return lines


def bounds(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of all players' bounds."""
    lines = [
        "", "## All players by the same measures", "",
        "A perfect opponent wins at least this, by a local best response and by a best response from the river. Poker-CNN",
        f"plays {SCALED}, the same game with ten times the chips. A negative figure proves nothing.", "",
        "| player | LBR: hands | mbb/g | from the river: boards | mbb/g | CPU s | commands |", "|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for name, first, second in plan.bounds():
        lbr, river = figures.get(*first), figures.get(*second)
        row = cell(lbr, "{hands:,} | {mean:+.0f} ± {half_width:.0f}") if lbr else " | not measured"
        row += " | " + (cell(river, "{boards} | ") + interval(river) if river else " | not measured")
        spent = sum(found["cpu_seconds"] for found in (lbr, river) if found)
        lines.append(f"| {name} | {row} | {spent:,.0f} | {command(figures, first)}, {command(figures, second)} |")
    return lines


def interval(found: dict[str, Any]) -> str:
    """Return a best response's figure with its interval, where it has one."""
    known = "({low:.1f} to {high:.1f})" if found["low"] is not None else "(too few boards for an interval)"
    return ("{mean:.1f} " + known).format(**found)


def matches(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of matches."""
    lines = ["", "## Matches", "", "Each deal is played in both seats.", ""]
    return [*lines, *_table(figures, plan.matches())]


def networks(plan: Plan, figures: Figures) -> list[str]:
    """Return the table of matches with Poker-CNN."""
    played = plan.against_networks()
    lines = [
        "",
        "## Poker-CNN",
        "",
        f"In {SCALED}: our player takes it as its own game, whose betting tree is the same",
        "",
    ]
    lines[-2] += " but for the chips."
    lines[-1:] = [
        "CNN was trained as `ours` of `python experiments/poker_cnn_limit/run.py`; LEAGUE with the same command and the run of",
        "our player four times more in `league`, up to the generations shown.",
        "",
    ]
    return [*lines, *_table(figures, played)] if played else []


def _table(figures: Figures, played: list[tuple[str, str, tuple[object, ...]]]) -> list[str]:
    lines = ["| player | opponent | games | mbb/g | CPU s | command |", "|---|---|---|---|---|---|"]
    for who, other, words in played:
        found, won, row = figures.get(*words), winnings(figures, words), " | not measured | "
        if found is not None and won is not None:
            half = (won["high"] - won["low"]) / 2
            row = f"{found['games']:,} | {won['mean']:+.0f} ± {half:.0f} | {found['cpu_seconds']:,.0f}"
        lines.append(f"| {who} | {other} | {row} | {command(figures, words)} |")
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
        words = plan.response(plan.curve(name), "river", plan.of(BOARDS))
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
        "- More boards from the flop: one is the work of 36 from the turn, more or less.",
        f"- Exploitability itself: `cardai evaluate best-response --game {GAME} --agent RUNS/river --from preflop --out FILE`",
        "  takes days of CPU and goes on from FILE.",
    ]
