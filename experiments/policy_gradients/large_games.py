"""Policy gradients in games too large to be solved: `mmd` on limit hold'em and gin from the compact encoders, judged from outside.

One command, resumable: what has been trained is kept in ``--runs`` and goes on from there; what has been judged is kept beside it.

    python experiments/policy_gradients/large_games.py                            # two seeds of each, some two CPU hours a run
    python experiments/policy_gradients/large_games.py --device cuda --jobs 4     # on a GPU, runs side by side
    python experiments/policy_gradients/large_games.py --only limit --steps 500   # one game, a sixth of the training
    python experiments/policy_gradients/large_games.py --games 1000 --boards 2 --hands 100  # judged in fewer of each
    python experiments/policy_gradients/large_games.py --report                   # only write the tables from what there is

Limit hold'em is judged by a best response from the river and by local best response, in thousandths of a big blind a hand, and
by matches; gin by games to 100 points. Everybody's deals are the same. All hands that are begun are played out, of which gin's
take 110 decisions: with a thousand tables an iteration would be fourteen of 8,192. At random 98 hands of 100 in gin end without
a winner, so little is learned at first where the magnet pulls to playing at random as it does in limit hold'em.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from attrs import frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from printed import figure

import cardai
from cardai.core.errors import CardaiError, UnknownNameError, UsageError
from cardai.core.files import read_json, write_json
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
STEPS = 3_000
OPTIONS = "batch=8192,tables=96,minibatches=4,epochs=2,hidden=256,layers=3,discount=1,last=0.05"


@frozen
class Large:
    """A game, what its networks see, how they learn, and whom the player meets."""

    label: str
    game: str
    encoder: str
    options: str
    rivals: tuple[str, ...]
    judges: Mapping[str, tuple[str, ...]]

    def shown(self, found: Any) -> str:
        """Return a judge's figure as a cell: what was won from a rival (and in gin the games), or what a judge won, in mbb a hand."""
        if isinstance(found, dict):
            if found.get("half_width", found.get("low")) is None:
                return f"{found['mean']:,.0f} (one has no interval)"
            if "half_width" in found:
                return f"{found['mean']:,.0f} ± {found['half_width']:,.0f}"
            return f"{found['mean']:,.0f} ({found['low']:,.0f} to {found['high']:,.0f})"
        gain, half, won, about = found
        return f"{gain:+.1f} ± {half:.1f}" if self.judges else f"{100 * won:.1f} ± {100 * about:.1f} %"


GAMES = (
    Large(
        "limit",
        "poker_cnn_limit",
        "holdem_compact",
        "reward_scale=0.002,magnet=0.1,magnet_end=0.01",
        ("random", "always_call", "threshold", "limit_cnn", "limit_equilibrium"),
        {
            "local best response": ("lbr", "--hands", "{hands}", "--seed", "3"),
            "best response from the river": ("best-response", "--from", "river", "--boards", "{boards}", "--seed", "3"),
        },
    ),
    Large(
        "gin",
        "gin",
        "gin_compact",
        "reward_scale=0.05,magnet=0.02,magnet_end=0.002,rate=0.0005,clip=0.2",
        ("random", "simple", "heisenbot", "champion"),
        {},
    ),
)


def train(large: Large, seed: int, steps: int, runs: Path, device: str) -> None:
    """Train one seed to its end, from where it stands."""
    path = runs / f"{large.label}-{seed}"
    spec = f"mmd:{OPTIONS},{large.options},anneal={steps},device={device},eval_every={max(1, steps // 50)}"
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, spec, large.game, large.encoder, seed, steps))
    if session.training.step < steps:
        session.train(steps)


