"""``cardai buckets``."""

from __future__ import annotations

import json

import pytest

from tests.commands.conftest import Call
from tests.support import sizes

ONE = ("buckets", "--options", "flop=1,turn=1,river=1")


@pytest.mark.parametrize(("board", "street"), sizes(("KdKc4c7s", "turn"), ("KdQd4c7s2h", "river")))
def test_a_hand_is_shown_with_its_bucket(cardai: Call, board: str, street: str) -> None:
    found = json.loads(cardai(*ONE, "--board", board, "--hand", "KsKh", "--json").out)
    assert (found["street"], found["bucket"], found["of"]) == (street, 0, 1)
    assert found["share"] == pytest.approx(1.0)
    assert found["hand"]["strength"] == pytest.approx(1.0, abs=0.02)  # the best hand but for a few
    assert "KsKh on KdQd4c" in cardai(*ONE, "--board", "KdQd4c", "--hand", "KsKh").out


def test_starting_hands_have_classes_of_their_own(cardai: Call) -> None:
    suited = json.loads(cardai(*ONE, "--hand", "AhKh", "--json").out)
    other = json.loads(cardai(*ONE, "--hand", "AhKd", "--json").out)
    assert suited["of"] == 169
    assert suited["bucket"] != other["bucket"]
    assert (suited["share"], other["share"]) == (pytest.approx(4 / 1326), pytest.approx(12 / 1326))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--board", "Kd"), "takes 3, 4 or 5 cards"),
        (("--board", "Kd7s2c"), "needs --hand"),
        (("--board", "Kd7s2c", "--hand", "KdAs"), "not on the board"),
        (("--board", "Kd7s2c", "--hand", "AhKh", "--street", "turn"), "belongs to the flop, not the turn"),
        (("--street", "turn"), "go together"),
        (("--street", "preflop", "--bucket", "169"), "0 to 168"),
        (("--options", "colour=3"), "colour"),
    ],
)
def test_what_is_asked_wrongly_is_said(cardai: Call, words: tuple[str, ...], message: str) -> None:
    called = cardai(*ONE[: None if words[0] != "--options" else 1], *words)
    assert called.code == 2
    assert message in called.err
