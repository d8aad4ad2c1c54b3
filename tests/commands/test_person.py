"""A person at the keyboard: sees, types, stops, goes on, and loses nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardai.arena import match, records
from tests.commands.conftest import Call
from tests.support import INTERPRETED, ROOT

LEDUC = ("run", "-g", "leduc", "-a", "human", "--vs", "highest")


def test_a_person_sees_the_view_and_types_keys_names_and_questions(cardai: Call, bots: str, tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    called = cardai(
        *("run", "-g", "kuhn", "-a", "human", "--vs", "highest", "--plugin", bots, "--games", "2"),
        *("--seed", "1", "--record", str(file)),
        stdin="?\nfold\n2\n\nb\npas\n",
    )
    assert called.code == 0
    for shown in (
        "Hand 1. You sit in seat 0. ? for help, q to stop.",
        "Hand 2. You sit in seat 1; ",
        "  p pass   b bet",
        "history  bet",
        "the own card: 0 jack, 1 queen, 2 king",
        "There is no action 'fold' here. Type p, b, ? for help, q to stop.",
        "There is no action '2' here.",
        "Type p, b, ? for help, q to stop.",
        "highest (seat 1) shows card ",
        "You lose 1 chip.",
    ):
        assert shown in called.err, shown
    assert "human against highest: 2 games." in called.out
    assert "Again:" not in called.out
    assert file.read_text().count("\n") == 3


def test_hands_follow_one_another_until_the_person_stops(cardai: Call, bots: str, tmp_path: Path) -> None:
    file = str(tmp_path / "h.jsonl")
    called = cardai(*LEDUC, "--plugin", bots, "--seed", "1", "--record", file, stdin="c\nf\nf\nc\nf\nq\ny\n")
    assert called.code == 0
    assert "human against highest: 3 games." in called.out
    assert "Stopped after" not in called.out
    assert all(f"Hand {k}. You sit in seat {seat}" in called.err for k, seat in ((1, 0), (2, 1), (3, 0), (4, 1)))
    assert "Stop playing? y stops, Enter goes on." in called.err
    held = records.read(file)
    assert [hand["seats"] for hand in held.hands] == [[0, 1], [1, 0], [0, 1]]
    assert held.unfinished is not None
    again = f"Go on with: cardai run --game leduc --agent human --vs highest --record {file} --resume --plugin {bots}"
    assert again in called.err


@pytest.mark.long("quit", "q\\nq")
@pytest.mark.parametrize("ending", ["q\ny\n", "q\nq\n", "quit\nyes\n", "", "q\n"])
def test_a_match_that_was_stopped_is_gone_on_with(cardai: Call, bots: str, tmp_path: Path, ending: str) -> None:
    match_of = ("run", "-g", "leduc:hands=4", "-a", "human", "--vs", "highest", "--plugin", bots)
    whole, file = str(tmp_path / "whole.jsonl"), str(tmp_path / "h.jsonl")
    calls = "c\n" * 60
    at_once = cardai(*match_of, "--seed", "6", "--record", whole, stdin=calls)
    assert at_once.code == 0
    first = cardai(*match_of, "--seed", "6", "--record", file, stdin="c\n" * 5 + ending)
    assert first.code == 0
    assert "No game was finished." in first.out
    assert "The hand under way is kept. Go on with:" in first.err
    assert not list(tmp_path.glob("*.open"))
    second = cardai(*match_of, "--record", file, "--resume", stdin=calls)
    assert second.code == 0
    assert "human against highest: 1 game of 4.00 hands." in second.out
    assert "chips so far" in second.err
    titles = [line for line in at_once.err.splitlines() if line.startswith("Hand ")]
    later = [line for line in second.err.splitlines() if line.startswith("Hand ")]
    assert later == titles[-len(later) :]
    assert 1 <= len(later) < len(titles)
    assert Path(file).read_bytes() == Path(whole).read_bytes()


def test_going_on_needs_the_same_match(cardai: Call, bots: str, tmp_path: Path) -> None:
    file = str(tmp_path / "h.jsonl")
    assert cardai(*LEDUC, "--plugin", bots, "--seed", "1", "--record", file, stdin="c\n").code == 0
    for changed, said in (
        (("run", "-g", "kuhn", "-a", "human", "--vs", "highest"), "holds a match with the game 'leduc'. Got 'kuhn'."),
        (("run", "-g", "leduc", "-a", "human", "--vs", "lowest"), "holds a match with the agents"),
        ((*LEDUC, "--seed", "2"), "holds a match with the seed 1. Got 2."),
        (("run", "-g", "leduc", "-a", "lowest", "--vs", "highest"), "holds a match with the agents"),
    ):
        called = cardai(*changed, "--plugin", bots, "--record", file, "--resume")
        assert called.code == 2
        assert said in called.err
    assert cardai(*LEDUC, "--plugin", bots, "--resume").code == 2
    assert [p.name for p in tmp_path.glob("*.jsonl*")] == ["h.jsonl"]


def test_q_for_the_queen_ends_nothing(cardai: Call, tmp_path: Path) -> None:
    """In gin with seed 3 the hand holds three queens: q asks, and Q asks again."""
    gin = ("run", "-g", "gin", "-a", "human", "--vs", "simple", "--seed", "3", "--record", str(tmp_path / "r"))
    called = cardai(*gin, stdin="t\nq\nQ\nq\nqs\nq\ny\n")
    assert called.err.count("Stop playing? y stops, Enter goes on. A queen is typed with its suit: qs.") == 2
    assert called.err.count("Stop playing?") == 3
    unfinished = records.read(tmp_path / "r").unfinished
    assert unfinished is not None
    assert 13 * 3 + 10 in unfinished["actions"]  # the queen of spades was discarded, once it had its suit


def test_hole_cards_are_shown_at_a_showdown_and_not_after_a_fold(cardai: Call) -> None:
    limit = ("run", "-g", "holdem_limit", "-a", "human", "--vs", "always_call", "--seed", "1", "--games", "1")
    assert "always_call (seat 1) shows hole " in cardai(*limit, stdin="c\n" * 10).err
    assert "shows" not in cardai(*limit, stdin="f\n").err


def test_people_may_sit_together(cardai: Call, tmp_path: Path) -> None:
    called = cardai("run", "-g", "kuhn", "-a", "human", "--vs", "human", "--games", "1", stdin="p\nb\np\n")
    assert called.code == 0
    assert "You sit in seat 0" in called.err
    assert "You sit in seat 1" in called.err
    assert "You lose 1 chip." in called.err
    assert "You win 1 chip." in called.err


def test_json_and_watchers_hear_of_a_persons_games(cardai: Call, bots: str, tmp_path: Path) -> None:
    seen, watcher = tmp_path / "seen.txt", tmp_path / "counter.py"
    watcher.write_text(
        "from pathlib import Path\nfrom cardai import hookimpl\n\n\n@hookimpl\ndef cardai_hands_finished(records):\n"
        f"    with Path({str(seen)!r}).open('a') as file:\n        file.write('x' * len(records))\n"
    )
    call = (*LEDUC, "--plugin", bots, "--plugin", str(watcher), "--games", "3", "--json")
    called = cardai(*call, stdin="c\nf\nf\nc\nf\n")
    result = json.loads(called.out)
    assert (result["games"], result["wanted"], result["interrupted"]) == (3, 3, False)
    assert seen.read_text() == "xxx"


def test_from_python_a_person_plays_in_the_lock_step(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("b\np\nb\n"))
    result = match.play("kuhn", ["human", "random"], games=2, seed=1, duplicate=False)
    assert len(result.games) == 2
    assert not result.interrupted


@pytest.mark.long
def test_no_bar_is_drawn_over_the_question(tmp_path: Path, bots: str) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, **INTERPRETED, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    child = subprocess.Popen(
        [sys.executable, "-m", "cardai", *LEDUC, "--plugin", bots, "--seed", "1"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=env, cwd=tmp_path,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    for answer, wait in ((b"c\n", b"> "), (b"f\n", b"f fold"), (b"q\n", b"Hand 2."), (b"y\n", b"y stops")):
        limit = time.monotonic() + 60
        while wait not in shown.rpartition(answer)[2] and time.monotonic() < limit:
            shown += os.read(ours, 4096)
        while not shown.endswith((b"> ", b"\x1b[0m> ")) and time.monotonic() < limit:
            shown += os.read(ours, 4096)
        os.write(ours, answer)
    out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert child.returncode == 0
    assert b"human against highest: 1 game." in out
    assert "━".encode() not in shown
    assert b"\x1b[?25l" not in shown  # nothing live hides the cursor
