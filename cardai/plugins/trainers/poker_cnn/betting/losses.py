"""The losses of the value and the policy outputs."""

from __future__ import annotations

import torch
from torch import Tensor

from cardai.draw.actions import FIRST_DISCARD
from cardai.plugins.trainers.poker_cnn.betting.dataset import Batch
from cardai.plugins.trainers.poker_cnn.betting.heads import OFFSET, Heads
from cardai.plugins.trainers.poker_cnn.betting.options import LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.published import weights_loss

SHRINK = 0.05
"""How much the old policy's log-probabilities shrink towards uniform in a step of mirror descent."""


def losses(
    raw: Tensor, heads: Heads, batch: Batch, options: LearningOptions, teach_illegal: bool
) -> tuple[Tensor, Tensor]:
    """Return the losses of values and of the policy, for the network's outputs ``raw`` (B, heads.outputs).

    Values: the mean square error of those that are taught; with the published outputs and ``teach_illegal`` also of the two
    betting actions that are impossible (bet or raise, check or call).
    """
    count = heads.actions
    picked = raw.gather(1, batch.columns)
    values, said = picked[:, :count] - heads.offset, picked[:, count : 2 * count]
    wrong = ((values - batch.aim).square() * batch.known).sum()
    total = batch.known.sum()
    if heads.published and teach_illegal:
        betting = batch.legal[:, :FIRST_DISCARD].any(dim=1, keepdim=True)
        wrong = wrong + ((picked[:, 2 * count :] - heads.offset + OFFSET).square() * betting).sum()
        total = total + 2 * betting.sum()
    value_loss = wrong / total.clamp(min=1) if heads.published else wrong / len(batch.aim)
    if options.policy == "weights":
        weights = said if heads.relu else torch.nn.functional.softplus(said)
        return value_loss, weights_loss(
            values.detach(), weights, batch.aim, batch.known, batch.legal, betting_only=heads.published
        )
    return value_loss, mirror_loss(values.detach(), said, batch, options)


def mirror_loss(values: Tensor, said: Tensor, batch: Batch, options: LearningOptions) -> Tensor:
    """Return the cross-entropy of logits ``said`` (B, C) with the old policy, moved along the values (B, C).

    The aim is softmax((1 - SHRINK) log(old) + step_size value) over the legal actions: a step of mirror descent.
    """
    floor = torch.where(batch.legal, batch.old.clamp(min=1e-3), torch.ones_like(batch.old))
    asked = batch.old.sum(dim=1, keepdim=True) > 0  # teachers give no probabilities: begin from uniform
    before = torch.where(asked, torch.log(floor), torch.zeros_like(floor))
    moved = (1 - SHRINK) * before + options.step_size * values
    aim = torch.softmax(moved.masked_fill(~batch.legal, -torch.inf), dim=1)
    log = torch.log_softmax(said.masked_fill(~batch.legal, -1e9), dim=1)
    return -(aim * log.masked_fill(~batch.legal, 0.0)).sum(dim=1).mean()
