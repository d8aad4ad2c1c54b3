"""What actors buy: of each trainer that has them, what a step's pieces cost, what its learner does alone, and what that makes of it.

    python benchmarks/actors.py [--only NAME ...] [--actors 1 2] [--jobs 2]

A few steps are trained in this process. Printed are, for so many actors, the CPU seconds a step of all pieces, those that are left to
the learner, what is sent and comes back (kilobytes a piece), and steps a second on as many free cores as there are actors: the
learner's seconds and the longest piece's, and beside what handing out costs a piece. With ``--jobs`` the same is trained by
processes, and its steps a second of the wall's clock stand there, at whatever load there is.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle

import cardai
from cardai.core.trainer import Crew, Training
from cardai.pieces import one_connection
from cardai.training.crew import Hands

PIECE = 0.5e-3
"""CPU seconds that a piece costs who hands it out (benchmarks/cluster.py)."""


class Case(NamedTuple):
    """A training: its trainer, game and encoder, and how many steps warm it up and are measured."""

    trainer: str
    game: str
    encoder: str | None
    warm: int
    steps: int
    more: bool = False
    """Whether each actor brings so many steps: an iteration is one actor's."""


CASES = {
    "gin_values": Case("gin_values:taught=0,belief_hands=256,relearn=0,hands=2000", "gin", None, 1, 1),
    "bucket_mccfr": Case("bucket_mccfr:flop=1,turn=1,river=1", "holdem_limit", None, 2048, 8192, more=True),
    "nfsp": Case("nfsp_leduc_best:eval_every=1000000", "leduc", "leduc_30", 50, 150),
    "mmd": Case("mmd:batch=4096,eval_every=1000000", "leduc", "leduc_30", 1, 3),
    "poker_cnn_betting": Case(
        "poker_cnn_betting_ours:hands=1000,epochs=1.0,threads=1,league=threshold", "poker_cnn_limit",
        "poker_cnn_limit:size=4x13", 1000, 1000,
    ),
    "counterfactual_values": Case("leduc_values:batch=250", "leduc_deepstack", None, 1, 2),
}  # fmt: skip


class Watched(Crew):
    """Does pieces here and notes what they cost."""

    def __init__(self) -> None:
        self.spent = self.longest = 0.0
        self.pieces = self.sent = self.back = 0

    def do(
        self, function: Callable[..., Any], lasting: Any, state: Any, pieces: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        found, times = [], []
        for piece in pieces:
            began = time.process_time()
            found.append(function(lasting, state, *piece))
            times.append(time.process_time() - began)
        self.spent += sum(times)
        self.longest += max(times)
        self.pieces += len(pieces)
        self.sent += len(cloudpickle.dumps((state, pieces[0]))) * len(pieces)
        self.back += sum(len(pickle.dumps(result)) for result in found)
        return found


def begun(case: Case, actors: int) -> Training:
    """Return a training of so many actors."""
    encoder = None if case.encoder is None else cardai.encoder(case.encoder)
    trainer = cardai.trainer(case.trainer, actors=actors, **situations(case))
    return trainer.start(cardai.game(case.game), encoder, 1)


def situations(case: Case) -> dict[str, str]:
    """Return the option that names situations, made where a trainer learns from them."""
    if "values" not in case.trainer or case.game == "gin":
        return {}
    from cardai.poker.values.situation_set import Recipe, produce

    folder = Path(tempfile.gettempdir()) / "cardai-actors-situations"
    produce(folder, Recipe("second", 3, (30,) * 5, game="leduc_deepstack", per_shard=500), 2000)
    return {"situations": str(folder)}


def measured(name: str, actors: int, jobs: int) -> str:
    """Return a line: a training by so many actors."""
    case = CASES[name]
    training, watched = begun(case, actors), Watched()
    times = actors if case.more else 1
    steps = case.steps * times
    list(training.train(case.warm * times))
    training.crew = watched
    began, wall = time.process_time(), time.monotonic()
    list(training.train(steps))
    spent, wall = time.process_time() - began, time.monotonic() - wall
    alone = max(spent - watched.spent, 0.0)
    free = steps / (alone + (watched.longest if actors > 1 else watched.spent) + PIECE * watched.pieces * (actors > 1))
    line = (f"{name:<22}{actors:>7}{1e3 * watched.spent / steps:>12.3f}{1e3 * alone / steps:>12.3f}"
            f"{watched.sent / max(1, watched.pieces) / 1e3:>11,.0f}{watched.back / max(1, watched.pieces) / 1e3:>11,.0f}"
            f"{free:>13,.1f}{steps / wall:>11,.1f}")  # fmt: skip
    if jobs < 2 or actors < 2:
        return line
    training.crew = Hands("", jobs)
    with one_connection():
        list(training.train(steps))  # workers load and compile
        began = time.monotonic()
        list(training.train(steps))
        return line + f"{steps / (time.monotonic() - began):>11,.1f}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", nargs="*", choices=sorted(CASES), default=list(CASES))
    parser.add_argument("--actors", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--jobs", type=int, default=1, help="train by so many processes too")
    options = parser.parse_args()
    heads = ("pieces, ms", "alone, ms", "KB there", "KB back", "free cores", "here")
    say(f"{'a step':<22}{'actors':>7}" + "".join(f"{head:>{w}}" for head, w in zip(heads, (12, 12, 11, 11, 13, 11), strict=True))
        + (f"{f'{options.jobs} procs':>11}" if options.jobs > 1 else ""))  # fmt: skip
    for name in options.only:
        for actors in options.actors:
            say(measured(name, actors, options.jobs))
    say(f"steps a second: on free cores, in this process at a load of {os.getloadavg()[0]:.0f}" + (", by processes" if options.jobs > 1 else ""))  # fmt: skip


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
