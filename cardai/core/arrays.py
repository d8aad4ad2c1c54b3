"""Named array types: what numpy arrays hold, said once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int64s = npt.NDArray[np.int64]
Uint64s = npt.NDArray[np.uint64]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Records = npt.NDArray[Any]
"""Structured rows."""
