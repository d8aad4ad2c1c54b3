"""Writes report.md and its picture from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardai.core.files import Output
from cardai.learn.imitation.examples import Manifest

PUBLISHED = 0.89
"""Accuracy of the publication (section 4.2): on logs of many programs of 2017, no baseline given."""


def write(
    out: Path,
    measured: Mapping[str, Any],
    meetings: Sequence[Mapping[str, Any]],
    literal: Mapping[str, float],
    table: Mapping[str, Any],
    manifest: Manifest,
    options: Mapping[str, Any],
) -> None:
    """Write everything."""
    lines = [
        "# CNN valuation: learning from match logs",
        "",
        f"{manifest.hands:,} hands of {manifest.game}, {manifest.examples:,} decisions, {manifest.test_share:.0%} of the "
        f"deals held out; {manifest.left_out:,} bad hands, {manifest.repeated:,} repeated, {manifest.same_deal:,} with the "
        f"cards of another. {options['steps']:,} minibatches a run of the publication's network, "
        f"{options['our_steps']:,} of ours.",
        "",
        f"`python experiments/cnn_valuation {_words(options)}`",
        "",
        "| run | accuracy | macro-F1 | log loss | each action's share | by street and bet | strength and price | ceiling "
        "| of the ceiling | KL |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, value in measured.items():
        lines.append(_row(key, value["places"]["all"]))
    lines += [
        "",
        "Accuracy of the guesses in the columns 5 to 7. The ceiling is the mean largest probability of the teacher; KL is "
        "that of the run from the teacher, in nats a decision.",
        f"The publication reports {PUBLISHED:.0%} on other logs and gives no baseline, so that figure cannot be judged.",
        "",
        "## By street",
        "",
        "| run | street | decisions | accuracy | log loss | by street and bet | ceiling |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, value in measured.items():
        for place, part in value["places"].items():
            if place != "all":
                lines.append(_street(key, place, part))
    lines += [
        "",
        "## Who wins (seed_literal)",
        "",
        f"Brier score {literal['brier']:.4f}, of the base rate {literal['brier_base_rate']:.4f}.",
    ]
    if meetings:
        lines += [
            "",
            "## Against the teachers",
            "",
            "| run | against | mbb a hand | duplicate deals |",
            "|---|---|---|---|",
        ]
        for one in meetings:
            name = Path(one["player"]).name
            won = f"{one['mean']:+.0f} ± {one['half_width']:.0f}"
            lines.append(f"| {name} | {one['against']} | {won} | {one['deals']:,} |")
    lines += [
        "",
        "## Matches of the competition (figure 7)",
        "",
        f"{table['hands']:,} hands, both seatings, the same cards.",
        "",
    ]
    lines += ["| player | against | mbb a hand |", "|---|---|---|"]
    for pair in table["pairs"]:
        one, other = (Path(name).name for name in pair["players"])
        lines.append(f"| {one} | {other} | {pair['mean']:+.0f} ± {pair['half_width'] or 0:.0f} |")
    lines += ["", "![winnings](matches/curve.png)", ""]
    lines += ["", "![accuracy](accuracy.png)", ""]
    with Output(out / "report.md") as file:
        file.write("\n".join(lines).encode())
    _draw(out / "accuracy.png", measured)


def _words(options: Mapping[str, Any]) -> str:
    """Return the options that decide the figures, as they are given."""
    names = ("hands", "steps", "our_steps", "deals", "limit", "match_hands", "teachers", "logs")
    return " ".join(f"--{name.replace('_', '-')} {options[name]}" for name in names if options[name])


def _row(key: str, part: Mapping[str, Any]) -> str:
    own, *guesses = part["guessers"].values()
    cells = [f"{own[name]:.4f}" for name in ("accuracy", "macro_f1", "log_loss")]
    cells += [f"{guess['accuracy']:.4f}" for guess in guesses]
    if "ceiling" in part:
        share = own["accuracy"] / part["ceiling"]
        cells += [f"{part['ceiling']:.4f}", f"{share:.1%}", f"{part['divergence']:.4f}"]
    else:
        cells += ["-"] * 3
    return f"| {key} | " + " | ".join(cells) + " |"


def _street(key: str, place: str, part: Mapping[str, Any]) -> str:
    own = next(iter(part["guessers"].values()))
    guess = part["guessers"]["share by street and bet"]["accuracy"]
    ceiling = f"{part['ceiling']:.4f}" if "ceiling" in part else "-"
    return f"| {key} | {place} | {own['count']:,} | {own['accuracy']:.4f} | {own['log_loss']:.4f} | {guess:.4f} | {ceiling} |"


def _draw(file: Path, measured: Mapping[str, Any]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for place, value in enumerate(measured.values()):
        part = value["places"]["all"]
        accuracies = [guess["accuracy"] for guess in part["guessers"].values()]
        for k, (label, marker) in enumerate(
            (("the network", "o"), ("share", "x"), ("street and bet", "+"), ("strength", "^"))
        ):
            colour = f"C{k}"
            axes.plot(place, accuracies[k], marker, color=colour, ms=8, label=label if place == 0 else None)
        if "ceiling" in part:
            axes.plot(place, part["ceiling"], "_", color="black", ms=22, label="ceiling" if place == 0 else None)
    axes.set_xticks(range(len(measured)), list(measured), rotation=20, ha="right")
    axes.set(ylabel="accuracy on held-out deals")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=130)
