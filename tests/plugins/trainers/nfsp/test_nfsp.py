"""NFSP: it learns, resumes bit for bit, refuses what is damaged, and plays what it measures."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import cardai
from cardai import testing
from cardai.core import registry
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.rng import uniform
from cardai.core.trainer import Training
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.solve.measures import exploitability, head_to_head
from cardai.testing import Case
from cardai.training.runs import Run
from cardai.training.session import Session

SMALL = "hidden=16,tables=32,batch=32,rl_capacity=2000,sl_capacity=5000,min_data=100"


@testing.parametrize_checks("trainer", f"nfsp:{SMALL}", game="kuhn", encoder="flat", steps=20)
def test_it_conforms(check: Case) -> None:
    check()


def start(spec: str, game: str = "kuhn", encoder: str = "flat", seed: int = 1) -> Training:
    training: Training = registry.create("trainer", spec).start(
        cardai.game(game), None if not encoder else cardai.encoder(encoder), seed
    )
    return training


def advance(training: Training, steps: int) -> dict[str, float]:
    last: dict[str, float] = {}
    for metrics in training.train(steps):
        last = metrics or last
    return last


def test_presets_are_the_papers() -> None:
    # Heinrich and Silver 2016, Leduc: one hidden layer of 64 (8 to 128 swept), M_RL 200k, M_SL 2M, eta 0.1, epsilon
    # 0.06, SGD 0.1 and 0.005, minibatch 128, 2 updates a network every 128 steps, target refit every 300 updates
    paper = registry.create("trainer", "nfsp_leduc")
    assert (paper.hidden, paper.rl_capacity, paper.sl_capacity, paper.eta) == (64, 200_000, 2_000_000, 0.1)
    assert (paper.epsilon, paper.q_rate, paper.policy_rate, paper.batch) == (0.06, 0.1, 0.005, 128)
    assert (paper.tables, paper.updates, paper.target_every, paper.policy_optimizer) == (128, 2, 300, "sgd")
    assert registry.create("trainer", "nfsp_leduc_thesis") == evolve(paper, tables=1, updates=1)


def test_it_learns_kuhn_poker() -> None:
    training = start(f"nfsp:{SMALL},target_every=0,policy_optimizer=adam,policy_rate=0.01,eval_every=100")
    first = advance(training, 100)["exploitability"]
    last = advance(training, 3200)["exploitability"]
    # uniform play is exploitable by 0.4583 (11/24); always passing by 0.5
    assert last < first
    assert last < 0.1


@pytest.fixture(scope="module")
def leduc() -> tuple[Training, dict[str, float]]:
    """Return a player of Leduc hold'em after 8,000 iterations, and its last metrics."""
    training = start("nfsp_leduc_best:eval_every=8000", "leduc", "leduc_30")
    return training, advance(training, 8_000)


@pytest.mark.long
def test_it_learns_leduc_holdem(leduc: tuple[Training, dict[str, float]]) -> None:
    training, metrics = leduc
    # always folding is 1.0, uniform play 2.37; a prototype stood below 0.5 after 30,000 iterations of 128 steps
    assert metrics["exploitability"] < 0.7
    assert metrics["rl_size"] == 400_000
    assert 0 < metrics["epsilon"] < 0.06
    agent = training.agent({})
    assert exploitability(cardai.game("leduc"), agent) == pytest.approx(metrics["exploitability"], abs=1e-6)


@pytest.mark.long
def test_it_beats_who_it_should_and_duplicate_deals_measure_the_exact_value(
    leduc: tuple[Training, dict[str, float]],
) -> None:
    game, agent = cardai.game("leduc"), leduc[0].agent({})
    for name, least in (("random", 0.5), ("always_raise", 0.3)):
        against = cardai.agent(name)
        exact = head_to_head(game, agent, against)
        found = [cardai.play(game, [agent, against], games=600, seed=seed).mean_return(0) for seed in range(20)]
        assert exact > least
        # a 95% interval misses in 1 of 20; more than 4 misses of 20 have probability 0.003
        assert sum(estimate.low <= exact <= estimate.high for estimate in found) >= 16


