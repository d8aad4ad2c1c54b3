"""What a tournament's directory keeps: piece after piece, older files too, and nothing that games cannot give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.arena import tournament, tournament_store
from cardai.arena.pairing import Pairing
from cardai.core.errors import DamagedFileError, UsageError

AGENTS = ["random", "always_call"]


def played(out: Path, games: int = 40, **more: Any) -> tournament.Standings:
    return tournament.play_pairings("leduc", AGENTS, games=games, seed=5, out=out, **more)


def file_of(out: Path) -> Path:
    (file,) = out.glob("*.jsonl")
    return file


def told(standings: tournament.Standings | None) -> bytes:
    assert standings is not None
    rows = standings.pairings[0, 1].rows.read()
    return rows[np.argsort(rows["groups"])].tobytes()


def test_what_is_played_later_is_written_behind_what_was(tmp_path: Path) -> None:
    out = tmp_path / "t"
    played(out)
    before = file_of(out).read_bytes()
    more = played(out, 60, resume=True)
    after = file_of(out).read_bytes()
    assert after.startswith(before)
    assert len(after) > len(before)
    assert told(more) == told(played(tmp_path / "whole", 60)) == told(tournament.saved(out, AGENTS))


def test_cut_off_anywhere_no_more_is_lost_than_the_last_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_store, "_GROUPS", 4)
    monkeypatch.setattr(tournament, "_SAVE_SECONDS", 1e9)
    whole = played(tmp_path / "t", 24)
    file = file_of(tmp_path / "t")
    data = file.read_bytes()
    ends = np.cumsum([len(line) for line in data.splitlines(keepends=True)])
    for at in [0, 5, *(end + off for end in ends for off in (-1, 0, 1) if end + off < len(data))]:
        file.write_bytes(data[:at])
        held = tournament.saved(tmp_path / "t", AGENTS)
        pieces = max(0, int((ends <= at).sum()) - 1)
        assert (0 if held is None else len(held.pairings[0, 1])) == 4 * pieces
        assert told(played(tmp_path / "t", 24, resume=True)) == told(whole)
        assert tournament.saved(tmp_path / "t", AGENTS) is not None
        assert all(json.loads(line) for line in file.read_text().splitlines())


def test_older_files_are_read_and_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "t"
    rows = played(out).pairings[0, 1].rows.read()
    file = file_of(out)
    np.savez(file.with_suffix(".npz"), **{name: rows[name] for name in tournament_store.COLUMNS})
    file.unlink()
    assert len(tournament.saved(out, AGENTS).pairings[0, 1]) == 20  # type: ignore[union-attr]
    more = played(out, 60, resume=True)
    assert told(more) == told(played(tmp_path / "whole", 60)) == told(tournament.saved(out, AGENTS))
    file.with_suffix(".npz").write_bytes(b"half a fi")
    with pytest.raises(DamagedFileError, match=r"npz \(random - always_call\) is damaged.* Delete it to play it anew"):
        played(out, 60, resume=True)


def test_figures_do_not_tell_in_which_order_games_came() -> None:
    rng = np.random.default_rng(1)
    columns = {"groups": np.arange(999), "hands": np.full(999, 2), "wins": rng.random(999), "returns": rng.random(999)}
    found = []
    for order in (np.arange(999), rng.permutation(999), np.arange(999)[::-1]):
        pairing = Pairing("a", "b")
        pairing.take({name: column[order] for name, column in columns.items()})
        found.append(repr((pairing.win_rate(), pairing.mean_return())))
    assert len(set(found)) == 1


def test_an_unfinished_file_beside_does_not_stop_a_tournament(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / ".tournament.json.00.part").write_text("{")
    assert len(played(tmp_path / "t").pairings[0, 1]) == 20
    (tmp_path / "u").write_text("")
    with pytest.raises(UsageError, match="is no directory"):
        played(tmp_path / "u")


@pytest.mark.parametrize(
    "change",
    [
        {"wins": [0.5, 1.5]},
        {"wins": [0.5, float("nan")]},
        {"returns": [float("inf"), 0.0]},
        {"hands": [0, 2]},
        {"groups": [1, 1]},
        {"groups": [-1, 0]},
        {"hands": [2, 2, 2]},
        {"hands": [2.0, 2.0]},
        {"groups": None},
        {"groups": 7},
    ],
)
def test_numbers_that_no_games_give_are_refused_by_line(change: dict[str, Any], tmp_path: Path) -> None:
    played(tmp_path / "t", 4)
    file = file_of(tmp_path / "t")
    head, line = file.read_text().splitlines()
    file.write_text(f"{head}\n{json.dumps({**json.loads(line), **change})}\n")
    said = r"\(random - always_call\) is damaged: line 2: .* Delete the line to play its games anew"
    with pytest.raises(DamagedFileError, match=said):
        tournament.saved(tmp_path / "t", AGENTS)
    file.write_text(f"{head}\n{line}\n{line}\n")
    with pytest.raises(DamagedFileError, match="a deal is in it twice"):
        played(tmp_path / "t", 4, resume=True)
    file.write_text(f"{line}\n{line}\n")
    with pytest.raises(DamagedFileError, match=r"line 1: It is damaged or foreign: it lacks 'first'.* Delete it"):
        played(tmp_path / "t", 4, resume=True)
