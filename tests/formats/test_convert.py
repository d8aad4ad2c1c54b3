from __future__ import annotations

import io
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cardai
from cardai.arena import match, records
from cardai.arena.table import Table, replay
from cardai.cli import main
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.formats import read_hands, read_log, slumbot
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import LogHand
from cardai.formats.acpc.nodes import WireTree
from cardai.formats.acpc.records import log_to_records, records_to_log
from cardai.formats.phh import log_to_phh, phh_text
from tests.formats.acpc_table import DATA, NO_LIMIT

PUBLIC = ["2p.limit.seed0", "2p.nolimit.seed0", "3p.limit.seed0", "3p.nolimit.seed0", "deepstack", "slumbot"]


def _said(hand: LogHand) -> tuple[Any, ...]:
    return hand.betting, hand.hole, hand.board, hand.values, hand.names


@pytest.mark.parametrize("name", PUBLIC)
def test_a_log_becomes_records_that_replay_and_the_same_log_again(name: str) -> None:
    log = read_log(DATA / f"{name}.log")
    file = read_hands(DATA / f"{name}.log")
    assert not file.damaged
    assert len(file.hands) == len(log.hands)
    game = registry.create("game", file.header["game"])
    for record in file.hands[:3]:
        for table, _ in replay(game, record):
            last = table
        assert last.end().returns == pytest.approx(record["returns"])
    again = records_to_log(file)
    assert not again.problems
    assert list(map(_said, again.hands)) == list(map(_said, log.hands))


