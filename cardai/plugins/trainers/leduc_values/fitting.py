"""Fitting a network of Leduc's values: fully connected layers with PReLU, the masked Huber loss, Adam.

Moravcik et al. 2017: a network of 5 hidden layers of 50 for Leduc, and an outer layer without weights that makes the values
zero-sum. Encodings are :mod:`cardai.subgames.leduc_values`'s, which also evaluates the network without torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from cardai.core.rng import derive
from cardai.learn.networks import mlp
from cardai.subgames.leduc_situations import Situations, swapped
from cardai.subgames.leduc_values import Encoded, LeducValues, Scheme, encode

DELTA = 1.0
"""Where the Huber loss turns from a square into a line."""


class Examples(NamedTuple):
    """n situations, the 5 hands of each that the board leaves."""

    inputs: torch.Tensor  # (n, F)
    ranges: torch.Tensor  # (n, 2, 5)
    base: torch.Tensor  # (n, 2, 5): values are base + scale * outputs, see Encoded
    scale: torch.Tensor  # (n, 2, 5)
    targets: torch.Tensor  # (n, 2, 5)
    places: torch.Tensor  # (n, 5) int64: where a hand's output is

    @classmethod
    def of(cls, encoded: Encoded, situations: Situations) -> Examples:
        """Return encoded situations without the places that no hand is at."""
        hands = np.nonzero(encoded.places >= 0)[1].reshape(len(situations), -1)
        places = np.take_along_axis(encoded.places, hands, axis=1)
        wide = [
            np.take_along_axis(one, places[:, None], axis=2) for one in (encoded.ranges, encoded.base, encoded.scale)
        ]
        targets = np.take_along_axis(situations.values, hands[:, None], axis=2)
        return cls(*(torch.from_numpy(one) for one in (encoded.inputs, *wide, targets, places)))


class Fitting:
    """A network under way.

    Args:
        hidden: units of each hidden layer. augment: whether suits are exchanged at random, which changes no value.
    """

    def __init__(self, scheme: Scheme, ante: int, stack: int, hidden: Sequence[int], seed: int, augment: bool) -> None:
        self.scheme, self.ante, self.stack, self.augment = scheme, ante, stack, augment
        one = encode(scheme, stack, np.array([0]), np.array([stack / 2]), np.full((1, 2, 6), [0.0, *[0.2] * 5]))
        plain = mlp(one.inputs.shape[1], hidden, one.ranges[0].size, derive(seed, "network"))
        layers = [layer if isinstance(layer, nn.Linear) else nn.PReLU() for layer in plain]
        self.network = nn.Sequential(*layers)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self._known: list[tuple[Situations, Examples]] = []

    def epoch(self, situations: Situations, rate: float, batch: int, seed: int) -> float:
        """Go once through the situations, in an order of ``seed``, and return the mean loss."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        random = np.random.default_rng(seed)
        order = random.permutation(len(situations))
        if self.augment:
            situations = swapped(situations, random.random((len(situations), 3)) < 0.5)
        examples = self._examples(situations)
        total, parts = 0.0, range(0, len(order) - batch + 1, batch)
        for first in parts:
            loss = self._loss(examples, torch.from_numpy(order[first : first + batch]))
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            total += float(loss.detach())
        return total / max(1, len(parts))

    def loss(self, situations: Situations) -> float:
        """Return the mean Huber loss over the hands of situations, in units of the half pot."""
        examples = self._examples(situations)
        with torch.no_grad():
            return float(self._loss(examples, torch.arange(len(situations))))

    def _examples(self, situations: Situations) -> Examples:
        """Return the situations as the network takes them, with their values; known for two of them."""
        for known, found in self._known:
            if known is situations:
                return found
        encoded = encode(
            self.scheme,
            self.stack,
            situations.boards,
            situations.half_pots.astype(np.float64),
            situations.ranges.astype(np.float64),
        )
        made = Examples.of(encoded, situations)
        self._known = [*self._known[-1:], (situations, made)]
        return made

    def _loss(self, examples: Examples, rows: torch.Tensor) -> torch.Tensor:
        inputs, ranges, base, scale, targets, places = (one[rows] for one in examples)
        outputs = self.network(inputs).view(len(rows), 2, -1)
        values = base + scale * outputs.gather(2, places[:, None].expand_as(base))
        odd = (ranges * values).sum(dim=(1, 2)) / (ranges * scale).sum(dim=(1, 2)).clamp(min=1e-6)
        return nn.functional.huber_loss(values - odd[:, None, None] * scale, targets, delta=DELTA)

    def values(self) -> LeducValues:
        """Return the network as it is played with."""
        linear = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        slopes = [float(layer.weight.detach()[0]) for layer in self.network if isinstance(layer, nn.PReLU)]
        return LeducValues(
            self.scheme,
            self.ante,
            self.stack,
            tuple(np.array(layer.weight.detach().numpy()) for layer in linear),
            tuple(np.array(layer.bias.detach().numpy()) for layer in linear),
            tuple(slopes),
        )

    # -- stopping and going on -----------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, Any]:
        """Return what the fitting goes on from: parameters, and Adam's moments."""
        out: dict[str, Any] = {}
        for k, parameter in enumerate(self.network.parameters()):
            state = self.optimiser.state.get(parameter, {})
            out[f"parameter_{k}"] = parameter.detach().numpy().copy()
            for name in ("exp_avg", "exp_avg_sq"):
                moment = state.get(name)
                out[f"{name}_{k}"] = np.zeros_like(out[f"parameter_{k}"]) if moment is None else moment.numpy().copy()
            out[f"done_{k}"] = np.float32(state.get("step", 0.0))
        return out

    def take(self, arrays: Mapping[str, Any]) -> None:
        """Go on from :meth:`arrays`."""
        for k, parameter in enumerate(self.network.parameters()):
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(arrays[f"parameter_{k}"]))
            moments = {name: torch.from_numpy(arrays[f"{name}_{k}"].copy()) for name in ("exp_avg", "exp_avg_sq")}
            self.optimiser.state[parameter] = {"step": torch.tensor(float(arrays[f"done_{k}"])), **moments}
