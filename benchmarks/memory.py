"""What a long match takes of memory: the peak of a process that plays few games, and of one that plays many.

    python benchmarks/memory.py [--games 20000 1000000] [--game leduc --agents always_call random] [--jobs 1]

Each match is a process of its own that compiles first, plays, works out all figures and prints them as ``cardai run``
does. The peak is the process's largest resident set; worker processes (--jobs) are not counted, as a cluster's are not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

MATCH = """
import resource, sys
from cardai.arena import match
game, games, jobs, *agents = sys.argv[1:]
match.play(game, agents, games=2 * len(agents))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = match.play(game, agents, games=int(games), jobs=int(jobs))
text = str(result)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(result.played.hands_count, before, peak)
"""


def main() -> None:
    """Print a line a match."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, nargs="+", default=[20_000, 1_000_000])
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--agents", nargs="+", default=["always_call", "random"])
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    unit = 1 << 10 if sys.platform == "darwin" else 1  # ru_maxrss: bytes there, KiB elsewhere
    print("| games | hands | peak before, MiB | peak, MiB |\n|---|---|---|---|")
    for games in given.games:
        words = [given.game, str(games), str(given.jobs), *given.agents]
        done = subprocess.run([sys.executable, "-c", MATCH, *words], capture_output=True, text=True, check=True)
        hands, before, peak = (int(word) for word in done.stdout.split())
        print(f"| {games:,} | {hands:,} | {before / unit / 1024:.0f} | {peak / unit / 1024:.0f} |")


if __name__ == "__main__":
    main()
