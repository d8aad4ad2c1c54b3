"""The liar's dice experiment keeps what it measured of a run, and goes on from there."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "policy_gradients" / "liars_dice.py"


@pytest.mark.long
def test_each_point_is_measured_once_and_a_finished_run_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("liars_dice_experiment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "GAME", "liars_dice:faces=3")
    for _ in range(2):
        module.train(tmp_path, "mmd_liars_dice", 1, 2, 2, "cpu")
        rows = module.measured(tmp_path / "mmd_liars_dice-1")
        assert [row["step"] for row in rows] == [1, 2]
        assert all(0 < row["exploitability"] < 1 for row in rows)
    assert "| mmd_liars_dice | 1 | 3," in module.report(tmp_path, ["mmd_liars_dice"], 1)
