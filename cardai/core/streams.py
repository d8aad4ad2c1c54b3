"""Standard output while plugins work: what they print is set aside, so that results stand alone."""

from __future__ import annotations

import sys
from typing import IO, Any


class Aside:
    """What stands for ``sys.stdout`` while plugins work: what they print goes to stderr, and results to ``results``."""

    def __init__(self, results: IO[str]) -> None:
        self.results = results

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def results_stream() -> IO[str]:
    """Return standard output, also where what others print is set aside."""
    return sys.stdout.results if isinstance(sys.stdout, Aside) else sys.stdout
