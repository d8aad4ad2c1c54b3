"""The record of a table in play, on the disk."""

from __future__ import annotations

from pathlib import Path

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
