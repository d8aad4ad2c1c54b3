from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.cli import main as enter
from cardai.commands.acpc_match import seeds_of
from cardai.core.errors import AgentError, UsageError
from cardai.core.files import LOCK
from cardai.core.locks import DirectoryLock
from cardai.formats.acpc.inprocess import play_agents
from cardai.formats.acpc.player import AgentPlayer
from cardai.formats.acpc.processes import play_by_processes
from cardai.formats.acpc.series import Pairing, Series, begin, finished, is_command, results
from cardai.formats.stream import stream_hands
from tests.formats.acpc_table import LIMIT, NO_LIMIT
from tests.support import python

CALLER = """
import socket, sys
wire = socket.create_connection((sys.argv[1], int(sys.argv[2])))
wire.sendall(b"VERSION:2.0.0\\n")
for line in wire.makefile("rb"):
    line = line.rstrip(b"\\r\\n")
    _, position, hand, betting, cards = line.split(b":")
    rounds = betting.split(b"/")
    over = betting.endswith(b"f") or cards.count(b"|") and all(cards.split(b"/")[0].split(b"|"))
    acts = sum(letter in b"fcr" for letter in rounds[-1])
    first = 1 if len(rounds) == 1 else 0
    if not over and (first + acts) % 2 == int(position):
        wire.sendall(line + b":c\\r\\n")
"""


def main(arguments: list[str]) -> int:
    """Call the command line and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        enter(arguments)
    return int(ended.value.code or 0)


def played(series: Series, directory: Path) -> dict[str, bytes]:
    """Play a series in this process and return its logs."""
    begin(series, directory, resume=False)
    for seats, match in series.matches():
        play_agents(series, match, seats, directory)
    return {path.name: path.read_bytes() for path in sorted(directory.glob("*.log"))}


def program(tmp_path: Path, text: str = CALLER) -> str:
    path = tmp_path / "caller.py"
    path.write_text(text, encoding="utf-8")
    return f"{sys.executable} {path}"


@pytest.mark.long("nolimit")
@pytest.mark.parametrize("game", [LIMIT, NO_LIMIT])
def test_a_match_over_sockets_has_byte_for_byte_the_log_of_the_same_match_in_process(game: str, tmp_path: Path) -> None:
    series = Series(game, ("acpc_mix", "random"), hands=12, seeds=(3,))
    here = played(series, tmp_path / "here")
    wire = tmp_path / "wire"
    begin(series, wire, resume=False)
    seats, match = next(series.matches())
    seeds = [series.client_seed(match, seat) for seat in range(2)]
    play_by_processes(match, [series.players[k] for k in seats], seeds, wire)
    assert (wire / "0-1.seed3.log").read_bytes() == here["0-1.seed3.log"]
    assert here["0-1.seed3.log"].count(b"STATE") == 12


@pytest.mark.long
def test_a_foreign_program_plays_by_its_command_line(tmp_path: Path) -> None:
    series = Series(LIMIT, ("acpc_mix", program(tmp_path)), hands=10, seeds=(1,))
    directory = tmp_path / "out"
    begin(series, directory, resume=False)
    for seats, match in series.matches():
        seeds = [series.client_seed(match, seat) for seat in range(2)]
        play_by_processes(match, [series.players[k] for k in seats], seeds, directory)
    same = Series(LIMIT, ("acpc_mix", "always_call"), hands=10, seeds=(1,))
    ours = played(same, tmp_path / "ours")
    for name, log in ours.items():
        called = series.names[1].encode()
        assert (directory / name).read_bytes().replace(called, b"always_call") == log
    assert (results(series, directory)[0, 1].won == results(same, tmp_path / "ours")[0, 1].won).all()


@pytest.mark.long
def test_players_are_found_from_the_callers_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative run and the program of the docs, with the output in a directory of its own."""
    program(tmp_path, CALLER.replace("1 if len(rounds) == 1 else 0", "0"))  # who begins in Kuhn poker
    monkeypatch.chdir(tmp_path)
    cardai.train("cfr", "kuhn", steps=2, out="runs/k")
    series = Series("kuhn", ("runs/k", f"{sys.executable} caller.py"), hands=4, seeds=(1,))
    directory = Path("out")
    begin(series, directory, resume=False)
    _, match = next(series.matches())
    play_by_processes(match, series.players, [1, 2], directory)
    assert finished(directory / f"{match.name}.log", 4)
    assert not list(tmp_path.glob("*.log"))


