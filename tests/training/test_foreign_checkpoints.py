"""A checkpoint of somebody else's that is right in itself, but for numbers that no training writes, is refused where it is read:
it is gone on with, and played, only if that works."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai import make
from cardai.arena.inspection import inspect
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.fields import empty_views, misfitting
from cardai.core.files import COUNT_LIMIT, digest_of, file_digest, write_json
from cardai.core.holes import HOLES_LIMIT
from cardai.training.runs import Run
from cardai.training.session import Session

TRAINERS = {
    "cfr": ("cfr", None),
    "mccfr": ("mccfr", None),
    "xfp": ("xfp", None),
    "sd_cfr": ("sd_cfr:traversals=4,updates=1,batch=4,hidden=4,layers=1,capacity=20", "flat"),
    "mmd": ("mmd:hidden=4,layers=1,batch=8,tables=4,average=20", "flat"),
    "nfsp": ("nfsp:hidden=4", "flat"),
    "bets": ("poker_cnn_betting_ours:network=dense,hands=8,unit=2,batch=4,epochs=1,threads=1", "grid_4x13:fields=card"),
}


def begun(trainer: str, folder: Path) -> Path:
    """Return the newest checkpoint of a run of two steps."""
    spec, encoder = TRAINERS[trainer]
    if encoder is not None:
        pytest.importorskip("torch")
    Session.start(Run.create(folder, spec, "kuhn", encoder, seed=1)).train(2)
    return max((folder / "checkpoints").iterdir())


def sealed(checkpoint: Path) -> Run:
    """Make the manifest of a checkpoint fit what was put into it, as a stranger can; return the run."""
    manifest = json.loads((checkpoint / "manifest.json").read_text())
    manifest.pop("sha256")
    files = [file for file in sorted(checkpoint.iterdir()) if file.name != "manifest.json"]
    manifest["files"] = {f.name: {"bytes": f.stat().st_size, "sha256": file_digest(f)} for f in files}
    write_json(checkpoint / "manifest.json", {**manifest, "sha256": digest_of(manifest)})
    return Run.open(checkpoint.parents[1])


def put(checkpoint: Path, name: str, change: Callable[[str, Any], Any]) -> Run:
    """Change the arrays of an npz file of a checkpoint."""
    with np.load(checkpoint / name) as held:
        arrays = {key: change(key, held[key]) for key in held.files}
    np.savez(checkpoint / name, **arrays)
    return sealed(checkpoint)


@pytest.mark.parametrize(
    ("trainer", "file", "name"),
    [
        ("cfr", "tables.npz", "step"),
        ("mccfr", "tables.npz", "step"),
        ("xfp", "tables.npz", "step"),
        ("sd_cfr", "progress.npz", "step"),
        ("sd_cfr", "progress.npz", "decisions"),
        ("sd_cfr", "memory-0.npz", "seen"),
        ("mmd", "progress.npz", "step"),
        ("mmd", "progress.npz", "counts"),
        ("mmd", "average.npz", "seen"),
        ("nfsp", "play.npz", "counts"),
    ],
)
@pytest.mark.parametrize("number", [-1, COUNT_LIMIT + 1])
def test_a_checkpoint_that_counts_what_no_training_does_is_refused(
    trainer: str, file: str, name: str, number: int, tmp_path: Path
) -> None:
    run = put(begun(trainer, tmp_path / "run"), file, lambda key, a: np.full_like(a, number) if key == name else a)
    with pytest.raises(DamagedFileError):
        Session.resume(run)


def test_a_training_that_is_not_after_its_checkpoint_s_steps_is_refused(tmp_path: Path) -> None:
    run = put(begun("cfr", tmp_path / "run"), "tables.npz", lambda key, a: a + 1 if key == "step" else a)
    with pytest.raises(DamagedFileError, match="holds a training after 3 steps"):
        Session.resume(run)


STATE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no number of weights": lambda held: held.update({"optimizer.abc.step": held.pop("optimizer.0.step")}),
    "no name": lambda held: held.update({"optimizer.0": held.pop("optimizer.0.step")}),
    "a negative number of weights": lambda held: held.update({"optimizer.-1.step": held.pop("optimizer.0.step")}),
    "a number of thousands of digits": lambda held: held.update({f"optimizer.{'9' * 5000}.step": np.float32(1)}),
    "weights that are not there": lambda held: held.update({"optimizer.99.step": held["optimizer.0.step"]}),
    "no steps": lambda held: held.pop("optimizer.0.step"),
    "no mean": lambda held: held.pop("optimizer.0.exp_avg"),
    "more": lambda held: held.update({"optimizer.0.more": held["optimizer.0.exp_avg"]}),
    "another shape": lambda held: held.update({"optimizer.0.exp_avg": np.zeros(3, np.float32)}),
    "steps below 0": lambda held: held.update({"optimizer.0.step": np.array(-1, np.float32)}),
    "too many steps": lambda held: held.update({"optimizer.0.step": np.array(-3e38, np.float32)}),
    "no number": lambda held: held.update({"optimizer.0.step": np.array(np.nan, np.float32)}),
    "several steps": lambda held: held.update({"optimizer.0.step": np.ones(7, np.float32)}),
    "steps that are true": lambda held: held.update({"optimizer.0.step": np.array(True)}),
    "squares below 0": lambda held: held.update({"optimizer.0.exp_avg_sq": held["optimizer.0.exp_avg_sq"] - 1}),
}


@pytest.mark.parametrize("what", STATE)
def test_the_state_of_an_optimiser_that_does_not_fit_is_refused(what: str, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    file = begun("mmd", tmp_path / "run") / "optimiser.safetensors"
    held = load_file(file)
    STATE[what](held)
    save_file({name: np.asarray(array) for name, array in held.items()}, file)
    with pytest.raises(DamagedFileError, match=r"The optimiser state in .* belongs to another"):
        Session.resume(sealed(file.parent))


@pytest.mark.parametrize("flop", [0, 65_536, 10**400])
def test_a_checkpoint_that_names_buckets_that_nobody_makes_is_refused(flop: int, tmp_path: Path) -> None:
    from cardai.plugins.trainers.bucket_mccfr.cfr_br import _kept_blueprint

    write_json(tmp_path / "state.json", {"buckets": "x", "step": 1, "flop": flop, "turn": 1, "bucket_seed": 0})
    with pytest.raises(DamagedFileError):
        _kept_blueprint(None, tmp_path)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        lambda a: {name: array[:0] for name, array in a.items() if name != "step"} | {"step": a["step"]},
        lambda a: {**a, "average": np.full_like(a["average"], [2, -1])},
    ],
    ids=["of nothing", "with chances below 0"],
)
def test_a_policy_that_is_none_is_refused_before_it_is_played(change: Callable[[Any], Any], tmp_path: Path) -> None:
    checkpoint = begun("cfr", tmp_path / "run")
    with np.load(checkpoint / "player.npz") as held:
        arrays = change({name: held[name] for name in held.files})
    np.savez(checkpoint / "player.npz", **arrays)
    sealed(checkpoint)
    with pytest.raises(DamagedFileError, match="holds no policy"):
        make.agent(str(tmp_path / "run"))


EVENTS: dict[str, Callable[[str, Any], Any]] = {
    "a card that is none": lambda key, a: np.full_like(a, 127) if key == "view_card" else a,
    "an action that is none": lambda key, a: np.full_like(a, 99) if key == "chosen" else a,
    "an action below all": lambda key, a: np.full_like(a, -1) if key == "chosen" else a,
    "nothing legal": lambda key, a: np.zeros_like(a) if key == "legal" else a,
    "other numbers": lambda key, a: a.astype(np.float32) if key == "chosen" else a,
    "other choices": lambda key, a: np.ones((len(a), 9), a.dtype) if key == "legal" else a,
    "fewer values": lambda key, a: a[:-1] if key == "values" else a,
    "no value": lambda key, a: np.full_like(a, np.inf) if key == "values" else a,
}


@pytest.mark.parametrize("what", EVENTS)
def test_events_that_no_game_has_are_refused(what: str, tmp_path: Path) -> None:
    run = put(begun("bets", tmp_path / "run"), "events-000.npz", EVENTS[what])
    with pytest.raises(DamagedFileError, match="events"):
        Session.resume(run)


def test_a_training_that_played_and_remembers_nothing_is_refused(tmp_path: Path) -> None:
    checkpoint = begun("bets", tmp_path / "run")
    state = json.loads((checkpoint / "state.json").read_text())
    write_json(checkpoint / "state.json", {**state, "memory": 0, "parts": 0})
    with pytest.raises(DamagedFileError, match="knows of none"):
        Session.resume(sealed(checkpoint))


def test_draws_of_a_trainer_that_learns_none_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from cardai.plugins.trainers.poker_cnn.betting.draws import NetworkDraws

    write_json(tmp_path / "draws.json", {"trainer": "cfr", "encoder": "grid_4x13", "act": "value"})
    with pytest.raises(DamagedFileError, match="cfr learns no draws"):
        NetworkDraws.load(tmp_path, make.game("triple_draw"))


def test_fields_that_hold_what_they_may_not_are_named() -> None:
    fields = make.game("gin").view_fields
    views = empty_views(fields, 2)
    assert misfitting(fields, views) == ""
    for f in fields:
        if f.kind not in ("flag", "chips"):
            for wrong in (1 << 52,) if f.kind == "card_set" else (f.maximum + 1, f.minimum - 1):
                changed = views.copy()
                changed[f.name][-1] = wrong
                assert misfitting(fields, changed) == f.name


@pytest.mark.skipif(sys.platform != "linux", reason="disks elsewhere may have no holes")
def test_a_file_that_is_a_hole_is_not_read_to_its_end(tmp_path: Path) -> None:
    """It takes no room in an archive, and the checksum of 8 terabytes takes hours."""
    checkpoint = begun("cfr", tmp_path / "run")
    size, manifest = 1 << 43, json.loads((checkpoint / "manifest.json").read_text())
    manifest.pop("sha256")
    with (checkpoint / "hole.npz").open("wb") as file:
        file.truncate(size)
    manifest["files"]["hole.npz"] = {"bytes": size, "sha256": "0" * 64}
    write_json(checkpoint / "manifest.json", {**manifest, "sha256": digest_of(manifest)})
    with pytest.raises(DamagedFileError, match=r"hole\.npz is a hole"):
        Session.resume(Run.open(tmp_path / "run"))
    with (tmp_path / "run" / "other.npz").open("wb") as file:
        file.truncate(2 * HOLES_LIMIT)  # few enough bytes to be looked at by themselves
    assert {held.name.rpartition("/")[2] for held in inspect(tmp_path / "run").unreadable} == {"hole.npz", "other.npz"}


@pytest.mark.parametrize(("what", "more"), [("seed", {"seed": 1 << 63}), ("steps", {"seed": 1, "steps": 1 << 63})])
def test_a_run_that_could_not_be_opened_again_is_not_begun(what: str, more: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"The {what} of a run must be from 0"):
        Run.create(tmp_path / "run", "cfr", "kuhn", None, **more)
    assert not (tmp_path / "run").exists()
    fits: dict[str, Any] = {name: number - 1 for name, number in more.items()}
    Run.create(tmp_path / "run", "cfr", "kuhn", None, **fits)
    assert Run.open(tmp_path / "run").seed == fits["seed"]
