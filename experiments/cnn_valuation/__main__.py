"""CNN valuation: logs of our own players, learned from, measured and played.

    python experiments/cnn_valuation --out results/cnn_valuation [--hands 300000] [--steps 8000] [--logs DIR]

Every piece (a log of 5,000 hands, a directory of examples, a run, a measurement, a match) is written whole and not made
again, so the same command goes on where it stopped. On many machines: --part 0/4 generates every fourth log only; bring
the logs together in one directory and call the command without --part; --only RUN+RUN trains and measures those runs
only. --logs DIR learns from logs of your own instead. A player is a cardai player or a trained run of the game:
--game poker_cnn_limit --teachers threshold+runs/equilibrium+runs/poker_cnn (bucket_mccfr's player plays there too).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import cardai
from cardai.commands.acpc_match import as_json
from cardai.commands.show.winnings import draw
from cardai.core.errors import CardaiError, UsageError
from cardai.formats.acpc.inprocess import play_agents
from cardai.formats.acpc.series import Series, begin, finished, results
from cardai.learn.imitation.examples import read_examples, read_manifest
from cardai.plugins.trainers.cnn_valuation.dataset import literal_targets
from cardai.training.runs import Run

sys.path.insert(0, str(Path(__file__).resolve().parent))

import curve
import report
import tables
from imitation import figures_of
from making import SYSTEMS, Planned, another, called, examples, generate, kept, run, train

GAME = "acpc_limit_2p"
TEACHERS = ("threshold", "holdem_heuristic", "acpc_mix")
OPPONENTS = "acpc_mix+opponent_model+threshold"
"""In the matches: the competition's example player, an opponent-modelling player, and a fixed one (better: a run of
bucket_mccfr, the equilibrium player)."""
WEAK = ("paper", "cards")
"""What is known to fall short plays fewer deals."""
LITERAL = ("cnn_valuation_literal", "cnn_valuation")


def met(game: str, one: str, other: str, deals: int) -> dict[str, Any]:
    """Return what ``one`` wins of ``other``, in mbb a hand, over duplicate deals."""
    result = cardai.play(game, [one, other], games=2 * deals, seed=77)
    estimate = result.mean_return(0).scaled(1000 / cardai.game(game).big_blind)  # type: ignore[attr-defined]
    return {"player": one, "against": other, "deals": deals, "mean": estimate.mean, "half_width": estimate.half_width}


def plan(teachers: list[str], options: argparse.Namespace) -> list[Planned]:
    """Return what is trained."""
    out = []
    wanted = options.learn.split("+") if options.learn else [called(teacher) for teacher in teachers]
    if unknown := [name for name in wanted if name not in map(called, teachers)]:
        raise UsageError(f"--learn are some of {', '.join(map(called, teachers))}, joined with +. Got {unknown[0]!r}.")
    for teacher in (one for one in teachers if called(one) in wanted):
        for system in options.systems.split("+"):
            steps = options.steps if system == "paper" else options.our_steps
            out.append(Planned(f"{system}-{called(teacher)}", system, teacher, steps))
    if unknown := [one.system for one in out if one.system not in SYSTEMS]:
        raise UsageError(f"--systems are of {', '.join(SYSTEMS)}, joined with +. Got {unknown[0]!r}.")
    return out + [another(item, teachers) for item in filter(None, options.also.split("+"))]


def learn(out: Path, teachers: list[str], data: Path, options: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    """Train on each teacher's decisions; return what was measured of each run, and what it won of the teachers."""
    known = read_manifest(data).players
    measured: dict[str, Any] = {}
    meetings: list[dict[str, Any]] = []
    for one in plan(teachers, options):
        key, teacher = one.key, one.teacher
        if options.only and key not in options.only.split("+"):
            continue
        name = called(teacher)
        names = [each for each in (name, f"{name}_") if each in known]
        taught = "" if options.logs else teacher
        path = train(out / "runs" / key, one, data, names)
        asked = f"{path}:act=sample"
        measured[key] = kept(out / f"{key}.json", partial(figures_of, asked, str(data), names, taught, options.limit))
        if taught:
            player = asked if measured[key]["places"]["all"]["ceiling"] < 1 else f"{path}:act=argmax"
            at_length = one.system not in WEAK and key in (f"{one.system}-{name}", options.player)
            deals = options.deals if at_length else options.cross_deals
            meetings.append(kept(out / f"{key}.met.json", partial(met, options.game, player, teacher, deals)))
            if at_length:
                meetings += crossed(out, key, player, [each for each in teachers if each != teacher], options)
    if not options.logs and not options.only:
        for one, other in combinations(teachers, 2):
            meetings += crossed(out, called(one), one, [other], options)
    return measured, meetings