FORKS = """
import sys
from pathlib import Path
from cardai.core.errors import AgentError
from cardai.formats.acpc import groups
from cardai.formats.acpc.processes import play_by_processes
from cardai.formats.acpc.series import Series, begin
def anew(*_, **__):
    raise AssertionError("a process was started anew")
groups.start = anew
series = Series(sys.argv[1], ("acpc_mix", "random"), hands=12, seeds=(3,))
begin(series, Path("wire"), resume=False)
seats, match = next(series.matches())
seeds = [series.client_seed(match, seat) for seat in range(2)]
play_by_processes(match, [series.players[k] for k in seats], seeds, Path("wire"))
Path("broken").mkdir()
try:
    play_by_processes(match, ["acpc_mix", "nobody"], seeds, Path("broken"))
except AgentError as error:
    print(error)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")
def test_a_process_of_one_thread_forks_dealer_and_agents_and_the_log_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = Series(LIMIT, ("acpc_mix", "random"), hands=12, seeds=(3,))
    here = played(series, tmp_path / "here")
    monkeypatch.chdir(tmp_path)
    done = python("-c", FORKS, LIMIT)
    assert done.stdout.startswith("The player 'nobody' ended with 2 in 0-1.seed3: cardai: There is no agent"), done
    assert not done.returncode
    assert (tmp_path / "wire" / "0-1.seed3.seat1.txt").read_text() == ""
    assert (tmp_path / "wire" / "0-1.seed3.log").read_bytes() == here["0-1.seed3.log"]


LEAVES = """import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as dealer:
    dealer.sendall(b"VERSION:2.0.0\\r\\n")
    dealer.recv(1)
