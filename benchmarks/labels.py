"""How far labels are from those of a long solve, by discounts and iterations: why situations are solved as they are.

    python benchmarks/labels.py              rivers of the two deepest intervals of pots, where labels are worst
    python benchmarks/labels.py --rivers 40  more of them

A line is an interval, discounts (alpha, beta, gamma) and iterations; behind it the Huber loss (per pot, all hands alike), the
same with hands weighted by their ranges, and the exploitability in % of the pot.
"""

from __future__ import annotations

import argparse
import sys
from itertools import count, islice

import numpy as np

from cardai.poker.values.match_ups import legal_hands
from cardai.poker.values.measures import huber
from cardai.poker.values.situations import FASTER, Situation, labels, situation

DISCOUNTS = {"DCFR (1.5, 0, 2)": (1.5, 0.0, 2.0), "DCFR+ (1.5, -inf, 2)": (1.5, -np.inf, 2.0), f"ours {FASTER}": FASTER}
ITERATIONS, LONG = (200, 400), 4000


def off(one: Situation, wanted: np.ndarray, discounts: tuple[float, float, float], iterations: int) -> list[float]:
    """Return both losses of a solve, and its exploitability."""
    found = labels(one, iterations, "pot", discounts=discounts)
    errors = huber(found.values - wanted)
    return [errors[:, legal_hands(one.board)].mean(), 0.5 * float((errors * one.ranges).sum()), found.exploitability]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rivers", type=int, default=12, help="rivers of each interval")
    rivers = arguments.parse_args().rivers
    for interval in (0, 1):
        rows: dict[tuple[str, int], list[list[float]]] = {}
        for one in islice((situation(11, number, "river", (interval,)) for number in count()), rivers):
            wanted = labels(one, LONG, "pot").values
            for name, discounts in DISCOUNTS.items():
                for iterations in ITERATIONS:
                    rows.setdefault((name, iterations), []).append(off(one, wanted, discounts, iterations))
        for (name, iterations), found in rows.items():
            loss, weighted, gap = np.mean(found, axis=0)
            sys.stdout.write(
                f"interval {interval}  {name:22s} {iterations:5d}  {loss:.5f}  by range {weighted:.5f}  {gap:.3f} %\n"
            )


if __name__ == "__main__":
    main()
