"""Sweeps: one trainer over several options and seeds, each a run directory of its own, here or on a cluster.

    runs/sweep/sweep.json                     what was asked for
    runs/sweep/q_rate=0.05/seed-0/            a run directory, as train writes it
    runs/sweep/q_rate=0.1/seed-2/

With :mod:`~cardai.training.halving` runs are trained from rung to rung, and some are stopped there. Which ones follows from their
metrics, so nothing more is kept.

On this machine a run is trained in its directory by one process. On a cluster it is trained in *stretches* of some minutes: a
worker gets the run directory as it stands, goes on from its checkpoint, and sends it back. What is killed is trained again
from there; nothing else can be lost. A run's numbers are those of ``cardai train`` with its options and seed.
"""

from __future__ import annotations

import io
import itertools
import math
import os
import re
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import LOCK, read_json, refuse_links, vacant
from cardai.core.locks import DirectoryLock
from cardai.core.needs import allow_file, check, write_own
from cardai.core.schema import structure
from cardai.core.spec import options_of, parse
from cardai.pieces import Work, one_connection
from cardai.training.halving import Halving, Judge, figure
from cardai.training.runs import Run
from cardai.training.session import CHECKPOINT_SECONDS, Session
from cardai.training.specs import as_they_are, full_spec

FORMAT = "cardai sweep 1"
MOST_RUNS = 10_000
"""How many runs a sweep may have: each is a directory and a training of its own."""
_BUSY = "The sweep {} is being trained"
STRETCH_SECONDS = 300.0
"""How long a worker of a cluster trains before it sends the run back."""


@frozen
class SweepFile:
    """What sweep.json must hold: specs, the values of each option, the seeds, and when a run is over."""

    format: str
    trainer: str
    game: str
    encoder: str | None
    options: dict[str, tuple[str, ...]]
    seeds: tuple[int, ...]
    steps: int | None
    minutes: float | None
    halving: Halving | None = None

    def written(self) -> dict[str, Any]:
        """Return what stands in the file; ``halving`` only where runs are stopped by it."""
        values = asdict(self)
        return values if self.halving is not None else {k: v for k, v in values.items() if k != "halving"}


@frozen
class Plan:
    """What is to be trained next, and which runs were stopped: names with steps."""

    targets: dict[str, int | None]
    """None: until the minutes are over."""
    stopped: dict[str, int]


@frozen
class Point:
    """One run of a sweep: its place in the sweep's directory, its trainer with all options, and its seed."""

    name: str
    trainer: str
    seed: int


