"""Golden playthroughs: the rules and the players do today what they did when the file was written.

Renew them with ``python tests/playthroughs/renew.py`` after a change of the rules that is meant.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import sizes

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))
_spec = importlib.util.spec_from_file_location("renew_playthroughs", FOLDER / "renew.py")
assert _spec is not None
assert _spec.loader is not None
renew = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(renew)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.stem))
def test_playthrough_is_as_written(file: Path) -> None:
    assert renew.written_out(renew.read_header(file)) == file.read_text(encoding="utf-8")


def test_every_game_has_a_playthrough() -> None:
    assert {file.stem for file in FILES} >= set(renew.games()), "run python tests/playthroughs/renew.py"


@pytest.mark.parametrize("every", sizes(7, 1))
def test_playthroughs_are_the_same_without_compilation(every: int, tmp_path: Path) -> None:
    files = FILES[::every]
    copies = [tmp_path / file.name for file in files]
    for file, copy in zip(files, copies, strict=True):
        copy.write_text(file.read_text(encoding="utf-8").split("\n\n")[0] + "\n\n", encoding="utf-8")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, str(FOLDER / "renew.py"), *map(str, copies)], check=True, env=environment)
    changed = [f.name for f, copy in zip(files, copies, strict=True) if f.read_text() != copy.read_text()]
    assert not changed
