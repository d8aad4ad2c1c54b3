"""Learning from events: minibatches, and the losses of the value and the policy outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.encoder import Layout
from cardai.learn import tensors
from cardai.learn.choices import FIRST_DISCARD
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.selfplay import Events
from cardai.plugins.trainers.poker_cnn.heads import Heads, encoded

_AT_ONCE = 8192


@frozen
class PolicyLesson:
    """How the policy is taught: "mirror" moves the policy that acted along the advantages, "weights" is Poker-CNN's.

    Mirror: the aim is softmax((1 - shrink) log(old) + step_size value) over the choices offered. Weights: sum(w v) / sum(w)
    is raised through the loss 1 / (1 + it), with v 0.9 of the network's value and 0.1 of the one observed, and sum(w) is
    drawn to 1.
    """

    kind: str
    step_size: float
    shrink: float


@frozen(eq=False)
class Batch:
    """Events as tensors (B, ...): ``inputs`` are codes, or (features, context) of frozen card layers."""

    inputs: tuple[Tensor, ...]
    columns: Tensor
    aim: Tensor
    known: Tensor
    legal: Tensor
    old: Tensor


class Lessons:
    """The events of a generation with their targets; where card layers are frozen, with those layers' features.

    Features are kept as float16 (n, F): with them a pass over a million events takes a minute or so.
    """

    def __init__(
        self,
        events: Events,
        targets: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
        layout: Layout,
        heads: Heads,
        canonical: bool,
        device: torch.device,
    ) -> None:
        self.events, self.layout, self.heads = events, layout, heads
        self.canonical, self.device = canonical, device
        self.aim, self.known = targets
        self._features: npt.NDArray[np.float16] | None = None
        self._context: npt.NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.events)

    def freeze(self, features: npt.NDArray[np.float16], context: npt.NDArray[np.float32]) -> None:
        """Take what :func:`card_features` says of the events: the card layers are not asked any more."""
        self._features, self._context = features, context

    def batch(self, rows: npt.NDArray[np.int64]) -> Batch:
        """Return the events ``rows`` as tensors."""
        views = self.events.views[rows]
        if self._features is not None and self._context is not None:
            inputs: tuple[npt.NDArray[Any], ...] = (self._features[rows].astype(np.float32), self._context[rows])
        else:
            inputs = (encoded(self.layout, views, self.canonical),)
        rest = (
            self.heads.columns(views),
            self.aim[rows],
            self.known[rows],
            self.events.legal[rows],
            self.events.probabilities[rows],
        )
        made = [torch.from_numpy(np.ascontiguousarray(part)).to(self.device) for part in (*inputs, *rest)]
        return Batch(tuple(made[: len(inputs)]), *made[len(inputs) :])


def card_features(
    network: SuitNetwork, layout: Layout, events: Events, canonical: bool, device: torch.device
) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.float32]]:
    """Return what the card layers make of events, (n, F), and the other planes' levels, (n, K)."""
    features, context = [], []
    for start in range(0, len(events), _AT_ONCE):
        codes = encoded(layout, events.views[start : start + _AT_ONCE], canonical)
        cards = np.ascontiguousarray(codes[:, network.card_planes])
        features.append(tensors.in_chunks(network.trunk, cards, device).astype(np.float16))
        context.append(network.context(torch.from_numpy(codes)).numpy())
    return np.concatenate(features), np.concatenate(context)


def outputs(network: nn.Module, heads: Heads, batch: Batch) -> Tensor:
    """Return the network's outputs (B, heads.outputs)."""
    if len(batch.inputs) == 2:
        assert isinstance(network, SuitNetwork)
        return torch.cat(network.heads(*batch.inputs), dim=1)
    return heads.raw(network, batch.inputs[0])


def losses(
    raw: Tensor, heads: Heads, batch: Batch, lesson: PolicyLesson, illegal: float | None
) -> tuple[Tensor, Tensor]:
    """Return the losses of values and of the policy. ``illegal``: what impossible betting actions are taught."""
    count = heads.choices
    picked = raw.gather(1, batch.columns)
    values, said = picked[:, :count] - heads.offset, picked[:, count : 2 * count]
    wrong = ((values - batch.aim).square() * batch.known).sum()
    total = batch.known.sum()
    if heads.published and illegal is not None:
        betting = batch.legal[:, :FIRST_DISCARD].any(dim=1, keepdim=True)
        wrong = wrong + ((picked[:, 2 * count :] - heads.offset - illegal).square() * betting).sum()
        total = total + 2 * betting.sum()
    value_loss = wrong / total.clamp(min=1) if heads.published else wrong / len(batch.aim)
    if lesson.kind == "weights":
        return value_loss, _weights_loss(values.detach(), said, heads, batch)
    return value_loss, _mirror_loss(values.detach(), said, batch, lesson)


def _weights_loss(values: Tensor, said: Tensor, heads: Heads, batch: Batch) -> Tensor:
    """Poker-CNN's policy loss: the observed value is mixed in where there is one; worth counts from the offset up."""
    offset = 2.0
    weights = said if heads.relu else torch.nn.functional.softplus(said)
    worth = torch.where(batch.known > 0, 0.9 * values + 0.1 * batch.aim, values) + offset
    worth = worth.clamp(min=0) * batch.legal
    if heads.published:  # how many cards to keep has values alone
        weights, worth = weights[:, :FIRST_DISCARD], worth[:, :FIRST_DISCARD]
    betting = batch.legal[:, : weights.shape[1]].any(dim=1)
    total = weights.sum(dim=1)
    mean = (weights * worth).sum(dim=1) / total.clamp(min=1e-6)
    return ((1 / (1 + mean) + 0.01 * (total - 1).square()) * betting).sum() / betting.sum().clamp(min=1)


def _mirror_loss(values: Tensor, said: Tensor, batch: Batch, lesson: PolicyLesson) -> Tensor:
    floor = torch.where(batch.legal, batch.old.clamp(min=1e-3), torch.ones_like(batch.old))
    asked = batch.old.sum(dim=1, keepdim=True) > 0  # teachers give no probabilities: begin from uniform
    before = torch.where(asked, torch.log(floor), torch.zeros_like(floor))
    moved = (1 - lesson.shrink) * before + lesson.step_size * values
    aim = torch.softmax(moved.masked_fill(~batch.legal, -torch.inf), dim=1)
    log = torch.log_softmax(said.masked_fill(~batch.legal, -1e9), dim=1)
    return -(aim * log.masked_fill(~batch.legal, 0.0)).sum(dim=1).mean()
