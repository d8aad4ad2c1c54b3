"""Each test has a folder of matches of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the app needs the extra play")


@pytest.fixture(autouse=True)
def matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which this test's matches are kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "cardai" / "matches"