def judge(large: Large, seed: int, runs: Path, device: str, effort: Mapping[str, int]) -> None:
    """Measure a run by every judge that has not measured it so as it stands; keep what each says beside the run."""
    path = runs / f"{large.label}-{seed}"
    last, kept = Run.open(path).read_metrics()[-1], runs / f"{large.label}-{seed}.json"
    about = {name: last[name] for name in ("step", "env_steps", "cpu_seconds")} | dict(effort)
    found: dict[str, Any] = read_json(kept) if kept.exists() else {}
    if {name: found.get(name) for name in about} != about:
        found = dict(about)
    for rival in large.rivals:
        if rival not in found and _known(rival):
            result = cardai.play(large.game, [str(path), rival], games=effort["games"], seed=2026)
            gain, won = result.mean_return(0), result.win_rate(0)
            found[rival] = [gain.mean, gain.half_width, won.mean, won.half_width]
            write_json(kept, found)
    for name, arguments in large.judges.items():
        if name not in found:
            asked = [word.format_map(effort) for word in arguments]
            words = ["-q", "evaluate", *asked, "--game", large.game, "--agent", f"{path}:device={device}"]
            found[name] = figure(words)["found"]
            write_json(kept, found)


def _known(rival: str) -> bool:
    """Say whether a player is there; those of the box are a package of their own (`pip install ./players`)."""
    try:
        cardai.agent(rival)
    except UnknownNameError as error:
        sys.stderr.write(f"{rival} is left out: {error}\n")
        return False
    return True


def work(large: Large, seed: int, steps: int, runs: Path, device: str, effort: Mapping[str, int]) -> None:
    """Train and judge one run, where there is any effort: the piece that runs in a process of its own."""
    train(large, seed, steps, runs, device)
    if effort:
        judge(large, seed, runs, device, effort)


def report(runs: Path, seeds: int) -> str:
    """Return the tables of what has been judged."""
    lines = []
    for large in GAMES:
        names, rows = [*large.rivals, *large.judges], []
        for seed in range(1, seeds + 1):
            kept = runs / f"{large.label}-{seed}.json"
            if kept.exists():
                found = read_json(kept)
                cells = [large.shown(found[name]) if name in found else "" for name in names]
                trained = f"{found['env_steps']:,.0f} | {found['cpu_seconds']:,.0f} | {found['games']:,}"
                rows.append(f"| {seed} | {trained} | " + " | ".join(cells) + " |")
        if rows:
            head = "| seed | decisions | CPU seconds | games | " + " | ".join(names) + " |"
            lines += [f"## {large.game}, {large.encoder}", "", head, "|---" * (4 + len(names)) + "|", *rows, ""]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and judge what was asked for and write results/large_games.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the games whose label has this word")
    parser.add_argument(
        "--steps", type=int, default=STEPS, help="iterations of 8,192 decisions, over which rate and magnet fall"
    )
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="torch's device: cpu, cuda")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side, a process each")
    parser.add_argument("--games", type=int, default=10_000, help="of a match")
    parser.add_argument("--boards", type=int, default=12, help="of a best response from the river")
    parser.add_argument("--hands", type=int, default=1000, help="of local best response")
    parser.add_argument("--no-judging", action="store_true", help="only train")
    parser.add_argument("--report", action="store_true", help="only write the tables from what there is")
    parser.add_argument("--runs", type=Path, default=Path("runs/large_games"))
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    if any(number < 2 or number % 2 for number in (given.games, given.hands)) or given.boards < 1:
        parser.error(
            "--games and --hands must be even and at least 2, for each deal is played from every seat; --boards at least 1. "
            f"Got {given.games}, {given.hands} and {given.boards}."
        )
    if not given.report:
        effort = {} if given.no_judging else {name: getattr(given, name) for name in ("games", "boards", "hands")}
        with ProcessPoolExecutor(given.jobs, get_context("spawn")) as pool:
            running = [
                pool.submit(work, large, seed, given.steps, given.runs, given.device, effort)
                for seed in range(1, given.seeds + 1)
                for large in GAMES
                if given.only in large.label
            ]
            for one in as_completed(running):
                one.result()
    tables = report(given.runs, given.seeds)
    if not tables:
        raise UsageError(f"Nothing in {given.runs} was judged: there is no table to write.")
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "large_games.md").write_text(tables, encoding="utf-8")
    sys.stdout.write(tables)


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
