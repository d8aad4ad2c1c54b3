"""Training from Python: the run that comes out, and that it is the command's."""

from __future__ import annotations

import csv
import gc
import json
import math
import os
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardai
from cardai.api.runs import TrainedRun
from cardai.core.errors import UsageError
from cardai.training.session import Session
from tests.commands.conftest import Call


@pytest.fixture(scope="module")
def run() -> TrainedRun:
    return cardai.train("cfr_plus", "kuhn", steps=30, seed=1)


def test_a_run_of_minutes_goes_on_to_its_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them it went on for ever."""
    timed = cardai.train("cfr_plus", "kuhn", minutes=0.001, seed=1)
    asked: list[tuple[Any, ...]] = []

    def train(session: Session, steps: int | None, *rest: Any) -> bool:
        asked.append((steps, rest[-1]))
        return True

    monkeypatch.setattr(Session, "train", train)
    timed.train()
    timed.train(minutes=0.5)
    timed.train(steps=timed.step + 5)
    assert asked == [(None, 0.001), (None, 0.5), (timed.step + 5, None)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"steps": "a"}, "The number of steps must be a whole number. Got 'a' instead."),
        ({"steps": 2.5}, "The number of steps must be a whole number. Got 2.5 instead."),
        ({"steps": 0}, "The number of steps must be at least 1. Got 0."),
        ({"steps": np.int64(0)}, "The number of steps must be at least 1. Got 0."),
        ({"minutes": np.float32(-1)}, "The minutes must be a number above 0. Got -1.0."),
        ({"minutes": "2"}, "The minutes must be a number. Got '2' instead."),
        ({"minutes": float("nan")}, "The minutes must be a number above 0. Got nan."),
        ({"steps": 2, "seed": 1.5}, "The seed must be a whole number. Got 1.5 instead."),
    ],
)
def test_wrong_ends_and_seeds_get_a_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        cardai.train("cfr", "kuhn", **given)


def test_a_training_returns_a_run_that_plays_is_plotted_and_measured(run: TrainedRun) -> None:
    assert run.finished
    assert run.step == 30
    curves = run.curves()
    assert curves["step"][-1] == 30
    assert len(curves["step"]) == len(curves["exploitability"]) > 5
    assert run.exploitability() == pytest.approx(curves["exploitability"][-1], abs=1e-12)
    assert cardai.play("kuhn", [run.agent(), "random"], games=20).mean_return(0).count == 10
    assert run.agent(policy="current").strategy is not None
    assert "cfr_plus on kuhn: 30 iterations" in repr(run)


def test_it_is_the_run_of_the_command(run: TrainedRun, command: Call, tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    assert command("train", "--trainer", "cfr_plus", "-g", "kuhn", "--steps", "30", "--seed", "1", "-o", out).code == 0
    theirs = cardai.load_run(out)
    assert theirs.curves()["exploitability"].tolist() == run.curves()["exploitability"].tolist()


def test_a_run_without_a_place_is_gone_with_its_object_unless_it_is_saved(tmp_path: Path) -> None:
    made = cardai.train("cfr", "kuhn", steps=2)
    path = made.path
    kept = made.save(tmp_path / "kept")
    assert path.is_dir()
    del made
    gc.collect()
    assert not path.exists()
    assert kept.step == 2


def test_a_run_goes_on_and_ends_where_one_training_would_have(tmp_path: Path) -> None:
    parts = cardai.train("cfr", "kuhn", steps=5, out=tmp_path / "x")
    parts.train(steps=12)
    again = cardai.train("cfr", "kuhn", steps=12, out=tmp_path / "x", resume=True)
    whole = cardai.train("cfr", "kuhn", steps=12)
    assert parts.step == again.step == whole.step == 12
    assert parts.exploitability() == whole.exploitability()
    with pytest.raises(UsageError, match="is not empty"):
        cardai.train("cfr", "kuhn", steps=12, out=tmp_path / "x")


def test_a_run_goes_on_keeping_as_many_checkpoints_as_it_was_begun_with(tmp_path: Path) -> None:
    run = cardai.train("cfr", "kuhn", steps=5, out=tmp_path / "x", keep=0)
    for steps in (6, 7):
        run.train(steps=steps)
    assert run.run.steps() == [5, 6, 7]
    cardai.train("cfr", "kuhn", steps=8, out=tmp_path / "x", resume=True, keep=1)
    assert run.run.steps() == [8]


def test_a_trainer_of_its_own_class_and_options_are_taken(tmp_path: Path) -> None:
    made = cardai.train(cardai.trainer("cfr", variant="dcfr"), cardai.game("kuhn"), steps=2, alpha=1.0)
    assert made.run.trainer_spec.partition(",")[2].startswith("variant=dcfr,alpha=1.0,")


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal for one process")
def test_the_stop_button_saves_and_says_so() -> None:
    class Stop:
        presses = 0

        def __repr__(self) -> str:
            return ""

    def press(done: int, total: int) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    from cardai.api import progress

    shown, progress.Bar.report = progress.Bar.report, lambda self, done, total: press(done, total)  # type: ignore[method-assign]
    try:
        made = cardai.train("cfr", "kuhn", steps=1_000_000, progress=True)
    finally:
        progress.Bar.report = shown  # type: ignore[method-assign]
    assert not made.finished
    assert 0 < made.step < 1_000_000
    assert made.run.steps() == [made.step]


def probabilities(path: Path) -> dict[tuple[str, str], dict[str, float]]:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {(row["player"], row["key"]): {a: float(row[a]) for a in ("pass", "bet")} for row in rows}


def test_a_policy_is_exported_in_three_forms_that_agree(run: TrainedRun, command: Call, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    source = str(run.save(tmp_path / "run").path)
    for form in ("csv", "json", "parquet"):
        assert command("export", source, "--to", form, "--out", str(tmp_path / f"table.{form}")).code == 0
    table = probabilities(tmp_path / "table.csv")
    assert len(table) == 12  # Kuhn poker: 6 information sets a seat
    assert all(math.isclose(sum(row.values()), 1, abs_tol=1e-9) for row in table.values())
    said = json.loads((tmp_path / "table.json").read_text())
    assert said["game"] == "kuhn"
    assert {(str(s["player"]), s["key"]): s["policy"] for s in said["information_sets"]} == table
    frame = polars.read_parquet(tmp_path / "table.parquet")
    assert frame["bet"].to_list() == [row["bet"] for row in table.values()]
    assert set(frame["card"].to_list()) == {"jack", "queen", "king"}
    run.export(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "table.csv").read_bytes()


def test_an_exported_policy_is_the_players(run: TrainedRun, command: Call) -> None:
    """By hand, Kuhn 1950: with the king, facing a bet, a player always bets (calls); with the jack never."""
    shown = command("export", str(run.path))
    rows = list(csv.DictReader(shown.out.splitlines()))
    facing = {row["card"]: float(row["bet"]) for row in rows if row["history"] == "bet"}
    assert facing["king"] == pytest.approx(1, abs=0.01)
    assert facing["jack"] == pytest.approx(0, abs=0.01)
    assert facing["queen"] == pytest.approx(1 / 3, abs=0.1)
    assert "12 information sets of kuhn." in shown.err


def test_any_player_is_exported_for_a_game_that_is_named(command: Call) -> None:
    rows = list(csv.DictReader(command("export", "always_call", "-g", "leduc:suits=false").out.splitlines()))
    assert len(rows) == 288  # information sets of Leduc by ranks (Southey et al. 2005)
    assert {row["check or call"] for row in rows} == {"1.0"}
    assert {row["fold"] for row in rows} == {"0.0", ""}  # nothing where folding is not legal


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("always_call",), "Give --game GAME."),
        (("random", "-g", "gin"), "is too large to enumerate"),
        (("random", "-g", "kuhn", "--to", "parquet"), "give a file to write it to"),
    ],
)
def test_what_cannot_be_exported_is_said(command: Call, words: tuple[str, ...], message: str) -> None:
    called = command("export", *words)
    assert called.code == 2
    assert message in called.err


def test_a_new_run_has_the_seed_and_the_ends_it_was_given_and_goes_on_to_them(tmp_path: Path) -> None:
    made = cardai.train("mccfr", "kuhn", steps=40, seed=7, out=tmp_path / "x")
    assert made.run.seed == 7
    assert made.run.steps_wanted == 40
    other = cardai.train("mccfr", "kuhn", steps=40, seed=8)
    assert made.curves()["exploitability"].tolist() != other.curves()["exploitability"].tolist()
    short = cardai.train("cfr", "kuhn", steps=4)
    assert short.train().step == 4  # without an end of its own: to what was asked for at first
    with pytest.raises(UsageError, match="is not empty"):
        cardai.train("cfr", "kuhn", steps=3, out=tmp_path / "x")


def test_curves_have_a_hole_where_a_row_lacks_a_metric(tmp_path: Path) -> None:
    made = cardai.train("cfr", "kuhn", steps=2, out=tmp_path / "x")
    file = made.path / "metrics.jsonl"
    file.write_text('{"step": 1, "seconds": 0.5}\n{"step": 2, "seconds": 1.0, "loss": 3.0}\n')
    curves = made.curves()
    assert curves["step"].tolist() == [1.0, 2.0]
    assert math.isnan(curves["loss"][0])
    assert curves["loss"][1] == 3.0


def test_as_many_checkpoints_are_kept_as_were_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every step: the last two stay, or those that ``keep`` says; the newest is the run's step."""
    monkeypatch.setattr("cardai.api.runs.CHECKPOINT_SECONDS", 0.0)
    for keep, steps in ((1, [6]), (3, [4, 5, 6]), (0, [1, 2, 3, 4, 5, 6])):
        made = cardai.train("cfr", "kuhn", steps=6, keep=keep, out=tmp_path / str(keep))
        assert made.run.steps() == steps
        assert made.step == 6
