"""docs/acpc.md is true: its match runs as written, its log converts, its games and endings are the real ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.formats import read_hands
from cardai.formats.acpc.gamedef import game_names
from cardai.formats.acpc.seat import MAX_LINE, PAUSE

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "acpc.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_commands_run_as_written(tmp_path: Path) -> None:
    script = "set -e\ncardai() { " + f"'{sys.executable}' -m cardai " + '"$@"; }\n' + "".join(BLOCKS)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("18791 18792\n")
    file = read_hands(tmp_path / "match.log")
    assert len(file.hands) == 100
    assert not file.damaged
    betting = [[line.split(":")[2] for line in (tmp_path / name).read_text().splitlines() if line[:6] == "STATE:"]
               for name in ("match.log", "again.log")]  # fmt: skip
    assert betting[0] == betting[1]
    assert (tmp_path / "match.phhs").read_text().count("variant = 'FT'") == 100


def test_the_games_endings_and_limits_listed_are_the_real_ones() -> None:
    assert sorted(set(re.findall(r"`(\w+\.(?:no)?limit\.\w+(?:\.\w+)?)`", TEXT))) == game_names()
    formats = [registry.create("format", name) for name in ("acpc", "phh", "record", "slumbot")]
    endings = {suffix for format_ in formats for suffix in format_.suffixes}
    assert set(re.findall(r"`(\.\w+)`", TEXT.partition("| read and written as")[2])) == endings
    assert f"more than {MAX_LINE - 1:,} bytes" in TEXT
    assert f"{1 / PAUSE:.0f} ignored lines a second" in TEXT