time.sleep(0.3)  # the dealer has seen it go by now
sys.exit('no cards today')
"""


@pytest.mark.parametrize("text", ["import sys\nsys.exit('no cards today')\n", LEAVES])
def test_a_program_that_fails_ends_the_match_with_its_last_words(tmp_path: Path, text: str) -> None:
    broken = program(tmp_path, text)
    series = Series(LIMIT, (broken, "always_call"), hands=10, seeds=(1,))
    begin(series, tmp_path / "out", resume=False)
    _, match = next(series.matches())
    with pytest.raises(AgentError, match=r"ended with 1 in 0-1\.seed1: no cards today"):
        play_by_processes(match, series.players, [1, 2], tmp_path / "out")
    assert not finished(tmp_path / "out" / f"{match.name}.log", 10)


def test_every_pair_gets_the_same_cards_and_a_player_is_even_with_its_clone(tmp_path: Path) -> None:
    series = Series(LIMIT, ("always_call", "always_raise", "always_call"), hands=30, seeds=(1, 2))
    logs = played(series, tmp_path / "out")
    assert len(logs) == 3 * 2 * 2
    hole: dict[str, set[tuple[bytes, ...]]] = {"1": set(), "2": set()}
    for name, log in logs.items():
        lines = [line.split(b":") for line in log.splitlines() if line.startswith(b"STATE")]
        hole[name.split(".seed")[1][0]].add(tuple(line[3].split(b"/")[0] for line in lines))
    assert [len(deals) for deals in hole.values()] == [1, 1]
    assert hole["1"] != hole["2"]
    found = results(series, tmp_path / "out")
    assert (found[0, 2].won == 0).all()
    assert (found[0, 1].won == -found[1, 2].won).all()
    # against a caller and a raiser the same cards win the same, so what is won in one seating is lost in the other
    assert (found[0, 1].won == 0).all()


def test_winnings_are_counted_for_the_first_of_a_pair_in_thousandths_of_a_big_blind(tmp_path: Path) -> None:
    series = Series(LIMIT, ("always_fold", "always_raise"), hands=8, seeds=(5,))
    played(series, tmp_path / "out")
    pairing = results(series, tmp_path / "out")[0, 1]
    # facts: always-fold loses 750 mbb/g to always-raise; its blinds are 500 and 1000
    assert pairing.mean().mean == -750.0
    assert pairing.curve().tolist() == [-750.0] * 8


def test_the_curve_is_the_mean_up_to_each_hand() -> None:
    pairing = Pairing(np.array([[2.0, 4.0], [0.0, 2.0]]))
    assert pairing.curve().tolist() == [1.0, 2.0]
    assert pairing.mean().count == 4


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("threshold", False),
        ("threshold:samples=5", False),
        ("runs/x:step=5", False),
        ('mix:fold="0.1 "', False),
        ("python bot.py", True),
        ("/bin/sh", True),
        ("'", False),
    ],
)
def test_a_command_line_is_told_from_a_spec(text: str, command: bool) -> None:
    assert is_command(text) == command


def test_a_run_in_a_directory_with_a_space_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cardai.train("cfr", "leduc", steps=1, out="my runs/x 1")
    assert not is_command("my runs/x 1")
    assert not is_command("my runs/x 1:policy=current")
    assert is_command("my runs/x 2")
    call = ["acpc", "match", "--game", "leduc", "--agent", "my runs/x 1", "--agent", "always_call", "--hands", "4"]
    assert main([*call, "--out", "in", "--in-process"]) == 0
    assert finished(Path("in/0-1.seed0.log"), 4)


def call(tmp_path: Path, *more: str) -> list[str]:
    agents = ["--agent", "always_fold", "--agent", "always_call"]
    return [
        "acpc",
        "match",
        "--game",
        LIMIT,
        *agents,
        "--hands",
        "6",
        "--in-process",
        "--compiled",
        "--out",
        str(tmp_path),
        *more,
    ]


def test_the_command_plays_prints_draws_and_resumes(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    assert main(call(out, "--seeds", "1-2")) == 0
    printed = capsys.readouterr().out
    assert "always_fold" in printed
    assert (out / "crosstable.json").is_file()
    assert (out / "curve.png").stat().st_size > 1000
    assert main(call(out, "--seeds", "1-2")) == 2
    assert "not empty" in capsys.readouterr().err
    (out / "1-0.seed2.log").unlink()
    kept = (out / "0-1.seed2.log").stat().st_mtime_ns
    assert main(call(out, "--seeds", "1-2", "--resume")) == 0
    assert (out / "0-1.seed2.log").stat().st_mtime_ns == kept
    assert finished(out / "1-0.seed2.log", 6)
    assert capsys.readouterr().out == printed
    assert main(call(out, "--seeds", "1-3", "--resume")) == 2
    assert "other matches" in capsys.readouterr().err


def test_a_series_does_not_go_on_with_a_run_that_was_trained_further_nor_as_another_game(tmp_path: Path) -> None:
    run, out = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "run"), tmp_path / "out"
    series = Series("leduc.limit.2p", (str(run.path), "random"), 3, (1,))
    begin(series, out, resume=False, plays="leduc")
    begin(series, out, resume=True, plays="leduc")
    with pytest.raises(UsageError, match="holds other matches"):
        begin(series, out, resume=True)
    plan = (out / "series.json").read_text()
    run.train(steps=9)
    with pytest.raises(UsageError, match=r"was played by .*run at step 1, and .*run is at step 9 now"):
        begin(series, out, resume=True, plays="leduc")
    assert (out / "series.json").read_text() == plan
    older = json.loads(plan)
    del older["steps"]  # as older versions wrote it
    (out / "series.json").write_text(json.dumps(older))
    begin(series, out, resume=True, plays="leduc")


def test_what_cannot_be_played_is_refused_before_anything_is_written(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "out"
    for more, words in (
        (["--agent", "nobody"], "nobody"),
        (["--agent", "python x.py"], "over sockets only"),
        (["--seeds", "3-1"], "--seeds must be"),
        (["--seeds", "1,1"], "twice"),
    ):
        assert main(call(out, *more)) == 2
        assert words in capsys.readouterr().err
    assert main(["acpc", "match", "--game", LIMIT, "--agent", "random", "--out", str(out)]) == 2
    assert "two players or more" in capsys.readouterr().err
    assert not out.exists()
    assert seeds_of("4,1-2") == (4, 1, 2)
    with pytest.raises(UsageError, match="two players"):
        Series("holdem.limit.3p", ("random", "random"), 1, (1,)).definition()


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_matches_that_another_process_plays_are_not_begun_anew(tmp_path: Path, capsys: Any, more: list[str]) -> None:
    """Its log was emptied while it was being written: the other process said that hands were missing."""
    with DirectoryLock(tmp_path / "out"):
        assert main(call(tmp_path / "out", *more)) == 2
        assert f"The matches in {tmp_path / 'out'} are being played by another process" in capsys.readouterr().err
        assert [file.name for file in (tmp_path / "out").iterdir()] == [LOCK]


@pytest.mark.long
def test_a_game_of_cardai_is_played_as_its_definition(tmp_path: Path) -> None:
    named = Series("acpc_limit_2p", ("acpc_mix", "random"), hands=6, seeds=(3,))
    defined = Series(LIMIT, ("acpc_mix", "random"), hands=6, seeds=(3,))
    assert played(named, tmp_path / "named") == played(defined, tmp_path / "defined")
    large = Series("poker_cnn_limit", ("acpc_mix", "random"), hands=6, seeds=(3,))
    here = played(large, tmp_path / "large")
    seats, match = next(iter(large.matches()))
    begin(large, tmp_path / "wire", resume=False)
    seeds = [large.client_seed(match, seat) for seat in range(2)]
    play_by_processes(match, [large.players[k] for k in seats], seeds, tmp_path / "wire")
    name = f"{match.name}.log"
    assert (tmp_path / "wire" / name).read_bytes() == here[name]
    with stream_hands(str(tmp_path / "wire" / name)) as opened:  # its header says which game it is
        assert "50+100" in opened.game
        assert sum(not isinstance(hand, str) for hand in opened.hands) == 6
    for name, words in (("acpc_limit_2", "Did you mean 'acpc_limit_2p'"), ("gin", "ACPC cannot")):
        with pytest.raises(UsageError, match=words):
            Series(name, ("random", "random"), 1, (1,)).definition()


def test_the_seats_of_a_match_have_streams_of_their_own_whoever_sits_there(tmp_path: Path) -> None:
    """With one stream for both seats a player that plays at random would do the same in both."""
    series = Series(LIMIT, ("random", "acpc_mix"), hands=4, seeds=(3, 4))
    matches = [match for _, match in series.matches()]
    seeds = [[series.client_seed(match, seat) for seat in range(2)] for match in matches]
    assert seeds[0] == seeds[1]  # both seatings of a seed
    assert len({*seeds[0], *seeds[2]}) == 4
    heard: list[int] = []

    class Noted(AgentPlayer):
        def __init__(self, spec: Any, game: Any, seed: int, plays: str = "") -> None:
            heard.append(seed)
            super().__init__(spec, game, seed, plays)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardai.formats.acpc.inprocess.AgentPlayer", Noted)
        begin(series, tmp_path / "out", resume=False)
        for seats, match in series.matches():
            play_agents(series, match, seats, tmp_path / "out")
    assert heard == [seed for pair in seeds for seed in pair]