@frozen
class Sweep:
    """A sweep's directory and what was asked for."""

    path: Path
    asked: SweepFile

    @classmethod
    def begin(
        cls,
        path: Path,
        trainer: str,
        game: str,
        encoder: str | None,
        options: Mapping[str, Sequence[str]],
        seeds: Sequence[int],
        steps: int | None,
        minutes: float | None,
        halving: Halving | None = None,
    ) -> Sweep:
        """Make a new sweep's directory, or take up the same sweep in it.

        Raises:
            UsageError: a wrong spec or option, more runs than :data:`MOST_RUNS`, or the directory holds something else.
        """
        _check_count(options, seeds)
        if halving is not None:
            halving.check(steps)
        given = {key: tuple(values) for key, values in options.items()}
        told = SweepFile(FORMAT, trainer, game, encoder, given, tuple(seeds), steps, minutes, halving)
        asked = evolve(told, **as_they_are(trainer, given))  # runs that are begun later learn from the same players
        sweep = cls(path, asked)
        for point in sweep.points():
            full_spec("trainer", point.trainer)  # refuse a wrong option before anything is trained
        full_spec("game", game)
        if encoder is not None:
            full_spec("encoder", encoder)
        if os.path.isfile(path / "sweep.json"):
            known = cls.open(path).asked
            same = asdict(asked), asdict(told)  # an earlier version kept what it was told
            if other := {k: v for k, v in asdict(known).items() if v not in (same[0][k], same[1][k])}:
                held = ", ".join(f"{key} {value!r}" for key, value in other.items())
                raise UsageError(f"{path} holds another sweep, with {held}. Choose another --out.")
            return sweep
        if not vacant(path):
            raise UsageError(f"The directory {str(path)!r} is not empty and holds no sweep. Choose another --out.")
        named = [*(("trainer", point.trainer) for point in sweep.points()), ("game", game), ("encoder", encoder or "")]
        with DirectoryLock(path, _BUSY):
            write_own(registry.load, path / "sweep.json", asked.written(), named)
        return sweep

    @classmethod
    def open(cls, path: Path) -> Sweep:
        """Open a sweep's directory. Raises UsageError: there is none. DamagedFileError: its sweep.json is damaged."""
        file = path / "sweep.json"
        if not os.path.isfile(file):
            raise UsageError(f"There is no sweep in {str(path)!r}: it has no sweep.json.")
        refuse_links(path)
        values = read_json(file)
        if values.get("format") != FORMAT:
            raise DamagedFileError(f"The file {file} is not a sweep of the form {FORMAT!r}.")
        return cls(path, structure(values, SweepFile, f"The file {file}"))

    def points(self) -> list[Point]:
        """Return the sweep's runs: all combinations of options, and every seed of each.

        Raises:
            UsageError: they are more than :data:`MOST_RUNS`, or two are the same.
        """
        asked, found = self.asked, []
        _check_count(asked.options, asked.seeds)
        for values in itertools.product(*asked.options.values()):
            chosen = dict(zip(asked.options, values, strict=True))
            trainer = str(parse(asked.trainer).with_options(chosen))
            words = [f"{key}={value}" for key, value in chosen.items()] or [parse(asked.trainer).name]
            folder = re.sub(r"[^\w.,=+-]|^\.+", "_", ",".join(words))
            found += [Point(f"{folder}/seed-{seed}", trainer, seed) for seed in asked.seeds]
        if len({point.name for point in found}) < len(found):
            raise UsageError("Two runs of the sweep have the same options and seed. Give each value once.")
        return found

    def runs(self) -> list[Run]:
        """Return the runs that have been begun."""
        return [Run.open(self.path / p.name) for p in self.points() if os.path.isfile(self.path / p.name / "run.json")]

    def finished(self, point: Point, steps: int | None = None) -> bool:
        """Whether a run has done what was asked for, or so many ``steps``."""
        folder = self.path / point.name
        if not os.path.isfile(folder / "run.json"):
            return False
        checkpoint, _ = Run.open(folder).latest()
        if checkpoint is None:
            return False
        over = _over(self.asked, checkpoint.step, checkpoint.seconds)
        return over or (steps is not None and checkpoint.step >= steps)

    def plan(self) -> Plan:
        """Return how far each run is to be trained next, and which ones were stopped at which steps.

        Raises:
            UsageError: a run that is to be judged has no such metric. PluginError: Optuna is missing.
        """
        asked, going, stopped = self.asked, {point.name: point for point in self.points()}, dict[str, int]()
        if asked.halving is None or asked.steps is None:
            return Plan(dict.fromkeys(going, asked.steps), stopped)
        asked.halving.check(asked.steps)
        judge = Judge(asked.halving)
        for rung in asked.halving.rungs(asked.steps):
            if not all(self.finished(point, rung) for point in going.values()):
                return Plan(dict.fromkeys(going, rung), stopped)
            further = judge.going_on({name: self._figure(name, asked.halving.metric, rung) for name in going}, rung)
            stopped |= dict.fromkeys(going.keys() - set(further), rung)
            going = {name: point for name, point in going.items() if name in further}
        return Plan(dict.fromkeys(going, asked.steps), stopped)

    def _figure(self, name: str, metric: str, rung: int) -> float:
        rows = Run.open(self.path / name).read_metrics()
        found = figure(rows, metric, rung)
        if found is None:
            known = ", ".join(sorted({key for row in rows for key in row} - {"step"})) or "none yet"
            raise UsageError(
                f"Runs are judged by {metric!r} at step {rung:,}, and {name} has no such metric there. Its metrics: {known}."
            )
        return found

    def train(
        self, on: str = "", jobs: int = 1, stretch: float = STRETCH_SECONDS, every: float = CHECKPOINT_SECONDS
    ) -> Iterator[tuple[int, int, str]]:
        """Train what is not finished, yielding (runs finished, runs in all, the run that was got further).

        Raises:
            UsageError: another process is training the sweep.
        """
        points = {point.name: point for point in self.points()}
        if any(not self.finished(point) for point in points.values()):
            with DirectoryLock(self.path, _BUSY), one_connection():
                for name in points:
                    _put_in_place(self.path / name)
                while True:  # another process may have got some further meanwhile
                    plan = self.plan()
                    open_ = [
                        points[name] for name, steps in plan.targets.items() if not self.finished(points[name], steps)
                    ]
                    if not open_:
                        return
                    yield from self._train(points, open_, plan, on, jobs, stretch, every)

    def _train(
        self,
        points: Mapping[str, Point],
        open_: Sequence[Point],
        plan: Plan,
        on: str,
        jobs: int,
        stretch: float,
        every: float,
    ) -> Iterator[tuple[int, int, str]]:
        """Train runs up to the steps of a plan, where all of them are alike."""
        steps = plan.targets[open_[0].name]
        done = len(plan.stopped) + sum(self.finished(points[name]) for name in plan.targets)
        if on:
            asked = self._checked(open_)
            shared = (asked, steps, stretch)
            work = Work(_stretch, shared, on=on, pieces=((p.name, self._sent(p)) for p in open_))
        else:
            pieces = ((p.name, (str(self.path / p.name), p)) for p in open_)
            work = Work(_whole, (self.asked, steps, every), jobs=jobs, pieces=pieces)
        for name, result in work.run():
            if on:
                _unpack(result, self.path / name)
                _allow(self.path / name, asked, points[name])
            if not self.finished(points[name], steps):
                work.add(name, *self._sent(points[name]))
            done += self.finished(points[name])
            yield done, len(points), name

    def _checked(self, open_: Sequence[Point]) -> SweepFile:
        """Return what was asked for as one's own, for workers that know nothing of what is allowed here.

        Raises:
            UntrustedError: sweep.json, or a run that was begun, names what only its owner may allow.
        """
        asked = self.asked
        for point in open_:
            check(registry.load, "trainer", parse(point.trainer))
            if (self.path / point.name / "run.json").is_file():
                Run.open(self.path / point.name).trainer("train")
        check(registry.load, "game", parse(asked.game))
        return evolve(
            asked, trainer=str(asked.trainer), game=str(asked.game), encoder=asked.encoder and str(asked.encoder)
        )

    def _sent(self, point: Point) -> tuple[Point, bytes]:
        """Return what a stretch needs: the run, and its directory as it stands."""
        return evolve(point, trainer=str(point.trainer)), _pack(self.path / point.name)


