"""How a betting network plays: values and a policy, with the publication's habits as switches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from attrs import evolve, frozen
from torch import nn

from cardai.core.agent import Agent
from cardai.core.encoder import Layout
from cardai.core.fields import Views
from cardai.core.game import Legal
from cardai.core.rng import Rows
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork

Floats = npt.NDArray[np.float64]
_FAR = -1e9


@frozen
class Habits:
    """The switches. ``noise`` is the scale of Gumbel noise on non-fold values, in units of ``unit``; ``policy_mix`` is the
    chance to draw from the policy head rather than take the best value; ``repair`` clips impossible values; ``explore``
    is the chance of a uniformly random legal action."""

    noise: float = 0.0
    policy_mix: float = 1.0
    repair: bool = False
    explore: float = 0.0


class BettingAgent(Agent):
    """A network that plays. Its probabilities are exact unless there is noise (then they are those without it)."""

    def __init__(
        self, networks: tuple[nn.Module, ...], layout: Layout, unit: float, habits: Habits, device: torch.device
    ) -> None:
        self.networks = networks
        self.layout = layout
        self.unit = unit
        self.habits = habits
        self.device = device

    def with_habits(self, **changes: Any) -> BettingAgent:
        """Return the same player with other habits."""
        return BettingAgent(self.networks, self.layout, self.unit, evolve(self.habits, **changes), self.device)

    def outputs(self, views: Views, legal: npt.NDArray[np.bool_], which: int = 0) -> tuple[Floats, Floats]:
        """Return (values, policy) of one network, (n, A) each: units of ``unit``; probabilities over legal actions."""
        codes = self.layout.encode(views)
        both = tensors.in_chunks(lambda x: torch.cat(two_heads(self.networks[which], x), dim=1), codes, self.device)
        values, logits = np.split(both.astype(np.float64), 2, axis=1)
        return values, softmax(logits, legal)

    def _mixed(self, views: Views, legal: npt.NDArray[np.bool_], values: Floats, policy: Floats) -> Floats:
        h = self.habits
        values = repaired(values, views, legal, self.unit) if h.repair else values
        best = np.zeros_like(policy)
        best[np.arange(len(best)), np.where(legal, values, _FAR).argmax(axis=1)] = 1.0
        mixed = h.policy_mix * policy + (1 - h.policy_mix) * best
        return (1 - h.explore) * mixed + h.explore * legal / legal.sum(axis=1, keepdims=True)

    def policy(self, views: Views, legal: Legal) -> Floats:
        assert isinstance(legal, np.ndarray)
        total = np.zeros(legal.shape)
        for which in range(len(self.networks)):
            total += self._mixed(views, legal, *self.outputs(views, legal, which))
        return np.asarray(total / len(self.networks))

    def decide(self, views: Views, legal: npt.NDArray[np.bool_], rng: Rows) -> tuple[npt.NDArray[np.int64], Floats]:
        """Return actions (n,) and the probabilities (n, A) that they were drawn from."""
        if self.habits.noise == 0.0:
            probabilities = self.policy(views, legal)
            return rng.choice(probabilities), probabilities
        drawn = rng.fork(1000).random(legal.shape[1] + 1)
        which = np.minimum((drawn[:, -1] * len(self.networks)).astype(int), len(self.networks) - 1)
        values, policy = np.zeros(legal.shape), np.zeros(legal.shape)
        for k in range(len(self.networks)):
            rows = np.flatnonzero(which == k)
            if len(rows):
                values[rows], policy[rows] = self.outputs(views[rows], legal[rows], k)
        gumbel = -np.log(-np.log(np.clip(drawn[:, :-1], 1e-12, 1 - 1e-12)))
        values[:, 1:] += self.habits.noise * (gumbel[:, 1:] - 0.5772) + 0.5 * self.habits.noise
        probabilities = self._mixed(views, legal, values, policy)
        return rng.choice(probabilities), probabilities

    def act(self, views: Views, legal: Legal, rng: Rows) -> npt.NDArray[np.int64]:
        assert isinstance(legal, np.ndarray)
        return self.decide(views, legal, rng)[0]


def two_heads(network: nn.Module, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (values, policy logits), each (B, A): a plain network's outputs are split into two halves."""
    if isinstance(network, SuitNetwork):
        return network.both(codes)
    values, logits = network(codes).chunk(2, dim=1)
    return values, logits


def softmax(logits: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
    """Return probabilities over legal actions (n, A)."""
    shifted = np.where(legal, logits, -np.inf)
    weights = np.exp(shifted - shifted.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def repaired(values: Floats, views: Views, legal: npt.NDArray[np.bool_], unit: float) -> Floats:
    """Return values (n, A) with impossible sizes clipped: folding is worth 0, a free check not less, a call not more than the pot.

    Poker-CNN's repair, over the standard fields ``pot`` and ``to_call``; views without them are left alone.
    """
    if not {"pot", "to_call"} <= set(views.dtype.names or ()):
        return values
    out = values.copy()
    out[:, 0] = np.where(legal[:, 0], 0.0, out[:, 0])
    free = views["to_call"] == 0
    out[:, 1] = np.where(free, np.maximum(out[:, 1], 0.0), out[:, 1])
    return out
