"""Hands of a file whose blinds rise and whose players hide their cards, where all are asked of as one game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cardai import make
from cardai.core.errors import UsageError
from cardai.formats import read_hands
from cardai.formats.stream import stream_hands
from cardai.learn.imitation.convert import Settings, convert
from cardai.solve.aivat import aivat
from cardai.study.session import tasks_of
from tests.commands.conftest import Call, cardai  # noqa: F401


def _hand(number: int, small: int, big: int, stack: int) -> str:
    """Return a hand of a, whose cards are shown, against b, whose are not; it brings the same at any blinds."""
    return f"""PokerStars Hand #{number}: Tournament #7, Freeroll  Hold'em No Limit - Level I ({small}/{big}) - 2020/01/01 0:00:00 ET
Table 'x' 2-max Seat #1 is the button
Seat 1: a ({stack} in chips)
Seat 2: b (10000 in chips)
a: posts small blind {small}
b: posts big blind {big}
*** HOLE CARDS ***
Dealt to a [Ac Kd]
a: raises {600 - big} to 600
b: calls {600 - big}
*** FLOP *** [5s 6d 2c]
b: bets 500
a: folds
Uncalled bet (500) returned to b
b collected 1200 from pot
*** SUMMARY ***
Total pot 1200 | Rake 0


"""


@pytest.fixture
def hands(tmp_path: Path) -> Path:
    file = tmp_path / "hands.txt"
    file.write_text(_hand(1, 50, 100, 10000) + _hand(2, 100, 200, 10000) + _hand(3, 50, 100, 12000))
    return file


def test_examples_are_of_one_game_and_of_cards_that_were_seen(hands: Path, tmp_path: Path) -> None:
    said: list[str] = []
    found = convert([str(hands)], stream_hands, tmp_path / "out", Settings(problem=said.append))
    assert (found.hands, found.left_out) == (2, 1)
    assert "blinds=100+200" in said[0]
    shard = np.load(tmp_path / "out" / "examples-00000.npz")
    assert {found.players[player] for player in shard["player"]} == {"a"}
    assert shard["view_pot"].tolist() == [150, 1700, 150, 1700]


def test_a_review_of_their_records_leaves_out_other_blinds_and_cards_that_nobody_saw(hands: Path) -> None:
    file = read_hands(hands)
    game, names = make.game(file.header["game"]), file.header["agents"]
    tasks, left_out = tasks_of(file, game, names.index("a"))
    assert [task.number for task in tasks] == [1, 3]
    assert left_out == {"it is of another game than the first": 1}
    tasks, left_out = tasks_of(file, game, names.index("b"))
    assert not tasks
    assert left_out == {"it is of another game than the first": 1, "nobody saw the player's cards": 2}


_LIMIT = """PokerStars Hand #1:  Hold'em Limit ($10/$20 USD) - 2020/01/01 0:00:00 ET
Table 'x' 2-max Seat #1 is the button
Seat 1: a ($1000 in chips)
Seat 2: b ($1000 in chips)
a: posts small blind $5
b: posts big blind $10
*** HOLE CARDS ***
Dealt to a [Ac Kd]
a: calls $5
b: checks
*** FLOP *** [5s 6d 2c]
b: checks
a: bets $10
b: folds
Uncalled bet ($10) returned to a
a collected $20 from pot
*** SUMMARY ***
Total pot $20 | Rake $0
"""


def test_aivat_of_cards_that_nobody_saw_is_refused(tmp_path: Path) -> None:
    (tmp_path / "limit.txt").write_text(_LIMIT)
    file = read_hands(tmp_path / "limit.txt")
    game = make.game(file.header["game"])
    with pytest.raises(UsageError, match="In 1 of 1 hands nobody saw some player's"):
        aivat(game, make.agent("always_raise"), file.hands, file.header["agents"].index("a"))


def test_aivat_of_other_blinds_is_refused(cardai: Call, hands: Path) -> None:  # noqa: F811
    called = cardai("evaluate", "aivat", "--record", str(hands), "--agent", "threshold", "--player", "a")
    assert called.code == 2
    assert "AIVAT is of one game." in called.err
