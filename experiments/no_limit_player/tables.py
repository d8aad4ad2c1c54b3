"""Networks of the flop, and the table before the flop that was solved behind one of them, beside the table in the box.

    python players/no_limit.py table                     # makes them (hours of CPU, resumable)
    python experiments/no_limit_player/tables.py         # measures them, and writes report/notes.md and report/tables.json

Tables are judged by the networks of all seeds, also of those that the table was not solved with: what a best response before the
flop wins of them, and what one wins of the other, if the rest of the hand is worth what the network says on 95 flops that stand
for all. What has been measured is kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "players"))

from attrs import evolve
from no_limit import DEPTHS, FOLDER, PREFLOP, SEEDS, TABLE, WORK, flop_commands, losses

from cardai.core.files import digest_of, read_json, write_atomically, write_json
from cardai.poker.resolving.depth_limit import hand_network
from cardai.poker.resolving.preflop import read_table
from cardai.poker.resolving.preflop_solving import RECIPE, Behind, worth

REPORT = Path(__file__).resolve().parent / "report"
MILLI = 10.0
"""mbb/g in a chip of which a big blind is 100."""


def measured(work: Path, kept: Path) -> dict[str, Any]:
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
    return known


def values(run: Path) -> dict[str, Any]:
    """Return what ``cardai evaluate values`` says of a network."""
    command = [sys.executable, "-m", "cardai", "evaluate", "values", str(run), "--json"]
    return dict(json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))


def between(behind: Behind, tables: dict[str, Any], depth: int) -> dict[str, float]:
    """Return what a best response wins from each table, and what the solved one wins from the box's, in mbb/g."""
    itself = {name: worth(behind, [one, one], depth) for name, one in tables.items()}
    first = worth(behind, [tables["solved"], tables["box"]], depth)
    second = worth(behind, [tables["box"], tables["solved"]], depth)
    match = 0.25 * (
        first.values[0] - first.values[1] + second.values[1] - second.values[0]
    )  # what both win is 0 but for rounding
    return {name: round(MILLI * one.exploitability, 2) for name, one in itself.items()} | {
        "match": round(MILLI * match, 2)
    }


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
    parser.add_argument("--out", type=Path, default=REPORT)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    known = measured(given.work, given.out / "tables.json")
    write_atomically(given.out / "notes.md", page(known, given.work).encode())


if __name__ == "__main__":
    main()
