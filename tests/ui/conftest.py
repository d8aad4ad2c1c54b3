"""Each test has a folder of matches of its own."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("textual") else ["test_*.py"]  # the app needs the extra play


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look every 5 ms, not every 20, whether the app has done what a key asks: still idle is 5% of the time worked."""
    waiting = import_module("textual._wait")
    monkeypatch.setattr(waiting, "SLEEP_GRANULARITY", 0.005)
    monkeypatch.setattr(waiting, "SLEEP_IDLE", 0.005 / 20)


@pytest.fixture(autouse=True)
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this test's matches are kept."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "matches"
