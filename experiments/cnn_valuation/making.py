"""What the experiment makes once and keeps: logs, examples, trained runs."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import astuple, frozen

from cardai.arena import match, records
from cardai.core.errors import UsageError
from cardai.core.files import Output, write_json
from cardai.formats.acpc.clock import TimeLimits
from cardai.formats.acpc.logs import header
from cardai.formats.acpc.records import records_to_log
from cardai.formats.stream import sources, stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.learn.imitation.examples import MANIFEST, read_manifest
from cardai.training.runs import Run
from cardai.training.session import Session

PIECE = 5_000
"""Hands of a log."""
PLAN = "plan.json"
PAPER = ("cnn_valuation_paper", "cnn_valuation")
SYSTEMS = {
    "paper": PAPER,
    "cards": ("cnn_valuation_ours", "poker_cnn_limit_ours"),
    "ours": ("cnn_valuation_ours", "cnn_valuation_ours"),
    "levels": ("cnn_valuation_levels", "cnn_valuation_ours:buckets=true"),
}
"""The publication's, and ours by what it sees, each more than the one before (report.py says what)."""
POLICY = "policy"


def pairs(teachers: list[str]) -> Iterator[tuple[str, str]]:
    """Yield every two players, each with itself too."""
    for i, one in enumerate(teachers):
        yield from ((one, other) for other in teachers[i:])


def generate(
    out: Path, teachers: list[str], hands: int, seed: int, part: tuple[int, int], game: str, whose: str = ""
) -> None:
    """Write logs of ``hands`` in all between every two teachers; those of ``part`` (k, n) of the pieces alone.

    With ``whose`` only the meetings of that teacher.
    """
    out.mkdir(parents=True, exist_ok=True)
    planned = {"game": game, "teachers": teachers, "hands": hands, "seed": seed} | ({"whose": whose} if whose else {})
    if kept(out / PLAN, lambda: planned) != planned:
        raise UsageError(f"{out} holds logs of other players or sizes: see {PLAN} there, or name another --out.")
    meetings = [pair for pair in pairs(teachers) if not whose or whose in pair]
    for piece in range(-(-hands // PIECE)):
        one, other = meetings[piece % len(meetings)]
        log = out / f"piece-{piece:04d}.log"
        if piece % part[1] != part[0] or log.exists():
            continue
        begun = time.process_time()
        record = out / f"piece-{piece:04d}.tmp"
        games = min(PIECE, hands - piece * PIECE) // 2 * 2
        match.play(game, [one, other], games=games, seed=seed + piece, record=record, names=named(one, other))
        with Output(log) as file:
            file.write(header(log.stem, game, games, seed + piece, astuple(TimeLimits())).encode())
            file.write("".join(records_to_log(records.read(record)).lines()).encode())
        record.unlink()
        print(
            f"{log.name}: {games:,} hands, {called(one)} and {called(other)}, {time.process_time() - begun:.0f} CPU seconds",
            flush=True,
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


def run(
    out: Path, trainer: str, encoder: str, data: Path, players: list[str], steps: int, more: str = "", seed: int = 1
) -> Path:
    """Return the directory of a run of ``steps``, trained from where it is."""
    game = read_manifest(data).game
    spec = f'{trainer}:data="{data}",players={"+".join(players)}' + (f",{more}" if more else "")
    if not (out / "run.json").exists():
        session = Session.start(Run.create(out, spec, game, encoder, seed, steps, sys.argv, None))
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


@frozen
class Planned:
    """A run that is trained: its key in files and tables, the system, the teacher, steps and further options."""

    key: str
    system: str
    teacher: str
    steps: int
    more: tuple[str, ...] = ()


def another(item: str, teachers: list[str]) -> Planned:
    """Return the run that ``item`` of --also names."""
    run, _, rest = item.partition("=")
    steps, *more = rest.split(",")
    system, _, name = run.partition("-")
    chosen = [teacher for teacher in teachers if called(teacher) == name]
    if system not in SYSTEMS or not chosen or not steps.isdecimal():
        known = ", ".join(map(called, teachers))
        raise UsageError(f"--also is SYSTEM-TEACHER=STEPS of {', '.join(SYSTEMS)} and {known}. Got {item!r}.")
    return Planned(re.sub(r"[=,]", "-", item), system, chosen[0], int(steps), tuple(more))


def train(path: Path, one: Planned, data: Path, names: list[str], *more: str, seed: int = 1) -> Path:
    """Return the directory of a planned run: ``policy`` among its options learns the teacher's probabilities."""
    chosen = [f'teacher="{one.teacher}"' if item == POLICY else item for item in (*one.more, *more)]
    return run(path, *SYSTEMS[one.system], data, names, one.steps, ",".join([f"anneal={one.steps}", *chosen]), seed)
