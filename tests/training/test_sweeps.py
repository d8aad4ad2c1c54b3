"""Sweeps: every combination and seed a run as train makes it, finished after a stop, with a table over seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.spec import parse
from cardai.training import sweeps
from cardai.training.halving import Halving, Judge, figure
from cardai.training.runs import Run
from cardai.training.session import Session
from cardai.training.sweep_table import table
from cardai.training.sweeps import Sweep, values_of


def begun(path: Path, **changes: Any) -> Sweep:
    asked: dict[str, Any] = {
        "trainer": "mccfr",
        "game": "kuhn",
        "encoder": None,
        "options": {"measure_every": ["100", "200"]},
        "seeds": [0, 1],
        "steps": 400,
        "minutes": None,
    }
    return Sweep.begin(path, **(asked | changes))


def numbers(run: Run) -> list[dict[str, float]]:
    """Return a run's metrics without its times."""
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in run.read_metrics()]


def arrays(run: Run) -> dict[str, Any]:
    checkpoint, _ = run.latest()
    assert checkpoint is not None
    return dict(np.load(checkpoint.path / "tables.npz"))


def same(one: Run, other: Run) -> bool:
    first, second = arrays(one), arrays(other)
    return numbers(one) == numbers(other) and all(np.array_equal(first[k], second[k]) for k in first | second)


def trained_alone(path: Path, measure_every: int, seed: int) -> Run:
    run = Run.create(path, f"mccfr:measure_every={measure_every}", "kuhn", None, seed, 400)
    assert Session.start(run).train(400)
    return run


def test_a_value_that_is_longer_than_a_name_of_a_file_has_no_runs(tmp_path: Path) -> None:
    sweep = begun(tmp_path / "sweep")
    file = sweep.path / "sweep.json"
    asked = json.loads(file.read_text())
    file.write_text(json.dumps({**asked, "options": {"measure_every": ["9" * 5000]}}))
    sweep = Sweep.open(sweep.path)
    assert sweep.runs() == []
    assert not any(sweep.finished(point) for point in sweep.points())
    with pytest.raises(UsageError, match="No run of"):
        table(sweep, "exploitability")


def test_each_run_is_the_one_that_train_makes(tmp_path: Path) -> None:
    sweep = begun(tmp_path / "sweep")
    reports = list(sweep.train())
    assert [done for done, _, _ in reports] == [1, 2, 3, 4]
    names = [point.name for point in sweep.points()]
    assert names == [f"measure_every={m}/seed-{s}" for m in (100, 200) for s in (0, 1)]
    for name, (every, seed) in zip(names, [(100, 0), (100, 1), (200, 0), (200, 1)], strict=True):
        assert same(Run.open(tmp_path / "sweep" / name), trained_alone(tmp_path / f"{every}-{seed}", every, seed))
    assert list(begun(tmp_path / "sweep").train()) == []


@pytest.mark.long
def test_stretches_that_are_sent_about_end_in_the_same_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cluster's workers do, here: every stretch ends at once, and goes on from the directory that came back."""

    class Near(sweeps.Work):
        def __init__(self, *arguments: Any, on: str = "", **options: Any) -> None:
            super().__init__(*arguments, on="", **options)

    monkeypatch.setattr(sweeps, "Work", Near)
    few = {"options": {"measure_every": ["4", "6"]}, "seeds": [3], "steps": 12}
    sweep = begun(tmp_path / "far", **few)
    reports = list(sweep.train(on="ray", stretch=0.0))
    assert len(reports) > 4
    assert reports[-1][:2] == (2, 2)
    list(begun(tmp_path / "near", **few).train())
    for point in sweep.points():
        assert same(Run.open(tmp_path / "far" / point.name), Run.open(tmp_path / "near" / point.name))


def test_a_sweep_that_was_stopped_goes_on_and_does_nothing_twice(tmp_path: Path) -> None:
    going = begun(tmp_path).train()
    next(going)
    going.close()
    written = (tmp_path / "measure_every=100/seed-0/run.json").read_bytes()
    assert [done for done, _, _ in Sweep.open(tmp_path).train()] == [2, 3, 4]
    assert (tmp_path / "measure_every=100/seed-0/run.json").read_bytes() == written


def test_another_run_that_lies_where_one_came_back_takes_no_place(tmp_path: Path) -> None:
    sweep = begun(tmp_path / "sweep", seeds=[0], options={"measure_every": ["100"]}, steps=100)
    list(sweep.train())
    folder = sweep.path / sweep.points()[0].name
    trained_alone(folder.parent / ".seed-0.new", 100, 5)
    with pytest.raises(DamagedFileError, match="are two runs"):
        list(Sweep(sweep.path, evolve(sweep.asked, steps=200)).train())
    assert Run.open(folder).seed == 0


