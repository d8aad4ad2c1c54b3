"""A run, sweep, tournament or record from somebody else starts nothing, opens nothing outside it, and deletes nothing of others."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cardai
from cardai import make
from cardai.arena.match_journal import MatchJournal
from cardai.arena.saved_table import SavedTable
from cardai.arena.table import Table
from cardai.arena.tournament import play_pairings
from cardai.core import registry
from cardai.core.allowed import trust_all
from cardai.core.errors import CardaiError, DamagedFileError, UntrustedError, UsageError
from cardai.core.files import digest_of, write_json
from cardai.formats.acpc import series
from cardai.learn.imitation import examples
from cardai.poker.ranges import solution
from cardai.poker.values import situation_set
from cardai.training import sweeps
from cardai.training.runs import Run
from cardai.training.session import Session
from cardai.training.sweeps import Sweep

TOY = Path(__file__).parents[1] / "toy_trainer.py"


@pytest.fixture(autouse=True)
def _own_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from cardai.core import allowed as module

    registry.add_file(str(TOY))
    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(module, "_allowed", set())
    yield
    trust_all(False)


def forged(path: Path, **changes: Any) -> Path:
    """Write a run.json that is right in itself, as a stranger can, and give its directory."""
    values = json.loads((path / "run.json").read_text())
    values |= changes
    values["id"] = digest_of({key: value for key, value in values.items() if key != "id"})[:16]
    write_json(path / "run.json", values)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    made = Run.create(tmp_path / "run", "cfr_plus", "kuhn", None, seed=0)
    Session.start(made).train(4)
    return tmp_path / "run"


@pytest.mark.parametrize(
    "trainer",
    [
        'poker_cnn_betting:teachers="\\u0070rogram:command=\\"touch {}\\""',
        'poker_cnn_betting:league=random+"program:command=touch {}"',
        'gin_values:teacher="best_response:to=\\"program:command=\\\\\\"touch {}\\\\\\"\\""',
        'cnn_valuation:teacher="program:command=\\"touch {}\\""',
    ],
)
def test_a_run_that_names_a_program_starts_none_on_resume_nor_when_it_is_played(
    run: Path, tmp_path: Path, trainer: str
) -> None:
    started = tmp_path / "started"
    shutil.rmtree(run / "checkpoints")
    forged(run, trainer=trainer.format(started), game="holdem_limit", encoder="grid")
    with pytest.raises(UntrustedError, match="which starts a program"):
        Session.resume(Run.open(run))
    with pytest.raises(UntrustedError, match="which starts a program"):
        make.agent(str(run)).for_game(make.game("holdem_limit"))
    assert not started.exists()


def test_a_sweep_that_names_a_program_starts_none(tmp_path: Path) -> None:
    begun = Sweep.begin(tmp_path / "s", "cfr_plus", "kuhn", None, {"delay": ["0", "1"]}, [0], 4, None)
    started = tmp_path / "started"
    values = json.loads((begun.path / "sweep.json").read_text())
    values |= {"trainer": "poker_cnn_betting", "game": "holdem_limit", "encoder": "grid"}
    values["options"] = {"teachers": [f'"\\u0070rogram:command=\\"touch {started}\\""']}
    write_json(begun.path / "sweep.json", values)
    with pytest.raises(CardaiError, match="starts a program"):
        list(Sweep.open(begun.path).train())
    assert not started.exists()


def test_a_sweep_cannot_write_outside_its_directory(tmp_path: Path) -> None:
    begun = Sweep.begin(tmp_path / "s", "cfr_plus", "kuhn", None, {"delay": ["0"]}, [0], 4, None)
    values = json.loads((begun.path / "sweep.json").read_text()) | {"trainer": "..", "options": {}}
    write_json(begun.path / "sweep.json", values)
    assert [point.name for point in Sweep.open(begun.path).points()] == ["_/seed-0"]


@pytest.mark.parametrize("linked", ["checkpoints", "checkpoints/step-000000000004", "metrics.jsonl", "events"])
def test_links_in_a_run_are_refused_and_nothing_behind_them_is_deleted(run: Path, tmp_path: Path, linked: str) -> None:
    target = tmp_path / "target"
    if (run / linked).exists():
        shutil.move(run / linked, target)
    else:
        target.mkdir()
    (run / linked).symlink_to(target)
    before = sorted(str(p) for p in target.rglob("*"))
    with pytest.raises(DamagedFileError, match="is a link to"):
        Run.open(run)
    with pytest.raises(DamagedFileError, match="is a link to"):
        cardai.agent(str(run))
    assert sorted(str(p) for p in target.rglob("*")) == before


def test_only_what_carries_the_run_s_id_is_deleted(run: Path) -> None:
    folder = run / "checkpoints"
    other, stray, ours = folder / "step-000000000002", folder / ".step-000000000002.99", folder / "step-000000000003"
    for path in (other, ours):
        shutil.copytree(folder / "step-000000000004", path)
    write_json(other / "manifest.json", json.loads((other / "manifest.json").read_text()) | {"run": "0" * 16})
    stray.mkdir()
    session = Session.resume(Run.open(run))
    session.train(12, checkpoint_every=2)
    assert other.is_dir()
    assert stray.is_dir()
    assert not ours.exists()
    assert Run.open(run).steps()[-2:] == [10, 12]


def test_paths_out_of_a_run_are_refused_and_into_it_are_not(run: Path, tmp_path: Path) -> None:
    shutil.rmtree(run / "checkpoints")
    forged(run, trainer=f"counterfactual_values:situations={tmp_path}/elsewhere", game="holdem_nolimit")
    with pytest.raises(UntrustedError, match="elsewhere"):
        Session.resume(Run.open(run))
    forged(run, trainer=f"counterfactual_values:situations={run}/situations", game="holdem_nolimit")
    with pytest.raises(CardaiError) as caught:
        Session.resume(Run.open(run))
    assert not isinstance(caught.value, UntrustedError)


def test_one_s_own_run_goes_on_with_the_program_that_its_command_named(tmp_path: Path) -> None:
    made = Run.create(
        tmp_path / "own", 'poker_cnn_betting:league="program:command=true"', "holdem_limit", "grid", seed=0
    )
    assert "program" in made.trainer_spec
    Run.open(made.path).trainer("train")
    there = tmp_path / "there"
    shutil.copytree(made.path, there)
    with pytest.raises(UntrustedError):
        Run.open(there).trainer("train")
    trust_all()
    Run.open(there).trainer("train")
    trust_all(False)
    Run.open(there).trainer("train")


def record(path: Path, game: str, agents: list[str]) -> Path:
    with Table("leduc", [None, "random"], seed=3, save=path) as table:
        table.act(1)
    first, *rest = path.read_text().splitlines()
    header = json.loads(first) | {"game": game, "agents": agents}
    path.write_text("\n".join([json.dumps(header), *rest]) + "\n")
    return path


def test_a_record_names_no_program_no_run_and_no_game_that_reads_a_file(tmp_path: Path) -> None:
    for name in ("program:command=true", 'best_response:to="\\u0070rogram:command=true"', "./runs/x", str(tmp_path)):
        saved = SavedTable.read(record(tmp_path / "x.jsonl", "leduc", ["human", name]))
        with pytest.raises(UntrustedError):
            saved.players()
    file = record(tmp_path / "y.jsonl", f'openspiel:name="efg_game(filename={tmp_path}/z)"', ["human", "random"])
    with pytest.raises(UntrustedError, match="'filename'"):
        make.game(SavedTable.read(file).game)


def test_one_s_own_table_goes_on_with_the_run_that_sat_there(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    with Table("kuhn", [None, f"{run}/"], seed=3, save=file):
        pass
    assert SavedTable.read(file).players()[1] is not None
    copied = tmp_path / "copied.jsonl"
    shutil.copy(file, copied)
    with pytest.raises(UntrustedError, match="the trained run"):
        SavedTable.read(copied).players()


def test_links_in_a_tournament_are_refused(tmp_path: Path) -> None:
    play_pairings("leduc", ["random", "always_call"], games=10, out=tmp_path / "t")
    (tmp_path / "t" / "more.npz").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedFileError, match="is a link to"):
        play_pairings("leduc", ["random", "always_call"], games=20, out=tmp_path / "t", resume=True)


def test_a_directory_in_the_way_of_a_checkpoint_that_is_not_the_run_s_is_moved_aside(run: Path) -> None:
    other = run / "checkpoints" / "step-000000000006"
    other.mkdir()
    (other / "precious").write_text("mine")
    Session.resume(Run.open(run)).train(6)
    assert [file.read_text() for file in run.rglob("precious")] == ["mine"]
    assert Run.open(run).verify(6).step == 6


def test_a_record_that_was_not_replaced_stays_allowed(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.arena.records import RecordWriter, read
    from cardai.core import allowed as module

    file, header = tmp_path / "mine.jsonl", {"game": "kuhn", "agents": [str(run), "random"], "duplicate": False}
    RecordWriter(file, {**header, "seed": 0}).close()
    with pytest.raises(KeyboardInterrupt), RecordWriter(file, {**header, "seed": 1}):
        raise KeyboardInterrupt
    monkeypatch.setattr(module, "_allowed", set())
    assert make.agent(read(file).header["agents"][0]) is not None


def test_a_table_writes_no_journal_through_a_link_that_leads_nowhere_yet(tmp_path: Path) -> None:
    (tmp_path / "new.jsonl.open").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DamagedFileError, match="is a link to"):
        Table("kuhn", ["random", None], save=tmp_path / "new.jsonl")
    assert not (tmp_path / "elsewhere").exists()


def test_a_match_goes_on_through_no_link_in_the_place_of_its_journal(tmp_path: Path) -> None:
    record, elsewhere = tmp_path / "match.jsonl", tmp_path / "elsewhere"
    match = {"header": {"game": "kuhn", "agents": ["random"] * 2, "seed": 0, "duplicate": False}, "resume": True}
    with MatchJournal(record, **match) as journal:
        journal.close()
    (tmp_path / "match.jsonl.open").symlink_to(elsewhere)
    for precious in (None, b"no line ends here"):  # what a journal that was cut off at once begins with
        if precious is not None:
            elsewhere.write_bytes(precious)
        with pytest.raises(DamagedFileError, match="is a link to"):
            MatchJournal(record, **match)
        assert (elsewhere.read_bytes() if elsewhere.exists() else None) == precious
    with pytest.raises(DamagedFileError, match="is a link to"):
        SavedTable.read(record)


def test_a_pipe_in_a_run_is_refused_and_not_waited_for(run: Path) -> None:
    manifest = next(run.rglob("manifest.json"))
    manifest.unlink()
    os.mkfifo(manifest)
    with pytest.raises(DamagedFileError, match="is a pipe"):
        Run.open(run)


def test_links_in_a_solved_spot_situations_examples_and_a_series_are_refused(tmp_path: Path) -> None:
    (tmp_path / "solution-7.npz").symlink_to(tmp_path / "elsewhere")
    assert not solution.begun(tmp_path)
    heads = {
        solution.SPOT: solution.read_spot,
        situation_set.HEAD: situation_set.load,
        examples.MANIFEST: examples.read_manifest,
    }
    for head, read in heads.items():
        (tmp_path / head).write_text("{}")
        with pytest.raises(DamagedFileError, match="is a link to"):
            read(tmp_path)
    with pytest.raises(DamagedFileError, match="is a link to"):
        series.begin(series.Series("kuhn", ("random", "random"), 1, (0,)), tmp_path, resume=True)


def test_a_record_may_be_read_from_a_file_without_a_name() -> None:
    import tempfile

    from cardai.arena.records import header_line, read

    with tempfile.TemporaryFile("w+") as file:
        file.write(header_line({"game": "kuhn", "agents": ["random"], "seed": 0, "duplicate": False}).decode())
        file.seek(0)
        assert read(file).header["game"] == "kuhn"


def test_a_log_s_comment_opens_no_file_and_names_no_game_that_reads_one(tmp_path: Path) -> None:
    from cardai.formats.acpc.gamedef import load_game
    from cardai.formats.acpc.logs import game_of
    from cardai.testing._trust import heard

    private = tmp_path / "private"
    private.mkdir()
    (private / "spot.json").write_text("{}")
    file = private / "secret.game"
    file.write_text(load_game("holdem.limit.2p.reverse_blinds").text())
    for named in (str(file), f"holdem_spot:directory={private}"):
        with heard() as events, pytest.raises(DamagedFileError, match="does not say which game"):
            game_of([f"# name/game/hands/seed x {named} 1 1"], None)
        assert not [event for event in events if str(private) in event[1]]


def test_a_log_s_comment_has_openspiel_load_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    from cardai.bridges import spiel_games
    from cardai.formats.acpc.logs import game_of

    asked: list[str] = []
    monkeypatch.setattr(spiel_games, "loaded", asked.append)
    with pytest.raises(DamagedFileError, match="does not say which game"):
        game_of([f'# name/game/hands/seed x openspiel:name="efg_game(filename={tmp_path}/private)" 1 1'], None)
    assert not asked


def test_situations_that_a_stranger_s_run_names_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from cardai.core.trust import Foreign, Source
    from cardai.poker.values import runs

    named = Foreign(
        f"counterfactual_values:situations={tmp_path / 'mine'}", Source("run.json", "", str(tmp_path / "run"))
    )
    monkeypatch.setattr(runs, "latest_checkpoint", lambda _: (SimpleNamespace(trainer_spec=named), tmp_path))
    monkeypatch.setattr(runs, "load_network", lambda _: None)
    with pytest.raises(UntrustedError, match="situations: the path"):
        runs.held_out(tmp_path / "run")


def test_a_sweep_s_runs_on_a_cluster_are_its_owner_s_and_a_stranger_s_sweep_sends_none(tmp_path: Path) -> None:
    options = {"league": ['"program:command=true"']}
    begun = Sweep.begin(tmp_path / "s", "poker_cnn_betting", "holdem_limit", "grid", options, [0], 4, None)
    (point,) = begun.points()
    made = Run.create(tmp_path / "far", point.trainer, "holdem_limit", "grid", 0, 4)
    came = shutil.copytree(made.path, tmp_path / "came")
    with pytest.raises(UntrustedError):
        Run.open(came).trainer("train")
    sweeps._allow(came, begun._checked([point]), point)
    Run.open(came).trainer("train")
    there = shutil.copytree(begun.path, tmp_path / "there")
    with pytest.raises(UntrustedError, match="starts a program"):
        Sweep.open(there)._checked(Sweep.open(there).points())


def test_nothing_of_a_person_is_written_through_links_in_the_folder_of_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardai.ui import again, kept, strength

    monkeypatch.setenv("CARDAI_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    for name in ("drills.json", "strength.json"):
        (tmp_path / "data" / name).symlink_to(tmp_path / f"new {name}")
    with pytest.raises(DamagedFileError, match="is a link to"):
        again.keep("a", True, 0.0)
    with pytest.raises(DamagedFileError, match="is a link to"):
        strength.keep("kuhn", "random", strength.Strength(1.0, 1.0, "%", "simple", 10))
    (kept.matches() / ".x.jsonl.lock").symlink_to(tmp_path / "new lock")
    with pytest.raises(UsageError, match="lock cannot be written"):
        kept.claim(kept.matches() / "x.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("of", ["game", "agents"])
def test_a_stranger_s_record_among_one_s_matches_opens_nothing_when_they_are_counted(tmp_path: Path, of: str) -> None:
    from cardai.study.coach import Coaches
    from cardai.study.sittings import sittings, tallies
    from cardai.ui import past

    header = {"cardai": "record", "format": 1, "game": "leduc", "agents": ["human", "random"]}
    header |= {"game": 'openspiel:name="efg_game(filename=elsewhere.efg)"'} if of == "game" else {}
    header |= {"agents": ["human", f"{tmp_path}/run"]} if of == "agents" else {}
    hand = {"game_number": 0, "hand": 0, "seats": [0, 1], "seed": 0, "setup": {"starter": 0, "score": [], "stacks": []}}
    hand |= {"deck": [0, 1], "actions": [], "returns": [1.0, -1.0], "outcome": {}}
    (tmp_path / "match.jsonl").write_text(json.dumps(header) + "\n" + json.dumps(hand) + "\n")
    ((one,), _) = sittings(tmp_path, "human")
    make_of = {"game": make.game, "agents": make.agent}[of]
    with pytest.raises(UntrustedError, match="names what no file from somebody else may"):
        make_of(one.game if of == "game" else one.others[0])
    if of == "game":
        (tally,) = tallies([one])
        assert "names what no file" in past.known(tally, [one], Coaches(), costs=False).why


def test_a_hand_s_own_game_is_not_allowed_by_the_record_s_first_line_and_is_shown(tmp_path: Path) -> None:
    from cardai.arena.inspection import inspect
    from cardai.arena.records import RecordWriter, game_of, read

    file, game = tmp_path / "x.jsonl", f'openspiel:name="efg_game(filename={tmp_path}/z)"'
    hand = {"game_number": 0, "hand": 0, "seats": [0, 1], "seed": 0, "setup": {"starter": 0, "score": [], "stacks": []}}
    hand |= {"deck": [0, 1], "actions": [], "returns": [1.0, -1.0], "outcome": {}, "game": game}
    header = {"game": "leduc", "agents": ["program:command=true", "random"]}
    RecordWriter(file, header).close()
    assert make.agent(read(file).header["agents"][0]) is not None  # one's own command named it
    with file.open("a") as more:
        more.write(json.dumps(hand) + "\n")
    (found,) = read(file).hands
    with pytest.raises(UntrustedError, match="'filename'"):
        game_of(make.game("leduc"), found)
    assert [str(named.spec) for named in inspect(file).named if named.needs and named.kind == "game"] == [game]
