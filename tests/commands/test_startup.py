"""Starting must be quick: it imports little. ``benchmarks/startup.py`` prints the seconds."""

from __future__ import annotations

import subprocess
import sys

import pytest

NEEDED = {"annotated_doc", "attr", "attrs", "colorama", "markdown_it", "mdurl", "pluggy", "pygments", "rich"}
"""What the command line is made of; ``--help`` draws its panels with markdown_it (linkify_it where it is installed) and
pygments, by way of rich."""
NEEDED |= {"linkify_it", "shellingham", "typer", "uc_micro"}
FROM_TYPER_0_29 = {"annotated_types", "pydantic", "pydantic_core", "typing_extensions", "typing_inspection"}
DEAR = {"asyncio", "multiprocessing", "concurrent", "sqlite3", "unittest", "xml", "ssl"}
"""Packages of the standard library that cost as much as ours together."""
PROGRAM = """
import sys
sys.argv = ["cardai", *sys.argv[1:]]
from cardai.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
finally:
    print(*{name.partition(".")[0] for name in sys.modules} - {"__main__"}, file=sys.stderr)
    print(*[name for name in sys.modules if name.startswith("cardai.")], file=sys.stderr)
"""


@pytest.mark.parametrize("command", ["--help", "list-plugins"])
def test_starting_imports_the_command_line_and_nothing_that_only_playing_needs(command: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, command], capture_output=True, text=True, check=True)
    packages, ours = (set(line.split()) for line in done.stderr.splitlines()[-2:])
    assert done.stdout
    assert {
        name for name in packages - sys.stdlib_module_names if not name.startswith("_")
    } <= NEEDED | FROM_TYPER_0_29 | {"cardai"}
    assert not packages & DEAR
    assert not [name for name in ours if name.startswith(("cardai.plugins", "cardai.cards", "cardai.arena"))]


def test_importing_the_package_costs_nothing() -> None:
    program = "import sys, cardai; print(*[m for m in sys.modules if m.startswith('cardai.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
