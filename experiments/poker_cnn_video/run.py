"""Poker-CNN's video poker: the authors' nets, the same nets retrained, and ours, measured exactly over all hands.

One command, resumable: what has been trained and measured is kept in ``--runs`` and goes on from there. Ctrl-C stops at
the next checkpoint.

    python experiments/poker_cnn_video/run.py                 # everything at full length (about two hours on one core)
    python experiments/poker_cnn_video/run.py --only ours     # one run
    python experiments/poker_cnn_video/run.py --share 0.1     # the first tenth of each run; more later goes on from there
    python experiments/poker_cnn_video/run.py --report        # only write report/ from what there is

At full length the last measurement of a run asks its player about every hand that it could tell apart: all 2,598,960,
each with its cards in a random order of its own, or the 134,459 that differ by more than suits' names where it treats
those alike. Others ask about one hand of each of those 134,459 classes, in random suits and order, weighted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from attrs import frozen

import cardai
from cardai.core.fields import empty_views
from cardai.draw import holds as every
from cardai.draw import video_poker as exact
from cardai.learn.grid_networks import parameters
from cardai.plugins.trainers.poker_cnn.values.players import HoldPlayer
from cardai.training.runs import Run
from cardai.training.session import Session

HERE = Path(__file__).parent
GAME = "video_poker"
Hands = npt.NDArray[np.int8]
Figures = dict[str, float]


@frozen
class Entry:
    """One run: a trainer's spec, an encoder, how many minibatches it learns from, and where it is measured."""

    label: str
    trainer: str
    encoder: str
    steps: int
    words: str
    marks: tuple[float, ...] = (1 / 8, 1 / 4, 1 / 2, 1)


_OURS = "poker_cnn_video_ours:measure=false,threads=1"
_EQUAL = (
    "poker_cnn_paper:redraws=0,thin=false,relu_output=false,optimizer=adam,learning_rate=0.001,batch=256,anneal=3000,"
    "threads=1"
)
_QUARTERS = (1 / 4, 1 / 2, 3 / 4, 1)
_GRID, _PADDED = "grid_4x13:fields=hand", "poker_cnn_video"
ENTRIES = (
    Entry("ours", _OURS, _GRID, 6_000, "suits alike and whole, exact labels, replay", (*np.arange(1, 13) / 12,)),
    Entry(
        "paper",
        "poker_cnn_paper:threads=1",
        _PADDED,
        80_000,
        "the publication's net, labels and optimiser",
        (1 / 24, 1 / 12, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1),
    ),
    Entry("cnn 17x17", f"{_EQUAL},network=cnn", _PADDED, 3_000, "250,000 random hands, exact labels, padded planes"),
    Entry("dense", f"{_EQUAL},network=dense", _PADDED, 3_000, "the same, the dense baseline"),
    Entry("cnn 4x13", f"{_EQUAL},network=cnn,same_padding=true", _GRID, 3_000, "the same as 17x17, unpadded"),
    Entry(
        "cnn 8x13",
        f"{_EQUAL},network=cnn,same_padding=true",
        "double_row_8x13:fields=hand",
        3_000,
        "the same as 17x17, double row",
    ),
    Entry("ours, no replay", f"{_OURS},replay=0", _GRID, 2_000, "the first third of ours, without replay", _QUARTERS),
    Entry(
        "ours, no whole suits",
        f"{_OURS},whole_suits=false",
        _GRID,
        2_000,
        "the first third of ours, each layer seeing five or three ranks alone",
        _QUARTERS,
    ),
)


# -- training ------------------------------------------------------------------------------------------------------


def train(entry: Entry, share: float, runs: Path, stopping: Callable[[], bool]) -> bool:
    """Train one run as far as asked, from where it stands, and measure it; return whether it got there."""
    path = folder(entry, runs)
    steps = max(10, round(entry.steps * share))
    if (path / "run.json").is_file():
        session = Session.resume(Run.open(path))
    else:
        session = Session.start(Run.create(path, entry.trainer, GAME, entry.encoder, 0, steps, sys.argv))
    progress = Progress(entry, session)
    marks = {round(steps * part) for part in entry.marks}
    for mark in sorted(mark for mark in marks if mark >= min(steps, 100)):
        done = session.training.step >= mark or session.train(mark, on_progress=progress, stopping=stopping)
        if not done:
            return False
        file = path / f"measured-{mark}.json"
        if session.training.step == mark and not file.is_file():
            with session.untimed():
                row = note(file, session, whole=False)
            progress.line(said(row))
    return True


