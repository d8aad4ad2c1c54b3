"""``cardai evaluate best-response``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Call

CALL = ("evaluate", "best-response", "--game", "holdem_limit:max_raises=1+0+0+1", "--agent", "always_call")


def test_it_prints_the_bound_and_its_interval(cardai: Call, tmp_path: Path) -> None:
    kept = str(tmp_path / "boards.npz")
    called = cardai(*CALL, "--boards", "5", "--out", kept)
    assert called.code == 0
    assert "A best response from the river to always_call" in called.out
    assert "5 boards" in called.out
    assert "Fewer than 10 boards decide nothing" in called.out
    found = json.loads(cardai(*CALL, "--boards", "5", "--out", kept, "--json").out)
    assert f"wins {found['mean']:.1f} ({found['low']:.1f} to {found['high']:.1f}) mbb" in called.out
    assert (found["boards"], found["from"], found["exact"]) == (5, "river", False)
    few = cardai(*CALL, "--boards", "2", "--json").out
    assert (json.loads(few)["low"], json.loads(few)["high"]) == (None, None)


@pytest.mark.long
def test_along_hands_it_prints_how_many_came_there(cardai: Call) -> None:
    called = cardai(*CALL, "--hands", "6")
    assert called.code == 0
    assert "along 6 hands (6 came there)" in called.out
    found = json.loads(cardai(*CALL, "--hands", "6", "--json").out)
    assert f"wins {found['mean']:.1f} ({found['low']:.1f} to {found['high']:.1f}) mbb" in called.out
    refused = cardai(*CALL, "--hands", "6", "--from", "flop")
    assert (refused.code, "from the turn or the river" in refused.err) == (2, True)


def test_hands_that_end_before_the_street_are_counted_apart(cardai: Call) -> None:
    words = (*CALL[:5], "random", "--hands", "20")  # it folds half of the bets before the flop
    found = json.loads(cardai(*words, "--json").out)
    assert 0 < found["reached"] < found["hands"] == 20
    assert f"along 20 hands ({found['reached']} came there)" in cardai(*words).out


def test_from_the_turn_it_says_what_the_rivers_that_chose_say_too(cardai: Call) -> None:
    words = (
        "evaluate",
        "best-response",
        "-g",
        "holdem_nolimit:stack=200",
        "-a",
        "always_call",
        "--hands",
        "2",
        "--bets",
        "allin",
    )
    called = cardai(*words, "--from", "turn", "--rivers", "2")
    assert called.code == 0
    found = json.loads(cardai(*words, "--from", "turn", "--rivers", "2", "--json").out)
    assert f"wins {found['mean']:.1f} ({found['low']:.1f} to {found['high']:.1f}) mbb" in called.out
    assert f"chose the answers: {found['upper_estimate']:.1f} mbb" in called.out
    folds = [word.replace("always_call", "always_fold") for word in words]
    assert "scored on all 48 rivers: 0.0 mbb" in cardai(*folds, "--from", "turn", "--rivers", "48").out
    refused = cardai(*words, "--rivers", "2")
    assert (refused.code, "Give --hands and --from turn too" in refused.err) == (2, True)


@pytest.mark.long
def test_hands_are_kept_and_gone_on_with_too(cardai: Call, tmp_path: Path) -> None:
    kept = str(tmp_path / "hands.npz")
    whole = cardai(*CALL, "--hands", "4", "--out", kept, "--json").out
    assert cardai(*CALL, "--hands", "4", "--out", kept, "--json").out == whole
    other = cardai(*CALL, "--boards", "4", "--out", kept)
    assert (other.code, "Give another --out" in other.err) == (2, True)


def test_wrong_games_streets_and_players_are_usage_errors(cardai: Call) -> None:
    assert cardai(*CALL[:2], "--game", "gin", "--agent", "simple").code == 2
    assert cardai(*CALL, "--from", "fifth").code == 2
    assert "Human has no policy" in cardai(*CALL[:-1], "human").err
    both = cardai(*CALL, "--boards", "1", "--hands", "1")
    assert (both.code, "on --boards or along --hands" in both.err) == (2, True)
