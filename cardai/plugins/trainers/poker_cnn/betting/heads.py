"""What a betting network's outputs mean, and a network that can be asked."""

from __future__ import annotations

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.fields import CanonicalForm, Views
from cardai.draw.actions import FIRST_DISCARD
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.policies import greedy, legal_softmax

_KEEP, _NOWHERE, _PUBLISHED = 15, 31, 32
_AT_ONCE = 8192
OFFSET = 2.0
"""Poker-CNN adds this to its values (folding is 2.0), because its outputs cannot be negative."""


@frozen
class Heads:
    """Where the network's outputs hold the value and the policy of each of ``actions`` (C) abstract actions.

    ``published``: 32 outputs as in Poker-CNN: the values of bet, raise, check, call and fold, five policy weights for the
    same, and from 15 on the values of keeping 0 to 5 cards. Else C values, then C policy outputs. ``relu``: outputs pass
    through ReLU and values lie OFFSET higher. ``weights``: policy outputs are weights, else logits.
    """

    actions: int
    published: bool = False
    relu: bool = False
    weights: bool = False

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return _PUBLISHED if self.published else 2 * self.actions

    @property
    def offset(self) -> float:
        """What is added to values in the outputs."""
        return OFFSET if self.relu else 0.0

    def raw(self, network: nn.Module, codes: Tensor) -> Tensor:
        """Return the outputs (B, outputs)."""
        if isinstance(network, SuitNetwork) and not self.published:
            out = torch.cat(network.both(codes), dim=1)
        else:
            out = network(codes)
        return torch.relu(out) if self.relu else out

    def columns(self, views: Views) -> Int64s:
        """Return the outputs (n, 2 C + 2) of the actions' values, of their policy, and of two impossible betting actions.

        The last two (published only) belong to the pair bet and raise, and check and call, of which one is possible.
        """
        out = np.zeros((len(views), 2 * self.actions + 2), np.int64)
        if not self.published:
            out[:, :-2] = np.arange(2 * self.actions)
            return out
        facing = views["to_call"] > 0
        raised = facing | (views["round_spent"].max(axis=1) > 0)
        bet_or_raise, check_or_call = raised.astype(np.int64), 2 + facing.astype(np.int64)
        c = self.actions
        out[:, 0], out[:, 1], out[:, 2] = 4, check_or_call, bet_or_raise
        out[:, c : c + 3] = out[:, :3] + 5
        out[:, 3:c] = _KEEP + np.arange(c - 3)
        out[:, c + 3 : 2 * c] = _NOWHERE
        out[:, -2], out[:, -1] = 1 - bet_or_raise, 5 - check_or_call
        return out

    def policy(self, raw: Float64s, values: Float64s, offered: Bools) -> Float64s:
        """Return probabilities (n, C) for policy outputs (n, C): where no weight is left, the best value's."""
        if not self.weights:
            return legal_softmax(raw, offered)
        weights = (np.maximum(raw, 0.0) if self.relu else np.logaddexp(0.0, raw)) * offered
        if self.published:
            weights[:, FIRST_DISCARD:] = 0.0
        none = weights.sum(axis=1) <= 1e-9
        weights[none] = greedy(values, offered)[none]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@frozen(eq=False)
class BettingNetwork:
    """A network with all that is needed to ask it."""

    module: nn.Module
    layout: Layout
    heads: Heads
    form: CanonicalForm
    device: torch.device

    def outputs(self, views: Views, offered: Bools) -> tuple[Float64s, Float64s]:
        """Return (values, probabilities) of the abstract actions, (n, C) each."""
        raw = self._raw(views).astype(np.float64)
        picked = np.take_along_axis(raw.reshape(len(views), self.heads.outputs), self.heads.columns(views), axis=1)
        values = picked[:, : self.heads.actions] - self.heads.offset
        return values, self.heads.policy(picked[:, self.heads.actions : 2 * self.heads.actions], values, offered)

    def _raw(self, views: Views) -> Float32s:
        """Return the outputs (n, outputs); cards and situations that several rows of hold'em share are worked out once."""
        network = self.module
        shared = isinstance(network, SuitNetwork) and bool(network.context_planes) and not self.heads.published
        if not shared or not len(views) or not {"hole", "board"} <= set(views.dtype.names or ()):
            codes = self.layout.encode(self.form(views)[0])
            return tensors.in_chunks(lambda x: self.heads.raw(network, x), codes, self.device)
        assert isinstance(network, SuitNetwork)
        held, card_rows = _different_cards(views)
        situations, situation_rows = _runs(views)
        codes = self.layout.encode(self.form(views[held])[0])[:, network.card_planes]
        features = tensors.in_chunks(network.trunk, np.ascontiguousarray(codes), self.device)
        context = tensors.in_chunks(network.context, self.layout.encode(views[situations]), self.device)
        context, same = np.unique(context, axis=0, return_inverse=True)
        pairs = card_rows * len(context) + same.reshape(-1)[situation_rows]
        pairs, rows = np.unique(pairs, return_inverse=True)
        parts = []
        for start in range(0, len(pairs), _AT_ONCE):
            one, other = np.divmod(pairs[start : start + _AT_ONCE], len(context))
            inputs = np.concatenate([features[one], context[other]], axis=1)
            parts.append(tensors.in_chunks(self._after_the_cards, inputs, self.device))
        return np.asarray(np.concatenate(parts)[rows])

    def _after_the_cards(self, inputs: Tensor) -> Tensor:
        network = self.module
        assert isinstance(network, SuitNetwork)
        size = network.trunk.dense.out_features
        out = torch.cat(network.heads(inputs[:, :size], inputs[:, size:]), dim=1)
        return torch.relu(out) if self.heads.relu else out


def _different_cards(views: Views) -> tuple[Int64s, Int64s]:
    """Return the first row of each of the different cards of hold'em, and (n,) which of them each row has."""
    cards = np.concatenate([views["hole"], views["board"]], axis=1).astype(np.int64) + 1
    keys = (cards << (6 * np.arange(cards.shape[1]))).sum(axis=1)
    _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
    return first, rows.reshape(-1)


def _runs(views: Views) -> tuple[Int64s, Int64s]:
    """Return the first rows of runs of views that differ in nothing but cards, and (n,) which run each row is in."""
    plain = views.copy()
    plain["hole"], plain["board"] = 0, 0
    words = plain.view(np.uint8).reshape(len(views), -1)
    starts = np.ones(len(views), bool)
    starts[1:] = (words[1:] != words[:-1]).any(axis=1)
    return np.flatnonzero(starts), np.cumsum(starts) - 1
