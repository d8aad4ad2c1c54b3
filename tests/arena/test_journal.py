"""The record of a table in play, on the disk."""

from __future__ import annotations

from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from cardai.arena import records
from cardai.arena.journal import Journal
from cardai.arena.table import Table


def test_nothing_of_a_longer_hand_is_left_behind_a_shorter_one(tmp_path: Path) -> None:
    played = Table("leduc", [None, None], seed=6, save=tmp_path / "a.jsonl")
    hands = [played.unfinished]
    for action in (1, 2, 1):
        played.act(action)
        hands.append(played.unfinished)
    whole = records.read(tmp_path / "a.jsonl.open")
    journal = Journal(tmp_path / "b.jsonl", whole.header)
    for hand in [*hands, *reversed(hands), None]:  # as when an answer is taken back, and the hand given up
        journal.keep([], hand)
        held = records.read(tmp_path / "b.jsonl.open")
        assert held.damaged == []
        assert (held.unfinished or {}).get("actions") == (hand or {}).get("actions")


def test_what_killed_processes_had_half_written_goes(tmp_path: Path) -> None:
    for name in (".r.jsonl.0123abcd.part", ".r.jsonl.open.0123abcd.part"):
        (tmp_path / name).write_text("{")
    other = tmp_path / ".other.jsonl.0123abcd.part"
    other.write_text("{")
    journal = Journal(tmp_path / "r.jsonl", Table("kuhn", ["random", "random"], seed=1).header)
    assert sorted(file.name for file in tmp_path.iterdir()) == [other.name, "r.jsonl.open"]
    journal.discard()


def test_what_is_written_in_parts_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an action on a full disk a part was written and the rest was zeros, without an error until the next one."""

    class InParts(FileIO):
        def write(self, data: Any) -> int:
            return super().write(data[:100])

    table = Table("leduc", [None, "always_call"], seed=1, save=tmp_path / "m.jsonl")
    monkeypatch.setattr(Path, "open", lambda self, *mode, **more: InParts(self, "r+"))
    while not table.hand_over:
        table.act(1)
    monkeypatch.undo()
    file = tmp_path / "m.jsonl.open"
    assert b"\0" not in file.read_bytes()
    assert records.read(file).hands == [*table.records]
