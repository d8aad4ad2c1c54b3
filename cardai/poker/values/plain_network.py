"""A trained network over hands in numpy alone: what is played needs no torch, and is read in milliseconds.

network.json    the description (:class:`.network.Description`)
weights.npz     float32 arrays by the names of torch's module
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import asdict, frozen

from cardai.core.arrays import Float32s
from cardai.core.errors import DamagedFileError
from cardai.core.files import digest_of, read_json, refuse_links, write_json
from cardai.core.npz import read_npz, write_npz
from cardai.core.schema import structure
from cardai.poker.values.network import DESCRIPTION, FORMAT, Description, ValueNetwork
from cardai.poker.values.network_inputs import CONTEXT_INPUTS, HAND_INPUTS

WEIGHTS = "weights.npz"
_CONTEXT_LAYERS = (0, 2, 4)
_SMALL = 262_144
"""The largest product of matrices (rows x columns x length) that OpenBLAS does in one thread (interface/gemm.c): threads that wait
for one another here cost more than they bring, many times as much on a busy machine."""


@frozen(eq=False)
class PlainNetwork:
    """What :class:`~cardai.poker.values.torch_networks.HandNetwork` computes, in numpy: one situation at a time, in a core's cache."""

    description: Description
    weights: Mapping[str, npt.NDArray[Any]]

    @property
    def digest(self) -> str:
        """The SHA-256 of the description and the weights: two alike say the same."""
        arrays = {name: [one.shape, one.tobytes().hex()] for name, one in sorted(self.weights.items())}
        return digest_of([asdict(self.description), arrays])

    def of_shown(self, context: Float32s, hands: Float32s, met: Float32s, ranges: Float32s) -> Float32s:
        """Return (n, 2, H) values in units of what each player has put in, of situations that have been made into inputs.

        Args:
            context (n, 2, C), hands (n, 2, H, F), met (n, 2, H): as :mod:`.network_inputs` makes them.
            ranges: (n, 2, H), each sums to 1.
        """
        d, width = self.description, self.description.width
        out = np.empty(met.shape, np.float32)
        part = max(16, _SMALL // max(width * width, width * hands.shape[3]))
        room = np.empty((3, part, width), np.float32)
        for k in range(len(out)):
            seen = self._seen(context[k])
            for seat in range(2):
                gate, shift, line = np.split(seen[seat], (width, 2 * width))
                for first in range(0, met.shape[2], part):
                    some = slice(first, first + part)
                    of_hand = hands[k, seat, some]
                    found = self._of_hands(of_hand, gate, shift, room[:, : len(of_hand)])
                    equity = 2 * of_hand[:, 0] - 1
                    found += np.float32(0.1) * (line[0] + line[1] * equity)
                    if d.check_down:
                        found += equity
                    out[k, seat, some] = found * met[k, seat, some] if d.match_up else found
        if d.zero_sum:
            surplus = (ranges * out).sum(axis=(1, 2), keepdims=True)
            out -= surplus * met / np.maximum((ranges * met).sum(axis=(1, 2), keepdims=True), np.float32(1e-6))
        return out

    def _seen(self, context: Float32s) -> Float32s:
        """Return (2, 2 width + 2) what the part says that sees both ranges."""
        x = context
        for layer in _CONTEXT_LAYERS:
            x = x @ self.weights[f"context.{layer}.weight"].T + self.weights[f"context.{layer}.bias"]
            if layer != _CONTEXT_LAYERS[-1]:
                np.maximum(x, 0, out=x)
        return x

    def _of_hands(self, hands: Float32s, gate: Float32s, shift: Float32s, room: Float32s) -> Float32s:
        """Return (H,) what the part says that all hands share."""
        w, (x, y, z) = self.weights, room
        np.matmul(hands, (w["first.weight"] * (1 + gate)[:, None]).T, out=x)
        x += w["first.bias"] * (1 + gate) + shift
        np.maximum(x, 0, out=x)
        for block in range(self.description.blocks):
            np.matmul(x, w[f"blocks.{block}.0.weight"].T, out=y)
            y += w[f"blocks.{block}.0.bias"]
            np.maximum(y, 0, out=y)
            np.matmul(y, w[f"blocks.{block}.2.weight"].T, out=z)
            z += w[f"blocks.{block}.2.bias"]
            x += z
            np.maximum(x, 0, out=x)
        return np.asarray(x @ w["last.weight"][0] + w["last.bias"][0])


def plain(network: ValueNetwork) -> PlainNetwork:
    """Return a network over hands without torch."""
    state = {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.module.state_dict().items()}
    return PlainNetwork(network.description, state)


def write_plain(network: PlainNetwork, directory: Path) -> None:
    """Write a network's two files into ``directory``."""
    directory.mkdir(parents=True, exist_ok=True)
    write_json(directory / DESCRIPTION, asdict(network.description))
    write_npz(directory / WEIGHTS, dict(network.weights))


def read_plain(directory: Path) -> PlainNetwork:
    """Return the network in ``directory``. Raises DamagedFileError: it is not what :func:`write_plain` wrote."""
    what = f"The file {directory / DESCRIPTION}"
    refuse_links(directory)
    description = structure(read_json(directory / DESCRIPTION), Description, what)
    if description.format != FORMAT or description.kind != "hands":
        raise DamagedFileError(f"{what} is damaged or foreign: it describes no network over hands of this format.")
    weights = read_npz(directory / WEIGHTS, {name: (np.float32, shape) for name, shape in _shapes(description).items()})
    if not all(np.isfinite(one).all() for one in weights.values()):
        raise DamagedFileError(f"The file {directory / WEIGHTS} holds numbers that no training writes: it is damaged.")
    return PlainNetwork(description, weights)


def _shapes(d: Description) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of weights."""
    layers: dict[str, tuple[int, int]] = {"first": (d.width, HAND_INPUTS), "last": (1, d.width)}
    sizes = (CONTEXT_INPUTS, d.context, d.context, 2 * d.width + 2)
    layers |= {f"context.{layer}": (sizes[k + 1], sizes[k]) for k, layer in enumerate(_CONTEXT_LAYERS)}
    layers |= {f"blocks.{k}.{part}": (d.width, d.width) for k in range(d.blocks) for part in (0, 2)}
    return {f"{name}.weight": shape for name, shape in layers.items()} | {
        f"{name}.bias": shape[:1] for name, shape in layers.items()
    }
