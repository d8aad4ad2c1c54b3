"""Curves over seeds: the median with its band, at the points that all have reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai.core import registry
from cardai.core.errors import UsageError
from cardai.training.curves import curves
from cardai.training.runs import Run

TOY = Path(__file__).parents[1] / "toy_trainer.py"


@pytest.fixture(autouse=True)
def _toy() -> None:
    registry.add_file(str(TOY))


def measured(path: Path, seed: int, values: dict[int, float], trainer: str = "toy_trainer") -> Run:
    """Return a run whose metrics are ``values`` by step."""
    run = Run.create(path / f"{trainer.replace(':', '-')}-{seed}", trainer, "toy_game", None, seed)
    rows = [{"step": step, "seconds": step / 10, "exploitability": value} for step, value in values.items()]
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return run


def test_a_curve_is_the_median_over_seeds_between_the_lowest_and_the_highest(tmp_path: Path) -> None:
    runs = [measured(tmp_path, seed, {10: value, 20: value / 2}) for seed, value in enumerate((1.0, 2.0, 9.0))]
    (curve,) = curves(runs)
    assert curve.x.tolist() == [10, 20]
    assert curve.median.tolist() == [2, 1]
    assert curve.low.tolist() == [1, 0.5]
    assert curve.high.tolist() == [9, 4.5]
    assert (curve.seeds, curve.label) == (3, "toy_trainer")


def test_seeds_are_compared_as_far_as_the_shortest_run_reached(tmp_path: Path) -> None:
    runs = [
        measured(tmp_path, 0, {10: 4.0, 20: 2.0, 30: 1.0}),
        measured(tmp_path, 1, {10: 4.0, 15: 4.0, 25: 2.0, 40: 0.5}),
    ]
    (curve,) = curves(runs)
    # up to step 30 both have three points; the first run's are kept: 4, 2, 1 beside 4, 3 and 2 - 5 / 15 * 1.5
    assert curve.x.tolist() == [10, 20, 30]
    assert curve.median.tolist() == [4, 2.5, 1.25]


def test_no_seed_has_a_value_before_its_first(tmp_path: Path) -> None:
    early, late = measured(tmp_path, 0, {10: 8.0, 20: 4.0, 30: 2.0}), measured(tmp_path, 1, {20: 5.0, 40: 3.0})
    (curve,) = curves([early, late])
    assert curve.x.tolist() == [20, 30]
    assert (curve.low.tolist(), curve.high.tolist()) == ([4, 2], [5, 4])
    with pytest.raises(UsageError, match="one begins at 50, where another has ended at 30"):
        curves([early, measured(tmp_path, 2, {50: 1.0, 60: 1.0})])


def test_runs_with_other_options_are_other_curves_named_by_them(tmp_path: Path) -> None:
    runs = [measured(tmp_path, 0, {10: 1.0}, f"toy_trainer:rate={rate}") for rate in ("0.5", "0.7")]
    first, second = curves(runs, axis="seconds")
    assert (first.label, second.label) == ("toy_trainer rate=0.5", "toy_trainer rate=0.7")
    assert (first.x.tolist(), first.seeds) == ([1], 1)


def test_a_metric_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no metric 'value'.* Its metrics: exploitability, seconds, step"):
        curves([measured(tmp_path, 0, {10: 1.0})], "value")
