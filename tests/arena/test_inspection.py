"""What ``cardai inspect`` says of a path: what it names, needs and holds; nothing is made."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cardai.arena.inspection import as_plain, inspect
from cardai.arena.table import Table
from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.core.files import file_digest, write_json
from cardai.testing._trust import STARTS, heard
from cardai.training.runs import Run
from cardai.training.sweeps import Sweep
from tests.training.test_foreign_runs import forged


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return Run.create(tmp_path / "run", "cfr_plus", "kuhn", None, seed=0).path


def test_a_run_says_its_specs_files_hashes_and_nothing_needed(run: Path) -> None:
    found = inspect(run)
    assert found.what == "a trained run"
    assert [(n.place, n.kind, n.spec.partition(":")[0]) for n in found.named] == [
        ("trainer", "trainer", "cfr_plus"),
        ("game", "game", "kuhn"),
    ]
    assert not any(named.needs or named.unknown for named in found.named)
    assert [(f.name, f.sha256) for f in found.files] == [("run.json", file_digest(run / "run.json"))]
    assert found.said["seed"] == 0
    json.dumps(as_plain(found))


def test_what_a_stranger_s_files_need_is_said_and_nothing_is_made_or_started(run: Path, tmp_path: Path) -> None:
    forged(run, trainer='poker_cnn_betting:teachers="\\u0070rogram:command=\\"touch x\\""', game="nowhere")
    (run / "gone").symlink_to("/etc/passwd")
    (run / "setup.py").write_text("raise SystemExit")
    (run / "broken.json").write_text("{")
    with heard() as events:
        found = inspect(run)
    assert not [event for event in events if event[0] in STARTS or event[1].startswith("/etc/passwd")]
    assert "starts a program" in str(found.named[0].needs[0])
    assert not found.named[0].allowed
    assert "no game named 'nowhere'" in found.named[1].unknown
    assert [(link.name, link.link, link.sha256) for link in found.links] == [("gone", "/etc/passwd", "")]
    assert found.code == ("setup.py",)
    assert "broken.json" in found.damaged[0]


def test_records_sweeps_tournaments_situations_and_packages_are_known(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    with Table("leduc", [None, "random"], seed=3, save=file) as table:
        table.act(1)
    record = inspect(file)
    assert record.what == "a record"
    assert [(n.place, n.spec) for n in record.named] == [
        ("game", "leduc"),
        ("agents[0]", "human"),
        ("agents[1]", "random"),
    ]
    sweep = Sweep.begin(tmp_path / "s", "cfr_plus", "kuhn", None, {"delay": ["0", "1"]}, [0], 4, None)
    values = json.loads((sweep.path / "sweep.json").read_text())
    values |= {"trainer": "poker_cnn_betting", "options": {"league": ["program"]}}
    write_json(sweep.path / "sweep.json", values)
    found = inspect(sweep.path)
    assert found.what == "a sweep"
    assert any(n.place == "options.league" and n.needs for n in found.named)
    situations = tmp_path / "situations"
    situations.mkdir()
    write_json(situations / "situations.json", {"recipe": {"game": "leduc", "player": "/elsewhere/run"}})
    found = inspect(situations)
    assert found.what == "solved situations"
    assert [(n.place, bool(n.needs)) for n in found.named] == [("recipe.game", False), ("recipe.player", True)]
    (tmp_path / "code.py").touch()
    assert inspect(tmp_path).what == "a package with 1 trained run"
    (run.parent / "s" / "a.json").write_text('{"unit": "chips"}')
    assert inspect(run.parent / "s").said["seeds"] == [0]


def test_every_player_in_the_box_needs_nothing_to_be_allowed() -> None:
    box = Path(__file__).parents[2] / "players" / "cardai_players"
    found = inspect(box)
    assert found.what.endswith("trained runs")
    played = [n for n in found.named if n.kind == "trainer"]
    assert len(played) == len(list(box.glob("*/run/run.json")))
    for directory in box.glob("*/run"):
        registry.rebuild("trainer", Run.open(directory).trainer_spec, "play")


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is nothing at"):
        inspect(tmp_path / "none")


def test_specs_in_lists_and_deep_in_a_file_are_shown_and_what_only_a_beginning_opens(run: Path) -> None:
    deep: object = {"agents": [["/elsewhere/run"]]}
    for _ in range(9):
        deep = {"more": [deep]}
    write_json(run / "deep.json", deep)
    forged(run, trainer="poker_cnn_betting:warm_start=/elsewhere/run")
    needed = {named.file: [str(need) for need in named.needs] for named in inspect(run).named if named.needs}
    assert len(needed.pop("deep.json")) == 1
    assert "warm_start: the path '/elsewhere/run'" in needed.pop("run.json")[0]
    (run / "checkpoints" / "step-000000000001").mkdir()
    (run / "checkpoints" / "step-000000000001" / "weights").touch()
    assert not [named for named in inspect(run).named if named.needs and named.file == "run.json"]


def test_what_cannot_be_read_is_said(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run / "hidden").mkdir()
    (run / "shut.json").write_text("{}")
    scandir, lstat = os.scandir, Path.lstat

    def refuse(path: object) -> None:
        if str(path).endswith(("hidden", "shut.json")):
            raise PermissionError(13, "Permission denied", str(path))

    def scanning(path: str = ".") -> object:
        refuse(path)
        return scandir(path)

    def looking(path: Path) -> os.stat_result:
        refuse(path)
        return lstat(path)

    monkeypatch.setattr(os, "scandir", scanning)
    monkeypatch.setattr(Path, "lstat", looking)
    assert [file.name for file in inspect(run).unreadable] == ["shut.json", "hidden"]


def test_a_review_and_a_library_are_called_by_their_names_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"cardai":"review","format":1,"setting":{"game":"program:command=x"}}\n')
    os.mkfifo(tmp_path / "p.jsonl")
    (tmp_path / "lib/spots/a").mkdir(parents=True)
    (tmp_path / "lib/spots/a/spot.json").write_text("{}")
    with (tmp_path / "holes").open("wb") as file:
        file.truncate(1 << 40)  # on the disk it takes nothing
    assert [one.name for one in inspect(tmp_path / "holes").unreadable] == ["holes"]
    found = [inspect(tmp_path / name) for name in ("r.jsonl", "p.jsonl", "lib")]
    assert [one.what for one in found] == ["a review", "a file", "a library of spots"]
    assert not any(one.named or one.damaged for one in found[:2])
