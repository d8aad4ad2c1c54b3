"""Try damaged and hostile input on everything that reads: each must end in a result or in one of our own errors.

    python benchmarks/fuzz.py [--seconds 4000] [--inputs 1000000] [--first 0] [--seed 1] [--only KIND ...] [--show 20]

Tried are the classes that ``structure`` reads, found in the sources (schema); every file of the directories of
``fuzz_fixtures.py``, damaged by the class that it is read as, its checksums mostly made to fit (records, matches to go on
with, runs, checkpoints, sweeps, strengths, tournaments, situations, ...); and the texts of ``fuzz_texts.py`` (logs, lines of
the wire, game definitions, specs, options). A failure is an exception that is no CardaiError, more than 2 CPU seconds, or
more than 256 MB for one input. It ends after ``--seconds`` or ``--inputs``, whichever comes first, and with 1 if there was a
failure; Ctrl-C ends it with what was tried. ``--first N`` goes on with input N, or tries one again: ``--first N --inputs 1``.

Rules run as ordinary Python, where an index out of bounds is an IndexError rather than a wrong byte.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

from attrs import Factory, define
from fuzz_fixtures import few_hands, fixtures
from fuzz_readers import Held, Target, directories_target, schema_target, structured
from fuzz_texts import TARGETS as TEXTS
from fuzz_texts import World

from cardai.core import needs
from cardai.core.errors import CardaiError

SECONDS = 2.0
MEGABYTES = 256
DIRECTORIES = sorted({fixture.kind for fixture in fixtures()})
KINDS = sorted(["schema", *DIRECTORIES, *TEXTS])
WEIGHTS = {
    "schema": 240, "matchstate": 80, "wire": 60, "spec": 60, "gamedef": 60, "page": 20, "slumbot": 20, "strength": 20, "pieces": 20, "buckets": 20,
    "situations": 20, "sweep": 20, "saved": 20, "journal": 12, "record": 20, "run": 12, "tournament": 12, "series": 12, "phh": 8, "acpc": 6, "gin_values": 6,
    "spot": 6, "options": 4, "values": 3, "networks": 3,
}  # fmt: skip
"""How often each kind is tried in a round: the quick ones often."""
_STATUS, _REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@define
class Tally:
    """What was tried of a kind: read to the end, refused by name, the most it took, and the failures by what they were."""

    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    most: float = 0.0
    failures: Counter[str] = Factory(Counter)
    examples: dict[str, str] = Factory(dict)

    @property
    def tried(self) -> int:
        """All inputs of the kind."""
        return self.read + self.refused + self.failures.total()

    def fail(self, why: str, number: int, given: str, said: str = "") -> None:
        """Note a failure, with one example of each."""
        self.failures[why] += 1
        self.examples.setdefault(why, f"{said[:200]}\n    input {number}: {given[:400]!r}")


class TookTooLong(BaseException):
    """An input that did not end in time; no reader may take it for an error of its own."""


def memory() -> float:
    """Return the most megabytes that this process has held, since :func:`forget_memory` where the system can."""
    import resource

    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forget_memory() -> None:
    """Let the most memory be counted from here (Linux; elsewhere it is that of all inputs so far)."""
    with contextlib.suppress(OSError):
        _REFS.write_text("5")


@contextlib.contextmanager
def allowing(yes: bool) -> Iterator[None]:
    """Let every file be allowed to name what it names inside, as by its owner, so that what is behind it is read too."""
    known = needs.allowed
    needs.allowed = (lambda source: True) if yes else known
    try:
        yield
    finally:
        needs.allowed = known


def attempt(target: Target, number: int, seed: int, tally: Tally) -> None:
    """Make one input, read it, and note how it ended."""
    given, read = target(Random(f"{seed} {number}"))
    forget_memory()
    held, began, said = memory(), time.process_time(), ""
    try:
        with limited(), allowing(number % 3 > 0):
            read()
        ended = ""
        tally.read += 1
    except CardaiError as error:
        ended = "an error without words" if not str(error).strip() else ""
        tally.refused += not ended
    except TookTooLong as error:
        ended, said = _where(error), "it did not end"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever it is, it is what we look for
        ended, said = _where(error), str(error)
    seconds, grown = time.process_time() - began, memory() - held
    tally.seconds += seconds
    tally.longest, tally.most = max(tally.longest, seconds), max(tally.most, grown)
    if not ended and (seconds > SECONDS or grown > MEGABYTES):
        ended = f"took more than {SECONDS} s" if seconds > SECONDS else f"took more than {MEGABYTES} MB"
        said = f"{seconds:.1f} s, {grown:.0f} MB"
        tally.read -= 1  # or refused: it is a failure, and counted once
    if ended:
        tally.fail(ended, number, given, said)


def _where(error: BaseException) -> str:
    """Return an exception with the innermost line of ours that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "cardai" in Path(f.filename).parts] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {place}"


