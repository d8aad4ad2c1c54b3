"""What the shapes are shown of a minibatch, and its loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import torch
from attrs import evolve
from torch import Tensor, nn

from cardai.core.arrays import Int64s
from cardai.core.trainer import Metrics
from cardai.learn.networks import device_of
from cardai.poker.hands.boards import RENAMINGS, hand_maps
from cardai.poker.values.measures import network_losses
from cardai.poker.values.network import ValueNetwork, bucket_means, codes, hand_buckets
from cardai.poker.values.network_inputs import choose_hands, context_inputs, hand_inputs
from cardai.poker.values.prepared import Prepared
from cardai.poker.values.torch_networks import masked_huber

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues


class Learner(ABC):
    """A network under way, and the solved situations that it learns from."""

    def __init__(self, options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> None:
        self.options, self.network, self.data = options, network, data
        self.module, self.stack = network.module, network.description.stack

    @abstractmethod
    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        """Return the loss of a minibatch."""

    def losses(self, rows: Int64s) -> Metrics:
        """Return how far the network is off in some situations: ``huber`` per player, and what else there is."""
        found = network_losses(self.network, self.data.take(rows), self._known(rows))
        shown = {"huber": "huber_player", "huber_pot": "huber_pot", "abstracted": "abstracted_player"}
        return {k: float(found.by_name[v].mean()) for k, v in shown.items() if v in found.by_name}

    def _known(self, rows: Int64s) -> Int64s | None:
        return None


class BucketLearner(Learner):
    """DeepStack's shape: the mean of each bucket's values is learned, empty buckets count nothing."""

    def __init__(self, options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> None:
        super().__init__(options, network, data)
        assert network.code is not None
        self.code = network.code
        self.buckets = hand_buckets(network.code, data).astype(np.int32)

    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        part, buckets = self.data.take(rows), self.buckets[rows].astype(np.int64)
        if self.options.images:
            part, buckets = renamed(part, buckets, rng)
        wanted, mask = bucket_means(buckets, part.values, self.code.size)
        where = device_of(self.module)
        found = self.module(torch.from_numpy(codes(self.code, part, buckets, self.stack)).to(where))
        full = np.broadcast_to(mask, wanted.shape).copy()
        return masked_huber(found, torch.from_numpy(wanted).to(where), torch.from_numpy(full).to(where))

    def _known(self, rows: Int64s) -> Int64s | None:
        return self.buckets[rows].astype(np.int64)


def renamed(part: Prepared, buckets: Int64s, rng: np.random.Generator) -> tuple[Prepared, Int64s]:
    """Return situations under a renaming of suits each: other boards, and each hand's number under the renaming.

    For a code whose buckets are the hands' own numbers.
    """
    drawn = rng.integers(0, len(RENAMINGS), len(part))
    boards = part.boards.astype(np.int64)
    suits = np.take_along_axis(RENAMINGS[drawn], boards // 13, axis=1)
    return evolve(part, boards=(13 * suits + boards % 13).astype(np.int8)), hand_maps()[drawn[:, None], buckets].astype(
        np.int64
    )


class HandLearner(Learner):
    """Our shape: some hands of each player are learned at a time."""

    def __init__(self, options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> None:
        super().__init__(options, network, data)
        self.contexts = context_inputs(data, self.stack)

    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        part, o = self.data.take(rows), self.options
        chosen = choose_hands(rng, part, min(o.sample, part.ranges.shape[2]))
        hands, met = hand_inputs(part, chosen, o.equity_input)
        wanted = np.take_along_axis(part.values, chosen, axis=2).astype(np.float32)
        where = device_of(self.module)
        inputs = [torch.from_numpy(array).to(where) for array in (self.contexts[rows], hands, met, wanted)]
        return nn.functional.huber_loss(self.module(*inputs[:3]), inputs[3])
