"""What the experiments on Poker-CNN's betting share: value network, generations, league, report; all of it resumable."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from cardai.cli.heatmap import draw as draw_heatmap
from cardai.core import tournament
from cardai.core.runs import Run
from cardai.core.session import Session

VALUES, BETS = "values", "bets"


@frozen
class Entry:
    """One run of generations: a value network, then a betting network that begins with it.

    ``{values}`` in ``bets`` stands for the value run's path; steps are minibatches and hands are those of a generation.
    """

    label: str
    encoder: str
    values: str
    value_steps: int
    bets: str
    hands: int
    generations: int


@frozen
class Published:
    """A published or measured figure of the authors' own networks: chips a hand and one standard error."""

    match: str
    chips: float
    error: float


@frozen
class Experiment:
    """An experiment: what is trained, against whom it is measured, and what is known already."""

    title: str
    game: str
    entries: tuple[Entry, ...]
    references: tuple[str, ...]
    published: tuple[Published, ...]
    ceilings: dict[str, float]
    """The most that anybody can win from a reference, chips a hand, where it is known exactly."""


def train(experiment: Experiment, entry: Entry, share: float, most: int, runs: Path) -> None:
    """Train an entry as far as asked, from where it stands."""
    folder = runs / entry.label
    values = folder / VALUES
    _run(experiment, values, entry.values, entry.encoder, max(20, round(entry.value_steps * share)))
    hands = max(100, round(entry.hands * share))
    spec = entry.bets.format(values=json.dumps(str(values))) + f",hands={hands}"
    _run(experiment, folder / BETS, spec, entry.encoder, hands * min(most, entry.generations))


def _run(experiment: Experiment, path: Path, trainer: str, encoder: str, steps: int) -> None:
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, trainer, experiment.game, encoder, 0, steps, sys.argv))
    if session.training.step < steps:
        session.train(steps, on_progress=lambda step, row: _say(str(path), step, row))


def _say(name: str, step: int, row: dict[str, float]) -> None:
    if row:
        sys.stdout.write(f"{name} {step:,}: " + ", ".join(f"{k} {v:.5g}" for k, v in row.items()) + "\n")
        sys.stdout.flush()


def generations(path: Path) -> list[str]:
    """Return the specs of a run's finished generations, oldest first."""
    if not (path / "run.json").is_file():
        return []
    checkpoint, _ = Run.open(path).latest()
    if checkpoint is None:
        return []
    state = json.loads((checkpoint.path / "state.json").read_text())
    return [f"{path}:generation={k}" for k in range(int(state["generations"]))]


def league(experiment: Experiment, runs: Path, games: int, final_games: int) -> tuple[Any, dict[str, Any]]:
    """Play the league of all generations and references, and every last generation's longer matches; return both."""
    by_entry = {entry.label: generations(runs / entry.label / BETS) for entry in experiment.entries}
    by_entry = {label: specs for label, specs in by_entry.items() if specs}
    if not by_entry:
        return None, {}
    everybody = [spec for specs in by_entry.values() for spec in specs] + list(experiment.references)
    played = tournament.play(
        experiment.game, everybody, games=games, seed=1, out=runs / "league", resume=True, progress=_progress
    )
    finals = {}
    for label, specs in by_entry.items():
        rivals = [*experiment.references, *dict.fromkeys(s for s in (specs[0], *specs[-2:-1]) if s != specs[-1])]
        finals[label] = tournament.play(
            experiment.game,
            [specs[-1], *rivals],
            games=final_games,
            seed=2,
            form="gauntlet",
            out=runs / "final",
            resume=True,
            progress=_progress,
        )
    return played, finals


def _progress(pairing: str, done: int, games: int) -> None:
    if done == games:
        sys.stdout.write(f"{pairing}: {done:,} games\n")
        sys.stdout.flush()


def short(spec: str, runs: Path) -> str:
    """Return a player's name for tables: "ours 3" for a generation."""
    if ":generation=" not in spec:
        return spec
    path, number = spec.split(":generation=")
    return f"{Path(path).parent.name} {number}"


