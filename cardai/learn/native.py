"""Small torch networks stepped by our own kernels on the CPU: the weights stay the torch modules' own memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from torch import nn

from cardai.core.arrays import Bools, Float32s
from cardai.learn._kernels import Adam, Inputs, Net, Seen, Work, outputs

Array = npt.NDArray[Any]


def suits(hidden: tuple[int, ...]) -> bool:
    """Say whether the kernels take networks with these hidden layers: exactly one."""
    return len(hidden) == 1


def net_of(network: nn.Sequential) -> Net:
    """Return the parameters of a one-hidden-layer network from :func:`cardai.learn.networks.mlp`, as views."""
    first, _, head = network
    assert isinstance(first, nn.Linear)
    assert isinstance(head, nn.Linear)
    arrays = [p.detach().numpy() for p in (first.weight, first.bias, head.weight, head.bias)]
    net = Net(arrays[0].T, *arrays[1:])
    if not all(a.flags.c_contiguous for a in net):
        raise ValueError("The network's first weight must lie transposed in memory, the others plainly (use mlp()).")
    return net


def zeros_like(net: Net) -> Net:
    """Return arrays of the same shapes, all zero."""
    return Net(*(np.zeros_like(a) for a in net))


def adam_of(net: Net) -> Adam:
    """Return Adam's state before the first update."""
    return Adam(zeros_like(net), zeros_like(net), np.zeros(1, np.int64))


def work_for(net: Net, batch: int, rows: int) -> Work:
    """Return scratch memory for updates with minibatches of ``batch`` out of ``rows`` different input rows."""
    width, actions = len(net.hidden_bias), len(net.head_bias)

    def seen() -> Seen:
        shapes = (width, actions, actions)
        return Seen(
            np.full(rows, -1, np.int32),
            np.zeros(2 * batch, np.int32),
            *(np.zeros((2 * batch, columns), np.float32) for columns in shapes),
        )

    return Work(
        gradient=zeros_like(net),
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
    outputs(net, inputs, rows, out)
    return out