@pytest.mark.parametrize(
    "spec",
    ["holdem_limit", "holdem_limit:players=4,hands=3", "holdem_nolimit", "holdem_fcpa", "leduc", "leduc:players=3"],
)
def test_recorded_games_become_logs_and_the_same_hands_again(spec: str, tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    seats = cardai.game(spec).num_players
    match.play(spec, ["random"] * seats, games=4 * seats, seed=5, record=path)
    file = records.read(path)
    log = records_to_log(file)
    assert not log.problems
    assert log.score is not None
    assert sum(log.score.values) == pytest.approx(0)
    back = log_to_records(log)
    assert not back.damaged
    for ours, theirs in zip(file.hands, back.hands, strict=True):
        assert sorted(ours["returns"]) == pytest.approx(sorted(theirs["returns"]))
        assert theirs["deck"] == ours["deck"][: len(theirs["deck"])]
        assert ours["outcome"] == theirs["outcome"]


def _cash_match(path: Path) -> records.RecordFile:
    """Return two hands of a cash match: with equal stacks, then with 1,600 and 400, in which nothing tells them apart from 1,000."""
    header = {"game": "holdem_nolimit:stack=1000,hands=2,cash=3", "agents": ["a", "b"], "seed": 0, "duplicate": False}
    hand = {"game_number": 0, "hand": 0, "seats": [0, 1], "seed": 0, "deck": [48, 22, 19, 36], "actions": [0]}
    hand |= {"setup": {"starter": 0, "score": [0.0, 0.0], "stacks": [1000, 1000]}, "returns": [-50.0, 50.0]}
    hand |= {"outcome": {"showdown": False, "round": 0, "pot": 150}}
    uneven = hand | {"hand": 1, "setup": {"starter": 0, "score": [600.0, -600.0], "stacks": [1600, 400]}}
    path.write_bytes(b"".join([records.header_line(header), records.record_line(hand), records.record_line(uneven)]))
    return records.read(path)


def test_a_hand_with_stacks_of_its_own_is_not_written_as_if_they_were_the_games(tmp_path: Path) -> None:
    log = records_to_log(_cash_match(tmp_path / "cash.jsonl"))
    assert len(log.hands) == 1
    assert "(1600, 400)" in str(log.problems[0])


@pytest.mark.usefixtures("compiled")
def test_phh_says_the_stacks_of_each_hand_of_a_cash_match(tmp_path: Path) -> None:
    pytest.importorskip("pokerkit")
    _cash_match(tmp_path / "cash.jsonl")
    assert _run(str(tmp_path / "cash.jsonl"), str(tmp_path / "cash.phhs"), "--strict") == 0
    hands = tomllib.loads((tmp_path / "cash.phhs").read_text())
    assert [sorted(hand["starting_stacks"]) for hand in hands.values()] == [[1000, 1000], [400, 1600]]


def test_hands_of_a_log_are_no_duplicate_deals_once_they_are_records(tmp_path: Path) -> None:
    path, file = tmp_path / "log.jsonl", read_hands(DATA / "2p.limit.seed0.log")
    path.write_bytes(b"".join([records.header_line(file.header), *map(records.record_line, file.hands)]))
    groups = [hand["group"] for hand in records.read(path).hands]
    assert len(set(groups)) == len(groups) == len(file.hands)


def test_a_game_without_a_board_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    match.play("gin:target=1", ["simple", "simple"], games=2, seed=5, record=path)
    with pytest.raises(UsageError, match="gin"):
        read_log(path)


def test_hands_that_the_rules_refuse_are_left_out_and_named() -> None:
    text = (DATA / "2p.nolimit.seed0.log").read_text()
    text = text.replace("STATE:2:cc/r6420f:", "STATE:2:cc/r150f:").replace(":13024|-13024:", ":13025|-13025:")
    text = text.replace("STATE:4:r10312r20000f:", "STATE:4:r10312r15000f:").replace("5dJd/2sTh2h", "5dKs/2sTh2h")
    file = read_hands(io.StringIO(text))
    assert len(file.hands) == 13
    assert [message.split(":")[0].rsplit(" ", 1)[1] for message in file.damaged] == ["0", "1", "2", "4"]


def test_what_is_no_record_of_hands_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="no record of cardai"):
        read_hands(io.StringIO("hello\n"))
    with pytest.raises(DamagedFileError, match=r"nor of another format that is known: .*pokerstars"):
        read_hands(io.StringIO("hello\n"))
    for nothing in ("", "\n \n"):
        with pytest.raises(DamagedFileError, match=r"the input is empty: there are no hands in it\."):
            read_hands(io.StringIO(nothing))
    with pytest.raises(UsageError, match="There is no file"):
        read_hands("no/such/file")
    with pytest.raises(
        DamagedFileError, match=r"holds no file of hands \(names that end in .txt, .xml, .phh, .phhs\)\.$"
    ):
        read_hands(tmp_path)
    with pytest.raises(UsageError, match=r"cannot be read: .*embedded null"):
        read_hands("a\0b")


@pytest.mark.parametrize("name", ["2p.limit.seed0", "slumbot"])
def test_a_bad_line_costs_that_line_wherever_it_stands(name: str) -> None:
    lines = (DATA / f"{name}.log").read_text().splitlines(keepends=True)
    good = len(read_hands(io.StringIO("".join(lines))).hands)
    for at in (0, 3, len(lines)):
        file = read_hands(
            io.StringIO("".join([*lines[:at], "nonsense\x00\xff\n", "x" * 2_000_000 + "\n", *lines[at:]]))
        )
        assert len(file.hands) == good
        assert len(file.damaged) == 2


def test_a_log_of_another_number_of_players_costs_its_own_hands() -> None:
    two, three = ((DATA / f"{n}p.limit.seed0.log").read_text().splitlines(keepends=True) for n in (2, 3))
    states = [line for line in three if line.startswith("STATE")]
    file = read_hands(io.StringIO("".join([*two, *states])))
    assert len(file.damaged) == len(states)
    assert file.header["game"] == "holdem_limit"


# -- Slumbot's dialect -------------------------------------------------------------------------------------------------


def test_slumbots_amounts_become_the_hands_and_back() -> None:
    lines = (DATA / "slumbot.log").read_text().splitlines()
    log = slumbot.read_log(lines)
    assert not log.problems
    assert [hand.betting for hand in log.hands][3:] == ["r200r888c/cr1200r3600f", "r333c/cc/cr999c/cr2199f"]
    assert [slumbot.hand_text(hand) for hand in log.hands] == lines


