"""What options of learners may be, whatever learns."""

from __future__ import annotations

from attrs import validators

LEARNING_RATE = [validators.gt(0), validators.lt(1000)]
"""Beyond it no optimiser learns, and from 3e38 on torch has no number for a rate."""
THREADS = [validators.ge(1), validators.le(256)]
"""More than any machine has cores for: thousands stop the process, and it cannot be ended but by a kill."""
KEPT = [validators.ge(1), validators.le(2**32)]
"""Decisions or examples that are kept in memory: more have no room anywhere, and far more no number in numpy."""
ROWS = [validators.ge(1), validators.lt(2**20)]
"""Rows that are drawn or worked on at a time."""

__all__ = ["KEPT", "LEARNING_RATE", "ROWS", "THREADS"]
