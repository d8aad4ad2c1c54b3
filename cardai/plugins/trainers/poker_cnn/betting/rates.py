"""How fast a generation was played and learned."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from cardai.core.trainer import Metrics


class Rates:
    """Hands played and samples learned, with the wall and CPU seconds they took (since the generation or a resume)."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    @contextmanager
    def of(self, name: str, count: int) -> Iterator[None]:
        """Add ``count`` and the time spent inside."""
        sums, wall, cpu = self._sums.setdefault(name, [0.0, 0.0, 0.0]), time.perf_counter(), time.process_time()
        yield
        sums[:] = sums[0] + count, sums[1] + time.perf_counter() - wall, sums[2] + time.process_time() - cpu

    def taken(self) -> Metrics:
        """Return the rates and begin anew."""
        out: Metrics = {}
        for name, (count, wall, cpu) in self._sums.items():
            out[f"{name}_per_second"] = count / max(wall, 1e-9)
            out[f"cpu_{name}_per_second"] = count / max(cpu, 1e-9)
        self._sums = {}
        return out
