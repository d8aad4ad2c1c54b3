"""run, tournament and the person at the keyboard."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import cardai as package
from cardai.arena import match
from cardai.core import registry
from cardai.training import runs
from tests.commands.conftest import Call
from tests.support import WAITS, interrupted

KUHN = ("--game", "kuhn", "--agent", "highest", "--vs", "lowest")


def test_run_reports_both_players_and_how_to_play_it_again(cardai: Call, bots: str) -> None:
    called = cardai("run", *KUHN, "--plugin", bots, "-n", "200")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0] == "highest against lowest: 200 games, each of 100 deals played in every seat."
    assert any(line.startswith("mean return a hand") and "+1.00 ± 0.00 chips" in line for line in lines)
    assert any(line.startswith("games won") and "100.0 ± 3.7 %" in line for line in lines)
    assert any("games a second" in line for line in lines)
    again = f"cardai run --game kuhn --agent highest --vs lowest --games 200 --seed 0 --plugin {bots}"
    assert lines[-1] == f"Again: {again}"


def test_a_clone_on_duplicate_deals_scores_exactly_even(cardai: Call, bots: str) -> None:
    result = json.loads(
        cardai("run", "-g", "kuhn", "-a", "highest", "--vs", "highest", "--plugin", bots, "-n", "100", "--json").out
    )
    assert result["players"][0]["mean_return"] == {"mean": 0.0, "low": 0.0, "high": 0.0, "count": 50}


def test_json_stands_alone_on_stdout_and_quiet_silences_the_rest(cardai: Call, bots: str, tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    called = cardai("--json", "run", *KUHN, "--plugin", bots, "-n", "10", "--record", file, "--seed", "4", "--quiet")
    result = json.loads(called.out)
    assert called.err == ""
    assert (result["games"], result["hands"], result["seed"]) == (10, 10, 4)
    assert file.read_text().count("\n") == 11  # a header and ten hands


def test_no_duplicate_plays_new_cards_every_game(cardai: Call, bots: str) -> None:
    called = cardai("run", *KUHN, "--plugin", bots, "-n", "51", "--no-duplicate", "--json")
    result = json.loads(called.out)
    assert result["games"] == 51
    assert result["players"][0]["mean_return"]["count"] == 51
    assert "--no-duplicate" in result["command"]


def test_the_default_number_of_games_is_1000_or_as_few_more_as_seats_need(cardai: Call, bots: str) -> None:
    assert json.loads(cardai("run", *KUHN, "--plugin", bots, "--json").out)["games"] == 1000
    three = ("-g", "leduc:players=3", "-a", "always_call", "-v", "always_fold", "-v", "always_raise", "--json")
    assert json.loads(cardai("run", *three).out)["games"] == 1002
    assert json.loads(cardai("run", *three, "--no-duplicate").out)["games"] == 1000


def test_compiling_is_announced_once_when_it_happens(cardai: Call, bots: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core import event

    whole, rules = match.play, SimpleNamespace(py_func=len, _cache=None)

    def compiles(*arguments: Any, **rest: Any) -> match.MatchResult:
        for _ in range(2):
            with event.trigger_event("numba:compile", data={"dispatcher": rules, "args": ()}):
                pass
        return whole(*arguments, **rest)

    monkeypatch.setattr(match, "play", compiles)
    assert cardai("run", *KUHN, "--plugin", bots, "-n", "2").err.count("Compiling the rules") == 1
    assert cardai("run", *KUHN, "--plugin", bots, "-n", "2", "--quiet").err == ""


@pytest.fixture
def waits(tmp_path: Path) -> tuple[str, str, Path]:
    """Return a plugin file, a player in it that waits at its 5,000th decision, and the file that says so."""
    file, begun = tmp_path / "waits.py", tmp_path / "begun"
    file.write_text(WAITS)
    return str(file), "waits:at=5000,file=begun", begun


@pytest.mark.long
def test_ctrl_c_shows_and_records_what_was_finished_and_ends_with_130(
    bots: str, waits: tuple[str, str, Path], tmp_path: Path
) -> None:
    plugin, player, begun = waits
    record = tmp_path / "hands.jsonl"
    game = ("--game", "kuhn", "--agent", player, "--vs", "lowest", "--plugin", bots, "--plugin", plugin, "-n", "10000")
    called = interrupted("-m", "cardai", "run", *game, "--record", record, when=begun)
    assert called.returncode == 130
    stopped = re.search(r"^Stopped after ([0-9,]+) of 10,000 games\.$", called.stdout, re.MULTILINE)
    assert stopped, called.stdout
    games = int(stopped[1].replace(",", ""))
    assert 0 < games < 10_000
    hands = [json.loads(line) for line in record.read_text().splitlines()[1:]]
    assert [hand["game_number"] for hand in hands] == list(range(games))  # whole pairs of deals, none left out
    assert games % 2 == 0
    assert "+1.00 ± 0.00 chips" in called.stdout
    assert called.stderr.endswith("cardai: interrupted\n")
    assert "Traceback" not in called.stderr


def test_a_tournament_prints_the_crosstable_best_first(cardai: Call, bots: str) -> None:
    called = cardai("tournament", "-g", "kuhn", "-a", "lowest", "-a", "highest", "--plugin", bots, "-n", "40")
    assert called.code == 0
    rows = [line.split() for line in called.out.splitlines()]
    assert ["1", "2", "mean"] in rows
    assert ["1", "highest", "-", "+1.00", "±", "0.00", "+1"] in rows
    assert ["2", "lowest", "-1.00", "±", "0.00", "-", "-1"] in rows
    assert "1 pairing, 40 hands." in called.out


def test_a_tournaments_ratings_stand_below_the_crosstable_and_in_json(cardai: Call, bots: str) -> None:
    call = ("tournament", "-g", "kuhn", "-a", "lowest", "-a", "highest", "-a", "random", "--plugin", bots, "-n", "40")
    called = cardai(*call)
    below = called.out.partition("pairings,")[2]
    assert "Elo" in below
    assert "alpha-rank" in below
    found = json.loads(cardai(*call, "--json").out)["ratings"]
    assert sum(one["mean"] for one in found["elo"].values()) == pytest.approx(0, abs=1e-6)
    assert sum(one["mean"] for one in found["alpha_rank"].values()) == pytest.approx(1)
    gauntlet = json.loads(cardai(*call, "--json", "--format", "gauntlet").out)["ratings"]
    assert set(gauntlet["alpha_rank"].values()) == {None}
    assert all(one["low"] < one["mean"] < one["high"] for one in gauntlet["elo"].values())


@pytest.mark.long
def test_a_tournament_is_saved_and_resumed(cardai: Call, bots: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = ("tournament", "-g", "kuhn", "-a", "lowest", "-a", "highest", "--plugin", bots, "--out", out)
    assert cardai(*call, "-n", "20").code == 0
    refused = cardai(*call, "-n", "40")
    assert refused.code == 2
    assert "Add --resume to go on with it" in refused.err
    assert "1 pairing, 40 hands." in cardai(*call, "-n", "40", "--resume").out
    saved = json.loads((out / "crosstable.json").read_text())
    assert saved["pairings"][0]["hands"] == 40
    if importlib.util.find_spec("matplotlib"):
        assert (out / "crosstable.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_an_interrupted_tournament_says_how_to_go_on(
    cardai: Call, bots: str, waits: tuple[str, str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin, player, begun = waits
    first = player.replace("at=5000", "at=1")
    out = tmp_path / "out"
    files = ("--plugin", bots, "--plugin", plugin)
    call = ("tournament", "-g", "kuhn", "-a", "lowest", "-a", first, "--forfeit", *files, "--out", out)
    called = interrupted("-m", "cardai", *call, when=begun)
    assert called.returncode == 130
    assert "Stopped before the end" in called.stdout
    again = (
        f"Go on with: cardai tournament --game kuhn --agent lowest --agent {first} --games 1000 "
        f"--format roundrobin --seed 0 --out {out} --resume --forfeit --plugin {bots} --plugin {plugin}"
    )
    assert again in called.stderr
    assert not (out / "crosstable.png").exists()  # there is nothing to draw yet
    monkeypatch.chdir(tmp_path)
    whole = cardai(*again.removeprefix("Go on with: cardai ").split(), "--json")
    assert whole.code == 0
    assert json.loads(whole.out)["pairings"][0]["hands"] == 1000


def test_a_watcher_in_a_plugin_file_sees_every_hand(cardai: Call, bots: str, tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    watcher = tmp_path / "counter.py"
    watcher.write_text(
        "from pathlib import Path\nfrom cardai import hookimpl\n\n\n@hookimpl\ndef cardai_hands_finished(records):\n"
        f"    with Path({str(seen)!r}).open('a') as file:\n        file.write('x' * len(records))\n"
    )
    assert cardai("run", *KUHN, "--plugin", bots, "--plugin", watcher, "-n", "24").code == 0
    assert len(seen.read_text()) == 24


def test_a_tournaments_log_has_room_for_every_name_and_figure(
    cardai: Call, bots: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    long = [f"mix:fold={share},call={round(0.7 - share, 2)},raises=0.3" for share in (0.1, 0.2, 0.3, 0.4)]
    called = cardai("tournament", "-g", "leduc", *(word for name in long for word in ("-a", name)), "-n", "4")
    rows = [line for line in called.out.splitlines() if "mix:" in line]
    assert [sum(name in row for row in rows) for name in long] == [2, 2, 2, 2]  # in the crosstable and the ratings
    assert [row.count("±") for row in rows] == [3] * 4 + [2] * 4
    assert not any("…" in row for row in rows)


def test_everything_is_built_once_and_a_checkpoint_read_once(
    cardai: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = str(tmp_path / "run")
    assert cardai("train", "--trainer", "cfr_plus", "-g", "leduc", "--out", trained, "--steps", "2").code == 0
    built: list[str] = []
    hashed: list[str] = []
    build, digest = registry.build, runs.file_digest

    def counted(plugin: type, values: Any, called: str) -> Any:
        built.append(called)
        return build(plugin, values, called)

    def counted_digest(path: Path) -> str:
        hashed.append(path.name)
        return digest(path)

    monkeypatch.setattr(registry, "build", counted)
    monkeypatch.setattr(runs, "file_digest", counted_digest)
    own = ["The trainer 'cfr_plus'", "The game 'leduc'"]  # the trained player knows the game that it was trained on
    files = len(list((tmp_path / "run" / "checkpoints").glob("*/[!m]*")))
    assert cardai("run", "-g", "leduc", "-a", trained, "--vs", "mix", "-n", "20").code == 0
    assert sorted(built) == sorted(["The game 'leduc'", *own, "The agent 'mix'"])
    assert len(hashed) == files > 0
    built.clear()
    hashed.clear()
    call = ("tournament", "-g", "leduc", "-a", trained, "-a", "mix", "-a", "random", "-n", "20")
    assert cardai(*call).code == 0
    assert sorted(built) == sorted(["The game 'leduc'", *own, "The agent 'mix'", "The agent 'random'"])
    assert len(hashed) == files


def test_a_record_on_stdout_stands_there_alone_and_everything_else_is_on_stderr(cardai: Call, bots: str) -> None:
    called = cardai("run", *KUHN, "--plugin", bots, "-n", "4", "--record", "-")
    lines = [json.loads(line) for line in called.out.splitlines()]
    assert (lines[0]["cardai"], len(lines)) == ("record", 5)
    assert called.err.startswith("highest against lowest: 4 games")
    called = cardai("run", *KUHN, "--plugin", bots, "-n", "4", "--record", "-", "--json")
    assert len(called.out.splitlines()) == 5
    assert json.loads(called.err)["hands"] == 4
    called = cardai("run", *KUHN, "--plugin", bots, "-n", "4")
    assert called.out.startswith("highest against lowest: 4 games")  # the next call is as ever


def test_a_record_in_a_place_that_cannot_be_is_refused_before_anything_is_played(
    cardai: Call, bots: str, tmp_path: Path
) -> None:
    for place, said in ((tmp_path, "is a directory"), (tmp_path / "no" / "r", "No such file or directory")):
        called = cardai("run", *KUHN, "--plugin", bots, "--record", place)
        assert called.code == 2
        assert said in called.err


@pytest.mark.long
def test_a_heat_map_is_put_in_its_place_whole(cardai: Call, bots: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    call = ("tournament", "-g", "kuhn", "-a", "lowest", "-a", "highest", "--plugin", bots, "-n", "4", "--plot")
    assert cardai(*call, tmp_path / "t.svg").code == 0
    assert "<svg" in (tmp_path / "t.svg").read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    called = cardai(*call, tmp_path / "t.xyz")
    assert called.code == 2
    assert "A picture's name must end in its format" in called.err
    assert called.out == ""  # it is said before anything is played


def test_a_tournament_does_not_take_a_file_for_its_directory(cardai: Call, bots: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("mine")
    called = cardai(
        "tournament", "-g", "kuhn", "-a", "lowest", "-a", "highest", "--plugin", bots, "--out", tmp_path / "t"
    )
    assert (called.code, (tmp_path / "t").read_text()) == (2, "mine")
    assert "is no directory" in called.err


def test_the_command_and_python_write_the_same_record_of_a_game_for_one(cardai: Call, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "command.jsonl", tmp_path / "python.jsonl"
    assert cardai("run", "-g", "video_poker", "-a", "video_heuristic", "-n", "3", "--record", str(ours)).code == 0
    package.play("video_poker", ["video_heuristic"], games=3, seed=0, record=str(theirs))
    assert ours.read_bytes() == theirs.read_bytes()
