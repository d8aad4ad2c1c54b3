"""Writes report.md and its pictures from measurements.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# The authors' published weights, on 100,000 random hands with exact values: return, its standard error, shares of
# optimal holds and of mistakes (tiny, small, big). Sampled, not exact.
AUTHORS = (
    ("CNN 16 filters, April 2015", 0.982, 0.0005, 0.876, 0.067, 0.039, 0.018),
    ("CNN 24 filters, September 2015, 200 epochs", 0.976, 0.0006, 0.887, 0.053, 0.031, 0.029),
    ("CNN 24 filters, 100 epochs", 0.972, 0.0006, 0.873, 0.058, 0.037, 0.032),
    ("CNN fat 5x5, 200 epochs", 0.964, 0.0007, 0.831, 0.084, 0.043, 0.042),
)
EQUAL = ("cnn 17x17", "dense", "cnn 4x13", "cnn 8x13")
"""Runs with equal data, labels, optimiser and minibatches."""
SHARES = ("optimal", "tiny", "small", "big")
THINNED = 151_600
"""Examples of the publication's preset: 250,000 times the mean chance of being used (50,000 hands, exact values)."""
FEWEST = 1e-6
"""Where "none" is drawn on logarithmic axes (the rarest class is 4 hands of 2,598,960)."""
Rows = list[dict[str, Any]]