def guard() -> None:
    """Refuse the process far too much memory, and say where it was if it is killed."""
    import resource
    import signal

    def stop(number: int, frame: Any) -> None:
        raise TookTooLong

    faulthandler.enable()
    for ending in (signal.SIGINT, signal.SIGTERM):  # a shell starts what runs in its background with Ctrl-C ignored
        signal.signal(ending, signal.default_int_handler)
    signal.signal(signal.SIGVTALRM, stop)
    signal.signal(signal.SIGALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Stop what takes ten times too long inside, also where it only waits."""
    import signal

    signal.setitimer(signal.ITIMER_VIRTUAL, 10 * SECONDS)
    signal.setitimer(signal.ITIMER_REAL, 60 * SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def targets(root: Path, only: list[str]) -> dict[str, Target]:
    """Return what makes inputs of each kind, from the fixtures in ``root``."""
    wanted = only or KINDS
    held = [Held.of(f, root / f.kind / f.name.replace(":", "-")) for f in fixtures() if f.kind in wanted]
    found = {
        kind: directories_target([h for h in held if h.fixture.kind == kind]) for kind in DIRECTORIES if kind in wanted
    }
    if "schema" in wanted:
        found["schema"] = schema_target(structured(), [pair for each in held for pair in each.seen])
    texts = [kind for kind in TEXTS if kind in wanted]
    world = World(root) if texts else None
    return found | {kind: TEXTS[kind](world) for kind in texts if world is not None}


def fill(root: Path, only: list[str]) -> None:
    """Make the fixtures by compiled kernels."""
    kinds = [kind for kind in only if kind in DIRECTORIES] + ["record"] if only else []
    script = Path(__file__).with_name("fuzz_fixtures.py")
    compiled = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    subprocess.run([sys.executable, str(script), str(root), *kinds], env=compiled, check=True)


def run(
    found: dict[str, Target], seconds: float, first: int, inputs: int, seed: int, tallies: dict[str, Tally]
) -> None:
    """Try inputs of all kinds in turn until time or number is up, or Ctrl-C; note in ``tallies`` what became of them."""
    order = [kind for kind in KINDS for _ in range(WEIGHTS[kind])]
    Random(seed).shuffle(order)
    end = time.monotonic() + seconds
    with contextlib.suppress(KeyboardInterrupt):
        for number in range(first, first + inputs):
            kind = order[number % len(order)]
            if kind in found:
                attempt(found[kind], number, seed, tallies[kind])
            if number % 50 == 0 and time.monotonic() > end:
                break
            if number % 20_000 == 19_999:
                failed = sum(tally.failures.total() for tally in tallies.values())
                sys.stderr.write(f"{number + 1:,} inputs, {failed} failures, {time.process_time():.0f} CPU s\n")


def report(tallies: dict[str, Tally], show: int) -> int:
    """Print a row a kind and an example of each failure; return the number of failures."""
    print(
        f"{'kind':<12}{'tried':>10}{'read':>10}{'refused':>10}{'failures':>10}{'ms each':>10}{'most s':>8}{'most MB':>9}"
    )
    for name, tally in sorted(tallies.items()):
        each = 1000 * tally.seconds / max(1, tally.tried)
        counts = f"{tally.read:>10,}{tally.refused:>10,}{tally.failures.total():>10,}"
        print(f"{name:<12}{tally.tried:>10,}{counts}{each:>10.2f}{tally.longest:>8.2f}{tally.most:>9.0f}")
    every = tallies.values()
    tried, failed = sum(t.tried for t in every), sum(t.failures.total() for t in every)
    longest, most = max(t.longest for t in every), max(t.most for t in every)
    print(
        f"{tried:,} inputs, {failed:,} failures, {longest:.1f} s and {most:.0f} MB at most; {time.process_time():.0f} CPU s."
    )
    for name, tally in sorted(tallies.items()):
        for why, count in tally.failures.most_common(show):
            print(f"\n{name}, {count:,} times: {why}: {tally.examples[why]}")
    return failed


def main() -> None:
    """Try, report, and end with 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4000.0, help="wall time")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs at most")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], choices=KINDS, help="kinds to try")
    parser.add_argument("--show", type=int, default=20, help="failures shown of each kind")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # what is written there need not reach a disk
    with tempfile.TemporaryDirectory(prefix="cardai-fuzz-", dir=memory_disk) as folder, few_hands():
        root = Path(folder)
        os.environ["CARDAI_DATA_DIR"] = str(root / "owner")  # what is allowed here, nobody's own files are
        fill(root, given.only)
        found = targets(root, given.only)
        guard()
        tallies = {kind: Tally() for kind in found}
        run(found, given.seconds, given.first, given.inputs, given.seed, tallies)
        sys.exit(bool(report(tallies, given.show)))


if __name__ == "__main__":
    main()
