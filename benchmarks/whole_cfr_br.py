"""What a board costs the trainer ``bucket_cfr_br:learns=all``: CPU milliseconds, the first round (which compiles) left out.

    python benchmarks/whole_cfr_br.py runs/limit_equilibrium             # goes on from its last checkpoint, in memory alone
    python benchmarks/whole_cfr_br.py runs/limit_equilibrium --rounds 4  # the least and the mean of so many rounds

The run is read and never written. The sums of the tables at the end say whether two versions learned the same.
"""

from __future__ import annotations

import argparse
import time
import zlib
from pathlib import Path

import numpy as np

from cardai.core.errors import CardaiError
from cardai.plugins.trainers.bucket_mccfr.whole import WholeTraining
from cardai.training.runs import Run


def main() -> None:
    """Time some rounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds takes a number from 1 on. Got {given.rounds}.")
    try:
        run = Run.open(given.run)
        kept, _ = run.latest()
        training = None if kept is None else run.trainer().resume(run.game(), None, run.seed, kept.path)
    except CardaiError as error:
        parser.error(str(error))
    if not isinstance(training, WholeTraining):
        parser.error(f"{given.run} is no run of bucket_cfr_br:learns=all with a checkpoint.")
    boards, spent = training.options.boards, []
    for _ in range(given.rounds + 1):
        begun = time.process_time()
        list(training.train(boards))
        spent.append(1e3 * (time.process_time() - begun) / boards)
    print(
        f"{np.mean(spent[1:]):.0f} CPU ms a board, the least {min(spent[1:]):.0f} ({given.rounds} rounds of {boards})"
    )
    tables = training.trunk_regret, training.rival, training.trunk_average, *map(training._river, ("regret", "average"))
    print(f"at board {training.step}:", *(f"{zlib.crc32(np.ascontiguousarray(one)):08x}" for one in tables))


if __name__ == "__main__":
    main()