def write(found: Mapping[str, Any], words: Mapping[str, str], out: Path) -> None:
    """Write everything."""
    entries: Mapping[str, Any] = found["entries"]
    lines = [
        *heading(found),
        *table(found, words),
        "",
        *speeds(entries, words),
        "",
        *passes(entries),
        "",
        *comparison(entries),
        "",
        *NOTES,
        "",
        *parts(entries),
    ]
    if entries:
        draw_curves(entries, out / "curves.png")
        draw_equal(entries, out / "equal_accuracy.png")
        lines += ["", "## Pictures", "", "![learning curves](curves.png)", "", "![equal accuracy](equal_accuracy.png)"]
    for label, weights in found["filters"].items():
        name = f"filters_{label.replace(' ', '_')}.png"
        draw_filters(np.array(weights), label, out / name)
        lines += ["", f"![first-layer filters of {label}]({name})"]
    (out / "report.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


# -- text ----------------------------------------------------------------------------------------------------------


def heading(found: Mapping[str, Any]) -> list[str]:
    """Return the first lines."""
    machine = found["machine"]
    return [
        "# Poker-CNN: video poker",
        "",
        "Jacks or better, 976-9-6. Written by `python experiments/poker_cnn_video/run.py` from `measurements.json`.",
        f"{machine['processor']}, {machine['cores']} virtual cores, one thread, torch {machine['torch']}. CPU seconds are of",
        "training, labels included and measuring left out.",
        "",
        '"exact": all 2,598,960 hands, each in an order of its own, drawn once (ours treats suits and order alike: the',
        '134,459 hands that differ by more, weighted). "classes": one hand of each of those 134,459, in random suits and',
        'order, weighted. "sampled": the authors\' published weights on 100,000 random hands, with exact values. Mistakes',
        "cost less than 0.08 (tiny), less than 0.25 (small) or more (big), in stakes.",
        "",
    ]


def table(found: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    """Return the table of all players."""
    lines = [
        "| player | how measured | minibatches | CPU s | return | optimal | tiny | small | big mistakes |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, r in found["references"].items():
        lines.append(f"| {name} | exact | | | {r['return']:.8f} | {percent(r)} |")
    for name, total, error, *shares in AUTHORS:
        text = " | ".join(f"{share:.1%}" for share in shares)
        lines.append(f"| authors: {name} | sampled | | | {total:.3f} ± {error:.4f} | {text} |")
    for label, meaning in words.items():
        run = found["entries"].get(label)
        if run is None:
            lines.append(f"| {label}: {meaning} | not run | | | | | | | |")
            continue
        r = run["rows"][-1]
        how = "exact" if r["exact"] == "whole" else "classes"
        end = "" if r["step"] >= run["steps"] else f" of {run['steps']:,}"
        lines.append(
            f"| **{label}**: {meaning} | {how} | {r['step']:,}{end} | {r['cpu_seconds']:.0f} | {r['return']:.6f} | {percent(r)} |"
        )
    return lines


def percent(row: Mapping[str, float]) -> str:
    """Return the four shares as table cells."""
    return " | ".join(f"{row[name]:.4%}" for name in SHARES)


def speeds(entries: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    """Return the table of sizes and speeds."""
    lines = [
        "| run | parameters | minibatch | examples shown | examples/s | trainer |",
        "|---|---|---|---|---|---|",
    ]
    for label in words:
        if label in entries:
            run = entries[label]
            rows = run["rows"]
            rate = speed(run)
            shown = f"{rows[-1]['step'] * run['batch']:,}"
            lines.append(
                f"| {label} | {run['parameters']:,} | {run['batch']} | {shown} | {rate} | `{run['trainer']}` on `{run['encoder']}` |"
            )
    return lines


def speed(run: Mapping[str, Any]) -> str:
    """Return examples a CPU second between the first and the last measurement (labels are made before)."""
    first, last = run["rows"][0], run["rows"][-1]
    if last["step"] == first["step"]:
        return ""
    return f"{(last['step'] - first['step']) * run['batch'] / (last['cpu_seconds'] - first['cpu_seconds']):,.0f}"


def passes(entries: Mapping[str, Any]) -> list[str]:
    """Return how the publication's net grows with its passes over the examples."""
    if "paper" not in entries:
        return []
    run = entries["paper"]
    lines = [
        "## The publication's net",
        "",
        f"The authors trained for 200 epochs. An epoch here is {THINNED / run['batch']:,.0f} minibatches: about {THINNED:,} of",
        "250,000 hands are left when those whose best hold keeps one or two cards are halved. Labels (1,000 redraws of every",
        "hold, ten times as many where a royal flush is in sight) are made first, and again when a stopped run goes on.",
        "",
        "| minibatches | epochs | CPU s | return | optimal | big mistakes |",
        "|---|---|---|---|---|---|",
    ]
    for r in run["rows"]:
        epochs = r["step"] * run["batch"] / THINNED
        lines.append(
            f"| {r['step']:,} | {epochs:.1f} | {r['cpu_seconds']:.0f} | {r['return']:.6f} | {r['optimal']:.2%} | {r['big']:.2%} |"
        )
    last, low = run["rows"][-1], min(author[1] for author in AUTHORS)
    lands = "at or above" if last["return"] >= low else "below"
    return [
        *lines,
        "",
        f"The last, {last['return']:.4f} after {last['step'] * run['batch'] / THINNED:.0f} epochs, is {lands} the least of the",
        f"authors' nets shown, {low:.3f}. At 5,000 minibatches none of the 32 outputs was at or below 0 for all of 2,000 hands:",
        "the ReLU on the outputs had killed none.",
    ]


def comparison(entries: Mapping[str, Any]) -> list[str]:
    """Return big mistakes at equal data and at equal accuracy (read off the curves, linear in between)."""
    runs = [label for label in EQUAL if label in entries]
    if not runs:
        return []
    lines = ["## Equal data, then equal accuracy", "", "Optimal holds / big mistakes after as many examples:", ""]
    lines += ["| examples shown | " + " | ".join(runs) + " |", "|---" * (len(runs) + 1) + "|"]
    steps = sorted({row["step"] for label in runs for row in entries[label]["rows"]})
    for step in steps:
        cells = [next((r for r in entries[label]["rows"] if r["step"] == step), None) for label in runs]
        text = " | ".join("" if r is None else f"{r['optimal']:.2%} / {r['big']:.2%}" for r in cells)
        lines.append(f"| {step * entries[runs[0]]['batch']:,} | {text} |")
    ends = sorted(((entries[label]["rows"][-1]["return"], label) for label in runs), reverse=True)
    lines += ["", "By their last return: " + ", ".join(f"{label} {value:.4f}" for value, label in ends) + ".", ""]
    lines += ["Big mistakes at the point of each curve with the same share of optimal holds:", ""]
    lines += ["| optimal holds | " + " | ".join(runs) + " |", "|---" * (len(runs) + 1) + "|"]
    for level in levels([entries[label]["rows"] for label in runs]):
        cells_at = [at(entries[label]["rows"], level) for label in runs]
        lines.append(f"| {level:.1%} | " + " | ".join("" if x is None else f"{x:.2%}" for x in cells_at) + " |")
    return [*lines, "", *verdict(entries)]


def verdict(entries: Mapping[str, Any]) -> list[str]:
    """Return which of the CNN and the dense net makes more big mistakes where both play as many holds optimally."""
    if not {"cnn 17x17", "dense"} <= set(entries):
        return []
    cnn, dense = entries["cnn 17x17"]["rows"], entries["dense"]["rows"]
    level = min(max(r["optimal"] for r in rows) for rows in (cnn, dense))
    a, b = at(cnn, level), at(dense, level)
    if a is None or b is None:
        return []
    word = "more" if a > b else "fewer"
    return [
        f"Where both play {level:.1%} of holds optimally the CNN makes {word} big mistakes ({a:.2%}) than the dense net ({b:.2%}).",
        "The publication found fewer; its nets were trained far longer than these, so this speaks of early training alone:",
        "one seed each, no more than about three passes over the 250,000 hands.",
    ]


def parts(entries: Mapping[str, Any]) -> list[str]:
    """Return what ours is worth without each of its parts, at equal minibatches."""
    runs = [label for label in entries if label.startswith("ours")]
    if len(runs) < 2:
        return []
    steps = sorted({r["step"] for label in runs if label != "ours" for r in entries[label]["rows"]})
    lines = ["| minibatches | " + " | ".join(runs) + " |", "|---" * (len(runs) + 1) + "|"]
    for step in steps:
        cells = [next((r for r in entries[label]["rows"] if r["step"] == step), None) for label in runs]
        text = " | ".join("" if r is None else f"{r['return']:.6f}, big {r['big']:.4%}" for r in cells)
        lines.append(f"| {step:,} | {text} |")
    return lines


def levels(curves: Sequence[Rows]) -> list[float]:
    """Return shares of optimal holds that at least two of the curves reach."""
    tops = sorted((max(r["optimal"] for r in rows) for rows in curves), reverse=True)
    top = tops[min(1, len(tops) - 1)]
    low = min(r["optimal"] for rows in curves for r in rows)
    steps = np.arange(np.ceil(low * 20) / 20, top, 0.05)
    return [*(float(x) for x in steps[-6:]), *(float(x) for x in tops[1:])]


def at(rows: Rows, level: float) -> float | None:
    """Return big mistakes where a curve has ``level`` optimal holds (None outside it)."""
    optimal, big = (np.array([r[name] for r in rows]) for name in ("optimal", "big"))
    order = np.argsort(optimal)
    if not optimal.min() <= level <= optimal.max() + 1e-12:
        return None
    return float(np.interp(level, optimal[order], big[order]))


NOTES = (
    "## What did not work",
    "",
    "- **More minibatches alone.** The network of the betting runs without whole suits or replay",
    "  (`cardai train --trainer poker_cnn_ours:whole_suits=false,anneal=12000,every=2000,threads=1 --game video_poker --encoder",
    "  grid_4x13:fields=hand --steps 12000`): return 0.998961, 99.551% optimal, 0.0534% big mistakes after 752 CPU s; the",
    "  return was 0.999192 at 10,000 and fell again. 117 of the 134,459 classes were big mistakes. Nearly all were",
    "  cards of one suit that lie far apart: A-2-3-5 of a suit with another card (1.98 stakes each), the steel wheel itself",
    "  (5.4), four of a suit such as 2-3-Q-K. Three layers see four ranks to either side, so this network cannot tell whether",
    "  the ace and the three share a suit, and the mean over suits only hints at it.",
    "- **Replay alone.** From that checkpoint, a quarter of each minibatch by replay, rate 0.0005 to 0 in 1,500 minibatches:",
    "  return 0.999407, 99.510% optimal, 0.0462% big. Half of it by replay, rate 0.001, 1,000 minibatches: 0.998587, 99.170%,",
    "  0.0920%, and half way 0.4189%: hands were mended and lost by turns. Attention cannot teach what cannot be seen.",
    "- **Acting by the value head.** The same checkpoint by its value head: return 0.9955, 94.5% optimal, 0.25% big, against",
    "  0.9990, 99.6% and 0.05% by its policy head (agent option `act=value`): errors of values weigh more than ranks.",
    "",
    "What did: every layer adds a map of its own suit's mean, and ranks lie in a circle (`whole_suits`); and a quarter of each",
    "minibatch is drawn by what hands cost when last shown (`replay`). A trial with both, its rate falling to nothing in 2,000",
    "minibatches, had 0.999876, 99.562%, 0.0083% after 157 CPU s.",
)


# -- pictures ------------------------------------------------------------------------------------------------------


def draw_curves(entries: Mapping[str, Any], out: Path) -> None:
    """Draw what is lost and big mistakes, against CPU seconds and against examples."""
    plt = pyplot()
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharey="row")
    for label, run in entries.items():
        rows = run["rows"]
        xs = ([r["cpu_seconds"] for r in rows], [r["step"] * run["batch"] for r in rows])
        for column, x in enumerate(xs):
            axes[0, column].plot(x, [1 - r["return"] for r in rows], marker="o", markersize=3, label=label)
            axes[1, column].plot(x, [max(r["big"], FEWEST) for r in rows], marker="o", markersize=3, label=label)
    for axis in axes[0]:
        axis.axhspan(1 - 0.982, 1 - 0.964, color="grey", alpha=0.25, label="authors' nets")
        axis.axhline(1e-3, color="black", linewidth=0.8, linestyle="--")
    for axis in axes[1]:
        axis.axhspan(0.018, 0.042, color="grey", alpha=0.25)
        axis.axhline(1e-4, color="black", linewidth=0.8, linestyle="--")
    for axis in axes.ravel():
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.xaxis.set_minor_formatter("")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("return lost (1 - return)")
    axes[1, 0].set_ylabel("share of hands with a mistake of 0.25 or more")
    axes[1, 0].set_xlabel("CPU seconds of training, one thread")
    axes[1, 1].set_xlabel("examples shown")
    axes[0, 1].legend(fontsize=8)
    axes[1, 0].text(0.02, 0.02, f"{FEWEST:.0e}: none", transform=axes[1, 0].transAxes, fontsize=8)
    figure.suptitle("Video poker: learning curves (dashed: 0.001 of the return, 1 hand in 10,000)", y=0.93)
    save(figure, out)


def draw_equal(entries: Mapping[str, Any], out: Path) -> None:
    """Draw big mistakes against optimal holds, along each run."""
    plt = pyplot()
    figure, axis = plt.subplots(figsize=(7.5, 5.5))
    for label, run in entries.items():
        rows = run["rows"]
        x, y = [1 - r["optimal"] for r in rows], [max(r["big"], FEWEST) for r in rows]
        axis.plot(x, y, marker="o", markersize=4, label=label, linewidth=1.8 if label in EQUAL else 0.9)
    x, y = [1 - a[3] for a in AUTHORS], [a[6] for a in AUTHORS]
    axis.plot(x, y, "k*", label="authors' nets (sampled)")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.invert_xaxis()
    axis.grid(alpha=0.3, which="both")
    axis.set_xlabel("share of holds that are not optimal (to the right: better)")
    axis.set_ylabel("share of hands with a mistake of 0.25 or more")
    axis.set_title("Big mistakes at equal accuracy")
    axis.legend(fontsize=8)
    save(figure, out)


def draw_filters(weights: npt.NDArray[np.float64], label: str, out: Path) -> None:
    """Draw the first layer's filters (filters, planes, 3, 3): a column each, a row for each card's plane."""
    plt = pyplot()
    filters, planes = weights.shape[:2]
    figure, axes = plt.subplots(planes, filters, figsize=(filters * 0.55 + 0.8, planes * 0.6 + 0.9))
    limit = np.abs(weights).max()
    for column in range(filters):
        for row in range(planes):
            axis = axes[row, column]
            shown = axis.imshow(weights[column, row], cmap="RdBu_r", vmin=-limit, vmax=limit)
            axis.set_xticks([])
            axis.set_yticks([])
            if not column:
                axis.set_ylabel(f"card {row + 1}", fontsize=8)
            if not row:
                axis.set_title(str(column + 1), fontsize=8)
    figure.colorbar(shown, ax=axes, fraction=0.012, pad=0.01)
    figure.suptitle(
        f"{label}: first-layer filters (columns), one row a card plane; suits down, ranks across", fontsize=10
    )
    save(figure, out)


def pyplot() -> Any:
    """Return pyplot without a screen."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def save(figure: Any, out: Path) -> None:
    """Write a figure and forget it."""
    figure.savefig(out, dpi=110, bbox_inches="tight")
    pyplot().close(figure)
