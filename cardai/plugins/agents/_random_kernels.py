"""The random player's choice as a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardai.core.kernel import kernel
from cardai.core.rng import below


@kernel
def choose(legal: Any, seeds: Any, out: Any) -> None:
    """Write one legal action a row, drawn uniformly: ``legal`` (n, A) bool, ``seeds`` (n,) uint64, ``out`` (n,) int64."""
    actions = legal.shape[1]
    found = np.empty(actions, np.int64)
    for i in range(len(legal)):
        count = np.int64(0)
        for action in range(actions):
            # written without a branch: always store, advance only past a legal one
            found[count] = action
            count += np.int64(legal[i, action])
        out[i] = found[below(seeds[i], 0, count)]


@kernel
def choose_amounts(kinds: Any, least: Any, most: Any, seeds: Any, out: Any) -> None:
    """Write one legal action a row of full no-limit betting: a kind drawn uniformly, then an amount drawn uniformly.

    ``kinds`` (n, 3) bool, ``least`` and ``most`` (n,) int64 (amounts below 2**31), ``seeds`` (n,) uint64, ``out`` (n,) int64.
    """
    for i in range(len(out)):
        legal = np.int64(kinds[i, 0]) + kinds[i, 1] + kinds[i, 2]
        left = below(seeds[i], 0, legal)
        kind = np.int64(0)
        while not kinds[i, kind] or left > 0:
            left -= np.int64(kinds[i, kind])
            kind += 1
        out[i] = kind
        if kind == 2:
            out[i] = least[i] + below(seeds[i], 1, most[i] - least[i] + 1)
