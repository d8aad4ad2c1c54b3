"""Tournaments keep every finished group and go on from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cardai
from cardai.arena import tournament
from cardai.core import registry
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.locks import DirectoryLock
from tests.support import WAITS, interrupted

AGENTS = ["random", "always_call", "always_raise"]


def cells(standings: tournament.Standings) -> list[float]:
    """Return every mean and half-width in a row."""
    return [
        number
        for i in range(3)
        for j in range(3)
        if i != j and (cell := standings.cell(i, j)) is not None
        for number in (cell.mean, cell.half_width)
    ]


INTERRUPTED = """
import sys
from cardai.arena import tournament
from cardai.core import registry

tournament._SAVE_SECONDS = 0.0
plugin, out, *agents = sys.argv[1:]
registry.add_file(plugin)
standings = tournament.play_pairings("leduc", agents, games=400, seed=5, out=out)
print(standings.interrupted)
"""


def test_a_directory_is_written_by_one_tournament_at_a_time(tmp_path: Path) -> None:
    with DirectoryLock(tmp_path / "t"), pytest.raises(UsageError, match="is being played by another process"):
        tournament.play_pairings("leduc", ["random", "always_call"], games=10, out=tmp_path / "t")
    tournament.play_pairings("leduc", ["random", "always_call"], games=10, out=tmp_path / "t")
    tournament.play_pairings("leduc", ["random", "always_call"], games=20, out=tmp_path / "t", resume=True)


def test_interrupted_and_resumed_equals_played_at_once(tmp_path: Path) -> None:
    begun, plugin, out = tmp_path / "begun", tmp_path / "waits.py", tmp_path / "t"
    plugin.write_text(WAITS)
    # it makes two or three decisions a game: the 1,200th falls in the second pairing of 400 games, or before its end
    agents = [f"waits:at=1200,file={begun}", "always_call", "random"]
    called = interrupted("-c", INTERRUPTED, plugin, out, *agents, when=begun)
    assert (called.returncode, called.stdout) == (0, "True\n"), called.stderr
    kept = tournament.saved(out, agents)
    assert kept is not None
    assert 200 <= sum(map(len, kept.pairings.values())) < 600
    registry.add_file(str(plugin))
    again = tournament.play_pairings("leduc", agents, games=400, seed=5, out=out, resume=True)
    assert not again.interrupted
    assert cells(again) == cells(tournament.play_pairings("leduc", agents, games=400, seed=5))
    assert [len(pairing) for pairing in again.pairings.values()] == [200, 200, 200]


def test_games_of_a_run_that_was_trained_further_are_not_its_own(tmp_path: Path) -> None:
    run = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "run")
    agents, out = [str(run.path), "random"], tmp_path / "t"
    first = tournament.play_pairings("kuhn", agents, games=4, seed=5, out=out)
    again = tournament.play_pairings("kuhn", agents, games=8, seed=5, out=out, resume=True)
    assert (len(first.pairings[0, 1]), len(again.pairings[0, 1])) == (2, 4)
    run.train(steps=9)
    with pytest.raises(UsageError, match=r"was played by .*run at step 1, and .*run is at step 9 now"):
        tournament.play_pairings("kuhn", agents, games=8, seed=5, out=out, resume=True)
    read = tournament.saved(out, agents)  # what was played can still be looked at
    assert read is not None
    assert read.cell(0, 1) == again.cell(0, 1)


def test_whether_a_run_was_trained_further_is_looked_up_once_a_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("cardai.make.step_now", lambda name: asked.append(name) or -1)
    tournament.play_pairings("leduc", AGENTS, games=4, seed=5, out=tmp_path / "t")
    assert sorted(asked) == sorted(AGENTS)


def test_what_is_saved_can_be_read_without_playing(tmp_path: Path) -> None:
    assert tournament.saved(tmp_path / "t", AGENTS) is None
    played = tournament.play_pairings("leduc", AGENTS[:2], games=40, seed=5, out=tmp_path / "t")
    read = tournament.saved(tmp_path / "t", AGENTS)
    assert read is not None
    assert read.games == 40
    assert read.cell(0, 1) == played.cell(0, 1)
    assert read.cell(0, 2) is None
    assert tournament.saved(tmp_path / "t", AGENTS[1:]) is None


def test_rows_and_columns_mirror_each_other() -> None:
    standings = tournament.play_pairings("leduc", AGENTS, games=100, seed=1)
    for i in range(3):
        assert standings.cell(i, i) is None
        for j in range(i):
            one, other = standings.cell(i, j), standings.cell(j, i)
            assert one is not None
            assert other is not None
            assert one.mean == pytest.approx(-other.mean)
    gauntlet = tournament.play_pairings("leduc", AGENTS, games=100, seed=1, form="gauntlet")
    assert gauntlet.cell(1, 2) is None
    assert gauntlet.cell(0, 1) == standings.cell(0, 1)


def test_a_directory_is_not_taken_over(tmp_path: Path) -> None:
    tournament.play_pairings("leduc", AGENTS[:2], games=20, out=tmp_path / "t")
    with pytest.raises(UsageError, match="Add --resume"):
        tournament.play_pairings("leduc", AGENTS[:2], games=20, out=tmp_path / "t")
    with pytest.raises(UsageError, match="was played with seed 0, not 1"):
        tournament.play_pairings("leduc", AGENTS[:2], games=20, seed=1, out=tmp_path / "t", resume=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    with pytest.raises(UsageError, match="is not empty and holds no tournament"):
        tournament.play_pairings("leduc", AGENTS[:2], games=20, out=tmp_path / "other")


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(UsageError, match="at least two agents, each once"):
        tournament.play_pairings("leduc", ["random", "random"], games=20)
    with pytest.raises(UsageError, match="needs a game for two"):
        tournament.play_pairings("video_poker", ["random", "video_perfect"], games=20)
    with pytest.raises(UsageError, match="multiple of 2"):
        tournament.play_pairings("leduc", AGENTS, games=21)


def test_in_games_that_are_won_two_cells_make_one() -> None:
    standings = tournament.play_pairings("gin:target=20", ["simple", "random"], games=20, seed=1)
    one, other = standings.cell(0, 1), standings.cell(1, 0)
    assert one is not None
    assert other is not None
    assert one.mean > 0.5
    assert other.mean == pytest.approx(1 - one.mean)
    assert (other.half_width, other.count) == (one.half_width, one.count) == (one.half_width, 10)
    assert standings.row_mean(1) == other.mean


def test_every_pairing_has_its_own_decks() -> None:
    callers = ["always", "always_call", "always:action=call"]  # one player under three names: cards alone decide
    played = tournament.play_pairings("leduc", callers, games=40, seed=3, duplicate=False).pairings
    assert len({pairing.rows.read()["returns"].tobytes() for pairing in played.values()}) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": 5}, "game must be a text"),
        ({"seed": "x"}, "seed must be a whole number"),
        ({"duplicate": 1}, "duplicate must be true or false"),
        ({"game": None}, "game must be a text"),
    ],
)
def test_a_tournament_json_of_wrong_values_is_refused_by_name(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    tournament.play_pairings("leduc", AGENTS[:2], games=4, out=tmp_path / "t")
    file = tmp_path / "t" / "tournament.json"
    good = json.loads(file.read_text())
    file.write_text(json.dumps({**good, **change}))
    with pytest.raises(DamagedFileError, match=f"tournament.json is damaged or foreign: {said}"):
        tournament.saved(tmp_path / "t", AGENTS[:2])
    with pytest.raises(DamagedFileError, match=said):
        tournament.play_pairings("leduc", AGENTS[:2], games=4, out=tmp_path / "t", resume=True)
    file.write_text(json.dumps({key: value for key, value in good.items() if key not in change}))
    with pytest.raises(DamagedFileError, match="it lacks"):
        tournament.saved(tmp_path / "t", AGENTS[:2])
