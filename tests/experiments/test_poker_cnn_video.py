"""The video poker experiment: one command, resumable, with a report."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from cardai.draw import holds, video_poker

SCRIPT = Path(__file__).parents[2] / "experiments" / "poker_cnn_video" / "run.py"


@pytest.mark.long
@pytest.mark.parametrize("every", [160, 1])
def test_it_goes_on_where_it_stopped_and_measures_exactly(
    every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``every``: of so many classes of hands that differ by more than suits' names one is measured, weighed so often."""
    hands, weights = holds.canonical_hands()
    assert len(hands) == 134_459
    some = hands[::every], weights[::every] * (holds.HANDS / weights[::every].sum())
    for module in (holds, video_poker):
        monkeypatch.setattr(module, "canonical_hands", lambda: some)
    close = 1e-6 if every == 1 else 0.03
    places = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "report"), "--only", "ours"]
    for share in ("0.001", "0.002"):  # 10 minibatches, 2 more
        monkeypatch.setattr("sys.argv", ["run.py", *places, "--share", share])
        runpy.run_path(str(SCRIPT), run_name="__main__")
    found = json.loads((tmp_path / "report" / "measurements.json").read_text())
    assert [row["step"] for row in found["entries"]["ours"]["rows"]] == [10, 12]
    assert found["entries"]["ours"]["rows"][0]["asked"] == len(some[0])
    # perfect play, the publication's heuristic and uniform holds: exact figures published with cardai's solver
    assert found["references"]["perfect"]["return"] == pytest.approx(1.00000019, abs=close)
    assert found["references"]["the publication's one-rule heuristic"]["return"] == pytest.approx(0.915641, abs=close)
    assert found["references"]["uniform random"]["return"] == pytest.approx(0.33713793, abs=close / 30)
    text = (tmp_path / "report" / "report.md").read_text()
    assert "| 12 of 6,000 |" in text
    assert "not run" in text
    assert (tmp_path / "report" / "curves.png").stat().st_size > 10_000
