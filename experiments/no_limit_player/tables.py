"""Networks of the flop, and the table before the flop that was solved behind one of them, beside the table in the box.

    python players/no_limit.py table                     # makes them (hours of CPU, resumable)
    python experiments/no_limit_player/tables.py         # measures them, and writes report/notes.md and report/tables.json

Tables are judged by the networks of all seeds, also of those that the table was not solved with: what a best response before the
flop wins of them, and what one wins of the other, if the rest of the hand is worth what the network says on 95 flops that stand
for all. With --solved that match at 100 big blinds is judged by no network of the flop too: on 25 flops that stand for all the
flop's betting is solved, the box's network of the turn behind it, wherever at least 2 % of the hands come. What has been
measured is kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "players"))

import numpy as np
from attrs import evolve
from no_limit import DEPTHS, FOLDER, PREFLOP, SEEDS, TABLE, WORK, flop_commands, losses

from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s
from cardai.core.files import digest_of, read_json, write_atomically, write_json
from cardai.poker.resolving.depth_limit import behind_flop, hand_network
from cardai.poker.resolving.preflop import read_table
from cardai.poker.resolving.preflop_solving import RECIPE, Behind, worth
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.flop_leaves import FlopLeaves
from cardai.poker.values.situations import FASTER, HOLDEM_GAME, Situation

REPORT = Path(__file__).resolve().parent / "report"
BETS = "1+allin/1+allin/allin"
LEAST = 0.02
"""The share of all pairs of hands that must come to a flop's pot for it to be solved."""
MILLI = 10.0
"""mbb/g in a chip of which a big blind is 100."""


class SolvedFlops(FlopLeaves):
    """Flops whose betting is solved where enough hands come; elsewhere the network says what they are worth."""

    def said(self, one: FlopInputs, reach: Float64s, half_pots: Sequence[int]) -> Float64s:
        found = super().said(one, reach, half_pots)
        ranges = np.zeros(reach.shape)
        ranges[:, :, one.order] = reach[:, :, one.order]
        mass = ranges.sum(axis=2)
        game = evolve(HOLDEM_GAME, stacks=(self.stack, self.stack))
        for k in np.flatnonzero(mass.prod(axis=0) / len(one.order) ** 2 >= LEAST).tolist():
            both = ranges[:, k] / mass[:, k, None]
            solved = behind_flop().labels(Situation(0, 0, one.flop, half_pots[k], both, game), 120, BETS, FASTER, 2)
            found[:, k] = solved.values[:, one.order] * (half_pots[k] * mass[::-1, k, None])
            say(f"solved: {cards_text(one.flop)}, {2 * half_pots[k]} chips")
        return found


def measured(work: Path, kept: Path, solved: bool) -> dict[str, Any]:
    """Measure what is not kept yet, and return all."""
    tables = {"solved": read_table(work / "table"), "box": read_table(FOLDER / PREFLOP)}
    of = digest_of([read_json(work / "table" / RECIPE), read_json(FOLDER / "card.json")["files"]])
    known = read_json(kept) if kept.exists() else {}
    known = known if known.get("of") == of else {"of": of}

    def once(name: str, find: Callable[[], Any]) -> None:
        if name not in known:
            known[name] = find()
            write_json(kept, known)

    once("validation", lambda: {str(seed): loss for seed, loss in losses(work, "flop").items()})
    behind: Behind | None = None
    for seed in SEEDS:
        once(f"values {seed}", lambda seed=seed: values(work / f"flop_{seed}"))
        network = hand_network(str(work / f"flop_{seed}"), "flop")
        for stack in DEPTHS:
            depth = stack // 100
            if f"tables {seed} {depth}" in known:
                continue
            behind = Behind.of(network, TABLE["flops"]) if behind is None else evolve(behind, network=network)
            once(f"tables {seed} {depth}", lambda behind=behind, depth=depth: between(behind, tables, depth))
            say(f"seed {seed}, {depth} big blinds: {known[f'tables {seed} {depth}']}")
    if solved:
        network = hand_network(str(work / f"flop_{SEEDS[0]}"), "flop")
        once("solved", lambda: match(evolve(Behind.of(network, 25), leaves=SolvedFlops), tables, 100))
    return known


