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
