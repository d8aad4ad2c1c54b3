"""The events of a generation with their targets, as minibatches; with frozen card layers, those layers' features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Float32s, Int64s
from cardai.core.progress import tell
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.selfplay import Events
from cardai.plugins.trainers.poker_cnn.betting.heads import BettingNetwork, Heads

_AT_ONCE = 8192
Features = tuple[npt.NDArray[np.float16], Float32s]
"""What frozen card layers make of events, (n, F), and the other planes' levels, (n, K)."""


@frozen(eq=False)
class Batch:
    """Events as tensors (B, ...): ``inputs`` are codes, or (features, context) of frozen card layers."""

    inputs: tuple[Tensor, ...]
    columns: Tensor
    aim: Tensor
    known: Tensor
    legal: Tensor
    old: Tensor


@frozen(eq=False)
class Dataset:
    """Events (n) with their targets and the mask of those that are taught, both (n, C).

    ``features`` are float16: with them a pass over a million events takes a minute or so.
    """

    events: Events
    targets: tuple[Float32s, Float32s]
    network: BettingNetwork
    features: Features | None = None

    def __len__(self) -> int:
        return len(self.events)

    def batch(self, rows: Int64s) -> Batch:
        """Return the events ``rows`` as tensors."""
        views = self.events.views[rows]
        if self.features is not None:
            features, context = self.features
            inputs: tuple[npt.NDArray[Any], ...] = (features[rows].astype(np.float32), context[rows])
        else:
            inputs = (self.network.layout.encode(self.network.form(views)[0]),)
        aim, known = self.targets
        rest = (
            self.network.heads.columns(views),
            aim[rows],
            known[rows],
            self.events.legal[rows],
            self.events.probabilities[rows],
        )
        made = [torch.from_numpy(np.ascontiguousarray(part)).to(self.network.device) for part in (*inputs, *rest)]
        return Batch(tuple(made[: len(inputs)]), *made[len(inputs) :])


def card_features(network: BettingNetwork, events: Events) -> Iterator[Features]:
    """Yield the features of events piece by piece, in their order."""
    module = network.module
    assert isinstance(module, SuitNetwork)
    for start in range(0, len(events), _AT_ONCE):
        tell("features of frozen layers", start, len(events))
        codes = network.layout.encode(network.form(events.views[start : start + _AT_ONCE])[0])
        cards = np.ascontiguousarray(codes[:, module.card_planes])
        features = tensors.in_chunks(module.trunk, cards, network.device).astype(np.float16)
        yield features, module.context(torch.from_numpy(codes)).numpy()


def outputs(network: nn.Module, heads: Heads, batch: Batch) -> Tensor:
    """Return the network's outputs (B, heads.outputs)."""
    if len(batch.inputs) == 2:
        assert isinstance(network, SuitNetwork)
        return torch.cat(network.heads(*batch.inputs), dim=1)
    return heads.raw(network, batch.inputs[0])
