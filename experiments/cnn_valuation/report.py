"""Writes report.md and its picture from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardai.core.files import Output
from cardai.learn.imitation.examples import Manifest

PUBLISHED = 0.89
"""Accuracy of the publication (section 4.2): on logs of many programs of 2017, no baseline given."""


LOSS = 60.0
"""Aimed at: an imitation loses less to its teacher, in mbb a hand."""
SEEN = (
    "`paper` is the publication's network, planes and optimiser. The others are our network by what it sees, each more than "
    "the one before: `cards` position, cards and bets of all rounds; `ours` the price and the hand's chance to beat a random "
    "one (the number by which threshold and holdem_heuristic decide); `levels` is a dense network of the same without the cards, which also sees in which of 169 + 3 * 500 buckets "
    "the hand is (those by which bucket_mccfr's player decides). Behind a key stand its minibatches and options; `policy` learned the teacher's probabilities, not the actions drawn.",
)
SHARE, KL = 0.97, 0.02
"""Aimed at: of the ceiling of a teacher that draws nothing, and the divergence from one that draws."""


def write(
    out: Path,
    measured: Mapping[str, Any],
    meetings: Sequence[Mapping[str, Any]],
    literal: Mapping[str, float],
    table: Mapping[str, Any],
    manifest: Manifest,
    options: Mapping[str, Any],
    tables: Sequence[str] = (),
    curve: Sequence[str] = (),
) -> None:
    """Write everything. ``tables`` are sentences on what the logs can teach at most, ``curve`` the section on decisions."""
    lines = [
        "# CNN valuation: learning from match logs",
        "",
        f"{manifest.hands:,} hands of {manifest.game}, {manifest.examples:,} decisions, {manifest.test_share:.0%} of the "
        f"deals held out; {manifest.left_out:,} bad hands, {manifest.repeated:,} repeated, {manifest.same_deal:,} with the "
        f"cards of another. The publication's network has {options['steps']:,} minibatches of 128, the others "
        f"{options['our_steps']:,} of 256 (`levels`: 512); a number behind a run's name is its own.",
        "",
        f"`python experiments/cnn_valuation {_words(options)}`",
        "",
        *_accuracies(measured),
        *([""] if tables else []),
        *tables,
        *_choices(measured, options["player"]),
        *curve,
        *_streets(measured),
        "",
        "## Who wins (seed_literal)",
        "",
        f"Brier score {literal['brier']:.4f}, of the base rate {literal['brier_base_rate']:.4f}. The largest difference "
        f"between a target and gamma times the next one is {literal['target_error']:.1e}.",
        *(_meetings(measured, meetings) if meetings else []),
        "",
        "## Matches of the competition (figure 7)",
        "",
        f"{table['hands']:,} hands, both seatings, the same cards.",
        "",
        "| player | against | mbb a hand |",
        "|---|---|---|",
    ]
    for pair in table["pairs"]:
        one, other = (Path(name).name for name in pair["players"])
        lines.append(f"| {one} | {other} | {pair['mean']:+.0f} ± {pair['half_width'] or 0:.0f} |")
    lines += ["", "![winnings](matches/curve.png)", "", "![accuracy](accuracy.png)", ""]
    with Output(out / "report.md") as file:
        file.write("\n".join(lines).encode())
    _draw(out / "accuracy.png", measured)


def _accuracies(measured: Mapping[str, Any]) -> list[str]:
    """Return the table of all decisions, and which aims are met."""
    first = next(iter(next(iter(measured.values()))["places"]["all"]["guessers"].values()))
    lines = [
        "| run | accuracy | macro-F1 | log loss | each action's share | by street and bet | strength and price | ceiling "
        "| of the ceiling | KL |",
        "|---|---|---|---|---|---|---|---|---|---|",
        *(_row(key, value["places"]["all"]) for key, value in measured.items()),
        "",
        *SEEN,
        f"{first['count']:,} held-out decisions each, 95 % intervals over hands. Accuracy of the guesses in the columns 5 to 7. "
        "The ceiling is the mean largest probability of the teacher; KL is that of the run from the teacher, in nats a "
        "decision. More than all of the ceiling is chance: so many decisions are not more.",
        f"The publication reports {PUBLISHED:.0%} on other logs and gives no baseline, so that figure cannot be judged.",
        "",
        f"Aimed at: {SHARE:.0%} of the ceiling of a teacher that draws nothing, KL at most {KL} from one that draws.",
        "",
    ]
    for key, value in measured.items():
        part = value["places"]["all"]
        if "ceiling" in part:
            own = next(iter(part["guessers"].values()))
            share = own["accuracy"] / part["ceiling"]
            fixed = part["ceiling"] == 1
            reached = f"{share:.1%} of the ceiling" if fixed else f"KL {_divergence(part)}"
            met = share >= SHARE if fixed else part["divergence"] <= KL
            lines.append(f"- {key}: {reached}, {'met' if met else 'missed'}")
    return lines


def _choices(measured: Mapping[str, Any], player: str) -> list[str]:
    """Return the section on what each choice is worth against the teacher of ``player``, from the worst to the best."""
    teacher = measured[player]["teacher"] if player in measured else ""
    rows = [(key, value["places"]["all"]) for key, value in measured.items() if teacher and value["teacher"] == teacher]
    rows = sorted((row for row in rows if "divergence" in row[1]), key=lambda row: -float(row[1]["divergence"]))
    if len(rows) < 2:
        return []
    lines = [
        "",
        f"## What each choice is worth: {_short(teacher)}",
        "",
        "| run | KL | of it more than the next |",
        "|---|---|---|",
    ]
    for (key, part), (_, after) in zip(rows, [*rows[1:], rows[-1]], strict=True):
        lines.append(f"| {key} | {_divergence(part)} | {part['divergence'] - after['divergence']:.4f} |")
    return lines


def _streets(measured: Mapping[str, Any]) -> list[str]:
    names = ("accuracy", "macro_f1", "log_loss")
    heads = "run | street | decisions | accuracy, macro-F1, log loss | by street and bet | strength and price | ceiling | KL"
    lines = ["", "## By street", "", f"| {heads} |", "|" + "---|" * 8]
    for key, value in measured.items():
        for place, part in value["places"].items():
            if place == "all":
                continue
            own, _, *guesses = part["guessers"].values()
            cells = [", ".join(f"{one[name]:.4f}" for name in names) for one in (own, *guesses)]
            ends = [f"{part['ceiling']:.4f}", _divergence(part)] if "ceiling" in part else ["-", "-"]
            lines.append(f"| {key} | {place} | {own['count']:,} | {' | '.join([*cells, *ends])} |")
    return lines


def _meetings(measured: Mapping[str, Any], meetings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of who won what of whom, and which aims are met."""
    lines = [
        "",
        "## Play",
        "",
        "What the row won, in mbb a hand over duplicate deals.",
        "",
        "| player | against | mbb a hand | deals |",
        "|---|---|---|---|",
    ]
    won: dict[tuple[str, str], float] = {}
    half: dict[tuple[str, str], float] = {}
    for one in meetings:
        name, other = _short(one["player"]), _short(one["against"])
        won[name, other], half[name, other] = one["mean"], one["half_width"]
        lines.append(f"| {name} | {other} | {one['mean']:+.1f} ± {one['half_width']:.1f} | {one['deals']:,} |")
    teachers = list(dict.fromkeys(_short(one["against"]) for one in meetings))
    strength = {
        name: sum(won.get((name, other), -won.get((other, name), 0.0)) for other in teachers) for name in teachers
    }
    weaker = sorted(teachers, key=lambda name: strength[name])[: len(teachers) // 2]
    lines += [
        "",
        f"By what they won of one another, the weaker half of the teachers is {' and '.join(weaker)}. "
        f"Aimed at: less than {LOSS:.0f} lost to the teacher; threshold and the weaker half of the teachers beaten.",
        "",
    ]
    for key, value in measured.items():
        teacher = _short(value["teacher"])
        if (key, teacher) not in won:
            continue
        said = [f"{'loses' if won[key, teacher] < 0 else 'wins'} {abs(won[key, teacher]):.0f} "
                f"({'met' if won[key, teacher] > -LOSS else 'missed'})"]  # fmt: skip
        for other in dict.fromkeys(["threshold", *weaker]):
            if (key, other) in won and other != teacher:
                mean, wide = won[key, other], half[key, other]
                said.append(
                    f"{other} {'beaten' if mean > wide else 'not beaten' if mean < -wide else 'not told apart'}"
                )
        lines.append(f"- {key}: {', '.join(said)}")
    return lines


def _short(player: str) -> str:
    return Path(player.partition(":")[0]).name


def _words(options: Mapping[str, Any]) -> str:
    """Return the options that decide the figures, as they are given."""
    names = (
        "game",
        "hands",
        "steps",
        "our_steps",
        "literal_steps",
        "systems",
        "learn",
        "also",
        "curve",
        "curve_hands",
        "curve_points",
        "deals",
        "cross_deals",
        "limit",
        "player",
        "opponents",
        "match_hands",
    )
    names += ("teachers", "logs")
    return " ".join(f"--{name.replace('_', '-')} {options[name]}" for name in names if options[name])


def _divergence(part: Mapping[str, Any]) -> str:
    return f"{part['divergence']:.4f} ± {part['divergence_half_width']:.4f}"


def _row(key: str, part: Mapping[str, Any]) -> str:
    own, *guesses = part["guessers"].values()
    cells = [
        f"{own['accuracy']:.4f} ± {own['accuracy_half_width']:.4f}",
        f"{own['macro_f1']:.4f}",
        f"{own['log_loss']:.4f} ± {own['log_loss_half_width']:.4f}",
    ]
    cells += [f"{guess['accuracy']:.4f}" for guess in guesses]
    if "ceiling" in part:
        share = own["accuracy"] / part["ceiling"]
        cells += [f"{part['ceiling']:.4f}", f"{share:.1%}", _divergence(part)]
    else:
        cells += ["-"] * 3
    return f"| {key} | " + " | ".join(cells) + " |"


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
