"""experiments/value_networks: one command solves, trains, measures and reports; asked again it does nothing twice."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.support import ROOT, own_cache

pytest.importorskip("torch")
pytest.importorskip("matplotlib")
FOLDER = ROOT / "experiments" / "value_networks"


@pytest.mark.long
def test_one_command_makes_everything_once(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    own_cache(monkeypatch, tmp_path / "cache")
    import value_costs
    import value_sections

    few = evolve(value_sections.RECIPES["river"], iterations=(3,) * 5, per_shard=20)
    monkeypatch.setitem(value_sections.RECIPES, "river", few)
    monkeypatch.setattr(value_sections, "BUCKETED", ("e_hs2:bins=30",))
    monkeypatch.setattr(value_sections, "ABLATIONS", {"ours": {}, "values, not equity-valued": {"match_up": False}})
    monkeypatch.setattr(value_sections, "LABELS", {"river": (3, 2), "turn": (1, 2), "river_played": (2, 2)})
    self_play = {"player": "always_call", "game": "acpc_limit_2p", "seed": 3}
    monkeypatch.setattr(value_sections, "PLAYED", evolve(few, **self_play))
    monkeypatch.setattr(value_costs, "COUNTS", {"river": 2})
    monkeypatch.setattr(value_costs, "COMPARED", {"river": 4})
    call = [
        "run.py",
        "--runs",
        str(tmp_path / "runs"),
        "--out",
        str(tmp_path / "out"),
        "--river",
        "60",
        "--epochs",
        "1",
    ]
    call += ["--street", "river", "--only", "situations", "--only", "labels", "--only", "encodings", "--only", "ours"]
    call += ["--only", "played", "--only", "costs"]
    monkeypatch.setattr(sys, "argv", [*call, "--only", "ablations"])
    monkeypatch.setattr(value_sections, "FEW", (40, 1))
    runpy.run_path(str(FOLDER / "run.py"), run_name="__main__")
    text = (tmp_path / "out" / "report.md").read_text()
    for words in (
        "- river: 60 situations",
        "How far the labels are off",
        "What each choice is worth",
        "| ours |",
        "by range",
        "situations a CPU hour",
        "200 and more (",
        "| 32, ranges of self-play |",
    ):
        assert words in text, words
    assert (tmp_path / "out" / "predicted.png").stat().st_size > 10_000
    capsys.readouterr()
    runpy.run_path(str(FOLDER / "run.py"), run_name="__main__")
    assert "  river ours\n" not in capsys.readouterr().out
    assert (tmp_path / "out" / "report.md").read_text() == text