def _check_count(options: Mapping[str, Sequence[str]], seeds: Sequence[int]) -> None:
    """Raise UsageError where a sweep would have too many runs, before any of them is made."""
    factors = [(f"{len(values):,} of {key}", len(values)) for key, values in options.items()]
    factors.append((f"{len(seeds):,} seeds", len(seeds)))
    count = math.prod(number for _, number in factors)
    if count > MOST_RUNS:
        product = " x ".join(text for text, _ in factors)
        raise UsageError(
            f"A sweep has at most {MOST_RUNS:,} runs. This one would have {count:,}: {product}. "
            "Give fewer values or seeds, or make several sweeps."
        )


def _over(asked: SweepFile, step: int, seconds: float) -> bool:
    by_steps = asked.steps is not None and step >= asked.steps
    return by_steps or (asked.minutes is not None and seconds >= 60 * asked.minutes)


def _session(asked: SweepFile, point: Point, folder: Path) -> Session:
    """Begin a run, or take it up."""
    if (folder / "run.json").is_file():
        return Session.resume(Run.open(folder))
    given = (point.trainer, asked.game, asked.encoder, point.seed, asked.steps or 0)
    return Session.start(Run.create(folder, *given, _command(asked, point), asked.minutes))


def _command(asked: SweepFile, point: Point) -> list[str]:
    """Return the command line that trains the same run alone."""
    words = ["cardai", "train", "--trainer", point.trainer, "--game", asked.game, "--seed", str(point.seed)]
    words += [] if asked.encoder is None else ["--encoder", asked.encoder]
    words += [] if asked.steps is None else ["--steps", str(asked.steps)]
    return words + ([] if asked.minutes is None else ["--minutes", f"{asked.minutes:g}"])


