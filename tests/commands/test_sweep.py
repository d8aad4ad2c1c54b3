"""The sweep command: trains, tells, goes on, and is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardai.training.runs import Run
from cardai.training.sweeps import MOST_RUNS
from tests.commands.conftest import Call, cardai  # noqa: F401

SWEEP = ("sweep", "--trainer", "cfr", "--game", "kuhn", "--set", "variant=cfr+dcfr", "--seeds", "2", "--steps", "8")


def test_a_sweep_is_trained_told_and_gone_on_with(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    out = str(tmp_path / "sweep")
    first = cardai(*SWEEP, "--out", out)
    assert first.code == 0, first.err
    assert "4 of 4 runs" in first.err
    assert "variant=dcfr" in first.out
    again = cardai("sweep", "--out", out, "--json")
    assert again.code == 0, again.err
    assert "runs:" not in again.err
    for words in (("--steps", "20"), ("--minutes", "1"), ("--seeds", "3"), ("--seed", "7"), ("--encoder", "flat")):
        other = cardai("sweep", "--out", out, *words)
        assert other.code == 2
        assert "goes on as it was begun, with another --" in other.err
        assert words[0] in other.err
    lines = json.loads(again.out)["lines"]
    assert [(line["label"], line["seeds"], line["step"]) for line in lines] == [
        ("variant=cfr", 2, 8),
        ("variant=dcfr", 2, 8),
    ]
    assert lines[0]["low"] <= lines[0]["median"] <= lines[0]["high"]


def test_seeds_are_counted_from_the_first(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    out = tmp_path / "sweep"
    words = ("sweep", "--trainer", "cfr", "--game", "kuhn", "--seeds", "3", "--seed", "5", "--steps", "2")
    assert cardai(*words, "--out", str(out)).code == 0
    assert sorted(Run.open(file.parent).seed for file in out.glob("**/run.json")) == [5, 6, 7]


def test_a_sweep_that_stops_bad_runs_tells_where(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    pytest.importorskip("optuna")
    out = str(tmp_path / "sweep")
    halved = (*SWEEP, "--out", out, "--halving", "2", "--rung", "2", "--metric", "value", "--best", "most")
    for call in (cardai(*halved), cardai("sweep", "--out", out)):
        assert call.code == 0, call.err
        assert "value, median" in call.out
        assert "stopped at" in call.out
        assert "A stopped run goes on by: cardai train --resume RUN" in call.out
    for words, message in (
        (("sweep", "--out", out, "--halving", "3"), "is said of a new sweep"),
        ((*SWEEP, "--out", out + "2", "--rung", "3"), "Give --halving 3, or leave them out"),
        ((*SWEEP, "--out", out + "2", "--halving", "3", "--best", "last"), "--best is least or most. Got 'last'"),
        ((*SWEEP, "--out", out + "2", "--halving", "3", "--rung", "8"), "Give --steps above the first rung, 8"),
    ):
        call = cardai(*words)
        assert call.code == 2
        assert message in " ".join(call.err.split())
    assert not Path(out + "2").exists()


@pytest.mark.long
def test_plot_takes_a_sweep(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    pytest.importorskip("matplotlib")
    out = str(tmp_path / "sweep")
    assert cardai(*SWEEP, "--out", out).code == 0
    drawn = cardai("plot", out, "--out", str(tmp_path / "curves.png"))
    assert drawn.code == 0, drawn.err
    assert drawn.out.count("2 seeds") == 2
    assert (tmp_path / "curves.png").is_file()


def test_a_sweep_of_too_many_runs_is_refused_before_they_are_made(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    """A million million of them took for ever to be made."""
    values = "+".join(map(str, range(1, 101)))
    words = ("sweep", "--trainer", "nfsp", "--encoder", "flat", "--game", "leduc", "--steps", "5")
    given = [word for key in ("eta", "learn_every", "batch") for word in ("--set", f"{key}={values}")]
    called = cardai(*words, *given, "--seeds", "10000", "--out", str(tmp_path / "sweep"))
    assert called.code == 2
    assert "at most 10,000 runs" in called.err
    assert "10,000,000,000: 100 of eta x 100 of learn_every x 100 of batch x 10,000 seeds. Give fewer" in called.err
    assert not (tmp_path / "sweep").exists()
    many = cardai(
        "sweep", "--trainer", "cfr", "--game", "kuhn", "--steps", "5", "--seeds", "1" + 20 * "0", "--out", "x"
    )
    assert many.code == 2
    assert f"--seeds of cardai sweep must be at least 1 and at most {MOST_RUNS:,}" in many.err


def test_what_is_missing_or_wrong_is_said(cardai: Call, tmp_path: Path) -> None:  # noqa: F811
    out = str(tmp_path / "sweep")
    for words, said in (
        (("sweep", "--out", out), "has no sweep.json"),
        (("sweep", "--out", out, "--trainer", "cfr", "--game", "kuhn"), "--steps or --minutes"),
        ((*SWEEP, "--out", out, "--set", "speed=1"), "has no option 'speed'"),
        ((*SWEEP, "--out", out, "--set", "speed"), "--set takes OPTION=VALUE or OPTION=VALUE+VALUE. Got 'speed'"),
        ((*SWEEP, "--out", out, "--on", "mars"), "ray or ray://HOST:PORT"),
        (("sweep", "--out", out, "--trainer", "nfsp", "--game", "leduc", "--steps", "5"), "needs --encoder"),
    ):
        called = cardai(*words)
        assert called.code == 2
        assert said in called.err
    assert not (tmp_path / "sweep").exists()