def finish(entry: Entry, runs: Path) -> None:
    """Measure a run's last state on every hand, where that has not been done."""
    path = folder(entry, runs)
    if not (path / "run.json").is_file():
        return
    last = Run.open(path).steps()[-1]
    file = path / f"measured-{last}.json"
    if file.is_file() and json.loads(file.read_text())["exact"] == "whole":
        return
    session = Session.resume(Run.open(path))
    row = note(file, session, whole=True)
    sys.stdout.write(f"{entry.label} {last:,}, every hand: {said(row)}\n")
    sys.stdout.flush()


def note(file: Path, session: Session, whole: bool) -> dict[str, Any]:
    """Measure a session's player, write that into ``file``, and return it."""
    cpu = session.seconds[1]
    row = {"step": session.training.step, "cpu_seconds": cpu, **measure(session.training.agent({}), whole)}
    file.with_suffix(".new").write_text(json.dumps(row))
    file.with_suffix(".new").replace(file)
    return row


def said(row: Figures) -> str:
    """Return a measurement in words."""
    return f"return {row['return']:.6f}, optimal {row['optimal']:.3%}, big mistakes {row['big']:.4%}"


def folder(entry: Entry, runs: Path) -> Path:
    """Return where a run is kept."""
    return runs / entry.label.replace(", ", "_").replace(" ", "_")


class Progress:
    """A line every ten seconds."""

    def __init__(self, entry: Entry, session: Session) -> None:
        self.entry = entry
        self.session = session
        self._last = (0.0, 0)

    def __call__(self, step: int, row: Figures) -> None:
        now = self.session.seconds[0]
        then, before = self._last
        if step < before or not then:
            self._last = (now, step)
        elif now - then >= 10 and step > before:
            rate = (step - before) / (now - then)
            self.line(f"{rate:.1f} minibatches/s, {(self.entry.steps - step) / rate / 60:.0f} min to full length")
            self._last = (now, step)

    def line(self, text: str) -> None:
        """Write a line about where the run is."""
        cpu = self.session.seconds[1]
        sys.stdout.write(f"{self.entry.label} {self.session.training.step:,} ({cpu:.0f} CPU s): {text}\n")
        sys.stdout.flush()


# -- measuring -----------------------------------------------------------------------------------------------------


def measure(player: HoldPlayer, whole: bool) -> dict[str, Any]:
    """Return the exact figures of a player over all hands; not ``whole``: over a hand of each class."""
    game: Any = cardai.game(GAME)
    values_of = exact.hold_values(game.pays)
    bars = np.array([every.EXACT, exact.TINY, exact.SMALL, np.inf])
    start = time.process_time()
    shares, lost, best, asked = np.zeros(4), np.zeros(4), 0.0, 0
    for hands, weights in shown(whole and not player.suits_alike):
        views = empty_views(game.view_fields, len(hands))
        views["hand"], views["draws_left"] = hands, 1
        values = values_of(hands)
        loss = values.max(axis=1) - values[np.arange(len(hands)), player.hold_values(views).argmax(axis=1)]
        kind = np.searchsorted(bars, loss, side="right")
        shares += np.bincount(kind, weights, 4)
        lost += np.bincount(kind, weights * loss, 4)
        best += float((weights * values.max(axis=1)).sum())
        asked += len(hands)
    names = ("optimal", "tiny", "small", "big")
    return {
        "return": (best - float(lost.sum())) / every.HANDS,
        **{name: float(shares[k]) / every.HANDS for k, name in enumerate(names)},
        **{f"lost_{name}": float(lost[k]) / every.HANDS for k, name in enumerate(names) if k},
        "asked": asked,
        "exact": "whole" if whole or player.suits_alike else "classes",
        "evaluation_cpu_seconds": time.process_time() - start,
    }


