"""``cardai evaluate lbr``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commands.conftest import Call

CALL = ("evaluate", "lbr", "--game", "acpc_nolimit_2p", "--agent", "always_fold", "--bets", "fcpa", "--rounds", "3+4")


def test_it_prints_the_bound_with_hands_and_interval(cardai: Call) -> None:
    called = cardai(*CALL, "--hands", "8")
    assert called.code == 0
    assert "(fcpa, raising on rounds 3+4), 8 hands:" in called.out
    assert "wins +750.0 ± 0.0 mbb a hand" in called.out


def test_json_holds_the_same(cardai: Call) -> None:
    found = json.loads(cardai(*CALL, "--hands", "8", "--json").out)
    assert (found["mean"], found["half_width"], found["hands"], found["unit"]) == (750.0, 0.0, 8, "mbb/g")


def test_what_is_done_is_kept_and_two_processes_find_the_same(cardai: Call, tmp_path: Path) -> None:
    kept = str(tmp_path / "deals.npz")
    call = ("evaluate", "lbr", "--game", "acpc_limit_2p", "--agent", "acpc_mix", "--hands", "8", "--json")
    whole = cardai(*call, "--out", kept).out
    assert cardai(*call, "--jobs", "2").out == whole
    with np.load(kept) as file:
        found = json.loads(whole)["mean"]
        assert file["done"].all()
        assert file["found"][:, 0].mean() * 1000 / 10 == pytest.approx(found)
    assert "another game" in cardai(*call, "--out", kept, "--seed", "1").err


def test_wrong_rounds_and_odd_hands_are_usage_errors(cardai: Call) -> None:
    assert "numbers from 1 (before the flop) to 4 (river)" in cardai(*CALL[:-1], "0+5").err
    odd = cardai(*CALL, "--hands", "7")
    assert odd.code == 2
    assert "must be even" in odd.err


def test_hands_beside_boards_are_refused(cardai: Call) -> None:
    called = cardai(*CALL, "--boards", "1", "--hands", "7")
    assert (called.code, "on --boards or along --hands" in called.err) == (2, True)


@pytest.mark.long
def test_whole_boards_have_the_published_figure_each(cardai: Call) -> None:
    """Lisy and Bowling 2017, table 2: always folding loses 750 to raises on the later rounds."""
    called = cardai(*CALL, "--boards", "2")
    assert called.code == 0
    assert "(fcpa, raising on rounds 3+4), 2 boards:" in called.out
    assert "wins +750.0 ± 0.0 mbb a hand" in called.out
    found = json.loads(cardai(*CALL, "--boards", "1", "--json").out)
    assert (round(found["mean"], 9), found["boards"], found["half_width"]) == (750, 1, None)  # one has no interval


@pytest.mark.long
def test_aivat_is_printed_beside_it_and_what_does_not_go_together_is_refused(cardai: Call) -> None:
    called = cardai(*CALL, "--hands", "8", "--aivat")
    assert "With the luck taken out (AIVAT): " in called.out
    assert set(json.loads(cardai(*CALL, "--hands", "8", "--aivat", "--json").out)["aivat"]) == {
        "mean", "low", "high", "count",
    }  # fmt: skip
    for options, said in (
        (("--boards", "2", "--aivat"), "nothing to weigh"),
        (("--branches", "2"), "give --boards N too"),
    ):
        called = cardai(*CALL, *options)
        assert (called.code, said in called.err) == (2, True)
    mix = (*CALL[:5], "mix", *CALL[6:])
    assert "does not say how often it raises to which amount" in cardai(*mix, "--hands", "8", "--aivat").err
