"""A checkpoint of somebody else's that is right in itself, but for numbers that no training writes, is refused where it is read:
it is gone on with, and played, only if that works."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardai.core.errors import DamagedFileError
from cardai.core.files import COUNT_LIMIT, digest_of, file_digest, write_json
from cardai.training.runs import Run
from cardai.training.session import Session

TRAINERS = {
    "cfr": ("cfr", None),
    "mccfr": ("mccfr", None),
    "xfp": ("xfp", None),
    "sd_cfr": ("sd_cfr:traversals=4,updates=1,batch=4,hidden=4,layers=1,capacity=20", "flat"),
    "mmd": ("mmd:hidden=4,layers=1,batch=8,tables=4,average=20", "flat"),
    "nfsp": ("nfsp:hidden=4", "flat"),
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
