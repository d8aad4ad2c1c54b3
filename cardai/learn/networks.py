"""Networks: fully connected ones by size, their weights as safetensors, and the device they are on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import nn

from cardai.core.errors import DamagedFileError, UsageError
from cardai.learn import tensors as tensor_files


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


def save_networks(path: Path, networks: Mapping[str, nn.Module]) -> None:
    """Write all parameters as one safetensors file, named NETWORK.LAYER.weight and so on."""
    tensors = {
        f"{name}.{key}": value.detach().cpu().contiguous()
        for name, network in networks.items()
        for key, value in network.state_dict().items()
    }
    tensor_files.write(path, tensors)


def load_networks(path: Path, networks: Mapping[str, nn.Module]) -> None:
    """Copy the parameters of ``networks`` from what :func:`save_networks` wrote; others in the file are left.

    Raises:
        DamagedFileError: naming the file and the tensor that is missing or of another shape.
    """
    try:
        with safe_open(str(path), framework="pt") as file:
            held = set(file.keys())
            loaded: dict[str, Any] = {}
            for name, network in networks.items():
                for key, value in network.state_dict().items():
                    full = f"{name}.{key}"
                    if full not in held:
                        raise DamagedFileError(f"The file {path} lacks the tensor {full!r}: it is of another network.")
                    loaded[full] = file.get_tensor(full)
                    if loaded[full].shape != value.shape or loaded[full].dtype != value.dtype:
                        raise DamagedFileError(
                            f"The tensor {full!r} in {path} must be {value.dtype} of shape {tuple(value.shape)}. "
                            f"Got {loaded[full].dtype} of shape {tuple(loaded[full].shape)} instead."
                        )
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedFileError(f"The file {path} is not a readable safetensors file: {error}.") from error
    with torch.no_grad():
        for name, network in networks.items():
            for key, value in network.state_dict().items():
                value.copy_(loaded[f"{name}.{key}"])
