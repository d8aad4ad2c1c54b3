"""Networks of the flop, and the table before the flop that was solved behind one of them, beside what blueprints do there.

    python players/no_limit.py make                        # makes them (hours of CPU, resumable)
    python experiments/no_limit_player/tables.py           # measures them, and writes report/notes.md and report/tables.json
    python experiments/no_limit_player/tables.py --solved  # one match without a network of the flop too

Tables are judged by the networks of all seeds, also of those that the table was not solved with: what a best response before the
flop wins of them, and what the table in the box wins of a blueprint, if the rest of the hand is worth what the network says on 95
flops that stand for all. With --solved that match at 100 big blinds is judged by no network of the flop: on 25 flops that stand
for all the flop's betting is solved, the box's network of the turn behind it, wherever at least 2 % of the hands come. What has
been measured is kept.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "players"))

import numpy as np
from attrs import evolve
from no_limit import DEPTHS, FOLDER, PREFLOP, SEEDS, VALUES, WORK

from cardai.cards.text import cards_text
from cardai.core.arrays import Float64s
from cardai.core.files import read_json, write_atomically, write_json
from cardai.poker.resolving.depth_limit import hand_network
from cardai.poker.resolving.preflop import PreflopTable, read_table, table_of
from cardai.poker.resolving.preflop_solving import FlopsBehind, worth
from cardai.poker.values.flop_inputs import FlopInputs
from cardai.poker.values.flop_labels import BehindFlop
from cardai.poker.values.flop_leaves import FlopLeaves
from cardai.poker.values.situations import FASTER, HOLDEM_GAME, Situation

REPORT = Path(__file__).resolve().parent / "report"
BETS = "1+allin/1+allin/allin"
FLOPS = 95
LEAST = 0.02
"""The share of all pairs of hands that must come to a flop's pot for it to be solved."""
MILLI = 10.0
"""mbb/g in a chip of which a big blind is 100."""


@cache
def _turn() -> BehindFlop:
    return BehindFlop(hand_network(str(FOLDER / VALUES), "turn"))


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
            solved = _turn().labels(Situation(0, 0, one.flop, half_pots[k], both, game), 120, BETS, FASTER, 2)
            found[:, k] = solved.values[:, one.order] * (half_pots[k] * mass[::-1, k, None])
            say(f"solved: {cards_text(one.flop)}, {2 * half_pots[k]} chips")
        return found


def measured(work: Path, kept: Path, solved: bool) -> dict[str, Any]:
    """Measure what is not kept yet, and return all."""
    box, blueprint = read_table(FOLDER / PREFLOP), table_of([work / "depths" / str(stack) for stack in DEPTHS])
    of = read_json(FOLDER / "card.json")["files"]
    known = read_json(kept) if kept.exists() else {}
    known = known if known.get("of") == of else {"of": of}

    def once(name: str, find: Callable[[], Any]) -> None:
        if name not in known:
            known[name] = find()
            write_json(kept, known)
            say(f"{name}: {known[name]}")

    behind: FlopsBehind | None = None
    for seed in SEEDS:
        for depth in box.depths:
            if f"tables {seed} {depth}" in known:
                continue
            network = hand_network(str(work / f"flop_{seed}"), "flop")
            behind = FlopsBehind.of(network, FLOPS) if behind is None else evolve(behind, network=network)
            known_there = blueprint if depth in blueprint.depths else None
            once(f"tables {seed} {depth}", lambda one=behind, d=depth, other=known_there: judged(one, box, other, d))
    if solved:
        network = hand_network(str(work / f"flop_{SEEDS[0]}"), "flop")
        once("solved", lambda: match(evolve(FlopsBehind.of(network, 25), leaves=SolvedFlops), box, blueprint, 100))
    return known


def judged(behind: FlopsBehind, box: PreflopTable, blueprint: PreflopTable | None, depth: int) -> dict[str, float]:
    """Return what a best response wins from each table, and what the box's wins from the other, in mbb/g."""
    found = {"box": round(MILLI * worth(behind, [box, box], depth).exploitability, 2)}
    if blueprint is not None:
        found["blueprint"] = round(MILLI * worth(behind, [blueprint, blueprint], depth).exploitability, 2)
        found["match"] = match(behind, box, blueprint, depth)
    return found


def match(behind: FlopsBehind, box: PreflopTable, other: PreflopTable, depth: int) -> float:
    """Return what the box's table wins from the other, both in both seats, in mbb/g."""
    first, second = worth(behind, [box, other], depth), worth(behind, [other, box], depth)
    won = 0.25 * (
        first.values[0] - first.values[1] + second.values[1] - second.values[0]
    )  # both together win 0 but for rounding
    return round(MILLI * won, 2)


def say(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def page(known: dict[str, Any]) -> str:
    """Return the section of the report."""
    card = read_json(FOLDER / "card.json")
    tested, chose = card["flop_test_huber"], card["flop_validation_huber"]
    best = min(chose, key=lambda seed: chose[seed])
    lines = [
        "## Before the flop", "",
        "Play before the flop is a table, solved behind a network of the flop, which learned what the flop's betting is worth with the network "
        "of the turn behind it. Huber per player on flops that neither taught a network nor chose its epoch (`cardai evaluate values`):", "",
        "| seed | all | self-play | random | chose the epoch |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for seed, kinds in tested.items():
        cells = [huber(kinds[kind]) for kind in ("all", "self_play", "random")]
        lines.append(f"| {seed} | {' | '.join(cells)} | {chose[seed]:.4f} |")
    lines += [
        f"| no network: every hand as if nobody bet any more | {huber(next(iter(tested.values()))['checked_down'])} | | | |", "",
        f"The table was solved behind seed {best}'s. What a best response before the flop wins from it, and from a blueprint of these stacks on the same "
        f"ladder (`bucket_mccfr`; who played before the flop until this table did), and what the table wins from the blueprint, if the rest of the hand is worth what a network says on {FLOPS} flops "
        "that stand for all, mbb/g; by the network of each seed:", "",
        "| big blinds | seed | from the table | from the blueprint | the table against it |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for name, one in known.items():
        if name.startswith("tables "):
            _, seed, depth = name.split()
            others = f"{one['blueprint']:.1f} | {one['match']:+.1f}" if "match" in one else "- | -"
            lines.append(f"| {depth} | {seed} | {one['box']:.1f} | {others} |")
    if "solved" in known:
        lines += ["", f"Where the flop's betting is solved on 25 flops that stand for all, wherever at least 2 % of the hands come (`--solved`), and not taken "
                  f"from a network of the flop, the table wins {known['solved']:+.1f} from the blueprint at 100 big blinds."]  # fmt: skip
    lines += ["", "```sh", "python experiments/no_limit_player/tables.py", "```", ""]
    return "\n".join(lines)


def huber(one: dict[str, float]) -> str:
    """Return a loss with its interval."""
    return f"{one['mean']:.4f} ± {one['half_width']:.4f} ({one['situations']})"


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
    write_atomically(given.out / "notes.md", page(known).encode())


if __name__ == "__main__":
    main()
