from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import cardai
from cardai import make
from cardai.arena.table import Table
from cardai.core.errors import AgentError, UntrustedError, UsageError
from tests.formats.test_acpc_series import CALLER


def program(path: Path, text: str = CALLER) -> str:
    file = path / "bot.py"
    file.write_text(text, encoding="utf-8")
    return f'program:command="{sys.executable} {file}"'


@pytest.mark.parametrize("game", ["holdem_limit", "holdem_nolimit:stack=2000", "leduc", "holdem_limit:hands=3"])
def test_a_program_plays_as_the_same_player_of_ours(game: str, tmp_path: Path) -> None:
    reverse_blinds = "first = 1 if len(rounds) == 1 else 0"
    text = CALLER.replace(reverse_blinds, "first = 0") if game == "leduc" else CALLER
    theirs = cardai.play(game, [program(tmp_path, text), "acpc_mix"], games=6, seed=3)
    ours = cardai.play(game, ["always_call", "acpc_mix"], games=6, seed=3)
    assert (theirs.hands["returns"] == ours.hands["returns"]).all()
    assert len(np.unique(theirs.hands["returns"])) > 1


def test_a_program_sees_its_cards_position_and_hands_in_order(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    text = CALLER.replace("    _, position", f"    open({str(said)!r}, 'ab').write(line + b'\\n')\n    _, position")
    result = cardai.play("holdem_limit", [program(tmp_path, text), "always_call"], games=4, seed=3)
    lines = [line.split(":") for line in said.read_text().splitlines()]
    assert sorted({int(line[2]) for line in lines}) == [0, 1, 2, 3]
    assert [int(line[2]) for line in lines] == sorted(int(line[2]) for line in lines)
    # heads-up, position 1 is the button and acts first; a caller is asked four times a hand, and told its end
    for hand, played in enumerate(result.hands):
        own = [line for line in lines if int(line[2]) == hand]
        seat = int(played["rotation"])
        button = int(played["starter"]) == seat
        assert {line[1] for line in own} == {"1" if button else "0"}
        assert next(line[3] for line in own) == ("" if button else "c")
        assert own[-1][3] == "cc/cc/cc/cc" or hand == 3  # after the last hand it may be ended before it reads on
        hole = own[0][4].split("|")[int(own[0][1])]
        assert len(hole) == 4
        assert all(line[4].split("/")[0].split("|")[int(line[1])] == hole for line in own)


def test_a_program_that_ends_is_named_with_its_exit_code(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"bot\.py' cannot be asked: it did not connect\. It has ended with 3"):
        cardai.play("holdem_limit", [program(tmp_path, "raise SystemExit(3)"), "random"], games=2)
    with pytest.raises(AgentError, match="should say VERSION"):
        cardai.play("holdem_limit", [program(tmp_path, CALLER.replace("VERSION:2", "HELLO:2")), "random"], games=2)


def test_what_a_program_cannot_play_is_refused(tmp_path: Path) -> None:
    for game, words in (("holdem_fcpa", "ladder of bets"), ("gin", "hold'em and Leduc")):
        with pytest.raises(UsageError, match=words):
            make.agent(program(tmp_path)).for_game(make.game(game))
    with pytest.raises(UsageError, match="cannot be started"):
        cardai.play("holdem_limit", ["program:command=/nowhere/bot", "random"], games=2)
    with pytest.raises(UsageError, match="taken apart"):
        make.agent('program:command="x \'"')


def test_no_file_starts_a_program(tmp_path: Path) -> None:
    started = tmp_path / "started"
    spec = program(tmp_path, f"open({str(started)!r}, 'w')")
    record = tmp_path / "hands.jsonl"
    cardai.play("holdem_limit", ["always_call", "random"], games=2, record=str(record))
    record.write_text(record.read_text().replace("always_call", spec.replace('"', '\\"')))
    with pytest.raises(UntrustedError, match="the agent 'program', which starts a program"):
        Table.restore(record)
    assert not started.exists()
