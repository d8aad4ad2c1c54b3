"""How fast a generation was played and learned."""

from __future__ import annotations

import time

from cardai.core.trainer import Metrics


class Rates:
    """Hands played and samples learned, with the wall and CPU seconds they took (since the generation or a resume)."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def of(self, name: str, count: int) -> _Timed:
        """Return a context that adds ``count`` and the time spent inside."""
        return _Timed(self._sums.setdefault(name, [0.0, 0.0, 0.0]), count)

    def taken(self) -> Metrics:
        """Return the rates and begin anew."""
        out: Metrics = {}
        for name, (count, wall, cpu) in self._sums.items():
            out[f"{name}_per_second"] = count / max(wall, 1e-9)
            out[f"cpu_{name}_per_second"] = count / max(cpu, 1e-9)
        self._sums = {}
        return out


class _Timed:
    def __init__(self, sums: list[float], count: int) -> None:
        self._sums, self._count = sums, count

    def __enter__(self) -> None:
        self._start = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self._sums[0] += self._count
        self._sums[1] += time.perf_counter() - self._start[0]
        self._sums[2] += time.process_time() - self._start[1]
