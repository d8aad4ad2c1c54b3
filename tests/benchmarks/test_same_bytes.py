"""The proof that a change changed nothing sees every byte that counts, and no clock."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
HEADER = '{"cardai":"record","format":1,"game":"kuhn","seed":0}'
HAND = '{"group":0,"actions":[0,1],"returns":[1.0,-1.0]}'


@pytest.fixture
def proof(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the benchmark's module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module("same_bytes")
    for name in ("same_bytes", "same_bytes_cases"):
        sys.modules.pop(name, None)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folders of two sides that differ in ids, times and versions alone."""
    safetensors = pytest.importorskip("safetensors.numpy")
    for side in ("before", "after"):
        late = side == "after"
        checkpoint = tmp_path / side / "resumed" / "checkpoints" / "step-000000000010"
        checkpoint.mkdir(parents=True)
        figures = {"cardai": f"0.{late:d}", "players": [{"mean": 0.1}], "seconds": 1.5 + late, "games_per_second": late}
        (tmp_path / side / "seed-0.json").write_text(json.dumps(figures))
        header = HEADER.replace('"format":1', '"format":2,"version":"0.2"') if late else HEADER
        (tmp_path / side / "seed-0.jsonl").write_text(f"{header}\n{HAND}\n")
        (tmp_path / side / "resumed" / "run.json").write_text(json.dumps({"id": side}))
        (tmp_path / side / "resumed" / "metrics.jsonl").write_text(
            json.dumps({"step": 1, "cpu_seconds": late, "loss": 2.0})
        )
        (checkpoint / "manifest.json").write_text(json.dumps({"run": side}))
        (checkpoint / "state.json").write_text(json.dumps({"played": 7}))
        np.savez(checkpoint / "tables.npz", regrets=np.zeros(4))
        safetensors.save_file({"weight": np.ones((2, 2), np.float32)}, checkpoint / "networks.safetensors")
    return tmp_path / "before", tmp_path / "after"


def differing(proof: Any, folders: tuple[Path, Path]) -> dict[str, str]:
    before, after = (dict(proof.products(folder)) for folder in folders)
    assert before.keys() == after.keys() == {"seed-0.json", "seed-0.jsonl", "resumed"}
    found = {name: proof.difference(before[name], after[name]) for name in before}
    return {name: how for name, how in found.items() if how}


def test_clocks_versions_and_ids_make_no_difference(proof: Any, folders: tuple[Path, Path]) -> None:
    assert not differing(proof, folders)


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("seed-0.jsonl", '"game":"kuhn"', '"game":"leduc"', "line 1: "),
        ("seed-0.jsonl", '"actions":[0,1]', '"actions":[1,1]', "line 2: "),
        ("seed-0.jsonl", "-1.0]}\n", "-1.0]}", "line 3: not after"),
        ("seed-0.json", "0.1}", "0.10000000000000002}", "players.0.mean: '0.1' before"),
        ("resumed/metrics.jsonl", '"loss": 2.0', '"loss": 2.5', "metrics.jsonl line 1/loss"),
        ("resumed/checkpoints/step-000000000010/state.json", "7", "8", "state.json/played: '7' before, '8' after"),
    ],
)
def test_a_changed_text_is_named(
    proof: Any, folders: tuple[Path, Path], file: str, old: str, new: str, named: str
) -> None:
    path = folders[1] / file
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    found = differing(proof, folders)
    assert found.keys() == {file.split("/")[0]}
    assert named in found[file.split("/")[0]]


@pytest.mark.parametrize(
    ("array", "how"),
    [
        (np.array([0.0, 0.0, 0.0, -0.0]), "other numbers, float64 (4,)"),  # one bit
        (np.zeros(4, np.int64), "float64 (4,) before, int64 (4,) after"),  # the same bytes
        (np.zeros((2, 2)), "float64 (4,) before, float64 (2, 2) after"),
    ],
)
def test_a_changed_array_is_named(
    proof: Any, folders: tuple[Path, Path], array: np.ndarray[Any, Any], how: str
) -> None:
    np.savez(folders[1] / "resumed" / "checkpoints" / "step-000000000010" / "tables.npz", regrets=array)
    assert (
        differing(proof, folders)["resumed"]
        == f"1 of 5 parts differ, first step-000000000010/tables.npz/regrets: {how}"
    )


def test_a_tensor_of_another_name_is_a_difference(proof: Any, folders: tuple[Path, Path]) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    file = folders[1] / "resumed" / "checkpoints" / "step-000000000010" / "networks.safetensors"
    safetensors.save_file({"weights": np.ones((2, 2), np.float32)}, file)
    assert "2 of 6 parts differ" in differing(proof, folders)["resumed"]


@pytest.mark.long
def test_a_command_that_fails_is_a_difference_and_a_kept_result_is_not_made_again(
    proof: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = []
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
        sides.append(proof.Side(name, Path(sys.executable), ROOT, tmp_path / name))
    listing = proof.Job("listings/all", (proof.Step(("list-plugins", "--json"), "figures.json"),))
    wrong = proof.Job("listings/none", (proof.Step(("list-plugins", "--nothing"), "figures.json"),))
    assert proof.compare_all([listing], sides) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 identical, 0 different"
    assert proof.compare_all([listing, wrong], sides) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("different: listings/none: before: list-plugins --nothing ended with 2: ")
    assert said[-1] == "1 identical, 1 different"
    kept = sides[0].do(listing) / "figures.json"
    kept.write_text("[]")
    assert sides[0].do(listing) / "figures.json" == kept
    assert kept.read_text() == "[]"
    assert [path.name for path in (tmp_path / "before" / "listings").iterdir()] == ["all"]


def test_nothing_compared_is_a_failure(proof: Any) -> None:
    assert proof.compare_all([], []) == 1


def test_other_sources_get_a_folder_of_their_own(proof: Any, tmp_path: Path) -> None:
    package, script = tmp_path / "cardai", tmp_path / "tests" / "playthroughs" / "renew.py"
    for folder in (package / "data", script.parent):
        folder.mkdir(parents=True)
    (package / "data" / "table.csv").write_text("1")
    script.write_text("pass")
    digests = [proof._digest(tmp_path, "numpy 2")]
    assert proof._digest(tmp_path, "numpy 2") == digests[0]
    digests.append(proof._digest(tmp_path, "numpy 3"))
    for file in (package / "data" / "table.csv", script):
        file.write_text("2")
        digests.append(proof._digest(tmp_path, "numpy 2"))
    assert len(set(digests)) == 4
