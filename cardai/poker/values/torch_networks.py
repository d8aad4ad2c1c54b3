"""Counterfactual value networks: DeepStack's over the masses of buckets, and ours over hands that share their weights.

Moravcik et al., "DeepStack" (2017), supplement: fully connected layers with PReLU, and around them an outer network that
makes the game zero-sum. Values are in units of what each player has put in.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Float32s
from cardai.learn import tensors
from cardai.learn.networks import device_of


class BucketNetwork(nn.Module):
    """DeepStack's network: codes of both ranges to a value a bucket for each player."""

    def __init__(self, size: int, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.size = size
        parts: list[nn.Module] = []
        for k in range(layers):
            parts += [nn.Linear(width if k == 0 else hidden, hidden), nn.PReLU()]
        self.inner = nn.Sequential(*parts, nn.Linear(hidden, 2 * size))

    def forward(self, codes: Tensor) -> Tensor:
        """Return (B, 2, size) values of codes (B, width): the outer network takes half of what both win together from each."""
        values = self.inner(codes).view(-1, 2, self.size)
        masses = codes[:, : 2 * self.size].view(-1, 2, self.size)
        surplus = (masses * values).sum(dim=(1, 2), keepdim=True)
        return values - 0.5 * surplus  # type: ignore[no-any-return]


@frozen
class HandOptions:
    """What our network is given and learns."""

    width: int = 64
    """Units of the part that all hands share."""
    context: int = 256
    """Units of the part that sees both ranges."""
    blocks: int = 2
    equity_input: bool = True
    """Whether a hand's equity against the actual ranges, and what it blocks of them, is given, or its strength alone."""
    match_up: bool = True
    """Whether a hand's value is learned for when it meets a hand, and multiplied with the exact weight that it meets."""
    check_down: bool = True
    """Whether what the hand is worth if nobody bets any more is added, so that the rest is learned."""
    zero_sum: bool = True
    """Whether what both players win together is taken away from them, in proportion to the weight that hands meet."""


class HandNetwork(nn.Module):
    """Ours: one network a hand, the same for all, beside one that sees both ranges, the pot and the board."""

    def __init__(self, options: HandOptions, inputs: int, hand_inputs: int) -> None:
        super().__init__()
        self.options = o = options
        self.context = nn.Sequential(
            nn.Linear(inputs, o.context), nn.ReLU(), nn.Linear(o.context, o.context), nn.ReLU(),
            nn.Linear(o.context, 2 * o.width + 2),
        )  # fmt: skip
        self.first = nn.Linear(hand_inputs, o.width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(o.width, o.width), nn.ReLU(), nn.Linear(o.width, o.width)) for _ in range(o.blocks)
        )
        self.last = nn.Linear(o.width, 1)
        for block in self.blocks:
            nn.init.zeros_(block[2].weight)  # type: ignore[index,arg-type]
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, context: Tensor, hands: Tensor, met: Tensor) -> Tensor:
        """Return (B, 2, h) values.

        Args:
            context: (B, 2, inputs) by seat. hands: (B, 2, h, hand_inputs), equity against the other range the first. met: (B, 2, h)
                weight that each hand meets.
        """
        o = self.options
        gate, shift, line = self.context(context).split([o.width, o.width, 2], dim=2)
        x = torch.relu(self.first(hands) * (1 + gate[:, :, None]) + shift[:, :, None])
        for block in self.blocks:
            x = torch.relu(x + block(x))
        equity = 2 * hands[..., 0] - 1
        values: Tensor = self.last(x)[..., 0] + line[:, :, None, 0] * 0.1 + line[:, :, None, 1] * 0.1 * equity
        if o.check_down:
            values = values + equity
        return values * met if o.match_up else values


def project(values: Tensor, ranges: Tensor, met: Tensor) -> Tensor:
    """Return (B, 2, H) values that sum to zero over both ranges (B, 2, H): hands give in proportion to what they meet."""
    surplus = (ranges * values).sum(dim=(1, 2), keepdim=True)
    weight = (ranges * met).sum(dim=(1, 2), keepdim=True).clamp(min=1e-6)
    return values - surplus * met / weight  # type: ignore[no-any-return]


def hand_values(network: HandNetwork, context: Float32s, hands: Float32s, met: Float32s, ranges: Float32s) -> Float32s:
    """Return (n, 2, H) what a network says of all hands: arrays as :meth:`HandNetwork.forward` takes, ranges (n, 2, H).

    By one thread: how many there are moves the last bits of a sum.
    """
    where = device_of(network)
    with tensors.threads(1), torch.inference_mode():
        weights = torch.from_numpy(met).to(where)
        values = network(torch.from_numpy(context).to(where), torch.from_numpy(hands).to(where), weights)
        if network.options.zero_sum:
            values = project(values, torch.from_numpy(ranges).to(where), weights)
    return np.asarray(values.cpu().numpy(), np.float32)


def bucket_values(network: BucketNetwork, codes: Float32s) -> Float32s:
    """Return (n, 2, size) the values of buckets for codes (n, width), by one thread."""
    with tensors.threads(1), torch.inference_mode():
        return np.asarray(network(torch.from_numpy(codes).to(device_of(network))).cpu().numpy(), np.float32)


def read_network(network: nn.Module, path: Path) -> None:
    """Put weights that :func:`write_network` wrote into ``network``. Raises DamagedFileError."""
    tensors.restore_module(network, tensors.read(path), "network", path)


def write_network(network: nn.Module, path: Path) -> None:
    """Write a network's weights as safetensors."""
    tensors.write(path, tensors.module_tensors(network, "network"))


def masked_huber(found: Tensor, wanted: Tensor, mask: Tensor) -> Tensor:
    """Return the mean Huber loss (delta 1) over the entries with ``mask`` 1: the mean over all, times N / sum(mask)."""
    losses = nn.functional.huber_loss(found * mask, wanted * mask, reduction="mean")
    return losses * (mask.numel() / mask.sum().clamp(min=1.0))
