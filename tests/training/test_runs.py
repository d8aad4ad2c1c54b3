"""Run directories: atomic, verified, resumable, and agents afterwards."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai.core import registry
from cardai.core.errors import CardaiError, DamagedFileError, OptionError, UsageError
from cardai.core.files import digest_of, write_json
from cardai.core.npz import read_npz
from cardai.core.spec import options_of, parse, write_value
from cardai.training.runs import Run, RunWarning
from cardai.training.session import Session
from cardai.training.specs import check_same, full_spec

TOY = Path(__file__).parents[1] / "toy_trainer.py"


@pytest.fixture(autouse=True)
def _toy() -> None:
    registry.add_file(str(TOY))


def make(path: Path, trainer: str = "toy_trainer:rate=0.5", steps: int = 40) -> Run:
    return Run.create(path, trainer, "toy_game", None, seed=3, steps=steps)


def test_run_json_holds_every_option_of_the_specs(tmp_path: Path) -> None:
    run = make(tmp_path / "x")
    assert run.trainer_spec == "toy_trainer:rate=0.5,every=5"
    assert Run.open(tmp_path / "x") == run
    assert json.loads((tmp_path / "x" / "run.json").read_text())["steps"] == 40


def test_a_resumed_run_keeps_as_many_checkpoints_as_it_was_begun_with(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "x", "toy_trainer:rate=0.5", "toy_game", None, seed=3, steps=40, keep=3)
    Session.start(run).train(20, checkpoint_every=5)
    assert run.steps() == [10, 15, 20]
    Session.resume(Run.open(run.path)).train(30, checkpoint_every=5)
    assert run.steps() == [20, 25, 30]
    Session.resume(Run.open(run.path)).train(35, keep=0)
    assert run.steps() == [20, 25, 30, 35]


def test_a_damaged_later_checkpoint_does_not_cost_the_one_just_written(tmp_path: Path) -> None:
    run = make(tmp_path / "x")
    Session.start(run).train(20, checkpoint_every=5)
    (run.path / "checkpoints" / f"step-{20:012d}" / "toy.npz").write_bytes(b"")
    Session.resume(run).train(17, keep=1)
    assert run.steps() == [17, 20]
    found, refused = run.latest()
    assert found is not None
    assert (found.step, len(refused)) == (17, 1)


def test_a_non_empty_directory_is_refused(tmp_path: Path) -> None:
    make(tmp_path)
    with pytest.raises(UsageError, match=f"is not empty. Go on with it by --resume {tmp_path}"):
        make(tmp_path)


def test_an_edited_run_json_is_refused(tmp_path: Path) -> None:
    make(tmp_path)
    text = (tmp_path / "run.json").read_text()
    (tmp_path / "run.json").write_text(text.replace("rate=0.5", "rate=0.6"))
    with pytest.raises(DamagedFileError, match="edited or damaged"):
        Run.open(tmp_path)


HOSTILE = [None, True, -1, 0.5, 2**64, "", "x", [], ["x"], {}, {"a": {"b": []}}, "../../etc/passwd", float("inf")]


def forge(file: Path, key: str, value: Any, seal: str, length: int = 64) -> None:
    """Put ``value`` in a JSON file (nothing: take the key out) and seal it as its owner would."""
    values = json.loads(file.read_text())
    values.pop(key)
    if value is not KeyError:
        values[key] = value
    rest = {name: held for name, held in values.items() if name != seal}
    values[seal] = digest_of(rest)[:length] if key != seal else values.get(seal, "")
    write_json(file, values)


@pytest.mark.parametrize("key", ["format", "id", "trainer", "game", "encoder", "seed", "steps", "versions", "command"])
def test_a_run_json_of_wrong_values_is_refused_by_name(key: str, tmp_path: Path) -> None:
    good = json.loads((make(tmp_path).path / "run.json").read_text())
    refused = 0
    for value in [KeyError, *HOSTILE]:
        write_json(tmp_path / "run.json", good)
        forge(tmp_path / "run.json", key, value, "id", 16)
        try:
            run = Run.open(tmp_path)
            run.game(), run.trainer(), run.encoder()
        except CardaiError:
            refused += 1
    # what is as good as before: any text among versions and the command line, none as an encoder, 0 and more as numbers
    assert refused >= 12 - (key in ("versions", "command", "encoder")) - 2 * (key == "command")


@pytest.mark.parametrize("key", ["format", "run", "step", "seconds", "cpu_seconds", "files", "sha256"])
def test_a_manifest_of_wrong_values_is_refused_by_name(key: str, tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(40)
    file = tmp_path / "checkpoints" / "step-000000000040" / "manifest.json"
    good = json.loads(file.read_text())
    for value in [KeyError, *HOSTILE]:
        if key.endswith("seconds") and type(value) in (int, float):
            continue
        if key == "files" and value == {}:
            continue
        write_json(file, good)
        forge(file, key, value, "sha256")
        with pytest.raises(DamagedFileError, match=r"manifest\.json|belongs to step|is not of the form"):
            run.verify(40)


@pytest.mark.parametrize("name", ["../../run.json", "/etc/passwd", "..", ""])
def test_a_manifest_that_names_a_file_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(40)
    file = tmp_path / "checkpoints" / "step-000000000040" / "manifest.json"
    forge(file, "files", {name: {"bytes": 1, "sha256": ""}}, "sha256")
    with pytest.raises(DamagedFileError, match="which is not the name of a file beside it"):
        run.verify(40)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"step": "5"}', "step must be a number. Got '5'"),
        ('{"step": 5, "loss": [1]}', r"loss must be a number. Got \[1\]"),
        ('{"step": 5, "loss": null}', "loss must be a number. Got None"),
        ('{"step": 5.5}', "it has no step"),
        ('{"step": -5}', "it has no step"),
        ('{"loss": 5}', "it has no step"),
        ("[" * 99_999, "recursion"),
        ("[5]", "must be an object"),
    ],
)
def test_metrics_that_are_no_numbers_are_refused_by_line(row: str, said: str, tmp_path: Path) -> None:
    run = make(tmp_path)
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": NaN}\n' + row + '\n{"step": 9}\n')
    with pytest.raises(DamagedFileError, match=f"Line 2 of .*metrics.jsonl is damaged.*{said}"):
        run.read_metrics()


@pytest.mark.parametrize("step", ["\u00b2", "1e3", "9" * 30, "-5", "5+5"])
def test_a_step_that_is_no_number_is_refused_by_name(step: str, tmp_path: Path) -> None:
    Session.start(make(tmp_path)).train(40)
    with pytest.raises(OptionError, match="no checkpoint of step"):
        cardai.agent(f"{tmp_path}:step={step}")


def test_resumed_training_equals_uninterrupted_training(tmp_path: Path) -> None:
    whole = make(tmp_path / "whole")
    Session.start(whole).train(40, checkpoint_every=10)
    broken = make(tmp_path / "broken")
    stops = iter([False] * 4 + [True])
    assert not Session.start(broken).train(40, checkpoint_every=10, stopping=lambda: next(stops))
    with (tmp_path / "broken" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 35, "exploitability": 9}\n{"step": 4')  # written after the checkpoint, then killed
    again = Session.resume(broken)
    assert again.training.step == 25
    again.train(40, checkpoint_every=10)
    assert strip(whole) == strip(broken)
    assert [p.read_bytes() for p in npz_files(whole)] == [p.read_bytes() for p in npz_files(broken)]


def test_two_sessions_cannot_train_one_run(tmp_path: Path) -> None:
    run = make(tmp_path)
    first = Session.start(run)
    with pytest.raises(UsageError, match="is being trained by another process"):
        Session.resume(run)
    first.train(20)
    Session.resume(run).train(40)
    assert run.steps()[-1] == 40


def strip(run: Run) -> list[dict[str, float]]:
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in run.read_metrics()]


def npz_files(run: Run) -> list[Path]:
    return sorted(run.path.glob("checkpoints/step-000000000040/*.npz"))


def test_the_last_two_checkpoints_are_kept_and_damaged_ones_passed_over(tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(40, checkpoint_every=10)
    assert run.steps() == [30, 40]
    newest = next(iter(run.path.glob("checkpoints/step-000000000040/*.npz")))
    newest.write_bytes(newest.read_bytes()[:-7])
    checkpoint, refused = run.latest()
    assert checkpoint is not None
    assert checkpoint.step == 30
    assert "truncated or damaged" in refused[0]
    with pytest.warns(RunWarning, match="Playing step 30 instead"):
        cardai.agent(f"{tmp_path}:flavour=sweet")


def test_what_a_killed_process_left_half_written_is_neither_used_nor_kept(tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(20)
    left = tmp_path / "checkpoints" / f".step-000000000030.{run.id}.4711"
    left.mkdir()
    (left / "toy.npz").write_bytes(b"half")
    assert run.steps() == [20]
    Session.resume(run).train(40)
    assert not left.exists()


@pytest.mark.parametrize("times", [200, pytest.param(1000, marks=pytest.mark.long)])
def test_every_mutation_of_a_checkpoint_is_refused(times: int, tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(40)
    rng = random.Random(1)
    folder = tmp_path / "checkpoints" / "step-000000000040"
    originals = {p: p.read_bytes() for p in sorted(folder.iterdir())}
    for _ in range(times):
        path, data = rng.choice(list(originals.items()))
        damaged = mutate(data, rng)
        path.write_bytes(damaged)
        if damaged != data:
            with pytest.raises(DamagedFileError):
                run.verify(40)
        path.write_bytes(data)
    assert run.verify(40).step == 40


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return ``data`` with a bit flipped, a piece cut, doubled or zeroed."""
    at = rng.randrange(len(data))
    return [
        data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :],
        data[:at],
        data[:at] + data[at // 2 :],
        data[:at] + bytes(len(data) - at),
    ][rng.randrange(4)]


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    one, two = make(tmp_path / "one"), make(tmp_path / "two")
    Session.start(one).train(40)
    shutil.copytree(tmp_path / "one" / "checkpoints", tmp_path / "two" / "checkpoints", dirs_exist_ok=True)
    with pytest.raises(DamagedFileError, match=f"of the run {one.id}"):
        two.verify(40)
    with pytest.raises(DamagedFileError, match="No checkpoint"):
        Session.resume(two)