def crossed(out: Path, key: str, player: str, others: Sequence[str], options: argparse.Namespace) -> list[Any]:
    """Return what ``player`` wins of each of ``others``."""
    making = {other: partial(met, options.game, player, other, options.cross_deals) for other in others}
    return [kept(out / f"{key}-{called(other)}.met.json", make) for other, make in making.items()]


def matches(out: Path, game: str, player: str, opponents: list[str], hands: int) -> dict[str, Any]:
    """Return the crosstable of the competition's matches between ``player`` and others; logs and the curve go to ``out``."""
    planned = Series(game, (player, *opponents), hands, (1,))
    begin(planned, out, resume=True)
    for seats, one in planned.matches():
        if 0 in seats and not finished(out / f"{one.name}.log", hands):
            play_agents(planned, one, seats, out)
    found = results(planned, out)
    draw(planned, found, out / "curve.png")
    return as_json(planned, found)


def asked_for(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("results/cnn_valuation"))
    parser.add_argument("--game", default=GAME, help="a game for two with a definition of the competition")
    parser.add_argument("--hands", type=int, default=300_000)
    parser.add_argument("--steps", type=int, default=8_000, help="of the runs with the publication's network")
    parser.add_argument("--our-steps", type=int, default=4_000, help="of the runs with our network")
    parser.add_argument("--literal-steps", type=int, default=4_000, help="of the run that learns who wins")
    parser.add_argument("--systems", default="paper+ours", help=f"what learns from every teacher: {', '.join(SYSTEMS)}")
    parser.add_argument(
        "--learn", default="", help="the teachers that every system learns from, joined with +; none: all"
    )
    parser.add_argument(
        "--also",
        default="",
        help="more runs, SYSTEM-TEACHER=STEPS and options of the trainer: paper-threshold=24000+cards-threshold=4000,hidden=256; "
        "the option 'policy' learns the teacher's probabilities at the decisions instead of the actions",
    )
    parser.add_argument("--only", default="", help="train and measure these runs only, joined with +, and stop")
    parser.add_argument(
        "--curve", default="", help="SYSTEM-TEACHER[,OPTIONS]: learn from more and more of its decisions"
    )
    parser.add_argument(
        "--curve-hands",
        type=int,
        default=0,
        help="hands of that teacher with all made for it; 0: those of the experiment",
    )
    parser.add_argument(
        "--curve-points", default="20000=400+90000=1000+360000=1500", help="DECISIONS=STEPS of each run"
    )
    parser.add_argument("--deals", type=int, default=50_000, help="duplicate deals of ours against its teacher")
    parser.add_argument("--cross-deals", type=int, default=10_000, help="duplicate deals of every other meeting")
    parser.add_argument("--limit", type=int, default=50_000, help="held-out decisions of each measurement")
    parser.add_argument("--player", default="", help="the run that plays matches (ours-threshold, ...)")
    parser.add_argument("--opponents", default=OPPONENTS, help="whom it meets there, joined with +")
    parser.add_argument("--match-hands", type=int, default=3000, help="hands of a match")
    parser.add_argument("--teachers", default="+".join(TEACHERS), help="players, joined with +")
    parser.add_argument("--logs", default="", help="learn from these logs instead (a file or directory)")
    parser.add_argument("--part", default="0/1", help="k/n: generate only every n-th log from the k-th on, and stop")
    return parser.parse_args(arguments)