@pytest.mark.parametrize("options", ["policy_optimizer=adam,stratified=0.5,target_every=0", "target_every=30"])
def test_saved_and_loaded_training_goes_on_bit_for_bit(options: str, tmp_path: Path) -> None:
    spec = f"nfsp:{SMALL},{options},eval_every=50"
    whole, half, other = (start(spec) for _ in range(3))
    advance(whole, 200)
    advance(half, 130)
    half.save(tmp_path)
    other.load(tmp_path)
    row = advance(other, 70)
    assert weights(whole) == weights(other)
    expected = advance(whole, 50)
    again = advance(other, 50)
    assert {k: v for k, v in expected.items() if k != "steps_per_second"} == {
        k: v for k, v in again.items() if k != "steps_per_second"
    }
    assert row["env_steps"] == 200 * 32


def weights(training: Any) -> dict[str, bytes]:
    return {
        f"{name}.{key}": value.detach().numpy().tobytes()
        for name, network in training.networks.items()
        for key, value in network.state_dict().items()
    }


@pytest.mark.long
def test_killed_and_resumed_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    spec, steps = f"nfsp:{SMALL},policy_optimizer=adam", 8_000
    whole = Run.create(tmp_path / "whole", spec, "kuhn", "flat", 7, steps)
    Session.start(whole).train(steps)
    arguments = ["--trainer", spec, "--game", "kuhn", "--encoder", "flat", "--seed", "7", "--checkpoint-every", "400"]
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "cardai", "train", *arguments, "--steps", str(steps), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(os.environ))
    deadline = time.monotonic() + 120
    while not list(out.glob("checkpoints/step-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(random.Random(0).random() / 10)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed = Run.open(out)
    assert killed.steps()[-1] < steps, "it finished before it was killed"
    Session.resume(killed).train(steps)
    names = ("networks.safetensors", "optimiser.npz", "memory.npz", "play.npz")
    folders = [run.path / "checkpoints" / f"step-{steps:012d}" for run in (whole, killed)]
    assert [[(folder / name).read_bytes() for name in names] for folder in folders] == [
        [(folders[0] / name).read_bytes() for name in names]
    ] * 2
    rows = [[{k: v for k, v in row.items() if "second" not in k} for row in r.read_metrics()] for r in (whole, killed)]
    assert rows[0] == rows[1]


def test_both_full_reservoirs_of_leduc_fit_into_50_megabytes(tmp_path: Path) -> None:
    training: Any = start("nfsp_leduc_best", "leduc", "leduc_30")
    advance(training, 20)
    training.memory.seen[:] = 5_000_000
    owners = training.compiled.env.first_row
    for seat in range(2):
        training.memory.sl_row[seat] = training.memory.rl_row[seat] = owners[seat]
        training.memory.sl_action[seat] = training.memory.rl_action[seat] = 1
        training.memory.rl_next[seat] = -1
    training.save(tmp_path)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 50e6
    start("nfsp_leduc_best", "leduc", "leduc_30").load(tmp_path)


@pytest.mark.long
def test_damaged_checkpoints_are_refused_by_the_loader_itself(tmp_path: Path) -> None:
    """Even without the manifest's hashes nothing crashes: a load either works or raises DamagedFileError."""
    spec = f"nfsp:{SMALL},policy_optimizer=adam"
    training = start(spec)
    advance(training, 60)
    training.save(tmp_path)
    rng, refused = random.Random(2), []
    originals = {path: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    for path, data in [item for item in originals.items() for _ in range(15)]:
        at = rng.randrange(len(data))
        cut = data[: at // 2] if rng.random() < 0.3 else data[:at] + rng.randbytes(40) + data[at + 40 :]
        path.write_bytes(cut)
        try:
            other = start(spec)
            other.load(tmp_path)
            advance(other, 3)
        except DamagedFileError as error:
            refused.append(str(error))
        path.write_bytes(data)
    assert len(refused) > 20
    assert all(str(tmp_path) in message for message in refused)
    start(spec).load(tmp_path)


def test_a_checkpoint_of_other_sizes_is_refused(tmp_path: Path) -> None:
    training = start(f"nfsp:{SMALL}")
    advance(training, 20)
    training.save(tmp_path)
    with pytest.raises(DamagedFileError):
        start(f"nfsp:{SMALL}".replace("hidden=16", "hidden=8")).load(tmp_path)
    with pytest.raises(DamagedFileError):
        start(f"nfsp:{SMALL}".replace("tables=32", "tables=16")).load(tmp_path)


def test_the_players_policies_can_be_chosen(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "x", f"nfsp:{SMALL}", "kuhn", "flat", 1, 100)
    Session.start(run).train(100)
    game = cardai.game("kuhn")
    tree_views, legal = views_of(game)
    average, best, mixture = (
        cardai.agent(f"{run.path}:policy={name}").policy(tree_views, legal)
        for name in ("average", "best_response", "mixture")
    )
    assert set(np.unique(best)) == {0.0, 1.0}
    assert mixture == pytest.approx(0.9 * average + 0.1 * best)
    with pytest.raises(OptionError, match="must be one of average, best_response, mixture"):
        cardai.agent(f"{run.path}:policy=worst")
    with pytest.raises(UsageError, match="cannot play"):
        cardai.agent(str(run.path)).for_game(cardai.game("leduc"))


def views_of(game: Any) -> tuple[Any, Any]:
    from cardai.solve.tree import game_tree

    sets = game_tree(game).infosets
    return sets.views, sets.legal


@pytest.mark.parametrize(
    ("spec", "game", "encoder", "message"),
    [
        ("nfsp", "kuhn", "", "needs --encoder"),
        ("nfsp", "leduc:players=3", "flat", "is for two players"),
        ("nfsp", "gin", "flat", "is too large to enumerate"),
        ("nfsp:compile_limit=50", "kuhn", "flat", "more than 50 nodes"),
    ],
)
def test_what_it_cannot_take_is_said(spec: str, game: str, encoder: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        start(spec, game, encoder)


@pytest.mark.parametrize(("eta", "share"), [(0.0, 0.0), (1.0, 1.0), (0.25, 0.25)])
def test_best_responses_are_played_in_their_share_of_hands(eta: float, share: float) -> None:
    training: Any = start(f"nfsp:{SMALL},eta={eta}")
    advance(training, 100)
    offered, played = training.memory.seen[:, 1].sum(), training.play.counts[1]
    assert played == 3200
    assert offered == share * played if share in (0, 1) else abs(offered / played - share) < 0.03


def test_the_reservoir_takes_the_nth_action_with_its_probability_at_its_place() -> None:
    capacity, offered = 3, 12
    for seed in range(20):
        memory: Any = kernels.Memory(*(np.zeros(0) for _ in range(9)))._replace(
            sl_row=np.full((2, capacity), -1, np.int32),
            sl_action=np.zeros((2, capacity), np.int8),
            seen=np.zeros((2, 2), np.int64),
        )
        random, kept, drawn = np.array([seed, 0], np.uint64), [-1] * capacity, 0
        for n in range(1, offered + 1):
            place = n - 1
            if n > capacity:
                drawn += 1
                place = int(uniform(np.uint64(seed), drawn) * n)
            if place < capacity:
                kept[place] = n
            kernels.remember_action(memory, 1, random, n, n % 2)
            assert memory.sl_row[1].tolist() == kept
        assert memory.sl_action[1].tolist() == [n % 2 for n in kept]
        assert memory.seen.tolist() == [[0, 0], [0, offered]]


def test_all_legal_actions_are_explored_alike() -> None:
    legal = np.array([[False, True, False, True, True]])
    random = np.array([5, 0], np.uint64)
    found = np.bincount([kernels.choose_any(legal, 0, random) for _ in range(3000)], minlength=5)
    assert not found[[0, 2]].any()
    assert (abs(found[[1, 3, 4]] - 1000) < 110).all()  # a deviation of 26 each; 110 has probability 3e-5


def test_the_average_policy_is_drawn_by_its_probabilities() -> None:
    policy, legal = np.array([[0.25, 0.0, 0.5, 0.25]], np.float32), np.array([[True, False, True, True]])
    drawn = [kernels.choose_average(policy, legal, 0, at) for at in (0.0, 0.24, 0.26, 0.74, 0.76, 0.999, 1.0)]
    assert drawn == [0, 0, 2, 2, 3, 3, 3]


def test_runs_of_earlier_versions_open_where_they_mean_the_same() -> None:
    kept = registry.rebuild("trainer", "nfsp_leduc:hidden=16,engine=native,play=compiled,threads=4,q_average=0.0")
    assert kept == registry.create("trainer", "nfsp:hidden=16")
    for option, value in (("engine", "torch"), ("q_average", "0.01")):
        with pytest.raises(OptionError, match=f"no option '{option}' any more.* Got {value}"):
            registry.rebuild("trainer", f"nfsp:hidden=16,{option}={value}")