def test_a_run_that_could_not_be_gone_on_with_is_free_once_it_is_mended(tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(40)
    folder = tmp_path / "checkpoints" / "step-000000000040"
    folder.rename(tmp_path / "checkpoints" / "step-000000000050")
    with pytest.raises(DamagedFileError, match="No checkpoint") as kept:  # as a notebook keeps the last error
        Session.resume(run)
    (tmp_path / "checkpoints" / "step-000000000050").rename(folder)
    assert Session.resume(run).training.step == 40
    assert kept.tb is not None


def test_a_copied_run_directory_is_an_agent(tmp_path: Path) -> None:
    Session.start(make(tmp_path / "here")).train(40)
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    shutil.rmtree(tmp_path / "here")
    agent = cardai.agent(f"{tmp_path / 'there'}:step=40")
    assert agent.policy(np.zeros(2), np.ones((2, 2), bool)).shape == (2, 2)


def test_unknown_steps_and_options_are_named(tmp_path: Path) -> None:
    Session.start(make(tmp_path)).train(40)
    with pytest.raises(OptionError, match="no checkpoint of step '7'"):
        cardai.agent(f"{tmp_path}:step=7")
    with pytest.raises(OptionError, match="Its options: flavour, step"):
        cardai.agent(f"{tmp_path}:taste=7")


def test_resuming_with_a_conflicting_option_is_a_usage_error(tmp_path: Path) -> None:
    run = make(tmp_path)
    check_same(run, "trainer", "toy_trainer:rate=0.5")
    check_same(run, "trainer", None, {"rate": "0.5"})
    with pytest.raises(UsageError, match=r"goes on with the trainer toy_trainer:rate=0\.5"):
        check_same(run, "trainer", "toy_trainer")
    with pytest.raises(UsageError, match=r"goes on with rate=0\.5\. Got rate=0\.7"):
        check_same(run, "trainer", None, {"rate": "0.7"})
    with pytest.raises(OptionError, match="has no option 'speed'"):
        check_same(run, "trainer", None, {"speed": "1"})
    assert full_spec("trainer", "toy_trainer") == "toy_trainer:rate=0.1,every=5"


def test_a_run_learns_from_those_runs_that_it_began_with_whatever_becomes_of_them(tmp_path: Path) -> None:
    """A resumed run ends with the numbers of one that was never stopped, though its rival was trained on meanwhile."""
    pytest.importorskip("torch")
    rival = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "rival", keep=0)
    spec = f"ppo:batch=32,tables=8,hidden=4,against={rival.path}"
    whole, stopped = (Run.create(tmp_path / name, spec, "kuhn", "flat", 1) for name in ("whole", "stopped"))
    assert parse(stopped.trainer_spec).values()["against"] == f"{rival.path}:step=1"
    check_same(stopped, "trainer", spec)
    Session.start(whole).train(2)
    Session.start(stopped).train(1)
    rival.train(steps=200)
    Session.resume(stopped).train(2)
    networks = [(run.verify(2).path / "networks.safetensors").read_bytes() for run in (whole, stopped)]
    assert networks[0] == networks[1]
    with pytest.raises(UsageError, match=r"goes on with the trainer .*rival:step=1"):
        check_same(stopped, "trainer", spec)


