"""What starting costs: CPU seconds of ``cardai --help``, ``cardai list-plugins`` and completion, beside the libraries alone.

    python benchmarks/startup.py [--runs 9]

The peer is an empty program of the same libraries: Python, typer, rich, attrs, pluggy and a look through the installed
packages' entry points. Each is a process of its own, and the least of the runs counts. The budget is 0.25 CPU seconds,
0.3 for what Tab shows in a shell.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

BUDGET, TAB_BUDGET = 0.25, 0.3
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


TAB = {"_CARDAI_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
TABS = {
    "Tab after --agent hei": "cardai\nrun\n--agent\nhei",
    "Tab after an option": "cardai\ntrain\n--trainer\nnfsp:q",
    "Tab after --game": "cardai\nrun\n--game\n",
}


def seconds(program: str, *argv: str, line: str = "") -> float:
    """Return the CPU seconds of one process; ``line``: what is completed, a word a line."""
    shell = {**os.environ, **TAB, "COMP_WORDS": line} if line else None
    done = subprocess.run([sys.executable, "-c", program, *argv], capture_output=True, text=True, check=True, env=shell)
    if line:
        assert done.stdout.strip(), f"nothing completes {line!r}"
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
    least |= {name: min(seconds(OURS, line=line) for _ in range(runs)) for name, line in TABS.items()}
    peer = least["the libraries alone"]
    for name, cost in least.items():
        print(
            f"{name:<22} {cost:.3f} CPU s, {cost / peer:.2f} of the libraries alone (least of {runs}; budget {TAB_BUDGET if name in TABS else BUDGET})"
        )


if __name__ == "__main__":
    main()
