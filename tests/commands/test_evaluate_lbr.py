"""``cardai evaluate lbr``."""

from __future__ import annotations

import json

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


def test_wrong_rounds_and_odd_hands_are_usage_errors(cardai: Call) -> None:
    assert "numbers from 1 (before the flop) to 4 (river)" in cardai(*CALL[:-1], "0+5").err
    odd = cardai(*CALL, "--hands", "7")
    assert odd.code == 2
    assert "must be even" in odd.err