def test_each_player_of_a_league_is_named_as_it_is(tmp_path: Path) -> None:
    rival = cardai.train("cfr", "kuhn", steps=1, out=tmp_path / "rival").path
    league = write_value(("self", "simple", str(rival), f"{rival}:step=7"))
    found = parse(full_spec("trainer", f"gin_values:league={league}")).values()
    assert found["league"] == ["self", "simple", f"{rival}:step=1", f"{rival}:step=7"]
    assert found["teacher"] == "gin_lookahead"


def test_a_pickle_in_an_npz_is_not_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (exec, ("raise SystemExit(99)",))

    np.savez(tmp_path / "evil.npz", x=np.array([Evil()], dtype=object))
    with pytest.raises(DamagedFileError, match="not a readable npz"):
        read_npz(tmp_path / "evil.npz")


def test_metrics_are_cut_behind_the_step_and_not_at_it(tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(30)
    assert [row["step"] for row in run.read_metrics()] == [10, 20, 30]
    run.cut_metrics(20)
    assert [row["step"] for row in run.read_metrics()] == [10, 20]
    run.cut_metrics(19)
    assert [row["step"] for row in run.read_metrics()] == [10]


def test_only_a_line_that_was_never_finished_is_passed_over(tmp_path: Path) -> None:
    run = make(tmp_path)
    file = tmp_path / "metrics.jsonl"
    file.write_text('{"step": 10}\n{"step": 2')
    assert run.read_metrics() == [{"step": 10}]
    for text in ('{"step": 10}\n{"step": 2\n', '{"step": 10}\n{"step": 2\n{"step": 30}\n', '{"step": 10}\n[1]\n'):
        file.write_text(text)
        with pytest.raises(DamagedFileError, match=r"Line 2 of .* is damaged"):
            run.read_metrics()


def test_a_checkpoint_under_another_steps_name_is_refused(tmp_path: Path) -> None:
    run = make(tmp_path)
    Session.start(run).train(20)
    shutil.copytree(tmp_path / "checkpoints" / "step-000000000020", tmp_path / "checkpoints" / "step-000000000030")
    with pytest.raises(DamagedFileError, match=r"belongs to step 20 of the run .*not to step 30"):
        run.verify(30)
    checkpoint, refused = run.latest()
    assert checkpoint is not None
    assert (checkpoint.step, len(refused)) == (20, 1)


PRESETS = """
from attrs import frozen

from cardai import hookimpl
from tests.toy_trainer import ToyTrainer


@frozen
class Changing(ToyTrainer):
    presets = {"changing_fast": {"rate": 0.9}}


@hookimpl
def cardai_trainer():
    return {"changing": Changing}
"""


@pytest.fixture
def _changing(tmp_path: Path) -> Iterator[None]:
    plugin = tmp_path / "changing_plugin.py"
    plugin.write_text(PRESETS)
    registry.add_file(str(plugin))
    yield
    registry.default.reset()
    registry.add_file(str(TOY))


@pytest.mark.usefixtures("_changing")
def test_a_preset_that_is_changed_later_changes_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.create(tmp_path / "x", "changing_fast", "toy_game", None, seed=3, steps=40)
    cls: Any = type(run.trainer())
    monkeypatch.setattr(cls, "presets", {"changing_fast": {"rate": 0.1, "every": 7}})
    assert registry.create("trainer", "changing_fast") == cls(rate=0.1, every=7)
    assert Run.open(run.path).trainer() == cls(rate=0.9, every=5)
    older = evolve(run, trainer_spec="changing_fast:rate=0.9")  # made before there was an option every
    assert older.trainer() == cls(rate=0.9, every=5)
    check_same(older, "trainer", None, {"every": "5"})
    with pytest.raises(UsageError, match=r"goes on with every=5\. Got every=7"):
        check_same(older, "trainer", None, {"every": "7"})


def test_the_order_of_options_says_nothing(tmp_path: Path) -> None:
    run = evolve(make(tmp_path), trainer_spec="toy_trainer:every=5,rate=0.5")
    check_same(run, "trainer", "toy_trainer:rate=0.5")


OLD = {
    "poker_cnn_betting_ours:network=suits,same_padding=false,whole_suits=true,hands=300,teachers=holdem_heuristic,earlier=2,"
    "league=threshold+random,league_share=0.5,branches=1,unit=100.0,discount=1.0,counterfactuals=all,teach_illegal=false,"
    "keep_share=1.0,memory=3,keep_teachers=false,max_events=1500000,epochs=1.0,policy=mirror,step_size=6.0,shrink=0.05,"
    "explore=0.02,noise=0.0,policy_mix=1.0,repair=false,boost=false,refold=false,draws_by=exact,draw_shares=1.0+1.0+1.0,"
    "draw_noise=0.0,heads=choices,relu_output=false,canonical=true,optimizer=adam,learning_rate=0.001,batch=32,"
    "warm_start=v_limit,freeze_trunk=true,threads=2,device=auto": "poker_cnn_betting_ours:teachers=holdem_heuristic,"
    "league=threshold+random,hands=300,batch=32,epochs=1,warm_start=v_limit,freeze_trunk=true,threads=2",
    "poker_cnn_paper:network=cnn_16,same_padding=false,whole_suits=false,examples=1500,redraws=30,thin=true,canonical=false,"
    "relu_output=true,policy_weight=0.0,temperature=0.01,replay=0.0,optimizer=sgd,learning_rate=0.1,anneal=0,batch=100,"
    "every=5,measure=true,validation=60,threads=1,device=auto": "poker_cnn_paper:network=cnn_16,redraws=30,examples=1500,"
    "threads=1,validation=60,every=5",
    "nfsp_leduc_thesis:hidden=64,tables=1,updates=1,batch=128,rl_capacity=200000,sl_capacity=2000000,recency=0.0,"
    "min_data=1000,eta=0.1,epsilon=0.06,epsilon_decay=0.01,store_exploration=true,discount=1.0,"
    "reward_scale=0.038461538461538464,stratified=0.0,q_average=0.0,target_every=300,q_optimizer=sgd,q_rate=0.1,"
    "q_rate_end=none,policy_optimizer=sgd,policy_rate=0.005,policy_rate_end=none,rate_steps=1000000,rate_power=0.0,"
    "eval_every=1000,engine=auto,play=auto,compile_limit=200000,device=auto,threads=1": "nfsp_leduc_thesis:eval_every=1000",
}
"""Specs as the first version wrote them into run.json, and what had been asked for."""


@pytest.mark.parametrize("written", OLD)
def test_runs_of_the_first_version_mean_what_they_meant(written: str, tmp_path: Path) -> None:
    run = evolve(make(tmp_path), trainer_spec=written)
    trainer = run.trainer()
    kept = {name: value for name, value in parse(written).options if name not in type(trainer).retired}
    meant = {name: write_value(getattr(trainer, name)) for name in options_of(type(trainer))}
    assert {"actors": "1", **meant} == {"actors": "1", **kept}  # came later, and means what there was
    check_same(run, "trainer", OLD[written])
