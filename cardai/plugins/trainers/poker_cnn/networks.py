"""The options and the making of the networks that value learning and betting share."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from attrs import frozen
from torch import nn

from cardai.core.encoder import Layout
from cardai.core.errors import UsageError
from cardai.core.spec import option
from cardai.learn.bounds import THREADS
from cardai.learn.grid_networks import GridShape, NetworkName, build


@frozen(slots=False)
class NetworkOptions:
    """The network and what it is shown."""

    network: NetworkName = option("suits", help="cnn, cnn_16 and dense are the publication's; suits is ours")
    same_padding: bool = option(False, help="convolutions of cnn and cnn_16 keep the planes' size")
    whole_suits: bool = option(
        False, help="network=suits: each layer also sees suits as a whole (as the network of a warm start)"
    )
    canonical: bool = option(
        True, help="show cards with suits renamed and ordered, so that equal hands look equal (the paper: as dealt)"
    )
    relu_output: bool = option(False, help="ReLU on the outputs too; betting: values lie 2.0 higher (the paper)")


@frozen(slots=False)
class ComputeOptions:
    """Where and on how many threads a network learns."""

    threads: int = option(1, help="CPU threads for learning (playing takes one)", validator=THREADS)
    device: str = option("auto", help="torch's device: auto (the GPU if there is one), cpu, cuda")


def make_network(options: NetworkOptions, layout: Layout, outputs: int) -> nn.Module:
    """Return a fresh network over an encoder's layout. Raises UsageError where they do not fit."""
    if len(layout.shape) != 3:
        raise UsageError(f"Poker-CNN's networks need planes (an encoder of grids). This encoder gives {layout.shape}.")
    try:
        grid = GridShape(layout.shape, tuple(getattr(layout, "card_planes", ())))
        return build(options.network, grid, outputs, options.same_padding, options.whole_suits)
    except ValueError as error:
        raise UsageError(str(error)) from error


def make_optimizer(kind: str, weights: Iterable[nn.Parameter], rate: float) -> torch.optim.Optimizer:
    """Return the publication's optimiser (``sgd``, with Nesterov momentum 0.9), or Adam."""
    if kind == "sgd":
        return torch.optim.SGD(weights, rate, momentum=0.9, nesterov=True)
    return torch.optim.Adam(weights, rate)