def _whole(shared: tuple[SweepFile, int | None, float], folder: str, point: Point) -> None:
    """Train one run in its directory to so many steps, or its end."""
    asked, steps, every = shared
    session = _session(asked, point, Path(folder))
    session.train(steps, minutes=asked.minutes, checkpoint_seconds=every)


def _stretch(shared: tuple[SweepFile, int | None, float], point: Point, packed: bytes) -> bytes:
    """Train one run for a while, somewhere, and return its directory."""
    asked, steps, seconds = shared
    with tempfile.TemporaryDirectory(prefix="cardai-") as temporary:
        folder = Path(temporary) / "run"
        if packed:
            _unpack(packed, folder)
            _allow(folder, asked, point)
        session = _session(asked, point, folder)
        end = time.monotonic() + seconds
        session.train(steps, minutes=asked.minutes, stopping=lambda: time.monotonic() > end)
        return _pack(folder)


def _allow(folder: Path, asked: SweepFile, point: Point) -> None:
    """Let a run that came by the cluster name what the sweep's own command named."""
    specs = [("trainer", str(point.trainer)), ("game", asked.game), ("encoder", asked.encoder or "")]
    allow_file(registry.load, folder / "run.json", specs)


def _pack(folder: Path) -> bytes:
    """Return a run directory as bytes, nothing if there is none."""
    if not (folder / "run.json").is_file():
        return b""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.add(folder, ".", filter=lambda info: None if info.name == f"./{LOCK}" else info)
    return out.getvalue()


def _unpack(packed: bytes, folder: Path) -> None:
    """Put a run directory in its place, whole or not at all."""
    part = folder.parent / f".{folder.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(part, filter="data")
    fresh = folder.parent / f".{folder.name}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.rename(part, fresh)
    _put_in_place(folder)


def _put_in_place(folder: Path) -> None:
    """Let a run directory that came back whole take the older one's place (also after a kill in between)."""
    fresh = folder.parent / f".{folder.name}.new"
    if (fresh / "run.json").is_file():
        came = Run.open(fresh)
        if (folder / "run.json").is_file() and Run.open(folder).id != came.id:
            raise DamagedFileError(f"{fresh} and {folder} are two runs. Move away the one that does not belong here.")
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(fresh, folder)


def values_of(trainer: str, key: str, texts: Sequence[str]) -> list[str]:
    """Return the values that ``--set KEY=VALUE`` texts name: joined with ``+`` they are several, but of an option that takes
    several itself; for that one, --set is given once a value.
    """
    from cardai.core.spec import type_name

    spec = parse(trainer)
    cls, _ = registry.load("trainer", spec.name)
    option = options_of(cls).get(key)
    takes_several = option is not None and "joined with +" in type_name(_hint(cls, key))
    split = [text.split("+") if not takes_several and '"' not in text else [text] for text in texts]
    return [value for part in split for value in part]


def _hint(cls: type, key: str) -> Any:
    from typing import get_type_hints

    return get_type_hints(cls)[key]
