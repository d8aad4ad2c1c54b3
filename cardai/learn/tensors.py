"""Torch modules and optimisers to and from safetensors, and evaluation that no neighbour can change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file, save
from torch import Tensor, nn

from cardai.core.errors import DamagedFileError
from cardai.core.files import COUNT_LIMIT, write_atomically

CHUNK = 64
"""Rows a network evaluates at a time; the last chunk is padded with zeros."""
KEPT: Mapping[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.AdamW: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adagrad: {"step", "sum"},
    torch.optim.SGD: {"momentum_buffer"},
}
"""What our optimisers keep of each of the weights that they have moved."""
MOST_THREADS = 1024
"""A run from somebody else may say any number, and a machine makes no thousands."""
SQUARES = ("exp_avg_sq", "sum")


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Compute with ``count`` CPU threads inside, at most :data:`MOST_THREADS`, and with as many as before afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(min(count, MOST_THREADS))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def given(array: npt.NDArray[Any], where: torch.device) -> Tensor:
    """Return an array as a tensor on the device ``where``; on the CPU they share their memory."""
    return torch.from_numpy(array).to(where)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Draw torch's random numbers (dropout, initial weights) on ``device`` from ``seed`` inside; as before afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def module_tensors(module: nn.Module, prefix: str) -> dict[str, Tensor]:
    """Return a module's weights by name, on the CPU."""
    return {f"{prefix}.{name}": t.detach().cpu().contiguous() for name, t in module.state_dict().items()}


def optimizer_tensors(optimizer: torch.optim.Optimizer, prefix: str) -> dict[str, Tensor]:
    """Return an optimiser's state by parameter number and name, on the CPU."""
    out = {}
    for index, state in optimizer.state_dict()["state"].items():
        for name, value in state.items():
            if value is not None:
                out[f"{prefix}.{index}.{name}"] = torch.as_tensor(value).detach().cpu().contiguous().clone()
    return out


def write(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors as safetensors (no code in the file). Raises WriteError."""
    write_atomically(path, save({name: t.contiguous() for name, t in tensors.items()}))


def read(path: Path) -> dict[str, Tensor]:
    """Read tensors. Raises DamagedFileError, naming the file."""
    try:
        return load_file(str(path))
    except Exception as error:
        raise DamagedFileError(f"The weights {path} cannot be read: {error}. Take another checkpoint.") from error


def restore_module(module: nn.Module, tensors: Mapping[str, Tensor], prefix: str, path: Path) -> None:
    """Put weights back into ``module``. Raises DamagedFileError where names or shapes differ."""
    own = {name[len(prefix) + 1 :]: t for name, t in tensors.items() if name.startswith(prefix + ".")}
    try:
        module.load_state_dict(own)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise DamagedFileError(f"The weights {path} do not fit this network: {reason}") from error


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor], prefix: str, path: Path) -> None:
    """Put an optimiser's state back. Raises DamagedFileError where it does not fit."""
    shapes = {
        str(k): weights.shape
        for k, weights in enumerate(w for group in optimizer.param_groups for w in group["params"])
    }
    state: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith(prefix + "."):
            index, _, key = name[len(prefix) + 1 :].partition(".")
            if index not in shapes or not _is_state(key, tensor, shapes[index]):
                raise DamagedFileError(f"The optimiser state in {path} belongs to another network, or is damaged.")
            state.setdefault(int(index), {})[key] = tensor
    wanted = KEPT.get(type(optimizer))
    if wanted is not None and any(each.keys() != wanted for each in state.values()):
        raise DamagedFileError(f"The optimiser state in {path} belongs to another optimiser, or is damaged.")
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _is_state(key: str, tensor: Tensor, shape: torch.Size) -> bool:
    """Whether an optimiser keeps such a tensor of weights of ``shape``; it divides by what it counts and takes roots of squares."""
    if not tensor.is_floating_point():
        return False
    if key == "step":
        return tensor.numel() == 1 and 0 <= float(tensor) <= COUNT_LIMIT
    return tensor.shape == shape and not (key in SQUARES and bool((tensor < 0).any()))


def write_modules(path: Path, modules: Mapping[str, nn.Module]) -> None:
    """Write the weights of several modules as one file, named MODULE.LAYER.weight and so on. Raises WriteError."""
    write(
        path, {key: tensor for name, module in modules.items() for key, tensor in module_tensors(module, name).items()}
    )


def read_modules(path: Path, modules: Mapping[str, nn.Module]) -> None:
    """Put back what :func:`write_modules` wrote. Raises DamagedFileError."""
    tensors = read(path)
    for name, module in modules.items():
        restore_module(module, tensors, name, path)


def write_training(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer, more: Mapping[str, Tensor] | None = None
) -> None:
    """Write a network and its optimiser's state, and ``more`` tensors beside them. Raises WriteError."""
    write(path, module_tensors(network, "network") | optimizer_tensors(optimizer, "optimizer") | dict(more or {}))


def read_training(path: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Put back what :func:`write_training` wrote; return all tensors of the file. Raises DamagedFileError."""
    tensors = read(path)
    restore_module(network, tensors, "network", path)
    restore_optimizer(optimizer, tensors, "optimizer", path)
    return tensors


def in_chunks(
    function: Callable[[Tensor], Tensor], codes: npt.NDArray[np.float32], where: torch.device, chunk: int = CHUNK
) -> npt.NDArray[np.float32]:
    """Return ``function`` of codes (n, ...) as (n, k), evaluated in zero-padded chunks of equal size.

    A row's result then depends on that row alone (on one machine and torch version). One CPU thread: chunks are small.
    """
    parts = []
    with threads(1), torch.inference_mode():
        for start in range(0, len(codes), chunk):
            part = codes[start : start + chunk]
            count = len(part)
            if count < chunk:
                part = np.concatenate([part, np.zeros((chunk - count, *part.shape[1:]), np.float32)])
            parts.append(function(torch.from_numpy(part).to(where)).cpu().numpy()[:count])
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
