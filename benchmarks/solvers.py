"""Tabular solvers and exact measures beside OpenSpiel's C++, in one process on one core, as ratios.

    python benchmarks/solvers.py

Prints CPU microseconds for one iteration of each algorithm on Kuhn and Leduc poker (the smallest of several repeats of
both programs, taken in turn), and what it costs to bring Leduc to an exploitability of 1e-6. Needs open_spiel.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import pyspiel  # noqa: E402 (after the number of threads is set)

import cardai  # noqa: E402
from cardai.core.registry import create  # noqa: E402
from cardai.solve.measures import measure_behaviour  # noqa: E402
from cardai.solve.tree import build_tree  # noqa: E402

GAMES = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
REPEATS = 7


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def seconds(work: Callable[[], Any]) -> float:
    """Return the CPU seconds that ``work`` takes in this process."""
    began = time.process_time()
    work()
    return time.process_time() - began


def per_call(once: Callable[[int], Any], least: float = 0.05) -> Callable[[], float]:
    """Return a timer of ``once(n)``: CPU seconds a call, n grown until it takes ``least`` seconds."""
    count = 1
    once(1)
    while seconds(lambda n=count: once(n)) < least:
        count *= 2
    return lambda: seconds(lambda: once(count)) / count


def beside(label: str, ours: Callable[[int], Any], theirs: Callable[[int], Any]) -> None:
    """Print one line: both times and their ratio."""
    clocks = per_call(ours), per_call(theirs)
    pairs = [(clocks[0](), clocks[1]()) for _ in range(REPEATS)]
    own, other = min(p[0] for p in pairs) * 1e6, min(p[1] for p in pairs) * 1e6
    say(f"{label:<34}{own:>12.2f}{other:>15.2f}{other / own:>10.1f}")


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    """Return a function that calls ``call`` n times."""

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def compare(name: str, spiel_name: str) -> None:
    """Print all comparisons on one game."""
    game, spiel = cardai.game(name), pyspiel.load_game(spiel_name)
    solvers = {
        "cfr": pyspiel.CFRSolver(spiel).evaluate_and_update_policy,
        "cfr_plus": pyspiel.CFRPlusSolver(spiel).evaluate_and_update_policy,
        "mccfr": pyspiel.ExternalSamplingMCCFRSolver(spiel, 1).run_iteration,
        "outcome_mccfr": pyspiel.OutcomeSamplingMCCFRSolver(spiel, 0.6, 1).run_iteration,
    }
    for spec, theirs in solvers.items():
        beside(f"{spec} iteration, {name}", create("trainer", spec).start(game, None, 1).iterate, repeated(theirs))
    training = create("trainer", "cfr_plus").start(game, None, 1)
    training.iterate(10)
    behaviour = training.behaviour("average")
    solver = pyspiel.CFRPlusSolver(spiel)
    repeated(solver.evaluate_and_update_policy)(10)
    policy = solver.tabular_average_policy()
    beside(
        f"exploitability, {name}",
        repeated(lambda: measure_behaviour(training.form, behaviour)),
        repeated(lambda: pyspiel.exploitability(spiel, policy)),
    )


def reach(spec: str, goal: float) -> None:
    """Print how long an algorithm takes to bring Leduc to ``goal``, measured every 500 iterations."""
    create("trainer", spec).start(cardai.game("leduc"), None, 1).iterate(1)  # compiled before the clock starts
    training = create("trainer", spec).start(cardai.game("leduc"), None, 1)
    found = float("inf")
    began = time.process_time()
    while found > goal and training.step < 100_000:
        training.iterate(500)
        training.step += 500
        found = training.metrics()["exploitability"]
    spent = time.process_time() - began
    say(f"{spec:<14}{training.step:>8,} iterations {spent:>8.2f} CPU s   exploitability {found:.2e}")


def processor() -> str:
    """Return the processor's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> None:
    """Print everything."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("cardai", "open_spiel", "numba", "numpy"))
    say(f"{processor()}, one thread, Python {platform.python_version()}, {versions}\n")
    say(f"{'CPU microseconds':<34}{'cardai':>12}{'OpenSpiel C++':>15}{'ratio':>10}")
    for name, spiel_name in GAMES.items():
        compare(name, spiel_name)
    say(f"\nThe tree of leduc, walked once: {seconds(lambda: build_tree(cardai.game('leduc'))):.2f} CPU s")
    say("\nLeduc to an exploitability of 1e-6:")
    for spec in ("cfr_plus", "dcfr", "pcfr_plus", "pdcfr_plus"):
        reach(spec, 1e-6)


if __name__ == "__main__":
    main()