def report(experiment: Experiment, runs: Path, out: Path, played: Any, finals: dict[str, Any], command: str) -> None:
    """Write report.md and its pictures."""
    out.mkdir(exist_ok=True)
    lines = [
        f"# {experiment.title}",
        "",
        f"Written by `{command}`. Chips a hand, blinds 50/100, duplicate decks, 95% intervals.",
        "",
    ]
    lines += ["## The authors' networks", "", "Measured from their weights, with one standard error.", ""]
    lines += ["| match | chips a hand |", "|---|---|"]
    lines += [f"| {p.match} | {p.chips:+.1f} +- {p.error:.1f} |" for p in experiment.published]
    for label, standings in finals.items():
        lines += ["", f"## The last generation of {label}", ""]
        lines += ["| opponent | chips a hand | hands | of the exact maximum |", "|---|---|---|---|"]
        for j, name in enumerate(standings.agents[1:], 1):
            cell = standings.cell(0, j)
            if cell is None:
                continue
            most = experiment.ceilings.get(name)
            part = f"{cell.mean / most:.0%} of {most:.1f}" if most else ""
            hands = int(standings.pairings[0, j].hands.sum())
            lines.append(f"| {short(name, runs)} | {cell.mean:+.1f} +- {cell.half_width:.1f} | {hands:,} | {part} |")
    if played is not None:
        names = [short(spec, runs) for spec in played.agents]
        draw_heatmap(evolve(played, agents=tuple(names)), experiment.title, str(out / "league.png"))
        curves(played, names, out / "learning.png")
        lines += ["", "## League", "", "![league](league.png)", "", "![learning curves](learning.png)", ""]
        lines += ["| player | mean over all | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
        for i, name in enumerate(names):
            cells = [played.cell(i, j) if i != j else None for j in range(len(names))]
            row = ["" if cell is None else f"{cell.mean:+.1f} +- {cell.half_width:.1f}" for cell in cells]
            lines.append(f"| {name} | {played.row_mean(i):+.1f} | " + " | ".join(row) + " |")
    lines += rates(experiment, runs)
    (out / "report.md").write_text("\n".join([*lines, ""]))


def rates(experiment: Experiment, runs: Path) -> list[str]:
    """Return a table of each generation's speed and losses, from the runs' metrics."""
    lines = [
        "",
        "## Training",
        "",
        "| generation | events | hands / CPU s | samples / CPU s | value loss |",
        "|---|---|---|---|---|",
    ]
    for entry in experiment.entries:
        path = runs / entry.label / BETS
        if not (path / "run.json").is_file():
            continue
        for row in Run.open(path).read_metrics():
            speeds = " | ".join(f"{row.get(f'cpu_{what}_per_second', 0):,.0f}" for what in ("hands", "samples"))
            name = f"{entry.label} {row['generation']:.0f}"
            lines.append(f"| {name} | {row['events']:,.0f} | {speeds} | {row['value_loss']:.4g} |")
    return lines


def curves(played: Any, names: Sequence[str], path: Path) -> None:
    """Draw each run's chips a hand against each reference by generation."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    runs: dict[str, list[int]] = {}
    for i, spec in enumerate(played.agents):
        if ":generation=" in spec:
            runs.setdefault(names[i].rsplit(" ", 1)[0], []).append(i)
    others = [j for j, spec in enumerate(played.agents) if ":generation=" not in spec]
    figure, axes = plt.subplots(1, len(runs), figsize=(6 * len(runs), 4), squeeze=False)
    for axis, (label, rows) in zip(axes[0], runs.items(), strict=True):
        for j in others:
            cells = [played.cell(i, j) for i in rows]
            means, widths = [c.mean for c in cells], [c.half_width for c in cells]
            axis.errorbar(range(len(rows)), means, widths, marker="o", capsize=2, label=names[j])
        axis.axhline(0, color="grey", linewidth=0.8)
        axis.set_title(label)
        axis.set_xlabel("generation")
        axis.set_ylabel("chips a hand")
        axis.legend(fontsize="small")
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


def main(experiment: Experiment, here: Path, name: str, doc: str | None) -> None:
    """Train what is missing, play the league, write the report."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=None, help="default: runs/NAME, with the share if it is not 1")
    parser.add_argument("--out", type=Path, default=here / "report")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full length (a run keeps its own)")
    parser.add_argument("--generations", type=int, default=100, help="at most so many (more later goes on from there)")
    parser.add_argument("--games", type=int, default=4_000, help="games of each pairing of the league")
    parser.add_argument("--final-games", type=int, default=40_000, help="games of each match of a last generation")
    parser.add_argument("--only", action="append", default=[], help="label of a run (repeatable)")
    parser.add_argument("--report", action="store_true", help="train nothing")
    options = parser.parse_args()
    runs = options.runs or Path("runs") / (name if options.share == 1 else f"{name}_{options.share:g}")
    try:
        for entry in experiment.entries:
            if not options.report and (not options.only or entry.label in options.only):
                train(experiment, entry, options.share, options.generations, runs)
        played, finals = league(experiment, runs, options.games, options.final_games)
    except KeyboardInterrupt:
        sys.stdout.write("stopped; the same command goes on from here\n")
        return
    report(experiment, runs, options.out, played, finals, f"python experiments/{name}/run.py")
