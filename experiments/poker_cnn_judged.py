"""What each generation of a run of Poker-CNN's betting is worth beside players that it never met.

    python experiments/poker_cnn_judged.py --run runs/limit_cnn --work results/judged/limit
    python experiments/poker_cnn_judged.py --run runs/limit_cnn --work results/judged/limit --only river --generation 3
    python experiments/poker_cnn_judged.py --work results/judged/limit --report

Limit hold'em: a best response from the river on, a local one, and duplicate deals against `limit_equilibrium`. Triple draw: a best
response in the last round, and duplicate deals against `triple_draw_equilibrium`. Figures are printed by commands of cardai and
kept under --work, so that the same command goes on; the report is --work/report.md. The players in the box must be installed.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from printed import figure

from cardai.core.errors import CardaiError, UsageError
from cardai.core.files import read_json, write_atomically, write_json
from cardai.training.runs import Run
from cardai.ui.box import installed

PARTS = ("play", "river", "lbr")
EQUILIBRIUM = {"triple_draw": "triple_draw_equilibrium"}
"""Whom a game's generations meet, by the game's name; otherwise that of limit hold'em."""


def main(words: list[str] | None = None) -> None:
    """Measure what is missing, and write the report."""
    o = asked_for(words)
    (o.work / "figures").mkdir(parents=True, exist_ok=True)
    if o.run is not None:
        for generation in generations(o.run) if o.generation is None else o.generation:
            for part, command in commands(o, generation).items():
                if part in o.only:
                    kept(o.work / "figures" / f"{part}-{generation}.json", command)
    write_atomically(o.work / "report.md", report(o.work).encode())
    print(f"Report: {o.work / 'report.md'}")


def generations(run: Path) -> list[int]:
    """Return the numbers of the finished generations of a run. Raises UsageError where there are none."""
    checkpoint = Run.open(run).latest()[0]
    file = None if checkpoint is None else checkpoint.path / "state.json"
    state = read_json(file) if file is not None and file.exists() else {}
    if not state.get("generations"):
        raise UsageError(f"{run} has no generation. It must be a run of poker_cnn_betting.")
    return list(range(int(state["generations"])))


def commands(o: argparse.Namespace, generation: int) -> dict[str, list[str]]:
    """Return the commands of cardai that judge a generation, by part."""
    game = Run.open(o.run).game_spec.partition(":")[0]
    draws = game in EQUILIBRIUM
    asked = ["--game", game, "--agent", f"{o.run}:generation={generation}"]
    bound, done = ["evaluate", "best-response", *asked, "--seed", "3"], o.work / "figures" / f"river-{generation}.npz"
    rival = EQUILIBRIUM.get(game, "limit_equilibrium")
    out = {"play": ["run", *asked, "--vs", rival, "--games", str(2 * o.deals), "--seed", "7"]}
    if draws:
        return out | {"river": [*bound, "--from", "last", "--hands", str(o.hands)]}
    out["river"] = [*bound, "--from", "river", "--boards", str(o.boards), "--out", str(done)]
    return out | {"lbr": ["evaluate", "lbr", *asked, "--hands", str(o.hands), "--seed", "3"]}


def kept(file: Path, words: list[str]) -> None:
    """Keep what a command of cardai prints as JSON, unless it is there: by the same command, of the same players in the box."""
    of = {
        "command": shlex.join(["cardai", *words]),
        "files": "".join(installed(word) for word in words if word.isidentifier()),
    }
    if file.exists() and of.items() <= read_json(file).items():
        return
    write_json(file, {**figure(words), "files": of["files"]})
    print(f"{file.stem}: done", flush=True)


def report(work: Path) -> str:
    """Return the report's text from what is kept."""
    known: dict[int, dict[str, dict[str, Any]]] = {}
    for file in sorted((work / "figures").glob("*.json")):
        part, _, number = file.stem.partition("-")
        known.setdefault(int(number), {})[part] = read_json(file)
    lines = [
        "# Poker-CNN's generations, judged",
        "",
        "mbb a hand, 95 % intervals. Best response: from the river on (draw poker: in the last round), a lower bound. A local best "
        "response that loses proves nothing.",
        "",
        "| generation | a best response wins | a local best response wins | against the equilibrium player of the box |",
        "|---|---|---|---|",
    ]
    for generation, parts in sorted(known.items()):
        cells = [_said(parts[part]["found"]) if part in parts else "" for part in ("river", "lbr", "play")]
        lines.append(f"| {generation} | {' | '.join(cells)} |")
    printed = [one["command"].partition(" --out ")[0] for _, parts in sorted(known.items()) for one in parts.values()]
    return "\n".join([*lines, "", "```sh", *printed, "```", ""])


def _said(found: dict[str, Any]) -> str:
    """Return a figure with its interval, and over how much, from a command's JSON."""
    if "players" in found:
        won = found["players"][0]["figures"]["mbb/g"]
        return f"{won['mean']:+.1f} ± {(won['high'] - won['low']) / 2:.1f} ({won['count']:,} deals)"
    if "boards" in found:
        interval = "" if found["low"] is None else f"{found['low']:.0f} to {found['high']:.0f}; "
        return f"{found['mean']:.1f} ({interval}{found['boards']} boards)"
    return f"{found['mean']:+.1f} ± {found['half_width']:.1f} ({found['hands']:,} hands)"


def asked_for(words: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--run", type=Path, default=None, help="a run of poker_cnn_betting")
    add("--work", type=Path, default=Path("results/judged"))
    add("--report", action="store_true", help="only write the report")
    add("--only", default="+".join(PARTS), help="parts, joined with +")
    add("--generation", type=int, action="append", default=None, help="this one alone (repeatable)")
    add("--boards", type=int, default=12, help="of the best response from the river")
    add("--hands", type=int, default=2_000, help="of the local best response, or of that in the last round")
    add("--deals", type=int, default=10_000, help="duplicate deals")
    o = parser.parse_args(words)
    o.only = o.only.split("+")
    if unknown := [one for one in o.only if one not in PARTS]:
        raise UsageError(f"--only takes some of {'+'.join(PARTS)}. Got {unknown[0]!r}.")
    if o.report:
        o.run = None
    elif o.run is None:
        raise UsageError("--run names the run that is judged; --report only writes the report.")
    return o


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
