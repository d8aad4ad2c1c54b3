"""What starting costs: CPU seconds of ``cardai --help`` and ``cardai list-plugins``, beside the libraries alone.

    python benchmarks/startup.py [--runs 9]

The peer is an empty program of the same libraries: Python, typer, rich, attrs, pluggy and a look through the installed
packages' entry points. Each is a process of its own, and the least of the runs counts. The budget is 0.25 CPU seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

BUDGET = 0.25
END = "import sys, time; print(time.process_time(), file=sys.stderr)"
PEER = f"import typer, rich.table, rich.console, attrs, pluggy, importlib.metadata as m; m.entry_points(); {END}"
OURS = f"""
import sys
sys.argv = ["cardai", *sys.argv[1:]]
from cardai.cli import main
try:
    main()
except SystemExit:
    pass
{END}
"""


def seconds(program: str, *argv: str) -> float:
    """Return the CPU seconds of one process."""
    done = subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=True)
    return float(done.stderr.split()[-1])


def main() -> None:
    """Print the least of several runs of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    programs = {
        "the libraries alone": (PEER,),
        "cardai --help": (OURS, "--help"),
        "cardai list-plugins": (OURS, "list-plugins"),
    }
    least = {name: min(seconds(*argv) for _ in range(runs)) for name, argv in programs.items()}
    peer = least["the libraries alone"]
    for name, cost in least.items():
        print(
            f"{name:<22} {cost:.3f} CPU s, {cost / peer:.2f} of the libraries alone (least of {runs}; budget {BUDGET})"
        )


if __name__ == "__main__":
    main()
