"""Where a person's matches lie."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardai.core import extras
from cardai.core.errors import PluginError, UsageError
from cardai.core.locks import FileLock
from cardai.study import drills
from cardai.study.drills import Known
from cardai.ui import again, kept, strength
from cardai.ui.strength import Strength


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


@pytest.mark.parametrize(
    ("module", "read", "keep", "names"),
    [
        (drills, "read", lambda name: again.keep(name, True, 0.0), lambda: again.due()),
        (
            strength,
            "_read",
            lambda name: strength.keep("kuhn", name, Strength(1.0, 1.0, "%", "simple", 10)),
            lambda: strength.known_strengths("kuhn"),
        ),
    ],
    ids=["drills", "strength"],
)
def test_what_two_keep_at_once_is_both_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, read: str, keep: Callable[[str], None], names: Callable[[], dict[str, Any]]
) -> None:  # fmt: skip
    """The second read what was there before the first had written, and wrote over it."""
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    was, other = getattr(module, read), threading.Thread(target=keep, args=("second",))

    def meanwhile(path: Path) -> Any:
        found = was(path)
        if other.ident is None:
            other.start()
            other.join(0.1)
        return found

    monkeypatch.setattr(module, read, meanwhile)
    keep("first")
    other.join()
    assert {"first", "second"} <= set(names())
    assert not list(tmp_path.glob(".*.lock"))


def test_who_waits_in_vain_for_a_file_of_the_data_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(kept, "PATIENCE", 0.02)
    with (
        FileLock(tmp_path / ".drills.json.lock"),
        pytest.raises(UsageError, match=r"drills.json is being written by another process \(\d+\)\. Wait for it"),
    ):
        again.keep("a", True, 0.0)
    again.keep("a", True, 0.0)
    assert again.due() == {"a": Known().answered(True, again.today(), 0.0)}
