"""How the two shapes learn: what they are shown of a minibatch, and its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from attrs import evolve
from torch import Tensor, nn

from cardai.cards.poker.boards import RENAMINGS, hand_maps
from cardai.core.arrays import Int64s
from cardai.learn.value_networks import device_of, masked_huber
from cardai.subgames.network_inputs import choose_hands, context_inputs, hand_inputs
from cardai.subgames.prepared import Prepared
from cardai.subgames.value_network import ValueNetwork, bucket_means, codes, hand_buckets

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues


class BucketLearner:
    """DeepStack's shape: the mean of each bucket's values is learned, empty buckets count nothing."""

    def __init__(self, options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> None:
        assert network.encoder is not None
        self.options, self.network, self.data, self.encoder = options, network, data, network.encoder
        self.buckets = hand_buckets(network.encoder, data).astype(np.int32)

    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        """Return the loss of a minibatch."""
        part, buckets = self.data.take(rows), self.buckets[rows].astype(np.int64)
        if self.options.images:
            part, buckets = renamed(part, buckets, rng)
        wanted, mask = bucket_means(buckets, part.values, self.encoder.size)
        where = device_of(self.network.module)
        found = self.network.module(torch.from_numpy(codes(self.encoder, part, buckets)).to(where))
        full = np.broadcast_to(mask, wanted.shape).copy()
        return masked_huber(found, torch.from_numpy(wanted).to(where), torch.from_numpy(full).to(where))


def renamed(part: Prepared, buckets: Int64s, rng: np.random.Generator) -> tuple[Prepared, Int64s]:
    """Return situations under a renaming of suits each: other boards, and each hand's number under the renaming.

    For an encoder whose buckets are the hands' own numbers.
    """
    drawn = rng.integers(0, len(RENAMINGS), len(part))
    boards = part.boards.astype(np.int64)
    suits = np.take_along_axis(RENAMINGS[drawn], boards // 13, axis=1)
    return evolve(part, boards=(13 * suits + boards % 13).astype(np.int8)), hand_maps()[drawn[:, None], buckets].astype(
        np.int64
    )


class HandLearner:
    """Our shape: some hands of each player are learned at a time."""

    def __init__(self, options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> None:
        self.options, self.network, self.data = options, network, data
        self.contexts = context_inputs(data)

    def loss(self, rows: Int64s, rng: np.random.Generator) -> Tensor:
        """Return the loss of a minibatch."""
        part, o = self.data.take(rows), self.options
        chosen = choose_hands(rng, part, min(o.sample, part.ranges.shape[2]))
        hands, met = hand_inputs(part, chosen, o.equity_input)
        wanted = np.take_along_axis(part.values, chosen, axis=2).astype(np.float32)
        where = device_of(self.network.module)
        inputs = [torch.from_numpy(array).to(where) for array in (self.contexts[rows], hands, met, wanted)]
        return nn.functional.huber_loss(self.network.module(*inputs[:3]), inputs[3])