def test_a_run_that_came_back_whole_is_put_in_place_after_a_kill(tmp_path: Path) -> None:
    sweep = begun(tmp_path / "sweep")
    list(sweep.train())
    folder = tmp_path / "sweep/measure_every=100/seed-0"
    packed = sweeps._pack(folder)
    (folder / "run.json").unlink()  # half removed when the process was killed
    sweeps._unpack(packed, tmp_path / "other/seed-0")
    (tmp_path / "other/seed-0").rename(folder.parent / ".seed-0.new")
    assert list(sweep.train()) == []
    assert Run.open(folder).steps() == [400]


def test_the_table_has_median_and_range_over_seeds(tmp_path: Path) -> None:
    sweep = begun(tmp_path, options={}, seeds=[0, 1, 2])
    for point, value in zip(sweep.points(), (3.0, 1.0, 2.0), strict=True):
        Run.create(tmp_path / point.name, point.trainer, "kuhn", None, point.seed)
        rows = [{"step": 10 * k, "exploitability": 9.0 if k < 3 else value} for k in range(1, 8)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / point.name / "metrics.jsonl").write_text(text)
    (line,) = table(sweep, "exploitability")
    assert (line.label, line.seeds, line.step) == ("mccfr", 3, 70)
    assert (line.median, line.low, line.high) == (2.0, 1.0, 3.0)
    with pytest.raises(UsageError, match=r"has the metric 'loss'\. Their metrics: exploitability"):
        table(sweep, "loss")


def test_values_joined_with_plus_are_several_but_of_options_that_take_several() -> None:
    assert values_of("mccfr", "measure_every", ["1+2", "3"]) == ["1", "2", "3"]
    assert values_of("poker_cnn_betting", "draw_shares", ["1+0.6", "1"]) == ["1+0.6", "1"]


def test_another_sweep_and_wrong_options_are_refused(tmp_path: Path) -> None:
    begun(tmp_path / "one")
    with pytest.raises(UsageError, match=r"holds another sweep, with steps 400\. Choose another --out"):
        begun(tmp_path / "one", steps=500)
    with pytest.raises(OptionError, match="has no option 'speed'"):
        begun(tmp_path / "two", options={"speed": ["1"]})
    assert not (tmp_path / "two").exists()
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "mine.txt").touch()
    with pytest.raises(UsageError, match="is not empty and holds no sweep"):
        begun(tmp_path / "three")
    with pytest.raises(UsageError, match="the same options and seed"):
        begun(tmp_path / "four", seeds=[0, 0])


def test_more_runs_than_a_sweep_may_have_are_refused_wherever_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "MOST_RUNS", 4)
    sweep = begun(tmp_path / "four")
    assert len(sweep.points()) == 4
    with pytest.raises(UsageError, match=r"at most 4 runs.* have 6: 2 of measure_every x 3 seeds"):
        begun(tmp_path / "six", seeds=[0, 1, 2])
    assert not (tmp_path / "six").exists()
    monkeypatch.setattr(sweeps, "MOST_RUNS", 3)
    with pytest.raises(UsageError, match="at most 3 runs"):
        Sweep.open(tmp_path / "four").points()


VARIANTS = ["cfr", "cfr_plus", "dcfr", "linear", "pcfr_plus", "pdcfr_plus"]


def halved(path: Path, **changes: Any) -> Sweep:
    pytest.importorskip("optuna")
    asked: dict[str, Any] = {"trainer": "cfr", "steps": 90}
    asked |= {"options": {"variant": VARIANTS}, "seeds": [0], "halving": Halving("exploitability", 10, 3)}
    return begun(path, **(asked | changes))


def test_bad_runs_are_stopped_at_rungs_and_the_others_are_those_of_train(tmp_path: Path) -> None:
    sweep = halved(tmp_path / "sweep")
    told = list(sweep.train())
    stopped = sweep.plan().stopped
    assert set(stopped.values()) == {10, 30}
    assert told[-1][:2] == (6, 6)
    for point in sweep.points():
        run = Run.open(sweep.path / point.name)
        assert run.steps()[-1] == stopped.get(point.name, 90)
        alone = Run.create(tmp_path / "alone" / point.name, point.trainer, "kuhn", None, point.seed, 90)
        Session.start(alone).train(run.steps()[-1])
        assert all(np.array_equal(arrays(run)[k], arrays(alone)[k]) for k in arrays(alone))
    at_first = {p.name: figure(numbers(Run.open(sweep.path / p.name)), "exploitability", 10) for p in sweep.points()}
    assert stopped.get(min(at_first, key=lambda name: at_first[name] or 0.0)) != 10


