"""What the tables of buckets cost: a board's row where one comes after another, and the whole tables.

    python benchmarks/buckets.py            # rows, on random boards, each street's first ones without anything known
    python benchmarks/buckets.py --whole    # the whole tables, too (half a minute)

Milliseconds of CPU. Nothing is taken from the user's cache or kept there.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

import numpy as np

from cardai.poker.buckets.tables import STREETS, BucketOptions, Work, buckets
from cardai.poker.hands.boards import BOARD_SIZES

BOARDS = 40


def main() -> None:
    """Time both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true")
    given, rng = parser.parse_args(), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as empty:
        os.environ["CARDAI_CACHE_DIR"] = empty
        buckets(whole=False).of([0, 1, 2, 3, 4], [1300])  # compiles what there is
        buckets.cache_clear()
        made = buckets(whole=False)
        for street in (1, 2, 3):
            spent = []
            for _ in range(BOARDS):
                board = rng.permutation(52)[: BOARD_SIZES[street]].tolist()
                begun = time.process_time()
                made.of(board, [0])
                spent.append(1e3 * (time.process_time() - begun))
            print(
                f"{STREETS[street]:5} a row: median {np.median(spent):7.2f} ms, most {max(spent):7.2f} ({BOARDS} boards)"
            )
        for street in (1, 2, 3) if given.whole else ():
            begun = time.process_time()
            Work(BucketOptions()).table(street)
            print(f"{STREETS[street]:5} whole: {1e3 * (time.process_time() - begun):9,.0f} ms")


if __name__ == "__main__":
    main()
