"""Native updates are autograd's, on the torch modules' own weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from cardai.learn.networks import mlp
from cardai.learn.tensors import in_chunks, read_modules, write_modules
from cardai.plugins.trainers.nfsp import _network_kernels as kernels
from cardai.plugins.trainers.nfsp import networks as native

ROWS, BATCH, INPUTS, HIDDEN, ACTIONS = 40, 32, 30, 17, 4
TOLERANCE = 1e-5  # an update's largest difference to autograd's


def batch(seed: int) -> tuple[kernels.Inputs, np.ndarray, kernels.Work, nn.Sequential, nn.Sequential]:
    rng = np.random.default_rng(seed)
    dense = (rng.random((ROWS, INPUTS)) < 0.2) * rng.normal(size=(ROWS, INPUTS))
    legal = rng.random((ROWS, ACTIONS)) < 0.6
    legal[:, 0] = True
    inputs = native.sparse_inputs(dense.astype(np.float32), legal)
    network, target = (mlp(INPUTS, (HIDDEN,), ACTIONS, seed=s) for s in (seed, seed + 1))
    work = native.work_for(native.net_of(network), BATCH, ROWS)
    work.rows[:] = rng.integers(ROWS, size=BATCH)
    work.nexts[:] = rng.integers(-1, ROWS, size=BATCH)
    work.rewards[:] = rng.normal(size=BATCH)
    work.actions[:] = [rng.choice(np.flatnonzero(legal[row])) for row in work.rows]
    return inputs, dense.astype(np.float32), work, network, target


def twin(network: nn.Sequential) -> nn.Sequential:
    other = mlp(INPUTS, (HIDDEN,), ACTIONS, seed=99)
    other.load_state_dict(network.state_dict())
    return other


def q_loss(network: nn.Sequential, target: nn.Sequential, dense: np.ndarray, legal: np.ndarray, work: kernels.Work):
    rows, nexts = work.rows.astype(np.int64), work.nexts.astype(np.int64)
    with torch.no_grad():
        values = target(torch.from_numpy(dense[nexts])).masked_fill(~torch.from_numpy(legal[nexts]), -torch.inf)
        later = torch.where(torch.from_numpy(nexts < 0), 0.0, values.amax(dim=1))
        wanted = torch.from_numpy(work.rewards) + later
    chosen = network(torch.from_numpy(dense[rows]))[
        torch.arange(BATCH), torch.from_numpy(work.actions.astype(np.int64))
    ]
    return torch.mean((chosen - wanted) ** 2)


def policy_loss(network: nn.Sequential, dense: np.ndarray, legal: np.ndarray, work: kernels.Work) -> torch.Tensor:
    rows = work.rows.astype(np.int64)
    outputs = network(torch.from_numpy(dense[rows])).masked_fill(~torch.from_numpy(legal[rows]), -torch.inf)
    return nn.functional.cross_entropy(outputs, torch.from_numpy(work.actions.astype(np.int64)))


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize("own_target", [True, False])
def test_q_updates_equal_autograds(optimiser: str, own_target: bool) -> None:
    inputs, dense, work, network, other = batch(3)
    reference = twin(network)
    steps = (torch.optim.Adam if optimiser == "adam" else torch.optim.SGD)(reference.parameters(), lr=0.01)
    net = native.net_of(network)
    target_net = net if own_target else native.net_of(other)
    adam = native.adam_of(net)
    for _ in range(3):
        expected = q_loss(reference, reference if own_target else other, dense, inputs.legal, work)
        steps.zero_grad()
        expected.backward()
        steps.step()
        loss = kernels.q_gradient(net, target_net, own_target, inputs, work)
        step(optimiser, net, work, adam)
        assert loss == pytest.approx(float(expected.detach()), rel=1e-5)
        assert difference(network, reference) < TOLERANCE


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_policy_updates_equal_autograds(optimiser: str) -> None:
    inputs, dense, work, network, _ = batch(5)
    reference = twin(network)
    steps = (torch.optim.Adam if optimiser == "adam" else torch.optim.SGD)(reference.parameters(), lr=0.01)
    net = native.net_of(network)
    adam = native.adam_of(net)
    for _ in range(3):
        expected = policy_loss(reference, dense, inputs.legal, work)
        steps.zero_grad()
        expected.backward()
        steps.step()
        loss = kernels.policy_gradient(net, inputs, work)
        step(optimiser, net, work, adam)
        assert loss == pytest.approx(float(expected.detach()), rel=1e-5)
        assert difference(network, reference) < TOLERANCE


def step(optimiser: str, net: kernels.Net, work: kernels.Work, adam: kernels.Adam) -> None:
    if optimiser == "adam":
        kernels.adam_step(net, work.gradient, adam, 0.01)
    else:
        kernels.sgd_step(net, work.gradient, 0.01)


def difference(one: nn.Sequential, two: nn.Sequential) -> float:
    pairs = zip(one.parameters(), two.parameters(), strict=True)
    return max(float((a - b).abs().max().detach()) for a, b in pairs)


def test_native_answers_are_the_modules(tmp_path) -> None:
    inputs, dense, _, network, other = batch(7)
    answers = native.answer(native.net_of(network), inputs, np.arange(ROWS))
    assert answers == pytest.approx(in_chunks(network, dense, torch.device("cpu")), abs=1e-6)
    write_modules(tmp_path / "n.safetensors", {"a": network})
    read_modules(tmp_path / "n.safetensors", {"a": other})
    assert (native.answer(native.net_of(other), inputs, np.arange(ROWS)) == answers).all()


def test_a_rows_evaluation_does_not_depend_on_its_neighbours() -> None:
    network = mlp(INPUTS, (32, 16), ACTIONS, seed=1)
    dense = np.random.default_rng(0).normal(size=(300, INPUTS)).astype(np.float32)
    whole = in_chunks(network, dense, torch.device("cpu"))
    alone = np.concatenate([in_chunks(network, dense[i : i + 7], torch.device("cpu")) for i in range(0, 300, 7)])
    assert (whole == alone).all()