@given(st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_betting_survives_slumbots_dialect(data: st.DataObject) -> None:
    tree = WireTree(load_game(NO_LIMIT))
    node = tree.root
    while node.actor >= 0:
        kind = data.draw(st.sampled_from([0] * node.can_fold + [1, 1, 1] + [2] * bool(node.least)))
        node = tree.after(node, data.draw(st.integers(node.least, node.most)) if kind == 2 else kind)
    assert slumbot.from_slumbot(slumbot.to_slumbot(node), tree) is not None
    assert slumbot.from_slumbot(slumbot.to_slumbot(node), tree).text == node.text


def test_a_bet_after_the_last_fold_costs_its_line() -> None:
    lines = (DATA / "slumbot.log").read_text().splitlines()
    for odd in ("7:fb300:5d5c|9hQd:0:0:a|b", "7:b20000cb300:5d5c|9hQd:0:0:a|b", "7:ffff:5d5c|9hQd:0:0:a|b"):
        log = slumbot.read_log([*lines[:2], odd, *lines[2:]])
        assert len(log.hands) == len(lines)
        assert log.problems[0].line == 3
        assert re.search("goes on after the hand's end: '[bf]|cannot be read at 'b300'", log.problems[0].why)


def test_another_game_than_slumbots_is_refused_by_name() -> None:
    for name, said in (("2p.limit.seed0", "2 players, limit"), ("3p.nolimit.seed0", "3 players, nolimit")):
        with pytest.raises(UsageError, match=rf"one game only, heads-up no-limit hold'em .* another: .*{said}\."):
            slumbot.lines_of(read_log(DATA / f"{name}.log"))


@pytest.mark.parametrize("betting", ["b100", "b200b300", "q", "cc", "b", "ck/kkk"])
def test_betting_that_slumbot_would_refuse_is_refused(betting: str) -> None:
    log = slumbot.read_log([f"1:{betting}:5d5c|9hQd:0:0:a|b"])
    assert not log.hands
    assert log.problems[0].line == 1


# -- PHH ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLIC)
def test_phh_files_replay_in_pokerkit_to_the_same_results(name: str) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    log = read_log(DATA / f"{name}.log")
    histories = list(pokerkit.HandHistory.loads_all(phh_text(log_to_phh(log))))
    assert not log.problems
    assert len(histories) == len(log.hands)
    for history, hand in zip(histories, log.hands, strict=True):
        assert history.players == list(hand.names)
        *_, state = history
        won = [end - start for start, end in zip(history.starting_stacks, state.stacks, strict=True)]
        # PHH deals in whole chips: an odd chip of a split pot goes to one of the winners
        assert all(abs(chips - value) <= 1 for chips, value in zip(won, hand.values, strict=True))


# -- the command -------------------------------------------------------------------------------------------------------


def _run(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["convert", *words])
    return int(str(ended.value.code))


def test_the_command_converts_by_what_files_are_and_how_they_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cardai.core.kernel.interpret", lambda: None)  # this process has compiled already
    source, jsonl, log = str(DATA / "slumbot.log"), str(tmp_path / "a.jsonl"), str(tmp_path / "a.log")
    assert _run(source, jsonl) == 0
    assert json.loads(Path(jsonl).read_text().splitlines()[0])["agents"] == ["Slumbot", "moscow25"]
    assert _run(jsonl, log) == 0
    assert _run(log, str(tmp_path / "a.phhs")) == 0
    assert _run(log, str(tmp_path / "b.txt"), "--to", "slumbot") == 0
    betting = [line.split(":")[1] for line in (tmp_path / "b.txt").read_text().splitlines()]
    assert betting == [line.split(":")[1] for line in Path(source).read_text().splitlines()]
    assert "5 hands written to" in capsys.readouterr().err
    assert _run(source, "-", "--to", "acpc", "--quiet") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("STATE:281:r333c/cc/cc/r450f:")
    assert not captured.err
    assert _run(source, "x.unknown") == 2
    assert "does not tell its format" in capsys.readouterr().err


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command run in a process that has compiled already."""
    monkeypatch.setattr("cardai.core.kernel.interpret", lambda: None)


@pytest.mark.usefixtures("compiled")
def test_hands_that_are_left_out_are_counted_in_the_last_line_and_fail_with_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "a.log", tmp_path / "a.jsonl"
    lines = (DATA / "2p.nolimit.seed0.log").read_text().splitlines(keepends=True)
    source.write_text("".join(lines))
    assert _run(str(source), str(out), "--strict") == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"17 hands written to {out}; none left out."
    source.write_text(
        "".join([*lines[:6], "nonsense\n", lines[6].replace("STATE:2:cc/r6420f:", "STATE:2:cc/r150f:"), *lines[7:]])
    )
    assert _run(str(source), str(out)) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"16 hands written to {out}; 2 left out."
    assert _run(str(source), str(out), "--strict") == 1
    assert len(read_hands(out).hands) == 16  # what could be converted is there all the same


@pytest.mark.usefixtures("compiled")
def test_a_conversion_that_fails_leaves_the_older_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, bad = tmp_path / "out.slumbot", tmp_path / "bad.log"
    out.write_text("older")
    bad.write_text("STATE:0:rrrrrrr:5d5c|9hQd:10|-10:a|b\n")
    assert _run(str(DATA / "2p.limit.seed0.log"), str(out)) == 2
    assert _run(str(bad), str(tmp_path / "out.slumbot"), "--to", "record") == 1
    assert "None of the hands in" in capsys.readouterr().err
    (tmp_path / "empty.log").touch()
    assert _run(str(tmp_path / "empty.log"), str(out)) == 1
    assert "empty.log is empty: there are no hands in it." in capsys.readouterr().err
    assert out.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.log", "empty.log", "out.slumbot"]


@pytest.mark.usefixtures("compiled")
def test_a_match_is_not_converted_into_itself_and_a_hand_that_was_begun_counts_as_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "None left out", and the hand with which the match would have gone on was gone."""
    source, left = tmp_path / "m.jsonl.open", tmp_path / "left.jsonl"
    table = Table("leduc", [None, "always_call"], seed=1, groups=range(2), save=tmp_path / "m.jsonl")
    while not table.hand_over:
        table.act(1)
    table.next_hand()
    before = source.read_bytes()
    left.symlink_to(source)
    for target in (source, left):
        with pytest.raises(SystemExit) as stop:
            main(["convert", str(source), str(target), "--to", "record"])
        assert (stop.value.code, source.read_bytes()) == (2, before)
        assert "OUT is IN" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["convert", str(source), str(tmp_path / "done.jsonl")])
    assert stop.value.code == 0
    assert "One hand written to" in (said := capsys.readouterr().err)
    assert "1 left out.\n       1  a hand that was not finished" in said
    with pytest.raises(SystemExit):
        main(["convert", str(source), str(tmp_path / "done.log")])
    assert "One hand written to" in (said := capsys.readouterr().err)
    assert "1 left out." in said


def test_phh_is_converted_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pokerkit")
    phh, back = tmp_path / "a.phhs", tmp_path / "back.log"
    assert _run(str(DATA / "2p.nolimit.seed0.log"), str(phh)) == 0
    assert _run(str(phh), str(back), "--strict") == 0
    states = [line for line in (DATA / "2p.nolimit.seed0.log").read_text().splitlines() if line.startswith("STATE")]
    assert [line for line in back.read_text().splitlines() if line.startswith("STATE")] == states
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(phh), "--hand", "2", "--reveal"])
    assert ended.value.code == 0
    assert "Hand 2 of 17" in capsys.readouterr().out
