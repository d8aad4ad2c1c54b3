"""CNN valuation: logs of our own players, learned from, measured and played.

    python experiments/cnn_valuation --out results/cnn_valuation [--hands 300000] [--steps 20000] [--logs DIR]

Every piece (a log of 5,000 hands, a directory of examples, a run, a measurement, a match) is written whole and not made
again, so the same command goes on where it stopped. On many machines: --part 0/4 generates every fourth log only; bring
the logs together in one directory and call the command without --part. --logs DIR learns from logs of your own instead.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import cardai
from cardai.arena import match, records
from cardai.commands.acpc_match import as_json
from cardai.commands.evaluate_imitation import figures_of
from cardai.commands.show.winnings import draw
from cardai.core.files import Output, write_json
from cardai.formats.acpc.inprocess import play_agents
from cardai.formats.acpc.records import records_to_log
from cardai.formats.acpc.series import Series, begin, finished, results
from cardai.formats.stream import sources, stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.learn.imitation.examples import MANIFEST, read_manifest
from cardai.training.runs import Run
from cardai.training.session import Session

sys.path.insert(0, str(Path(__file__).resolve().parent))

import report

GAME = "acpc_limit_2p"
PIECE = 5_000
"""Hands of a log."""
TEACHERS = ("threshold", "holdem_heuristic", "acpc_mix")
DEFINITION = "holdem.limit.2p.reverse_blinds"
OPPONENTS = ("acpc_mix", "opponent_model", "threshold")
"""In the matches: the competition's example player, an opponent-modelling player, and a fixed one."""
PAPER = ("cnn_valuation_paper", "cnn_valuation")
OURS = ("cnn_valuation_ours", "cnn_valuation_ours")
LITERAL = ("cnn_valuation_literal", "cnn_valuation")