def shown(each: bool) -> Iterator[tuple[Hands, npt.NDArray[np.float64]]]:
    """Yield hands (n, 5) and weights (n,): each hand once, or one of each class in random suits; random card orders."""
    rng = np.random.default_rng(0)
    if each:
        for hands in every.every_hand(8192):
            yield rng.permuted(hands, axis=1), np.ones(len(hands))
        return
    hands, weights = every.canonical_hands()
    suits = np.argsort(rng.random((len(hands), 4)), axis=1)
    renamed = 13 * np.take_along_axis(suits, hands // 13, axis=1) + hands % 13
    renamed = rng.permuted(renamed.astype(np.int8), axis=1)
    for first in range(0, len(hands), 8192):
        yield renamed[first : first + 8192], weights[first : first + 8192].astype(np.float64)


def references() -> dict[str, dict[str, float]]:
    """Return the exact figures of players that need no training."""
    game: Any = cardai.game(GAME)
    values_of = exact.hold_values(game.pays)
    policies: dict[str, exact.Policy] = {
        "perfect": lambda hands: exact.one_hot(every.best_holds(values_of(hands))),
        "the publication's one-rule heuristic": lambda hands: exact.one_hot(exact.heuristic_holds(hands)),
        "uniform random": lambda hands: np.full((len(hands), every.HOLDS), 1 / every.HOLDS),
    }
    out = {}
    for name, policy in policies.items():
        r = exact.evaluate(game.pays, policy, symmetric=True)
        out[name] = {"return": r.total, "optimal": r.optimal, "tiny": r.tiny, "small": r.small, "big": r.big}
    return out


def gathered(runs: Path, out: Path) -> dict[str, Any]:
    """Return all measurements: of the runs in ``runs``, and for others what ``out`` already has."""
    file = out / "measurements.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {"entries": {}, "filters": {}}
    found["machine"] = {"processor": processor(), "cores": os.cpu_count(), "torch": torch.__version__}
    found["references"] = references()
    for entry in ENTRIES:
        path = folder(entry, runs)
        rows = sorted((json.loads(f.read_text()) for f in path.glob("measured-*.json")), key=lambda row: row["step"])
        if not rows:
            continue
        training = loaded(Run.open(path))
        run = {"trainer": Run.open(path).trainer_spec, "encoder": entry.encoder, "steps": entry.steps, "rows": rows}
        found["entries"][entry.label] = run | {
            "batch": training.options.batch,
            "parameters": parameters(training.network),
        }
        if entry.label in ("paper", "cnn 17x17"):
            first = next(m for m in training.network.modules() if isinstance(m, torch.nn.Conv2d))
            found["filters"][entry.label] = np.round(first.weight.detach().numpy(), 4).tolist()
    file.write_text(json.dumps(found, indent=1))
    return found


def loaded(run: Run) -> Any:
    """Return the training in a run's last checkpoint, without taking the run up (it may be under way)."""
    training = run.trainer().start(run.game(), run.encoder(), run.seed)
    checkpoint, _ = run.latest()
    if checkpoint is not None:
        training.load(checkpoint.path)
    return training


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Yield a list that is not empty after Ctrl-C; a second one ends the program."""
    pressed: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: sys.exit(130) if pressed else pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, previous)


def main() -> None:
    """Train what is missing and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs/poker_cnn_video"))
    parser.add_argument("--out", type=Path, default=HERE / "report")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full length")
    parser.add_argument("--only", action="append", default=[], help="label of a run (repeatable)")
    parser.add_argument("--report", action="store_true", help="train nothing")
    options = parser.parse_args()
    labels = [entry.label for entry in ENTRIES]
    if set(options.only) - set(labels):
        parser.error(f"--only takes one of: {', '.join(labels)}")
    chosen = [] if options.report else [entry for entry in ENTRIES if entry.label in (options.only or labels)]
    with interruptible() as pressed:
        done = all(train(entry, options.share, options.runs, lambda: bool(pressed)) for entry in chosen)
    if not done:
        sys.stdout.write("stopped; the same command goes on from here\n")
        return
    for entry in chosen if options.share >= 1 else []:
        finish(entry, options.runs)
    options.out.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(HERE))
    from account import write

    write(gathered(options.runs, options.out), {entry.label: entry.words for entry in ENTRIES}, options.out)


if __name__ == "__main__":
    main()