def target_error(data: Path) -> float:
    """Return the largest difference between a target of ``seed_literal`` and gamma times the next one of its record."""
    gamma = 0.95
    _, found = read_examples(data, cardai.game(read_manifest(data).game))
    targets = literal_targets(found, gamma)
    inner = np.flatnonzero(found.later[:-1] > 0)  # the decisions of a record are neighbours
    return float(np.abs(targets[inner] - gamma * targets[inner + 1]).max(initial=0.0))


def part_of(text: str) -> tuple[int, int]:
    """Return (k, n) of "k/n"."""
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, parts = (int(found[1]), int(found[2])) if found else (1, 1)
    if number >= parts:
        raise UsageError(f"--part is k/n with k from 0 to n - 1, such as 0/4. Got {text!r}.")
    return number, parts


def check(out: Path, teachers: list[str], options: argparse.Namespace) -> None:
    """Refuse what would mix results of different options in one directory."""
    names = [called(teacher) for teacher in teachers]
    for name in names:
        if names.count(name) > 1 and not options.logs:
            raise UsageError(
                f"Two teachers are called {name!r}, and logs would not tell them apart. Give runs other names."
            )
    if options.hands < 2:
        raise UsageError(f"--hands must be 2 or more: every deal is played twice. Got {options.hands}.")
    if not options.logs:
        plan(teachers, options)
    free = (
        "out",
        "part",
        "learn",
        "also",
        "only",
        "curve",
        "curve_hands",
        "curve_points",
    )  # what they add has names of its own
    asked = {name: value for name, value in vars(options).items() if name not in free}
    before = kept(out / "options.json", lambda: asked)
    for name, value in asked.items():
        if before.get(name) != value:
            flag = name.replace("_", "-")
            raise UsageError(f"{out} holds results of --{flag} {before.get(name)}, not {value}. Name another --out.")


def main(arguments: list[str] | None = None) -> None:
    """Make what is missing, then write the report."""
    options = asked_for(arguments)
    out, teachers = options.out.absolute(), options.teachers.split("+")
    number, parts = part_of(options.part)
    out.mkdir(parents=True, exist_ok=True)
    check(out, teachers, options)
    if not options.logs:
        generate(out / "logs", teachers, options.hands, 1000, (number, parts), options.game)
    if parts > 1:
        return
    data = examples(options.logs or str(out / "logs"), out / "examples")
    known = list(read_manifest(data).players)
    if options.logs:
        options.game = read_manifest(data).game
        teachers = [name for name in known if not name.endswith("_")]
    keys = [one.key for one in plan(teachers, options)]
    player = options.player or next((key for key in keys if key.split("-")[0] not in WEAK), keys[0])
    if player not in keys:
        raise UsageError(f"--player is one of the runs {', '.join(keys)}. Got {player!r}.")
    measured, meetings = learn(out, teachers, data, options)
    if options.only:
        return
    literal = run(out / "runs" / "literal", *LITERAL, data, known, options.literal_steps)
    last = [row for row in Run.open(literal).read_metrics() if "brier" in row][-1]
    last = {**last, "target_error": kept(out / "literal.json", partial(target_error, data))}
    act = "sample" if measured[player]["places"]["all"].get("ceiling", 1) < 1 else "argmax"
    playing = f"{out / 'runs' / player}:act={act}"
    table = matches(out / "matches", options.game, playing, options.opponents.split("+"), options.match_hands)
    counted = {}
    for teacher in [] if options.logs else teachers:
        names = [one for one in known if one.rstrip("_") == called(teacher)]
        making = partial(tables.counted, teacher, str(data), names, options.limit)
        counted[called(teacher)] = kept(out / f"{called(teacher)}.table.json", making)
    texts = tables.lines(counted)
    more = curve.made(out, data, teachers, options) if options.curve else []
    report.write(
        out, measured, meetings, last, table, read_manifest(data), {**vars(options), "player": player}, texts, more
    )
    print(f"Report: {out / 'report.md'}")


if __name__ == "__main__":
    try:
        main()
    except CardaiError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on.")