@pytest.mark.long
def test_which_runs_are_stopped_does_not_depend_on_when_it_was_asked(tmp_path: Path) -> None:
    """Taken up after every run, and with another process's runs there already."""
    whole, cut = halved(tmp_path / "whole"), halved(tmp_path / "cut")
    list(whole.train())
    last = whole.points()[-1]
    Session.start(Run.create(cut.path / last.name, last.trainer, "kuhn", None, last.seed, 90)).train(10)
    for _ in range(14):
        next(iter(Sweep.open(cut.path).train()), None)
    assert cut.plan() == whole.plan()
    assert not list(cut.train())
    assert table(cut, "exploitability") == table(whole, "exploitability")


@pytest.mark.long
def test_a_stopped_run_says_so_until_it_is_gone_on_with(tmp_path: Path) -> None:
    sweep = halved(tmp_path / "sweep")
    list(sweep.train())
    name, step = min(sweep.plan().stopped.items())
    label = name.partition("/")[0]
    assert {line.label: line.stopped for line in table(sweep, "exploitability")}[label] == (step,)
    Session.resume(Run.open(sweep.path / name)).train(90)
    assert {line.label: line.stopped for line in table(sweep, "exploitability")}[label] == ()
    assert name in sweep.plan().stopped
    assert not list(sweep.train())


def test_a_metric_that_no_run_has_and_rungs_past_the_end_are_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Give --steps above the first rung, 90, or an earlier rung"):
        halved(tmp_path / "late", halving=Halving("exploitability", 90))
    with pytest.raises(UsageError, match=r"judged by 'wealth' at step 10, and .* Its metrics: .*exploitability"):
        list(halved(tmp_path / "none", halving=Halving("wealth", 10)).train())
    assert "halving" not in json.loads((begun(tmp_path / "plain").path / "sweep.json").read_text())


def test_a_run_is_judged_by_what_it_had_at_the_rung() -> None:
    rows = [{"step": 1, "x": 2.0}, {"step": 2, "y": 1.0}, {"step": 5, "x": 9.0}]
    assert [figure(rows, "x", step) for step in (1, 4, 5, None)] == [2.0, 2.0, 5.5, 5.5]
    assert figure(rows, "y", 1) is None


def test_more_can_be_better() -> None:
    pytest.importorskip("optuna")
    figures = {f"run {k}": float(k) for k in range(9)}
    least, most = (Judge(Halving("x", 1, 3, best)).going_on(figures, 1) for best in (False, True))
    assert "run 0" in least
    assert "run 8" in most
    assert max(len(least), len(most)) < 9
    backwards = {name: figures[name] for name in reversed(figures)}
    assert Judge(Halving("x", 1, 3)).going_on(backwards, 1) == least
    assert "run 3" not in Judge(Halving("x", 1, 3)).going_on(figures | {"run 3": float("nan")}, 1)


def test_a_run_of_minutes_is_finished_by_its_minutes(tmp_path: Path) -> None:
    sweep = begun(tmp_path / "sweep", steps=None, minutes=1.5)
    point = sweep.points()[0]
    run = Run.create(sweep.path / point.name, point.trainer, "kuhn", None, point.seed)
    for step, (seconds, over) in enumerate([(89.0, False), (90.0, True)], 1):
        run.save(step, lambda folder: None, seconds)
        assert sweep.finished(point) is over


def test_all_runs_of_a_sweep_learn_from_the_same_players(tmp_path: Path) -> None:
    """Whatever becomes of a rival between two runs; and a sweep of an earlier version, which names no step, goes on."""
    pytest.importorskip("torch")
    rival = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "rival", keep=0)
    asked = {"game": "kuhn", "encoder": "flat", "seeds": (1,), "steps": 1, "minutes": None}
    own = f"ppo:batch=32,tables=8,hidden=4,against={rival.path}"
    ways = ((own, {"rate": ["0.1", "0.2"]}), ("ppo:batch=32", {"against": [str(rival.path), "random"]}))
    begun = [Sweep.begin(tmp_path / f"{k}", trainer, options=given, **asked) for k, (trainer, given) in enumerate(ways)]
    rival.train(steps=2)
    named = [parse(point.trainer).values()["against"] for sweep in begun for point in sweep.points()]
    assert named == [f"{rival.path}:step=1"] * 3 + ["random"]
    with pytest.raises(UsageError, match=r"another sweep, with trainer .*step=1"):
        Sweep.begin(tmp_path / "0", own, options=ways[0][1], **asked)
    file = tmp_path / "0" / "sweep.json"
    file.write_text(file.read_text().replace(":step=1", "").replace('\\"', ""))
    assert Sweep.begin(tmp_path / "0", own, options=ways[0][1], **asked).path == tmp_path / "0"
