"""The Leduc experiment: one command, resumable, with a report."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "experiments" / "nfsp_leduc" / "run.py"


@pytest.mark.long
def test_it_goes_on_where_it_stopped_and_says_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--runs", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    for share in ("0.1", "0.2"):
        monkeypatch.setattr("sys.argv", ["run.py", *places, "--only", "CFR+", "--seeds", "1", "--share", share])
        runpy.run_path(str(SCRIPT), run_name="__main__")
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" at ")[2].partition(" ")[0] for line in said] == ["1,000", "2,000"]
    report = (tmp_path / "results" / "results.md").read_text()
    assert "| CFR+ | 0 | 2,000 |" in report
    assert "| paper 64 | | not run |" in report
    assert (tmp_path / "results" / "iterations.png").stat().st_size > 10_000
