from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai import make
from cardai.arena import records
from cardai.arena.table import replay
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import unpack_view
from cardai.core.locks import DirectoryLock
from cardai.formats import read_hands, read_log
from cardai.formats.acpc.inprocess import play_agents
from cardai.formats.acpc.series import Series
from cardai.formats.stream import HandStream, sources, stream_hands
from cardai.learn.imitation import convert as conversion
from cardai.learn.imitation.convert import Settings, convert, held_out
from cardai.learn.imitation.examples import Examples, read_examples, read_manifest
from tests.formats.acpc_table import DATA

LIMIT, NO_LIMIT = DATA / "2p.limit.seed0.log", DATA / "2p.nolimit.seed0.log"


def converted(path: Path, *logs: Path, **options: Any) -> Examples:
    manifest = convert([str(log) for log in logs], stream_hands, path, Settings(**options))
    return read_examples(path, make.game(manifest.game))[1]


def changed(log: Path, path: Path, change: Any) -> Path:
    """Write the lines of a log after ``change(lines)``."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), encoding="utf-8")
    return path


@pytest.mark.parametrize("log", [LIMIT, NO_LIMIT, DATA / "3p.limit.seed0.log"], ids=lambda log: log.name)
def test_each_decision_is_what_its_player_saw_and_did(log: Path, tmp_path: Path) -> None:
    found = converted(tmp_path / "out", log)
    file = read_hands(log)
    game = make.game(str(file.header["game"]))
    expected = []
    for number, record in enumerate(file.hands):
        for table, action in replay(game, record):
            if action >= 0:
                seat = table.to_act
                assert seat is not None
                expected.append((number, seat, table.view(), action, record["returns"][seat], record["seats"][seat]))
    expected.sort(key=lambda decision: decision[:2])  # stable: in the order of play
    assert len(found) == len(expected)
    for i, (number, _, view, action, value, player) in enumerate(expected):
        assert unpack_view(game.view_fields, found.views[i]) == view
        assert (found.hand[i], found.action[i], found.value[i], found.player[i]) == (number, action, value, player)
        assert found.label[i] == (min(action, 2) if game.amounts else action)
        same = [k for k, other in enumerate(expected) if other[:2] == expected[i][:2]]
        assert found.later[i] == len(same) - 1 - same.index(i)
        assert found.legal[i, found.label[i]]


def test_records_and_logs_of_one_match_give_the_same_examples(tmp_path: Path) -> None:
    file = read_hands(LIMIT)
    record = tmp_path / "match.jsonl"
    lines = [records.header_line(file.header), *map(records.record_line, file.hands)]
    record.write_bytes(b"".join(lines))
    one, other = converted(tmp_path / "a", LIMIT), converted(tmp_path / "b", record)
    for name in ("views", "legal", "label", "hand", "later", "value", "deal", "test"):
        assert (getattr(one, name) == getattr(other, name)).all(), name


def test_examples_do_not_depend_on_how_many_hands_are_played_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = converted(tmp_path / "a", LIMIT)
    monkeypatch.setattr(conversion, "BATCH", 5)
    other = converted(tmp_path / "b", LIMIT)
    assert all((getattr(one, name) == getattr(other, name)).all() for name in ("views", "label", "hand", "test"))


def test_codes_are_the_encoders_of_the_views(tmp_path: Path) -> None:
    found = converted(tmp_path / "out", LIMIT, encoder="cnn_valuation")
    codes = np.load(tmp_path / "out" / "codes-00000.npz")["x"]
    layout = make.encoder("cnn_valuation").for_game(make.game("holdem_limit"))
    assert codes.dtype == np.float32
    assert (codes == layout.encode(found.views)).all()
    assert read_manifest(tmp_path / "out").shape == layout.shape


def test_only_the_chosen_players_decide(tmp_path: Path) -> None:
    everyone = converted(tmp_path / "a", LIMIT)
    manifest = read_manifest(tmp_path / "a")
    found = converted(tmp_path / "b", LIMIT, players=["p2"])
    wanted = manifest.players.index("p2")
    assert (found.label == everyone.label[everyone.player == wanted]).all()
    assert set(found.player) == {read_manifest(tmp_path / "b").players.index("p2")}


def test_hands_of_one_deal_are_on_one_side_and_counted(tmp_path: Path) -> None:
    def twice(lines: list[str]) -> list[str]:  # the same cards, with other players in the seats, of all hands but five
        hands = [line for line in lines if line.startswith("STATE")]
        return [*hands, *(line.replace("p1", "x").replace("p2", "p1").replace("x", "p2") for line in hands[5:])]

    log = changed(LIMIT, tmp_path / "twice.log", twice)
    found = converted(tmp_path / "out", log, test_share=0.5)
    manifest = read_manifest(tmp_path / "out")
    assert (manifest.hands, manifest.same_deal, manifest.repeated) == (31, 13, 0)
    sides: dict[int, set[bool]] = {}
    for deal, side in zip(found.deal.tolist(), found.test.tolist(), strict=True):
        sides.setdefault(deal, set()).add(side)
    assert len(sides) == 18
    assert all(len(side) == 1 for side in sides.values())
    assert {True} in sides.values()
    assert {False} in sides.values()


def test_a_hand_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    log = changed(LIMIT, tmp_path / "again.log", lambda lines: [*lines, *lines])
    converted(tmp_path / "out", log)
    manifest = read_manifest(tmp_path / "out")
    assert (manifest.hands, manifest.repeated) == (18, 18)


def test_the_same_cards_played_alike_again_are_hands_of_their_own(tmp_path: Path) -> None:
    record = tmp_path / "kuhn.jsonl"
    cardai.play("kuhn", ["random", "random"], games=400, seed=1, record=record)
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    alike = [tuple(map(str, map(hand.get, ("seats", "deck", "actions")))) for hand in map(json.loads, lines[1:])]
    assert len(set(alike)) <= 60  # six deals, five ways to play each, two seatings
    found = converted(tmp_path / "out", record)
    manifest = read_manifest(tmp_path / "out")
    assert (manifest.hands, manifest.repeated) == (400, 0)
    assert len(found) == sum(len(json.loads(line)["actions"]) for line in lines[1:])
    again = tmp_path / "again.jsonl"
    again.write_text("".join([*lines, *lines[1:]]), encoding="utf-8")
    converted(tmp_path / "twice", again)
    manifest = read_manifest(tmp_path / "twice")
    assert (manifest.hands, manifest.repeated) == (400, 400)


def test_hands_of_two_matches_are_their_own_though_logs_count_each_from_0(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    series = Series("leduc.limit.2p", ("always_call", "always_raise"), 60, tuple(range(8)))
    for seats, match in series.matches():
        play_agents(series, match, seats, logs)
    # six cards, and both players play each deal in one way
    hands = [line.partition(":")[2] for log in sorted(logs.iterdir()) for line in log.read_text().splitlines()]
    assert len({hand for hand in hands if hand[:1].isdigit()}) < 16 * 60 - 10
    converted(tmp_path / "out", *sorted(logs.iterdir()))
    manifest = read_manifest(tmp_path / "out")
    assert (manifest.hands, manifest.repeated) == (16 * 60, 0)
    whole = tmp_path / "whole.log"  # one behind the other, and one of them there alone too
    whole.write_text("".join(log.read_text() for log in sorted(logs.iterdir())), encoding="utf-8")
    converted(tmp_path / "twice", whole, logs / "1-0.seed3.log")
    manifest = read_manifest(tmp_path / "twice")
    assert (manifest.hands, manifest.repeated) == (16 * 60, 60)


def test_the_share_held_out_is_that_which_was_asked_for() -> None:
    deals = np.arange(20_000, dtype=np.uint64)
    # five standard deviations of a binomial share of 20,000
    assert abs(held_out(deals, 0.25, 1).mean() - 0.25) < 5 * (0.25 * 0.75 / 20_000) ** 0.5
    assert (held_out(deals, 0.25, 1) != held_out(deals, 0.25, 2)).any()
    assert not held_out(deals, 0.0, 1).any()
    assert held_out(deals, 1.0, 1).all()


def test_a_bad_hand_costs_that_hand_and_is_counted(tmp_path: Path) -> None:
    def spoil(lines: list[str]) -> list[str]:
        hands = [line for line in lines if line.startswith("STATE")]
        fields = hands[1].split(":")
        wrong_value = ":".join([*fields[:4], "990|-990", fields[5]])
        fields = hands[2].split(":")
        illegal = ":".join([*fields[:2], "fc", *fields[3:]])
        return [hands[0], wrong_value, illegal, "STATE:nonsense\n", *hands[3:-1], hands[-1][:40]]

    log = changed(LIMIT, tmp_path / "spoilt.log", spoil)
    told: list[str] = []
    found = converted(tmp_path / "out", log, problem=told.append)
    manifest = read_manifest(tmp_path / "out")
    assert (manifest.hands, manifest.left_out, len(told)) == (15, 4, 4)  # of 18, and a line of nonsense
    assert any("cut off" in text for text in told)
    assert found.hand.max() == manifest.hands - 1


def test_a_record_whose_result_is_not_what_its_cards_give_is_left_out(tmp_path: Path) -> None:
    file = read_hands(LIMIT)
    path = tmp_path / "match.jsonl"
    spoilt = [json.loads(json.dumps(record)) for record in file.hands]
    spoilt[3]["returns"] = [value + 1 for value in spoilt[3]["returns"]]
    spoilt[4]["actions"] = spoilt[4]["actions"][:-1]
    spoilt[5]["actions"] = [*spoilt[5]["actions"], 1]
    spoilt[6]["deck"][1] = spoilt[6]["deck"][0]
    path.write_bytes(b"".join([records.header_line(file.header), *map(records.record_line, spoilt)]))
    told: list[str] = []
    convert([str(path)], stream_hands, tmp_path / "out", Settings(problem=told.append))
    assert read_manifest(tmp_path / "out").left_out == 4
    for words in ("by its cards", "not over", "after its end", "twice"):
        assert sum(words in text for text in told) == 1, words


def test_what_cannot_be_learned_from_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UsageError, match=r"The player 'nobody' is not in .*Known: p1, p2"):
        convert([str(LIMIT)], stream_hands, out, Settings(players=["nobody"]))
    with pytest.raises(UsageError, match=r"is of the game holdem_nolimit, .* of holdem_limit"):
        convert([str(LIMIT), str(NO_LIMIT)], stream_hands, out)
    empty = changed(LIMIT, tmp_path / "bad.log", lambda lines: [line[:30] + "\n" for line in lines if line[0] == "S"])
    with pytest.raises(DamagedFileError, match=r"There is no hand in .*bad\.log"):
        convert([str(empty)], stream_hands, out)
    assert not out.exists()
    out.mkdir()
    (out / "mine").write_text("kept")
    with pytest.raises(UsageError, match="not empty"):
        convert([str(LIMIT)], stream_hands, out)
    assert (out / "mine").read_text() == "kept"


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with DirectoryLock(out):
        (out / "examples-00000.npz").write_text("another one's")
        with pytest.raises(UsageError, match=r"Examples are being written to .*out by another process \(\d+\)"):
            convert([str(LIMIT)], stream_hands, out)
        assert (out / "examples-00000.npz").read_text() == "another one's"
    convert([str(LIMIT)], stream_hands, out)
    assert sorted(p.name for p in out.iterdir()) == ["examples-00000.npz", "manifest.json"]


@pytest.mark.parametrize("place", ["between files", "in a file", "at once"])
def test_ctrl_c_keeps_what_was_read_and_says_so(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "BATCH", 4)
    opened: list[str] = []

    @contextmanager
    def stopping(source: str) -> Iterator[Any]:
        if place == "at once" or (place == "between files" and opened):
            raise KeyboardInterrupt
        opened.append(source)
        with stream_hands(source) as stream:
            hands = chain(islice(stream.hands, 8), map(interrupt, [0])) if place == "in a file" else stream.hands
            yield HandStream(stream.name, stream.game, stream.agents, hands)

    def interrupt(_: int) -> Any:
        raise KeyboardInterrupt

    out, again = tmp_path / "out", changed(LIMIT, tmp_path / "again.log", lambda lines: lines)
    if place == "at once":
        with pytest.raises(KeyboardInterrupt):
            convert([str(LIMIT), str(again)], stopping, out)
        assert not out.exists()
        return
    manifest = convert([str(LIMIT), str(again)], stopping, out, Settings(players=["p1"]))
    assert manifest.interrupted
    assert manifest.hands == {"between files": 18, "in a file": 8}[place]
    assert read_manifest(out) == manifest
    assert len(read_examples(out, make.game(manifest.game))[1]) == manifest.examples > 0


def test_examples_of_another_game_and_damaged_shards_are_refused_by_name(tmp_path: Path) -> None:
    out = tmp_path / "out"
    converted(out, LIMIT)
    with pytest.raises(UsageError, match="are of holdem_limit, not of leduc"):
        read_examples(out, make.game("leduc"))
    with pytest.raises(UsageError, match="There are no examples"):
        read_examples(tmp_path, make.game("leduc"))
    shard = out / "examples-00000.npz"
    shard.write_bytes(shard.read_bytes()[:2000])
    with pytest.raises(DamagedFileError, match=r"examples-00000\.npz"):
        read_examples(out, make.game("holdem_limit"))


@pytest.mark.parametrize(("field", "value"), [("view_hole", 52), ("view_board", 127), ("view_history", -2)])
def test_views_that_no_hand_has_are_refused_by_field(field: str, value: int, tmp_path: Path) -> None:
    """An encoder takes a card for a place in memory, and does not look whether it is there."""
    converted(tmp_path, LIMIT)
    with np.load(tmp_path / "examples-00000.npz") as held:
        arrays = {name: held[name] for name in held.files}
    arrays[field][-1] = value
    np.savez(tmp_path / "examples-00000.npz", **arrays)
    with pytest.raises(DamagedFileError, match=f"in '{field[5:]}' what no view of the game does"):
        read_examples(tmp_path, make.game("holdem_limit"))


def test_a_directory_is_the_files_of_hands_in_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.log", "deep/a.jsonl", "c.txt"):
        (tmp_path / name).write_text("")
    assert sources(str(tmp_path)) == [str(tmp_path / "b.log"), str(tmp_path / "deep" / "a.jsonl")]
    with pytest.raises(UsageError, match="no files of hands"):
        sources(str(make_empty(tmp_path)))
    assert sources("x.log") == ["x.log"]


def make_empty(path: Path) -> Path:
    (path / "empty").mkdir()
    return path / "empty"


@pytest.mark.parametrize("name", ["2p.limit.seed0", "2p.nolimit.seed0", "slumbot", "deepstack"])
def test_a_streamed_file_gives_the_same_records_as_one_read_whole(name: str) -> None:
    whole = read_hands(DATA / f"{name}.log")
    with stream_hands(DATA / f"{name}.log") as opened:
        hands = list(opened.hands)
    assert opened.game == whole.header["game"]
    assert len(hands) == len(read_log(DATA / f"{name}.log").hands)
    for one, other in zip(hands, whole.hands, strict=True):
        assert isinstance(one, dict)
        named = [opened.agents[k] for k in one["seats"]]
        assert named == [whole.header["agents"][k] for k in other["seats"]]
        assert {**one, "seats": 0} == {**other, "seats": 0}


def test_a_logs_game_is_told_by_the_first_hand_with_a_raise(tmp_path: Path) -> None:
    def calls_first(lines: list[str]) -> list[str]:
        hands = [line for line in lines if line.startswith("STATE")]
        return ["STATE:7:cc/cc/cc/cc:AsKs|AdKd/2c3d4h/5s/9c:0|0:p1|p2\n", *hands]

    log = changed(LIMIT, tmp_path / "bare.log", calls_first)
    assert read_hands(log).header["game"] == "holdem_limit"
    with stream_hands(log) as opened:
        assert opened.game == "holdem_limit"
        assert len(list(opened.hands)) == 19
