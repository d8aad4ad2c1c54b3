"""Memory and files of solved flops: 16 bits beside 32, and what is kept small.

    python benchmarks/kept.py                          a flop of pot bets, in 32 and 16 bits
    python benchmarks/kept.py --bets "0.33+0.75/3x,turn=0.5+1/3x,river=0.75+allin/allin" --iterations 30 --bits 16

Prints the memory, the CPU time of an iteration, the exploitability in % of the pot, the size of the file that is kept, and the CPU
time of opening it, of looking at the flop, a turn and a river in it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardai.poker.ranges.flops import CALLER, OPENER
from cardai.poker.ranges.solution import load, prepare
from cardai.poker.ranges.spot import Spot


def timed(act: Callable[[], Any]) -> tuple[Any, float]:
    """Return what ``act`` returns, and the CPU seconds it took."""
    begun = time.process_time()
    return act(), time.process_time() - begun


def measure(spot: Spot, bits: int, iterations: int) -> None:
    """Print one line a measure."""
    solution, laid = timed(lambda: prepare(spot, bits=bits))
    _, spent = timed(lambda: solution.solver.run(iterations))
    solution.measure()
    print(
        f"{bits} bits: {solution.num_bytes / 2**20:,.0f} MiB, laid out in {laid:.1f} s; {spent / iterations:.3f} s an iteration; "
        f"{solution.exploitability:.4f} % of the pot after {iterations}; worth {solution.values[0]:.4f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        _, spent = timed(lambda: solution.save(folder, small=True))
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        kept, opened = timed(lambda: load(folder))
        check, call = solution.at("").tokens[:2]
        turn = f"{check} {check} / 2c"
        looked = [
            timed(lambda line=line: kept.at(line))[1] for line in ("", call, turn, f"{turn} {check} {check} / 9d")
        ]
        print(
            f"  kept in {size / 1e6:.2f} MB and {spent:.1f} s; opened in {opened:.2f} s; looked at the flop in {looked[0]:.2f}, "
            f"a raise {looked[1]:.2f}, a turn {looked[2]:.2f}, a river {looked[3]:.2f} s"
        )


def main() -> None:
    """Run as the page says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", default="KsTh7s")
    parser.add_argument("--bets", default="1+allin")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--bits", type=int, choices=(16, 32), nargs="*", default=(32, 16))
    given = parser.parse_args()
    spot = Spot(given.board, 5.5, (97.5, 97.5), (CALLER, OPENER), given.bets, add_allin=1.5, force_allin=0.2)
    for bits in given.bits:
        measure(spot, bits, given.iterations)


if __name__ == "__main__":
    main()
