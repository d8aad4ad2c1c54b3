from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cardai
from cardai.arena import match, records
from cardai.arena.table import replay
from cardai.cli import main
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.formats import read_hands, read_log, slumbot
from cardai.formats.acpc.gamedef import load_game
from cardai.formats.acpc.logs import LogHand
from cardai.formats.acpc.nodes import Tree
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


def test_a_game_without_a_board_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "played.jsonl"
    match.play("gin", ["random", "random"], games=2, seed=5, record=path)
    with pytest.raises(UsageError, match="gin"):
        read_log(path)


def test_hands_that_the_rules_refuse_are_left_out_and_named() -> None:
    text = (DATA / "2p.nolimit.seed0.log").read_text()
    text = text.replace("STATE:2:cc/r6420f:", "STATE:2:cc/r150f:").replace(":13024|-13024:", ":13025|-13025:")
    text = text.replace("STATE:4:r10312r20000f:", "STATE:4:r10312r15000f:").replace("5dJd/2sTh2h", "5dKs/2sTh2h")
    file = read_hands(io.StringIO(text))
    assert len(file.hands) == 13
    assert [message.split(":")[0].rsplit(" ", 1)[1] for message in file.damaged] == ["0", "1", "2", "4"]


def test_what_is_no_record_of_hands_is_refused() -> None:
    with pytest.raises(DamagedFileError, match="no record of cardai"):
        read_hands(io.StringIO("hello\n"))
    with pytest.raises(DamagedFileError):
        read_hands(io.StringIO(""))
    with pytest.raises(UsageError, match="There is no file"):
        read_hands("no/such/file")


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
    tree = Tree(load_game(NO_LIMIT))
    node = tree.root
    while node.actor >= 0:
        kind = data.draw(st.sampled_from([0] * node.can_fold + [1, 1, 1] + [2] * bool(node.least)))
        node = tree.after(node, data.draw(st.integers(node.least, node.most)) if kind == 2 else kind)
    assert slumbot.from_slumbot(slumbot.to_slumbot(node), tree) is not None
    assert slumbot.from_slumbot(slumbot.to_slumbot(node), tree).text == node.text


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
