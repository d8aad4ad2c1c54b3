"""A network that plays limit hold'em as the player in the box does, from cards and betting alone: how far it gets, over seeds.

    python experiments/range_distillation/run.py --work results/distillation              # three seeds
    python experiments/range_distillation/run.py --work results/distillation --only measure --seeds 1
    python experiments/range_distillation/run.py --work results/distillation --seed 2     # this one alone, beside others
    python experiments/range_distillation/run.py --work results/distillation --only against  # what it loses, all hands counted out
    python experiments/range_distillation/run.py --work results/distillation --only streets+actions  # which decisions lose to the teacher
    python experiments/range_distillation/run.py --work results/values --values --only train+hints   # with values of actions
    python experiments/range_distillation/run.py --work results/distillation --only turn  # hours without --device cuda

Trains, then measures each seed: a best response from the river, a local one, duplicate deals against the teacher, what a decision
for all hands at once costs, and a best response from the turn. Each is judged as it is and without its least likely actions
(--least). What is done is kept under --work, and the same command goes on. The players in the box must be
installed (pip install ./players). The report is --work/report.md.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from judging import actions, against, hints, streets
from printed import called, figure, seconds_spent

from cardai import make
from cardai.core.errors import CardaiError, UsageError
from cardai.core.files import read_json, write_atomically, write_json
from cardai.poker.range_policy import range_player
from cardai.poker.ranges.public_tree import holdem_tree
from cardai.training.runs import Run
from cardai.ui.box import installed

GAME, TEACHER = "acpc_limit_2p", "limit_equilibrium"
PARTS = ("train", "measure", "against", "streets", "actions", "hints", "turn")
JUDGING = set(PARTS) - {"train"}
RIVER, LOST, MILLISECONDS = 300.0, 40.0, 50.0
"""Aimed at: won at most by a best response from the river, lost at most to the teacher (mbb a hand), and a decision's cost."""


def main(words: list[str] | None = None) -> None:
    """Train and measure what is missing, and write the report."""
    o = asked_for(words)
    (o.work / "figures").mkdir(parents=True, exist_ok=True)
    for seed in range(o.seeds) if o.seed is None else [o.seed]:
        run = o.work / f"seed{seed}"
        if "train" in o.only and _trained(run) < o.steps:
            train(run, o, seed)
        for least in o.least if set(o.only) & JUDGING else []:
            measure(o, run, least)
    write_atomically(o.work / "report.md", report(o.work).encode())
    print(f"Report: {o.work / 'report.md'}")


def train(run: Path, o: argparse.Namespace, seed: int) -> None:
    """Train a seed from where it is."""
    steps = ["--steps", str(o.steps)]
    if (run / "run.json").exists():
        called(["train", "--resume", str(run), *steps])
        return
    trainer = f"range_distillation:teacher={TEACHER},sees={o.sees},hidden={o.hidden},hands={o.hands},anneal={o.steps},device={o.device}"
    trainer += (",values=true" if o.values else "") + (f",regret={o.regret}" if o.regret else "")
    called(["train", "--trainer", trainer, "--game", GAME, *steps, "--seed", str(seed), "--out", str(run)])


def measure(o: argparse.Namespace, run: Path, least: str) -> None:
    """Measure a seed by commands of cardai, and what its decisions cost."""
    name = run.name if float(least) == 0 else f"{run.name}-least{least}"
    player = ":".join([str(run), ",".join(options)] if (options := _options(least, o.device)) else [str(run)])
    asked, step = ["--game", GAME, "--agent", player], _trained(run)
    bound = ["evaluate", "best-response", *asked, "--seed", "3"]
    done = [["--out", str(o.work / "figures" / f"{name}-{step}-{n}{part}.npz")]
            for part, n in (("", o.boards), ("-turn", o.turn_boards))]  # fmt: skip
    measures = {
        "play": ["run", *asked, "--vs", TEACHER, "--games", str(2 * o.deals), "--seed", "7"],
        "river": [*bound, "--from", "river", "--boards", str(o.boards), *done[0]],
        "lbr": ["evaluate", "lbr", *asked, "--hands", str(o.lbr_hands), "--seed", "3"],
    }
    for part, words in measures.items() if "measure" in o.only else ():
        kept(o, (run, name), part, shlex.join(["cardai", *words]), partial(figure, words))
    if "measure" in o.only:
        kept(o, (run, name), "cost", "", lambda: {"command": "", "found": costs(str(run))})
    own = float(least) == 0  # what is asked of the network alone
    judged: list[tuple[str, bool, str, Callable[[], Any]]] = [
        ("against", True, f"--against-boards {o.against_boards}", lambda: against(player, TEACHER, o.against_boards)),
        ("streets", True, f"--street-boards {o.street_boards}", lambda: streets(player, TEACHER, o.street_boards)),
        ("actions", own, f"--where-boards {o.where_boards}", lambda: actions(run, TEACHER, o.where_boards)),
        (
            "hints",
            own and o.values,
            f"--values --turns {o.turns} --rivers {o.rivers}",
            lambda: hints(run, TEACHER, (o.turns, o.rivers)),
        ),
    ]
    for part, wanted, options, judge in judged:
        if wanted and part in o.only:
            kept(o, (run, name), part, given := f"--only {part} {options}", partial(_judged, given, judge))
    if "turn" in o.only:
        words = [*bound, "--from", "turn", "--boards", str(o.turn_boards), *done[1]]
        kept(o, (run, name), "turn", shlex.join(["cardai", *words]), partial(figure, words))


