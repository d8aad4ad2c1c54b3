"""A match of programs goes on from what its journal, or its record, holds: the same record, the same figures."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pytest

import cardai
from cardai.arena import match
from cardai.arena.journal import journal_of
from cardai.core.agent import ScalarAgent
from cardai.core.errors import AgentError, DamagedFileError, UsageError
from tests.support import sizes

GIN = "gin:target=20"  # games of several hands
PLAYERS = ["simple", "greedy"]


def play(file: Path, games: int = 24, **more: Any) -> match.MatchResult:
    return match.play(GIN, PLAYERS, **{"games": games, "seed": 3, "batch": 7, "record": file, **more})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[match.MatchResult, bytes]:
    """The result of a match that nobody stopped, and its record."""
    file = tmp_path_factory.mktemp("whole") / "r.jsonl"
    return play(file), file.read_bytes()


def same(result: match.MatchResult, file: Path, whole: tuple[match.MatchResult, bytes]) -> None:
    """Check that a match that went on is the same as that which nobody stopped."""
    assert file.read_bytes() == whole[1]
    assert np.array_equal(result.hands, whole[0].hands)
    assert result.hands.tobytes() == whole[0].hands.tobytes()
    assert result.scores.tobytes() == whole[0].scores.tobytes()
    assert str(result) == str(whole[0])
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name]


@pytest.mark.parametrize("times", sizes(2, 10))
def test_cut_off_anywhere_a_match_goes_on_to_the_same_record(
    times: int, tmp_path: Path, whole: tuple[match.MatchResult, bytes]
) -> None:
    file, rng = tmp_path / "r.jsonl", random.Random(1)
    lines = whole[1].splitlines(keepends=True)
    groups = {g: b"".join(line for line in lines[1:] if json.loads(line)["group"] == g) for g in range(12)}
    order = list(groups)
    for _ in range(times):
        rng.shuffle(order)  # they come as they finish
        data = lines[0] + b"".join(groups[g] for g in order)
        cut = rng.randrange(len(data))
        journal_path(file).write_bytes(data[:cut])
        kept = len(data[:cut].splitlines()) > 1
        result = play(file, resume=True)
        same(result, file, whole)
        ends = np.cumsum([len(lines[0]), *(len(groups[g]) for g in order)])
        assert result.resumed == 2 * max(0, int((ends <= cut).sum()) - 1)
        assert kept or not result.resumed


def journal_path(file: Path) -> Path:
    return file.with_name(file.name + ".open")


@pytest.mark.parametrize(
    "change",
    [
        {"hand": 5},
        {"game_number": 99},
        {"seats": [1, 1]},
        {"unfinished": True, "returns": []},
        {"returns": "x"},
    ],
)
def test_a_group_of_which_anything_is_wrong_is_played_again(
    change: dict[str, Any], tmp_path: Path, whole: tuple[match.MatchResult, bytes]
) -> None:
    file = tmp_path / "r.jsonl"
    lines = whole[1].splitlines(keepends=True)
    for number in (1, len(lines) // 2, len(lines) - 1):
        record = {**json.loads(lines[number]), **change}
        changed = [*lines[:number], (json.dumps(record) + "\n").encode(), *lines[number + 1 :]]
        journal_path(file).write_bytes(b"".join(changed))
        result = play(file, resume=True)
        same(result, file, whole)
        assert result.resumed == 22


def test_a_game_that_its_last_hand_would_not_end_is_played_again(
    tmp_path: Path, whole: tuple[match.MatchResult, bytes]
) -> None:
    file = tmp_path / "r.jsonl"
    lines = whole[1].splitlines(keepends=True)
    record = {**json.loads(lines[-1]), "returns": [0.0, 0.0]}
    journal_path(file).write_bytes(b"".join([*lines[:-1], (json.dumps(record) + "\n").encode()]))
    result = play(file, resume=True)
    same(result, file, whole)
    assert result.resumed == 22


@pytest.mark.long
def test_a_hand_that_is_missing_costs_its_group(tmp_path: Path, whole: tuple[match.MatchResult, bytes]) -> None:
    file = tmp_path / "r.jsonl"
    lines = whole[1].splitlines(keepends=True)
    for number in range(1, len(lines), 3):
        journal_path(file).write_bytes(b"".join([*lines[:number], *lines[number + 1 :]]))
        result = play(file, resume=True)
        same(result, file, whole)
        assert result.resumed == 22


def test_a_finished_record_is_gone_on_with_to_more_games(
    tmp_path: Path, whole: tuple[match.MatchResult, bytes]
) -> None:
    file = tmp_path / "r.jsonl"
    begun = play(file, 10, resume=True)
    assert (begun.resumed, begun.played.games) == (0, 10)
    more = play(file, resume=True, jobs=2)
    same(more, file, whole)
    assert more.resumed == 10
    again = play(file, resume=True)
    same(again, file, whole)
    assert again.resumed == 24
    with pytest.raises(UsageError, match=r"holds game 24 already. 10 games are asked for"):
        play(file, 10, resume=True)
    assert not journal_path(file).exists()


def test_another_match_is_not_gone_on_with_and_none_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    play(file, 4)
    before = file.read_bytes()
    for change, said in (
        ({"seed": 4}, "holds a match with the seed 3. Got 4."),
        ({"duplicate": False}, "holds a match with the duplicate True. Got False."),
    ):
        with pytest.raises(UsageError, match=said):
            play(file, 4, resume=True, **change)
    with pytest.raises(UsageError, match="holds a match with the agents"):
        match.play(GIN, ["simple", "simple"], games=4, seed=3, record=file, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_bytes() == before
    (tmp_path / ".r.jsonl.0123abcd.part").write_bytes(before)  # of a process that was killed while it wrote the record
    (tmp_path / ".r.jsonl.other.part").write_bytes(before)
    play(file, 4, resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".r.jsonl.other.part", file.name]
    journal_path(file).write_bytes(before)
    with pytest.raises(UsageError, match=r"holds a match that was not finished. Go on with it by --resume"):
        play(file, 4)
    journal_path(file).write_bytes(b'{"cardai": "other"}\n')
    with pytest.raises(DamagedFileError, match=r"is no record of cardai. Delete it"):
        play(file, 4, resume=True)
    assert journal_path(file).exists()


@pytest.mark.parametrize(
    "more", [{"record": None}, {"record": "-"}, {"forfeit": True}, {"record": "/dev/null"}], ids=str
)
def test_what_cannot_be_gone_on_with_is_refused(more: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"name a file|cannot be resumed"):
        play(tmp_path / "r.jsonl", 4, resume=True, **more)
    assert not list(tmp_path.iterdir())


class Fails(ScalarAgent):
    """Plays its lowest action, and raises ``how`` when it is asked for the ``after``-th time and later."""

    how: ClassVar[type[BaseException]] = ValueError
    after: ClassVar[int] = 0

    def choose(self, view: Mapping[str, Any], legal: list[int], rng: Random) -> int:
        Fails.after -= 1
        if Fails.after <= 0:
            raise Fails.how
        return legal[0]


@pytest.mark.parametrize("how", [ValueError, KeyboardInterrupt])
def test_what_was_finished_before_an_error_or_ctrl_c_is_gone_on_with(
    how: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.arena.lockstep._SECONDS", 0.0)
    file = tmp_path / "r.jsonl"
    agents: list[Any] = [Fails(), "random"]
    settings: dict[str, Any] = {"games": 200, "batch": 4, "seed": 1}
    Fails.after = 1 << 40
    match.play("kuhn", agents, **settings, record=tmp_path / "whole.jsonl")
    file.write_text("older")
    Fails.how, Fails.after = how, 100
    try:
        assert match.play("kuhn", agents, **settings, record=file).interrupted
    except AgentError:
        assert how is ValueError
    assert journal_path(file).exists() == (how is ValueError)
    assert (file.read_text() == "older") == (how is ValueError)
    Fails.after = 1 << 40
    again = match.play("kuhn", agents, **settings, record=file, resume=True)
    assert 0 < again.resumed < 200
    assert file.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert journal_of(file) == file


HELD = """
import sys
from cardai.arena.match_journal import MatchJournal
from pathlib import Path
journal = MatchJournal(Path(sys.argv[1]), {"game": "kuhn", "agents": ["random", "random"]})
print("held", flush=True)
sys.stdin.read()
"""


def test_a_match_that_another_process_plays_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    file = tmp_path / "r.jsonl"
    command = [sys.executable, "-c", HELD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="is being played by another process"):
            play(file, 4, resume=True)
        assert journal_path(file).exists()
        process.kill()


def test_what_is_no_record_is_named_by_its_own_name_and_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("{\n")
    with pytest.raises(DamagedFileError, match=f"^{file} is no record of cardai"):
        match.play("kuhn", ["random", "random"], games=2, record=file, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]
    assert file.read_text() == "{\n"


def test_a_run_that_was_trained_further_does_not_go_on_with_the_match(tmp_path: Path) -> None:
    run, file = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "run"), tmp_path / "r.jsonl"
    players = [str(run.path), "random"]
    match.play("kuhn", players, games=4, seed=3, record=file)
    assert json.loads(file.read_text().splitlines()[0])["steps"] == [1, -1]
    more = match.play("kuhn", players, games=6, seed=3, record=file, resume=True)
    assert (more.resumed, more.played.games) == (4, 6)
    kept = file.read_bytes()
    run.train(steps=9)
    with pytest.raises(UsageError, match=r"was played by .*run at step 1, and .*run is at step 9 now"):
        match.play("kuhn", players, games=8, seed=3, record=file, resume=True)
    assert file.read_bytes() == kept
    header, rest = kept.split(b"\n", 1)
    file.write_bytes(header.replace(b',"steps":[1,-1]', b"") + b"\n" + rest)  # as older versions wrote it
    assert match.play("kuhn", players, games=8, seed=3, record=file, resume=True).resumed == 6
