"""How much more decisions teach: one run a number of decisions of one teacher.

Every run is measured on the same held-out decisions, those of the experiment's own logs. Beside each stands a table that is
counted from the same decisions.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tables
from attrs import evolve
from making import another, called, examples, generate, kept, train

from cardai import make
from cardai.core.errors import UsageError
from cardai.core.files import Output
from cardai.learn.imitation.examples import read_manifest
from cardai.learn.imitation.measures import divergences, half_width, policy_of


def made(out: Path, data: Path, teachers: list[str], options: argparse.Namespace) -> list[str]:
    """Make what is missing and return the report's lines; the picture is ``out``/decisions.png."""
    system, *more = options.curve.split(",")
    points = [points_of(item) for item in options.curve_points.split("+")]
    first = another(",".join([f"{system}={points[0][1]}", *more]), teachers)
    teacher, name = first.teacher, called(first.teacher)
    taught = data
    if options.curve_hands:
        generate(out / "curve-logs", teachers, options.curve_hands, 900_000, (0, 1), options.game, teacher)
        taught = examples(str(out / "curve-logs"), out / "curve-examples")
    names = [one for one in read_manifest(taught).players if one.rstrip("_") == name]
    rows = []
    for decisions, steps in points:
        one, key = evolve(first, steps=steps), f"curve-{name}-{decisions}"
        path = train(out / "runs" / key, one, taught, names, f"most={decisions}")
        found = kept(
            out / f"{key}.json", partial(apart, f"{path}:act=sample", teacher, str(data), names, options.limit)
        )
        counting = partial(tables.counted, teacher, str(data), names, options.limit, str(taught), decisions)
        rows.append({"decisions": decisions, "steps": steps, **found, **kept(out / f"{key}.table.json", counting)})
    _draw(out / "decisions.png", rows, name)
    return _lines(rows, options.curve, name)


def points_of(item: str) -> tuple[int, int]:
    """Return (decisions, steps) of "DECISIONS=STEPS"."""
    decisions, _, steps = item.partition("=")
    if not decisions.isdecimal() or not steps.isdecimal():
        raise UsageError(f"--curve-points are DECISIONS=STEPS, joined with +. Got {item!r}.")
    return int(decisions), int(steps)


def apart(agent: str, teacher: str, data: str, players: list[str], limit: int) -> dict[str, float]:
    """Return the divergence of ``agent`` from ``teacher`` on ``limit`` decisions held out in ``data``."""
    game = make.game(read_manifest(data).game)
    test = tables.of_players(data, players, game, True).take(slice(limit))
    found = divergences(policy_of(teacher, game, test), policy_of(agent, game, test))
    return {"kl": float(found.mean()), "half_width": half_width(found, test.hand), "measured": float(len(test))}


def _lines(rows: Sequence[dict[str, Any]], run: str, name: str) -> list[str]:
    lines = [
        "",
        "## How many decisions",
        "",
        f"{run}, learned from more and more decisions of {name}; measured on the same {rows[0]['measured']:,.0f} "
        "held-out decisions as above. The counted table knows where in the teacher's table every decision lies.",
        "",
        "| decisions | minibatches | KL of the network | KL of the counted table |",
        "|---|---|---|---|",
    ]
    for row in rows:
        table = f"{row['table']:.4f}" if "table" in row else "-"
        lines.append(
            f"| {int(row['decisions']):,} | {row['steps']:,} | {row['kl']:.4f} ± {row['half_width']:.4f} | {table} |"
        )
    lines += [
        "",
        "![KL by decisions](decisions.png)",
    ]
    return lines


def _draw(file: Path, rows: Sequence[dict[str, Any]], name: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    x = [row["decisions"] for row in rows]
    axes.errorbar(x, [row["kl"] for row in rows], [row["half_width"] for row in rows], fmt="o-", label="network")
    if all("table" in row for row in rows):
        axes.plot(x, [row["table"] for row in rows], "s--", label="table, counted")
    axes.axhline(0.02, color="black", lw=0.8, label="aimed at")
    axes.set(xscale="log", yscale="log", xlabel=f"decisions of {name} learned from", ylabel="KL, nats a decision")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
    with Output(file) as stream:
        figure.savefig(stream, dpi=130, format="png")
