"""Find the clusters of hold'em's default buckets again, and write them where cardai has them.

    python experiments/bucket_clusters.py            # half a minute; writes cardai/poker/buckets/clusters.npz
    python experiments/bucket_clusters.py --check    # says whether the file is what it would write

They follow from the options alone, on every machine.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from cardai.core.npz import read_npz, write_npz
from cardai.poker.buckets.clusters import FILE, name_of
from cardai.poker.buckets.tables import BucketOptions, Work


def found(options: BucketOptions) -> dict[str, npt.NDArray[Any]]:
    """Return the clusters of all three streets by their names."""
    work = Work(options)
    by_street: dict[int, npt.NDArray[Any]] = {street: work.centres(street).points.astype(np.int16) for street in (1, 2)}
    by_street[3] = work.strength_buckets(options.river)
    return {name_of(options.of_street(street)): one for street, one in by_street.items()}


def main() -> None:
    """Find them, and write or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    made = found(BucketOptions())
    if not parser.parse_args().check:
        write_npz(FILE, made, level=9)
        return
    known = read_npz(FILE)
    same = set(known) == set(made) and all(np.array_equal(known[name], one) for name, one in made.items())
    print(f"{FILE.name} is {'what is found' if same else 'another than is found: write it again'}.")
    sys.exit(not same)


if __name__ == "__main__":
    main()
