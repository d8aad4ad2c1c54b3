"""Networks: fully connected ones by size, and the device they are on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn

from cardai.core.errors import UsageError


def mlp(inputs: int, hidden: Sequence[int], outputs: int, seed: int) -> nn.Sequential:
    """Return Linear, ReLU, ..., Linear with weights and biases uniform in +-1/sqrt(fan in), from ``seed`` alone.

    The first layer's weight (H, I) lies transposed in memory: another order would change the last bits of trained ones.
    """
    generator = torch.Generator().manual_seed(seed & (2**63 - 1))
    layers: list[nn.Module] = []
    sizes = [inputs, *hidden, outputs]
    for i, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        layer = nn.Linear(fan_in, fan_out)
        bound = 1 / math.sqrt(fan_in)
        weight = torch.empty(fan_out, fan_in).uniform_(-bound, bound, generator=generator)
        bias = torch.empty(fan_out).uniform_(-bound, bound, generator=generator)
        layer.weight = nn.Parameter(weight.t().contiguous().t() if i == 0 else weight)
        layer.bias = nn.Parameter(bias)
        layers += [layer] if i == len(sizes) - 2 else [layer, nn.ReLU()]
    return nn.Sequential(*layers)


def tanh_mlp(inputs: int, hidden: Sequence[int], outputs: int, last: float, seed: int) -> nn.Sequential:
    """Return Linear, Tanh, ..., Linear with orthogonal weights and biases of 0, from ``seed`` alone.

    Weights are scaled by sqrt(2), those of the last layer by ``last``: what PPO's implementations have (Huang et al., "The
    37 implementation details of proximal policy optimization", ICLR Blog Track 2022, detail 2).
    """
    generator = torch.Generator().manual_seed(seed & (2**63 - 1))
    layers: list[nn.Module] = []
    sizes = [inputs, *hidden, outputs]
    for i, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        layer, end = nn.Linear(fan_in, fan_out), i == len(sizes) - 2
        nn.init.orthogonal_(layer.weight, last if end else math.sqrt(2), generator=generator)
        nn.init.zeros_(layer.bias)
        layers += [layer] if end else [layer, nn.Tanh()]
    return nn.Sequential(*layers)


def device_of(network: nn.Module) -> torch.device:
    """Return where a network's weights are."""
    return next(network.parameters()).device


def choose_device(name: str) -> torch.device:
    """Return the device of that name; ``auto`` is the first GPU if there is one.

    Raises:
        UsageError: torch does not see such a device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(1, device=name)
        return torch.device(name)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"torch cannot use the device {name!r}: {error}. Give auto, cpu or cuda.") from error
