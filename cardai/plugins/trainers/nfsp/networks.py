"""NFSP's networks: for each seat Q, its target and the average policy; made by torch, asked and stepped by kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cardai.core.arrays import Bools, Float32s
from cardai.core.rng import derive
from cardai.learn.networks import mlp
from cardai.plugins.trainers.nfsp._network_kernels import Adam, Inputs, Net, NetworkBuffers, Seen, outputs

ROLES = ("q", "target", "policy")


def make_networks(inputs: int, hidden: int, actions: int, seed: int) -> dict[str, nn.Sequential]:
    """Return fresh networks named q_0, target_0, policy_0, q_1, ...; a target begins equal to its Q."""
    networks = {}
    for seat in range(2):
        for role in ROLES:
            which = derive(seed, "network", "policy" if role == "policy" else "q", seat)
            networks[f"{role}_{seat}"] = mlp(inputs, (hidden,), actions, which)
    return networks


def net_of(network: nn.Sequential) -> Net:
    """Return the parameters of a network of one hidden layer; the torch module's own memory is moved there."""
    first, _, head = network
    assert isinstance(first, nn.Linear)
    assert isinstance(head, nn.Linear)
    inputs, width, actions = first.in_features, first.out_features, head.out_features
    net = empty_net(inputs, width, actions)
    for parameter, part in (
        (first.weight, net.hidden_weight.T),
        (first.bias, net.hidden_bias),
        (head.weight, net.head_weight),
        (head.bias, net.head_bias),
    ):
        part[...] = parameter.detach().numpy()
        parameter.data = torch.from_numpy(part)
    return net


def empty_net(inputs: int, width: int, actions: int) -> Net:
    """Return parameters of these sizes, all zero."""
    shapes = ((inputs, width), (width,), (actions, width), (actions,))
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    flat = np.zeros(ends[-1], np.float32)
    parts = zip(np.split(flat, ends[:-1]), shapes, strict=True)
    return Net(flat, *(part.reshape(shape) for part, shape in parts))


def like(net: Net) -> Net:
    """Return parameters of the same sizes, all zero."""
    return empty_net(len(net.hidden_weight), len(net.hidden_bias), len(net.head_bias))


def adam_of(net: Net) -> Adam:
    """Return Adam's state before the first update."""
    return Adam(like(net), like(net), np.zeros(1, np.int64))


def work_for(net: Net, batch: int, rows: int) -> NetworkBuffers:
    """Return scratch memory for updates with minibatches of ``batch`` out of ``rows`` different input rows."""
    width, actions = len(net.hidden_bias), len(net.head_bias)

    def seen() -> Seen:
        columns = (width, actions, actions)
        activations = (np.zeros((2 * batch, count), np.float32) for count in columns)
        return Seen(np.full(rows, -1, np.int32), np.zeros(2 * batch, np.int32), *activations)

    return NetworkBuffers(
        gradient=like(net),
        own=seen(),
        target=seen(),
        back=np.zeros(width, np.float32),
        rows=np.zeros(batch, np.int32),
        actions=np.zeros(batch, np.int8),
        rewards=np.zeros(batch, np.float32),
        nexts=np.zeros(batch, np.int32),
    )


def sparse_inputs(dense: Float32s, legal: Bools) -> Inputs:
    """Return dense inputs (R, I) and their legal actions (R, A) as kernels take them."""
    rows, columns = np.nonzero(dense)
    start = np.zeros(len(dense) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(dense)), out=start[1:])
    values = np.ascontiguousarray(dense[rows, columns], np.float32)
    return Inputs(start, columns.astype(np.int32), values, np.ascontiguousarray(legal))


def answer(net: Net, inputs: Inputs, rows: npt.NDArray[np.integer[Any]]) -> Float32s:
    """Return the head's outputs (n, A) for input rows (n,); a row's result does not depend on the others."""
    out = np.empty((len(rows), len(net.head_bias)), np.float32)
    outputs(net, inputs, rows.astype(np.int32), out)
    return out


def answers_by_seat(nets: Mapping[str, Net], role: str, inputs: Inputs, seats: Any) -> Float32s:
    """Return the outputs (n, A) of the networks of ``role`` for all inputs (n), each row by that of its seat (n,)."""
    out = np.zeros(inputs.legal.shape, np.float32)
    for seat in range(2):
        rows = np.flatnonzero(seats == seat)
        out[rows] = answer(nets[f"{role}_{seat}"], inputs, rows)
    return out
