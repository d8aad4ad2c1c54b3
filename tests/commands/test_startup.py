"""Starting must be quick, and must not import what only playing needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

# CPU seconds, the minimum of five runs; heavy modules must stay out
LIMIT = 0.25
HEAVY = ("numpy", "numba", "torch", "joblib", "cattrs")
PROGRAM = f"""
import sys, time
sys.argv = ["cardai", *sys.argv[1:]]
from cardai.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
finally:
    print(time.process_time(), *[m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["--help", "list-plugins"])
def test_starts_within_a_quarter_of_a_second_without_heavy_imports(command: str) -> None:
    times = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", PROGRAM, command], capture_output=True, text=True, check=True)
        seconds, *heavy = done.stderr.splitlines()[-1].split()
        assert heavy == []
        assert done.stdout
        times.append(float(seconds))
    assert min(times) <= LIMIT, times


def test_importing_the_package_costs_nothing() -> None:
    program = "import sys, cardai; print(*[m for m in sys.modules if m.startswith('cardai.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