def pairs(teachers: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every two players, each with itself too."""
    for i, one in enumerate(teachers):
        yield from ((one, other) for other in teachers[i:])


def generate(out: Path, teachers: list[str], hands: int, seed: int, part: tuple[int, int]) -> None:
    """Write logs of ``hands`` in all between every two teachers; those of ``part`` (k, n) of the pieces alone."""
    out.mkdir(parents=True, exist_ok=True)
    meetings = list(pairs(teachers))
    for piece in range(-(-hands // PIECE)):
        one, other = meetings[piece % len(meetings)]
        log = out / f"piece-{piece:04d}.log"
        if piece % part[1] != part[0] or log.exists():
            continue
        begun = time.process_time()
        record = out / f"piece-{piece:04d}.tmp"
        games = min(PIECE, hands - piece * PIECE) // 2 * 2
        match.play(GAME, [one, other], games=games, seed=seed + piece, record=record, names=named(one, other))
        with Output(log) as file:
            file.write("".join(records_to_log(records.read(record)).lines()).encode())
        record.unlink()
        print(
            f"{log.name}: {games:,} hands, {one} and {other}, {time.process_time() - begun:.0f} CPU seconds", flush=True
        )


def named(one: str, other: str) -> list[str]:
    """Return what two players are called, without options; one player twice is told apart by an underscore."""
    first, second = called(one), called(other)
    return [first, second if second != first else f"{second}_"]


def called(spec: str) -> str:
    """Return what a player is called in logs and files: its name, or a run's directory, without options."""
    return Path(spec.partition(":")[0]).name


def examples(logs: str, out: Path) -> Path:
    """Return the directory of examples of the logs."""
    if not (out / MANIFEST).exists():
        begun = time.process_time()
        found = convert(sources(logs), stream_hands, out, Settings(seed=1))
        seconds = time.process_time() - begun
        print(f"{found.hands:,} hands to {found.examples:,} examples in {seconds:.0f} CPU seconds", flush=True)
    return out


def run(out: Path, trainer: str, encoder: str, data: Path, players: list[str], steps: int, more: str = "") -> Path:
    """Return the directory of a run of ``steps``, trained from where it is."""
    spec = f'{trainer}:data="{data}",players={"+".join(players)}' + (f",{more}" if more else "")
    if not (out / "run.json").exists():
        session = Session.start(Run.create(out, spec, GAME, encoder, 1, steps, sys.argv, None))
    else:
        session = Session.resume(Run.open(out))
    if session.training.step < steps:
        session.train(steps)
        print(f"{out.name}: {steps:,} steps, {session.seconds[1]:.0f} CPU seconds", flush=True)
    return out


def kept(path: Path, make: Any) -> Any:
    """Return what ``make()`` gives, from ``path`` where it is there."""
    if not path.exists():
        write_json(path, make())
    return json.loads(path.read_text(encoding="utf-8"))


def met(one: str, other: str, deals: int) -> dict[str, Any]:
    """Return what ``one`` wins of ``other``, in mbb a hand, over duplicate deals."""
    result = cardai.play(GAME, [one, other], games=2 * deals, seed=77)
    estimate = result.mean_return(0).scaled(1000 / cardai.game(GAME).big_blind)  # type: ignore[attr-defined]
    return {"player": one, "against": other, "deals": deals, "mean": estimate.mean, "half_width": estimate.half_width}


def learn(out: Path, teachers: list[str], data: Path, options: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    """Train on each teacher's decisions; return what was measured of each run, and what it won of its teacher."""
    known = read_manifest(data).players
    measured: dict[str, Any] = {}
    meetings: list[dict[str, Any]] = []
    for teacher in teachers:
        name = called(teacher)
        names = [one for one in (name, f"{name}_") if one in known]
        taught = "" if options.logs else teacher
        for label, (trainer, encoder), steps in (("paper", PAPER, options.steps), ("ours", OURS, options.our_steps)):
            key = f"{label}-{name}"
            path = run(out / "runs" / key, trainer, encoder, data, names, steps, f"anneal={steps}")
            asked = f"{path}:act=sample"
            making = partial(figures_of, asked, str(data), names, taught, options.limit)
            measured[key] = kept(out / f"{key}.json", making)
            if taught:
                drawn = measured[key]["places"]["all"]["ceiling"] < 1
                player = asked if drawn else f"{path}:act=argmax"
                meetings.append(kept(out / f"{key}.met.json", partial(met, player, teacher, options.deals)))
    return measured, meetings


def matches(out: Path, player: str, hands: int) -> dict[str, Any]:
    """Return the crosstable of the competition's matches between ``player`` and others; logs and the curve go to ``out``."""
    planned = Series(DEFINITION, (player, *OPPONENTS), hands, (1,))
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
    parser.add_argument("--hands", type=int, default=300_000)
    parser.add_argument("--steps", type=int, default=20_000, help="of the runs with the publication's network")
    parser.add_argument("--our-steps", type=int, default=20_000, help="of the runs with our network")
    parser.add_argument("--deals", type=int, default=50_000, help="duplicate deals of each meeting")
    parser.add_argument("--limit", type=int, default=50_000, help="held-out decisions of each measurement")
    parser.add_argument("--player", default="ours-threshold", help="the run that plays matches")
    parser.add_argument("--match-hands", type=int, default=3000, help="hands of a match")
    parser.add_argument("--teachers", default="+".join(TEACHERS), help="players, joined with +")
    parser.add_argument("--logs", default="", help="learn from these logs instead (a file or directory)")
    parser.add_argument("--part", default="0/1", help="k/n: generate only every n-th log from the k-th on, and stop")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Make what is missing, then write the report."""
    options = asked_for(arguments)
    out, teachers = options.out.absolute(), options.teachers.split("+")
    number, parts = map(int, options.part.split("/"))
    if not options.logs:
        generate(out / "logs", teachers, options.hands, 1000, (number, parts))
    if parts > 1:
        return
    data = examples(options.logs or str(out / "logs"), out / "examples")
    known = list(read_manifest(data).players)
    if options.logs:
        teachers = [name for name in known if not name.endswith("_")]
    measured, meetings = learn(out, teachers, data, options)
    literal = run(out / "runs" / "literal", *LITERAL, data, known, options.steps)
    last = [row for row in Run.open(literal).read_metrics() if "brier" in row][-1]
    table = matches(out / "matches", f"{out / 'runs' / options.player}:act=argmax", options.match_hands)
    report.write(out, measured, meetings, last, table, read_manifest(data), vars(options))
    print(f"Report: {out / 'report.md'}")


if __name__ == "__main__":
    main()
