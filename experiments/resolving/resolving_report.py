"""Writes report.md from what has been measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROUNDS = ("before the flop", "flop", "turn", "river")
PUBLISHED = {
    "fc, all rounds": (721, 522, 407, -428),
    "fcpa, turn and river": (3852, 4020, 2597, -383),
    "56 bets, turn and river": (4675, 3763, 3302, -775),
    "56 bets on the flop, then fc": (983, 1227, 847, -602),
}
"""Lisy and Bowling 2017, and the DeepStack paper: Hyperborean 2014, Slumbot 2016, Act1 2016, DeepStack; mbb a hand."""


TREES = """
What tree CFR comes to depends on details (`tree_cfr.py`; the release's unit). The release floors regrets above zero, which moves
the figure by some hundredths, as does the first iteration that is averaged: 1.068 lies among them, 1.021 is without a floor.
Updated in turn, the same comes much closer to an equilibrium.

| details | exploitability |
|---|---|
"""


def write_report(path: Path, known: Mapping[str, Any], rows: Mapping[str, tuple[str, str]]) -> None:
    """Write the report."""
    parts = [_leduc(known, rows), _times(known), _matches(known), _lbr(known), _late(known), _hand(path)]
    text = "# Continual re-solving, measured\n\nWritten by `python experiments/resolving/run.py`.\n"
    path.write_text(text + "".join(part for part in parts if part), encoding="utf-8")


def _leduc(known: Mapping[str, Any], rows: Mapping[str, tuple[str, str]]) -> str:
    out = [
        "\n## Leduc, exactly\n\n`leduc_deepstack`: antes 100, stacks 1,200, bets of the pot and all-in. Exploitability, the mean over "
        "seats of what a best response gains, in chips: in the unit of DeepStack's release, and a dealt hand (6/5 of it).\n\n"
        "| player | release's unit | a dealt hand | published | CPU seconds |\n|---|---|---|---|---|\n"
    ]
    for label, (_, published) in rows.items():
        found = known.get(f"leduc: {label}")
        if found:
            value = found["exploitability"]
            out.append(f"| {label} | {value * 5 / 6:.3f} | {value:.3f} | {published} | {found['seconds']:.1f} |\n")
    seeds = [
        known[key]["exploitability"] * 5 / 6 for key in known if re.fullmatch(r"leduc: our network(, seed \d+)?", key)
    ]
    if len(seeds) > 1:
        low, mean, high = min(seeds), sum(seeds) / len(seeds), max(seeds)
        out.append(
            f"\nOur network from {len(seeds)} seeds, in the release's unit: {mean:.3f} in the mean ({low:.3f} to {high:.3f}).\n"
        )
    trees = [(key[6:], value) for key, value in known.items() if key.startswith("tree: ")]
    if trees:
        out.append(TREES + "".join(f"| {label} | {value:.3f} |\n" for label, value in trees))
    losses = [(k.split(": ")[1], v) for k, v in known.items() if k.startswith("loss: ")]
    if losses:
        out.append("\nHuber loss on situations held out, in units of the half pot: ")
        out.append(
            ", ".join(f"{name} {loss['held out']:.4f} ({loss['epochs']} epochs)" for name, loss in losses) + ".\n"
        )
    return "".join(out)


def _times(known: Mapping[str, Any]) -> str:
    out = ["\n## Seconds a decision\n\nMedian and longest, of hands against itself. A decision that lies in the solution of an "
           "earlier one takes none. Hold'em's figures in this report, here and below, are those of the defaults at the time: "
           "100 iterations on the turn, 500 on the river, 2 cards an iteration on the flop, "
           "`bets=preflop=1+allin,flop=0.5+1+allin/1+allin,turn=1+allin,river=0.5+1+allin/1+allin`, the same `ahead`; today's "
           "player is measured in `experiments/no_limit_player`.\n\n| game, player | round | CPU median | CPU longest | wall median | decisions |\n"
           "|---|---|---|---|---|---|\n"]  # fmt: skip
    for key, found in known.items():
        if key.startswith("times: "):
            for k, (median, longest, count) in sorted(found["cpu"].items()):
                wall = found["wall"][k][0]
                out.append(f"| {key[7:]} | {ROUNDS[int(k)]} | {median:.2f} | {longest:.2f} | {wall:.2f} | {count} |\n")
    return "".join(out) if len(out) > 1 else ""


def _matches(known: Mapping[str, Any]) -> str:
    out = ["\n## Matches over duplicate deals\n\nThousandths of a big blind a hand, with 95% intervals over deals (each played in "
           "both seats). AIVAT takes the luck out where actions have odds. Runs are made by the commands in `run.py`: in limit a "
           "blueprint of `bucket_mccfr`, in no-limit one of a ladder of pot and all-in (eight CPU minutes), and a network of "
           "3,000 turns behind the flop.\n\n"
           "| match | wins | AIVAT | hands | CPU seconds a hand |\n|---|---|---|---|---|\n"]  # fmt: skip
    for key, found in known.items():
        if key.startswith("match: "):
            fair = f"{found['aivat']:+.0f} ± {found['aivat_half']:.0f}" if "aivat" in found else ""
            hands = 2 * found["deals"]
            each = found["seconds"] / hands
            out.append(
                f"| {key[7:]} | {found['mbb']:+.0f} ± {found['half']:.0f} | {fair} | {hands:.0f} | {each:.1f} |\n"
            )
    return "".join(out) if len(out) > 1 else ""


LBR = """
## Local best response in no-limit

What it wins, mbb a hand (positive: the player loses so much at least), 95% intervals over boards: on each board all hands of
both meet, in both seats (`cardai evaluate lbr --boards`; always folding loses 250, 750, 750, 750, exactly and on every board,
as published). Where 53 bets are considered, their answers are estimated in a hurry (ten iterations, fewer bets), so that
another responder is played there, whose winnings are a bound as well; three ways on are followed at a state.

| setting | player | LBR wins | boards | CPU seconds a board | Hyperborean 2014 | Slumbot 2016 | Act1 2016 | DeepStack |
|---|---|---|---|---|---|---|---|---|
"""


def _lbr(known: Mapping[str, Any]) -> str:
    rows = []
    for label, others in PUBLISHED.items():
        for key, found in known.items():
            if key.startswith(f"lbr: {label}, "):
                player, each = key.removeprefix(f"lbr: {label}, "), found["seconds"] / found["deals"]
                won, published = f"{found['mbb']:+.0f} ± {found['half']:.0f}", " | ".join(str(x) for x in others)
                rows.append(f"| {label} | {player} | {won} | {found['deals']:.0f} | {each:.0f} | {published} |\n")
    return LBR + "".join(rows) if rows else ""


LATE = """
## Best responses in limit hold'em, from a street on

What a best response wins more than the player itself, mbb a hand, 95% intervals over hands: both ranges of a hand that the
player plays against itself, and all that can come after the street is dealt (`cardai evaluate best-response --hands`). The river
and the turn are solved as each is come to; in the same measure, over boards, the blueprints of `experiments/limit_equilibrium`
are given in its report.

| player | from | wins | hands | CPU seconds a hand |
|---|---|---|---|---|
"""


def _late(known: Mapping[str, Any]) -> str:
    rows = []
    for key, found in known.items():
        if key.startswith("response: "):
            street, player = key.removeprefix("response: ").split(", ", 1)
            each = found["seconds"] / found["deals"]
            rows.append(
                f"| {player} | {street} | {found['mbb']:.1f} ± {found['half']:.1f} | {found['deals']:.0f} | {each:.0f} |\n"
            )
    return LATE + "".join(rows) if rows else ""


def _hand(path: Path) -> str:
    if not (path.parent / "hand.png").exists():
        return ""
    return (
        "\n## A hand, step by step\n\n![ranges before and after each action](hand.png)\n\nEach row is an action. Left: the range of who "
        "acts, before it. Right: after it. Suited hands above the diagonal; dark: much of the range.\n"
    )
