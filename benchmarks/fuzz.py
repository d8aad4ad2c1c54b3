"""Try damaged and hostile input on everything that reads: each must end in a result or in one of our own errors.

    python benchmarks/fuzz.py [--seconds 60] [--inputs 1000000] [--seed 1] [--only KIND ...] [--show 20]

Records, run directories (run.json, manifest, metrics, a checkpoint's arrays), tournaments, examples, game definitions,
match states, logs of the competition, Slumbot's and PHH hands, spots, situations, spec strings and options of specs are changed at random and read in this
process. A failure is an exception that is no CardaiError, more than 2 CPU seconds, or more than 256 MB for one input.
It ends after ``--seconds`` or ``--inputs``, whichever comes first, and with 1 if there was a failure.

Rules run as ordinary Python, where an index out of bounds is an IndexError rather than a wrong byte.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

from attrs import Factory, define
from fuzz_inputs import TARGETS as PLAY
from fuzz_inputs import World
from fuzz_subgames import TARGETS as SUBGAMES

from cardai.core.errors import CardaiError

TARGETS = {**PLAY, **SUBGAMES}
SECONDS = 2.0
MEGABYTES = 256
WEIGHTS = {"matchstate": 60, "spec": 60, "gamedef": 60, "slumbot": 20, "acpc": 6, "options": 4, "manifest": 3}
"""How often the quick kinds are tried for once that each slow one is."""


@define
class Tally:
    """What was tried of a kind: read to the end, refused by name, and the failures by what they were."""

    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    failures: Counter[str] = Factory(Counter)
    examples: dict[str, str] = Factory(dict)

    @property
    def tried(self) -> int:
        """All inputs of the kind."""
        return self.read + self.refused + self.failures.total()

    def fail(self, why: str, given: str, said: str = "") -> None:
        """Note a failure, with one example of each."""
        self.failures[why] += 1
        self.examples.setdefault(why, f"{said[:100]}\n    {given[:300]!r}")


class TookTooLong(Exception):
    """An input that did not end in time."""


def memory() -> float:
    """Return the most megabytes that this process has held."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def attempt(target: Callable[[Random], tuple[str, Callable[[], Any]]], rng: Random, tally: Tally) -> None:
    """Make one input, read it, and note how it ended."""
    given, read = target(rng)
    held, began, said = memory(), time.process_time(), ""
    try:
        read()
        tally.read += 1
        ended = ""
    except CardaiError as error:
        ended = "an error without words" if not str(error).strip() else ""
        tally.refused += not ended
    except TookTooLong:
        ended = "did not end"
    except BaseException as error:  # whatever it is, it is what we look for
        if isinstance(error, KeyboardInterrupt):
            raise
        ended, said = _where(error), str(error)
    seconds, grown = time.process_time() - began, memory() - held
    tally.seconds += seconds
    if not ended and (seconds > SECONDS or grown > MEGABYTES):
        ended = f"took more than {SECONDS} s" if seconds > SECONDS else f"took more than {MEGABYTES} MB"
        said = f"{seconds:.1f} s, {grown:.0f} MB"
    if ended:
        tally.fail(ended, given, said)


def _where(error: BaseException) -> str:
    """Return an exception with the innermost line of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "cardai" in Path(f.filename).parts] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {place}"


def guard() -> None:
    """Stop an input that takes ten times too long, and the process if it asks for far too much memory."""
    import resource
    import signal

    def stop(number: int, frame: Any) -> None:
        raise TookTooLong

    signal.signal(signal.SIGVTALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


def run(world: World, seconds: float, inputs: int, seed: int, only: list[str]) -> dict[str, Tally]:
    """Try inputs of all kinds in turn until time or number is up; return what became of them."""
    import signal

    kinds = {name: make(world) for name, make in TARGETS.items() if not only or name in only}
    order = [name for name in kinds for _ in range(WEIGHTS.get(name, 1))]
    tallies = {name: Tally() for name in kinds}
    end = time.monotonic() + seconds
    for number in range(inputs):
        name = order[number % len(order)]
        signal.setitimer(signal.ITIMER_VIRTUAL, 10 * SECONDS)
        attempt(kinds[name], Random(f"{seed} {number}"), tallies[name])
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if number % 50 == 0 and time.monotonic() > end:
            break
        if number % 20_000 == 19_999 and sys.stderr.isatty():
            sys.stderr.write(f"\r{number + 1:,} inputs, {sum(t.failures.total() for t in tallies.values())} failures")
    return tallies


def report(tallies: dict[str, Tally], show: int) -> int:
    """Print a row a kind and an example of each failure; return the number of failures."""
    print(f"{'kind':<12}{'tried':>10}{'read':>10}{'refused':>10}{'failures':>10}{'ms each':>10}")
    for name, tally in sorted(tallies.items()):
        each = 1000 * tally.seconds / max(1, tally.tried)
        counts = f"{tally.read:>10,}{tally.refused:>10,}{tally.failures.total():>10,}"
        print(f"{name:<12}{tally.tried:>10,}{counts}{each:>10.2f}")
    tried, failed = sum(t.tried for t in tallies.values()), sum(t.failures.total() for t in tallies.values())
    print(f"{tried:,} inputs, {failed:,} failures, {time.process_time():.0f} CPU s, {memory():.0f} MB at most.")
    for name, tally in sorted(tallies.items()):
        for why, count in tally.failures.most_common(show):
            print(f"\n{name}, {count:,} times: {why}: {tally.examples[why]}")
    return failed


def main() -> None:
    """Try, report, and end with 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="wall time")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], choices=sorted(TARGETS), help="kinds to try")
    parser.add_argument("--show", type=int, default=20, help="failures shown of each kind")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        guard()
        tallies = run(world, given.seconds, given.inputs, given.seed, given.only)
        sys.exit(bool(report(tallies, given.show)))


if __name__ == "__main__":
    main()
