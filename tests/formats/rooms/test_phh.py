"""Rooms' hands written as PHH: unequal stacks, antes, cards that nobody saw; PokerKit pays what our rules pay."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.room_texts import TEXTS
from cardai.formats import read_hands
from cardai.formats.rooms.phh_writing import written
from tests.commands.conftest import Call, cardai  # noqa: F401
from tests.formats.rooms.test_flops import THREE, TWO

pytest.importorskip("pokerkit")

MUCKED = (
    TWO.split("Hero: bets")[0].replace("Dealt to Hero [Ah Kd]\n", "")
    + """\
Hero: bets $5
cat: calls $5
*** TURN *** [Ks 7h 2d] [4c]
cat: checks
Hero: checks
*** RIVER *** [Ks 7h 2d 4c] [9c]
cat: checks
Hero: checks
*** SHOW DOWN ***
cat: shows [7c 7d] (three of a kind, Sevens)
Hero: mucks hand
cat collected $14.50 from pot
*** SUMMARY ***
Total pot $15.50 | Rake $1.00
Board [Ks 7h 2d 4c 9c]

"""
)
"""The first hand checked down, with cards of a player that nobody saw."""


def phh(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    file = read_hands(io.StringIO(text))
    found = written(file.header, file.hands)
    return (tomllib.loads(found.text) if found.text.strip() else {}), found.left_out


def test_a_hand_has_its_stacks_and_actions_and_what_nobody_saw_stays_unknown() -> None:
    hand, _ = phh(TWO)
    assert hand["starting_stacks"] == [2500, 1500, 2000]
    assert (hand["blinds_or_straddles"], hand["players"], hand["hand"]) == (
        [50, 100, 0],
        ["bob", "cat", "Hero"],
        74000000101,
    )
    assert hand["actions"][:4] == ["d dh p1 ????", "d dh p2 7c7d", "d dh p3 AhKd", "p3 cbr 250"]
    assert hand["actions"][-4:] == ["p2 sm 7c7d", "p3 sm AhKd", "d db 4c", "d db 9c"]
    mucked, _ = phh(MUCKED)
    assert mucked["actions"][-2:] == ["p2 sm 7c7d", "p3 sm"]
    assert "d dh p3 ????" in mucked["actions"]


def test_of_two_players_the_small_blind_stands_first_as_pokerkit_has_it() -> None:
    hand, left_out = phh(TEXTS["party_new"])
    assert (hand["blinds_or_straddles"], hand["starting_stacks"]) == ([20, 40], [1173, 327])
    assert not left_out


def test_an_ante_of_the_big_blind_for_the_table_is_no_bet_that_comes_back() -> None:
    tabled = TWO.replace("cat: posts big", "cat: posts the ante $1\ncat: posts big").replace("cat ($15", "cat ($16")
    hand, left_out = phh(tabled.replace("Total pot $30.50", "Total pot $31.50").replace("$29.50", "$30.50"))
    assert not left_out
    assert (hand["antes"], hand["ante_trimming_status"]) == ([0, 100, 0], False)


@pytest.mark.parametrize(("name", "why"), [("gg", "more than once"), ("winamax", "posts beside the blinds")])
def test_what_phh_cannot_say_is_left_out_with_the_reason(name: str, why: str) -> None:
    hand, (reason,) = phh(TEXTS[name])
    assert not hand
    assert why in reason


def test_convert_writes_them(cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    Path("hands.txt").write_text(TWO + THREE.replace("101", "102"))
    for source, target in (("hands.txt", "a.phhs"), ("hands.txt", "hands.jsonl"), ("hands.jsonl", "b.phhs")):
        assert cardai("convert", source, target).code == 0
    assert Path("a.phhs").read_text() == Path("b.phhs").read_text()
    assert len(tomllib.loads(Path("a.phhs").read_text())) == 2
    refused = cardai("convert", "hands.txt", "hands.log")
    assert refused.code == 2
    assert "equal stacks" in refused.err