def _judged(command: str, judge: Callable[[], Any]) -> dict[str, Any]:
    return {"command": command, "found": judge()}


def _options(least: str, device: str) -> list[str]:
    """Return the options of a player's spec that are not as they are without."""
    return ([f"least={least}"] if float(least) else []) + ([f"device={device}"] if device != "cpu" else [])


def costs(player: str) -> dict[str, Any]:
    """Return the CPU milliseconds of a decision for all hands on a new board, by street: median and most of ten."""
    game = make.game(GAME)
    tree = holdem_tree(game, "This measure")
    one, rng, out = range_player(game, make.agent(player), tree), np.random.default_rng(1), {}
    for street, size in enumerate((0, 3, 4, 5)):
        taken = []
        for _ in range(12):
            board = rng.permutation(52)[:size].tolist()
            node = rng.choice(tree.decisions[tree.street[tree.decisions] == street])
            begun = time.process_time()
            one.range_policy(np.array([node]), board)
            taken.append(1e3 * (time.process_time() - begun))
        out[("preflop", "flop", "turn", "river")[street]] = [float(np.median(taken[2:])), max(taken[2:])]
    return out


def report(work: Path) -> str:
    """Return the report's text from what is kept."""
    lines = [
        "# A network distilled from the limit player in the box",
        "",
        f'The teacher is `{TEACHER}`. mbb a hand; intervals are of 95 %. "least": actions of a smaller probability are not played.',
        "",
        "| seed | boards learned | CPU seconds | best response from the river | from the turn | local best response | "
        "against the teacher | the same, counted out | decision for all hands, ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    known: dict[str, dict[str, Any]] = {}
    for file in sorted((work / "figures").glob("*.json")):
        part, _, name = file.stem.partition("-")
        known.setdefault(name, {})[part] = read_json(file)
    commands: list[str] = []
    for name, parts in sorted(known.items()):
        last = Run.open(work / name.partition("-")[0]).read_metrics()[-1]
        cells = [
            _bound(parts.get("river")),
            _bound(parts.get("turn")),
            _local(parts.get("lbr")),
            _won(parts.get("play")),
            _counted(parts.get("against")),
        ]
        slowest = f"at most {max(most for _, most in parts['cost']['found'].values()):.1f}" if "cost" in parts else ""
        lines.append(f"| {name} | {last['step']:,} | {last['cpu_seconds']:.0f} | {' | '.join(cells)} | {slowest} |")
        commands += [one["command"] for part, one in parts.items() if part in ("river", "turn", "lbr", "play")]
    aims = f"Aimed at: at most {RIVER:.0f} from the river, {LOST:.0f} lost, {MILLISECONDS:.0f} ms."
    return "\n".join(
        [*lines, "", *spread(known), aims, "", *where(known), *hinted(known), "```sh", *commands, "```", ""]
    )


def spread(known: dict[str, dict[str, Any]]) -> list[str]:
    """Return lines on the mean and the range over seeds, for each way to play that several were judged by."""
    lines: list[str] = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, parts in sorted(known.items()):
        groups.setdefault(name.partition("-")[2], []).append(parts)
    for way, seeds in groups.items():
        for part, words in (
            ("play", "against the teacher"),
            ("against", "against the teacher, counted out"),
            ("river", "best response from the river"),
            ("turn", "from the turn"),
        ):
            found = [_mean(part, one[part]["found"]) for one in seeds if part in one]
            if len(found) > 1:
                said = f"{np.mean(found):+.1f} ({min(found):+.1f} to {max(found):+.1f})"
                lines.append(f"- {len(found)} seeds{', ' * bool(way)}{way}, {words}: mean {said}")
    return [*lines, ""] if lines else []


def where(known: dict[str, dict[str, Any]]) -> list[str]:
    """Return lines on which decisions lose to the teacher."""
    lines = []
    for name, parts in sorted(known.items()):
        if "streets" in parts:
            said = ", ".join(
                f"{k} {one['mean']:+.1f} ± {one['half_width']:.1f}" for k, one in parts["streets"]["found"].items()
            )
            lines.append(f"- {name}, playing as learned on one street alone, wins from the teacher: {said}")
        if "actions" in parts:
            found = dict(parts["actions"]["found"])
            boards = found.pop("boards")
            said = ", ".join(f"{k} {one['mean']:.2f} ± {one['half_width']:.2f}" for k, one in found.items())
            lines.append(
                f"- {name} gives away on the river, by what it does more or less often ({boards} boards): {said}"
            )
    return ["## Where it loses", "", "mbb a hand.", "", *lines, ""] if lines else []


def hinted(known: dict[str, dict[str, Any]]) -> list[str]:
    """Return lines on how good hints are."""
    lines = []
    for name, parts in sorted(known.items()):
        for street, one in parts.get("hints", {}).get("found", {}).items():
            error, costs = one["error"], one["costs"]
            lines.append(
                f"- {name}, {street} ({one['boards']} boards): off by {error['mean']:.3f} ± {error['half_width']:.3f}; actions' worth "
                f"has a standard deviation of {one['spread']:.2f}, the error of {one['left']:.2f}; the action thought best costs "
                f"{costs['mean']:.1f} ± {costs['half_width']:.1f} mbb a decision"
            )
    return ["## Hints", "", "What actions are worth, big blinds.", "", *lines, ""] if lines else []


def _mean(part: str, found: dict[str, Any]) -> float:
    if part == "play":
        return float(found["players"][0]["figures"]["mbb/g"]["mean"])
    return float((found["all"] if part == "against" else found)["mean"])


def _counted(known: dict[str, Any] | None) -> str:
    if known is None:
        return ""
    found = known["found"]
    return "{mean:+.1f} ± {half_width:.1f}".format(**found["all"]) + f" ({found['boards']} boards)"


def _bound(known: dict[str, Any] | None) -> str:
    if known is None:
        return ""
    found = known["found"]
    interval = "" if found["low"] is None else f"{found['low']:.0f} to {found['high']:.0f}; "
    return f"{found['mean']:.1f} ({interval}{found['boards']} boards)"


def _local(known: dict[str, Any] | None) -> str:
    return "" if known is None else "{mean:+.0f} ± {half_width:.0f} ({hands:,} hands)".format(**known["found"])


def _won(known: dict[str, Any] | None) -> str:
    if known is None:
        return ""
    won = known["found"]["players"][0]["figures"]["mbb/g"]
    return f"{won['mean']:+.1f} ± {(won['high'] - won['low']) / 2:.1f} ({won['count']:,} deals)"


def kept(
    o: argparse.Namespace, who: tuple[Path, str], part: str, command: str, make_it: Callable[[], dict[str, Any]]
) -> None:
    """Make a seed's figure once, and anew where its command is another, the seed has learned further, or the teacher is another."""
    run, name = who
    file = o.work / "figures" / f"{part}-{name}.json"
    of = {"command": command, "step": _trained(run), "teacher": installed(TEACHER)}
    if file.exists() and of.items() <= read_json(file).items():
        return
    begun = seconds_spent()
    write_json(file, {**make_it(), "step": of["step"], "teacher": of["teacher"]})
    print(f"{part}-{name}: {seconds_spent() - begun:,.0f} CPU seconds", flush=True)


def _trained(run: Path) -> int:
    rows = Run.open(run).read_metrics() if (run / "run.json").exists() else []
    return int(rows[-1]["step"]) if rows else 0


def asked_for(words: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--work", type=Path, default=Path("results/distillation"))
    add("--only", default="train+measure", help="parts, joined with +")
    add("--seeds", type=int, default=3)
    add("--seed", type=int, default=None, help="this seed alone, so that several can be trained beside one another")
    add("--steps", type=int, default=25_000, help="boards that a seed learns of")
    add("--sees", default="numbers", choices=("numbers", "planes"), help="what the network sees of cards")
    add("--hidden", type=int, default=192, help="units of each of the two hidden layers")
    add("--hands", type=int, default=224, help="hands that are learned of a board, at most 1,081")
    add("--device", default="cpu", help="torch's device for learning and playing: cpu, cuda")
    add(
        "--least",
        default="0",
        help="actions of a smaller probability are never played: some such values, joined with +",
    )
    add("--values", action="store_true", help="learn what actions are worth, too: hints")
    add("--regret", type=float, default=0.0, help="--values: how much what is given away counts in learning")
    add(
        "--against-boards",
        type=int,
        default=60,
        help="whole boards on which all hands are played out against the teacher",
    )
    add("--street-boards", type=int, default=16, help="boards on which each street alone is played out so")
    add("--where-boards", type=int, default=8, help="on which what is given away on the river is counted out")
    add("--turns", type=int, default=4, help="boards of the turn on which hints are judged")
    add("--rivers", type=int, default=40, help="boards of the river on which hints are judged")
    add("--boards", type=int, default=40, help="of the best response from the river")
    add("--turn-boards", type=int, default=6, help="of the best response from the turn: each is 48 times as much work")
    add("--lbr-hands", type=int, default=2_000)
    add("--deals", type=int, default=50_000, help="duplicate deals against the teacher")
    o = parser.parse_args(words)
    o.only, o.least = o.only.split("+"), o.least.split("+")
    if unknown := [one for one in o.only if one not in PARTS]:
        raise UsageError(f"--only takes some of {'+'.join(PARTS)}. Got {unknown[0]!r}.")
    return o


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
