"""Play the Heisenbot paper's experiments again and write a report: python -m experiments.heisenbot [--games N] [--jobs J].

Needs the extra [plot]. It can be stopped at any time and run again: finished pairings in --out are kept.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from experiments.heisenbot import report, roundrobin, withheld


def main() -> int:
    """Run the experiment; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.heisenbot", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="games a pairing, even")
    parser.add_argument("--rounds", type=int, default=250_000, help="rounds of the withheld-knock experiment")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("results/heisenbot"))
    given = parser.parse_args()
    start = time.perf_counter()
    try:
        pairings = roundrobin.play(given.games, given.seed, given.jobs, given.out)
        waiting = withheld.play(given.rounds, given.seed, given.out)
    except KeyboardInterrupt:
        print(f"Stopped. Finished pairings are in {given.out}; the same command goes on from there.", file=sys.stderr)
        return 130
    command = f"python -m experiments.heisenbot --games {given.games} --rounds {given.rounds} --seed {given.seed}"
    file = report.write(pairings, waiting, given.games, command, given.out)
    print(f"{file} written after {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
