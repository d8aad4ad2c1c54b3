"""``cardai.solve``, which is ``cardai.solve_spot`` too: see :func:`cardai.poker.ranges.solving.solve_spot`."""

from __future__ import annotations

from cardai.poker.ranges.solving import solve_spot as solve
from cardai.poker.ranges.solving import solve_spot as solve_spot

__all__ = ["solve", "solve_spot"]
