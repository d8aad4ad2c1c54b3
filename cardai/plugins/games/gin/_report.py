"""What `cardai run` reports about a gin player beside its win rate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def summary(hands: npt.NDArray[Any], seats: npt.NDArray[np.integer[Any]]) -> list[tuple[str, str]]:
    return []