def values(run: Path) -> dict[str, Any]:
    """Return what ``cardai evaluate values`` says of a network."""
    command = [sys.executable, "-m", "cardai", "evaluate", "values", str(run), "--json"]
    return dict(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))


def between(behind: Behind, tables: dict[str, Any], depth: int) -> dict[str, float]:
    """Return what a best response wins from each table, and what the solved one wins from the box's, in mbb/g."""
    itself = {name: worth(behind, [one, one], depth) for name, one in tables.items()}
    return {name: round(MILLI * one.exploitability, 2) for name, one in itself.items()} | {
        "match": match(behind, tables, depth)
    }


def match(behind: Behind, tables: dict[str, Any], depth: int) -> float:
    """Return what the solved table wins from the box's, both in both seats, in mbb/g."""
    first = worth(behind, [tables["solved"], tables["box"]], depth)
    second = worth(behind, [tables["box"], tables["solved"]], depth)
    won = 0.25 * (
        first.values[0] - first.values[1] + second.values[1] - second.values[0]
    )  # what both win is 0 but for rounding
    return round(MILLI * won, 2)


def say(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def page(known: dict[str, Any], work: Path) -> str:
    """Return the section of the report."""
    best = min(known["validation"], key=lambda seed: known["validation"][seed])
    lines = [
        "## A network of the flop, and a table before the flop behind it", "",
        "Not in the box. Huber per player on flops that neither taught a network nor chose its epoch (`cardai evaluate values`): what "
        "the flop's betting is worth with the box's network of the turn behind it.", "",
        "| seed | all | self-play | random | chose the epoch |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for seed, loss in known["validation"].items():
        found = known[f"values {seed}"]
        cells = [huber(found), *(huber(found[kind]) for kind in ("self_play", "random"))]
        lines.append(f"| {seed} | {' | '.join(cells)} | {loss:.4f} |")
    lines += [
        f"| no network: every hand as if nobody bet any more | {huber(known['values 0']['checked_down'])} | | | |", "",
        f"Behind seed {best}'s network play before the flop was solved on the ladder of the box's table, in which the table of a blueprint lies. "
        "What a best response before the flop wins from each, and what the solved table wins from the box's, if the rest of the hand is "
        "worth what a network says on 95 flops that stand for all, mbb/g; by the network of each seed:", "",
        "| big blinds | seed | from the solved table | from the box's | solved against the box's |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for stack in DEPTHS:
        for seed in known["validation"]:
            one = known[f"tables {seed} {stack // 100}"]
            lines.append(f"| {stack // 100} | {seed} | {one['solved']:.1f} | {one['box']:.1f} | {one['match']:+.1f} |")
    if "solved" in known:
        lines += ["", f"Where the flop's betting is solved on 25 flops wherever at least 2 % of the hands come (`--solved`), and not taken from a network of "
                  f"the flop, the solved table wins {known['solved']:+.1f} at 100 big blinds."]  # fmt: skip
    commands = flop_commands(
        len(read_json(work / "flop" / "situations.json")["shards"]) * 10,
        60,
        WORK,
        str(FOLDER.relative_to(FOLDER.parents[2]) / "values"),
    )
    spent = sum(read_json(work / "seconds.json").get(what, 0.0) for what in (*commands, "table"))
    lines += [
        "",
        "```sh",
        *commands.values(),
        "python players/no_limit.py table",
        "```",
        "",
        f"{spent:,.0f} CPU seconds in all.",
        "",
    ]
    return "\n".join(lines)


def huber(found: dict[str, Any]) -> str:
    """Return a loss with its interval."""
    one = found["huber_player"]
    return f"{one['mean']:.4f} ± {one['half_width']:.4f} ({found['situations']})"


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=Path(WORK))
    parser.add_argument(
        "--solved", action="store_true", help="judge one match by solved flops too (half an hour of CPU)"
    )
    parser.add_argument("--out", type=Path, default=REPORT)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    known = measured(given.work, given.out / "tables.json", given.solved)
    write_atomically(given.out / "notes.md", page(known, given.work).encode())


if __name__ == "__main__":
    main()
