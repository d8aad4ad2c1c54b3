"""Where a person's matches lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardai.core import extras
from cardai.core.errors import PluginError
from cardai.ui import kept


def test_without_the_extra_the_command_that_brings_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CARDAI_DATA_DIR", raising=False)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(
        PluginError, match=r"your matches needs platformdirs, which is not installed\. Run: pip install"
    ):
        kept.folder()


def test_two_threads_that_name_a_match_at_once_get_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second took what the first had just taken for its own, and gave its lock back when there was no table left."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    other: list[Path] = []

    class Looking(type(tmp_path)):  # type: ignore[misc]
        def exists(self, **named: bool) -> bool:
            """Say that a record is not there, and have another thread take its name before that is heard."""
            there = super().exists(**named)
            if not other:
                other.append(tmp_path)
                other.append(kept.new_file("kuhn"))
            return there

    monkeypatch.setattr(kept, "matches", lambda: Looking(tmp_path))
    name = kept.new_file("kuhn")
    assert name != other[1]
    assert len(list(tmp_path.glob(".*.lock"))) == 2
    for path in (name, other[1]):
        kept.release(path)
