"""Try damaged and hostile input on everything that reads: each must end in a result or in one of our own errors.

    python benchmarks/fuzz.py [--seconds S] [--inputs 1000000] [--first 0] [--seed 1] [--only KIND ...]
                              [--without KIND ...] [--show 20]

Tried are the classes that ``structure`` reads, found in the sources (schema); every file of the directories of
``fuzz_fixtures.py``, damaged by the class that it is read as, its checksums mostly made to fit (records, matches to go on
with, runs, checkpoints, sweeps, strengths, tournaments, situations, ...); and the texts of ``fuzz_texts.py`` (logs, lines of
the wire, game definitions, specs, options). A failure is an exception that is no CardaiError, more than 2 CPU seconds, or
more than 256 MB for one input. It ends after ``--seconds`` or ``--inputs``, whichever comes first, and with 1 if there was a
failure, or a class that no fixture is read as; Ctrl-C ends it with what was tried. ``--first N`` goes on with input N, or
tries one again: ``--first N --inputs 1``.

Rules run as ordinary Python, where an index out of bounds is an IndexError rather than a wrong byte.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from random import Random

os.environ["NUMBA_DISABLE_JIT"] = "1"

import fuzz_fixtures
from fuzz_fixtures import few_hands, fixtures
from fuzz_kept import keep
from fuzz_readers import Held, Seen, Target, directories_target, observed, schema_target, structured, unread
from fuzz_texts import TARGETS as TEXTS
from fuzz_texts import World
from fuzz_tries import Tally, attempt, guard

from cardai.core import registry
from cardai.web.socket import understood

DIRECTORIES = sorted({fixture.kind for fixture in fixtures()})
KINDS = sorted(["schema", *DIRECTORIES, *TEXTS])
WEIGHTS = {
    "schema": 240, "matchstate": 80, "wire": 60, "spec": 60, "gamedef": 60, "page": 20, "slumbot": 20, "strength": 12, "pieces": 20, "buckets": 20,
    "situations": 20, "sweep": 20, "saved": 20, "journal": 12, "review": 12, "record": 20, "run": 12, "tournament": 12, "series": 12, "site": 12, "rooms": 40, "phh": 8, "acpc": 6, "gin_values": 6,
    "spot": 6, "options": 4, "preflop": 4, "values": 4, "networks": 3,
}  # fmt: skip
"""How often each kind is tried in a round, 6 if it is not said: the quick ones often."""


def targets(root: Path, only: list[str]) -> tuple[dict[str, Target], Seen]:
    """Return what makes inputs of each kind, from the fixtures in ``root``, and what was structured as they were read whole."""
    wanted = only or KINDS
    held = [Held.of(f, root / f.kind / f.name.replace(":", "-")) for f in fixtures() if f.kind in wanted]
    found = {
        kind: directories_target([h for h in held if h.fixture.kind == kind]) for kind in DIRECTORIES if kind in wanted
    }
    seen = [pair for each in held for pair in each.seen]
    if "schema" in wanted:
        found["schema"] = schema_target(structured(), seen)
    texts = [kind for kind in TEXTS if kind in wanted]
    if "page" in texts:
        with observed() as said:
            understood('{"does": "look"}')  # no file, but a class that is read all the same
        seen += said
    world = World(root) if texts else None
    return found | {kind: TEXTS[kind](world) for kind in texts if world is not None}, seen


def fill(root: Path, only: list[str]) -> None:
    """Make the fixtures: here, but those that take compiled kernels in a process that has them."""
    kinds = [kind for kind in only if kind in DIRECTORIES] + ["record"] if only else []
    fuzz_fixtures.fill(root, kinds, compiled=False)
    if kinds and not any(f.compiled for f in fixtures() if f.kind in kinds):
        return
    script = Path(__file__).with_name("fuzz_fixtures.py")
    compiled = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    subprocess.run([sys.executable, str(script), str(root), *kinds], env=compiled, check=True)


def run(
    found: dict[str, Target], seconds: float, first: int, inputs: int, seed: int, tallies: dict[str, Tally]
) -> None:
    """Try inputs of all kinds in turn until time or number is up, or Ctrl-C; note in ``tallies`` what became of them."""
    order = [kind for kind in KINDS for _ in range(WEIGHTS.get(kind, 6))]
    Random(seed).shuffle(order)
    order = KINDS + order  # each is tried early: a sample, too, has all
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
    without = [f"{entry.kind} {entry.name}" for entry in registry.entries() if entry.missing]
    if without:
        print(f"\nNot tried, since what they need is not installed: {', '.join(without)}.")
    return failed


def main() -> None:
    """Try, report, and end with 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="wall time at most")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="inputs at most")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], choices=KINDS, help="kinds to try")
    parser.add_argument("--without", nargs="*", default=[], choices=KINDS, help="kinds to leave out")
    parser.add_argument("--show", type=int, default=20, help="failures shown of each kind")
    given = parser.parse_args()
    only = given.only
    if given.without:
        only = [kind for kind in only or KINDS if kind not in given.without]
    warnings.simplefilter("ignore")
    memory_disk = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # what is written there need not reach a disk
    with tempfile.TemporaryDirectory(prefix="cardai-fuzz-", dir=memory_disk) as folder, few_hands():
        root = Path(folder)
        os.environ["CARDAI_DATA_DIR"] = str(root / "owner")  # what is allowed here, nobody's own files are
        keep()
        fill(root, only)
        found, seen = targets(root, only)
        guard()
        tallies = {kind: Tally() for kind in found}
        try:
            run(found, given.seconds, given.first, given.inputs, given.seed, tallies)
        finally:
            failed = report(tallies, given.show)
        outside = [] if only else unread(structured(), seen)
        for name in outside:
            print(f"\nNo fixture is read as {name}: add one to fuzz_fixtures.py.")
        sys.exit(bool(failed or outside))


if __name__ == "__main__":
    main()
