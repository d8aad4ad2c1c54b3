"""Replays hide what the watched seat could not see, and tell what an agent would have done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Call


def test_a_hand_is_drawn_step_by_step_from_one_seat(cardai: Call, record: str) -> None:
    called = cardai("replay", record)
    assert called.code == 0
    assert called.out.startswith("Hand 1 of 6: highest (seat 0) against lowest (seat 1)\nSeen by highest (seat 0)")
    assert "1. highest (seat 0): bet" in called.out
    assert "2. lowest (seat 1): pass" in called.out
    assert "highest (seat 0): +1 chips" in called.out
    assert "lowest (seat 1) card" not in called.out


def test_reveal_shows_the_other_cards(cardai: Call, record: str) -> None:
    called = cardai("replay", record, "--reveal")
    deck = json.loads(Path(record).read_text().splitlines()[1])["deck"]
    assert f"lowest (seat 1) card: {('jack', 'queen', 'king')[deck[1]]}" in called.out


def test_hidden_cards_are_not_in_the_json_either(cardai: Call, record: str) -> None:
    hidden = json.loads(cardai("replay", record, "--json").out)
    assert all(list(step["views"]) == ["0"] for step in hidden["steps"])
    shown = json.loads(cardai("replay", record, "--json", "--reveal").out)
    assert all(list(step["views"]) == ["0", "1"] for step in shown["steps"])


def test_an_agents_choice_is_shown_at_the_watched_seats_decisions(cardai: Call, record: str, bots: str) -> None:
    called = cardai("replay", record, "--agent", "lowest", "--plugin", bots)
    assert called.out.count("lowest 100% ") == 1
    assert cardai("replay", record, "--agent", "lowest", "--plugin", bots, "--reveal").out.count("lowest 100% ") == 2


def test_another_seat_can_be_watched(cardai: Call, record: str) -> None:
    assert "Seen by lowest (seat 1)" in cardai("replay", record, "--seat", "1").out
    assert "The game has seats 0 to 1. Got --seat 2." in cardai("replay", record, "--seat", "2").err


def test_standard_input_is_read(cardai: Call, record: str) -> None:
    assert cardai("replay", "-", stdin=Path(record).read_text()).out == cardai("replay", record).out


def test_a_hand_that_is_not_there_is_refused_with_how_many_there_are(cardai: Call, record: str) -> None:
    called = cardai("replay", record, "--hand", "7")
    assert called.code == 2
    assert "has 6 hands: --hand goes from 1 to 6. Got 7." in called.err


def test_a_truncated_record_is_reported_by_line_and_the_rest_is_read(cardai: Call, record: str) -> None:
    text = Path(record).read_text()
    Path(record).write_text(text[:-20])
    called = cardai("replay", record)
    assert called.code == 0
    assert "line 7: truncated or not JSON" in called.err
    assert "Hand 1 of 5" in called.out


def test_an_empty_file_is_called_empty(cardai: Call, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("\n")
    called = cardai("replay", tmp_path / "none")
    assert (called.code, called.err) == (1, f"cardai: {tmp_path / 'none'} is empty: there are no hands in it.\n")


@pytest.mark.parametrize("text", ["hello\n", '{"some": "json"}\n'])
def test_a_file_that_is_no_record_is_refused(cardai: Call, tmp_path: Path, text: str) -> None:
    file = tmp_path / "odd"
    file.write_text(text)
    called = cardai("replay", file)
    assert called.code == 1
    assert "is no record of cardai" in called.err


def test_what_an_opponent_kept_to_itself_is_not_told(cardai: Call, tmp_path: Path) -> None:
    """Gin: that the other could have knocked. Triple draw: which cards it discarded."""
    file = str(tmp_path / "gin.jsonl")
    assert cardai("run", "-g", "gin", "-a", "simple", "--vs", "gin-only", "-n", "2", "--record", file).code == 0
    shown = cardai("replay", file, "--hand", "2", "--reveal").out + cardai("replay", file, "--reveal").out
    assert "gin-only (seat 1): play on" in shown
    hidden = json.loads(cardai("replay", file, "--json").out)["steps"]
    assert [step["words"] for step in hidden if step.get("words") == "play on"] == []
    assert [step["step"] for step in hidden] == list(range(1, len(hidden) + 1))

    file = str(tmp_path / "draw.jsonl")
    assert cardai("run", "-g", "triple_draw", "-a", "random", "--vs", "random", "-n", "4", "--record", file).code == 0
    for hand in "1234":
        for step in json.loads(cardai("replay", file, "--hand", hand, "--json").out)["steps"]:
            if step["player"] not in (None, step["seat"]) and "discard" in str(step.get("words")):
                assert step["words"] == "discard 1+2+3+4+5"  # all there is to know
