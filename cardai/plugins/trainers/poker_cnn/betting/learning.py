"""What an event teaches (targets for the values of abstract actions), and the losses of values and policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from cardai.core.arrays import Float32s
from cardai.core.fields import Views
from cardai.core.game import Game
from cardai.draw.actions import FIRST_DISCARD
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.selfplay import Events
from cardai.plugins.trainers.poker_cnn.betting.dataset import Batch
from cardai.plugins.trainers.poker_cnn.betting.heads import OFFSET, Heads
from cardai.plugins.trainers.poker_cnn.betting.options import LearningOptions
from cardai.plugins.trainers.poker_cnn.betting.published import ties, weights_loss
from cardai.poker.fields import POKER

SHRINK = 0.05
"""How much the old policy's log-probabilities shrink towards uniform in a step of mirror descent."""


def make_targets(
    events: Events, game: Game, abstraction: ActionAbstraction, options: LearningOptions
) -> tuple[Float32s, Float32s]:
    """Return targets (n, C) in units, and a mask (n, C) of those that are taught.

    An action taken is worth what it brought; in betting games what is won beyond the pot of the moment, or lost beyond the
    bet to call, counts ``discount``. Folding is worth 0 wherever it is legal. ``counterfactuals``: "all" teaches every other action
    that would have ended the hand at once; "published" only calls and checks that do, and no ties (Poker-CNN: a last-round
    fold or raise teaches calling, a last-round bet in position teaches checking behind). With ``teach_illegal`` what is
    illegal is worth less than any loss.
    """
    rows, bets = np.arange(len(events)), game.speaks(POKER)
    discount = options.discount if bets else 1.0
    exact = ~np.isnan(events.known) & events.legal
    if options.counterfactuals == "published":
        exact[:, 2:] = False
        if bets:
            exact[:, 1] &= ~ties(events)
    target = np.where(exact, events.known, 0.0).astype(np.float32)
    mask = exact.astype(np.float32)
    other, action = np.nonzero(~np.isnan(events.branched))
    target[other, action] = discounted(events.branched[other, action], events.views[other], discount)
    mask[other, action] = 1.0
    target[rows, events.chosen] = discounted(events.values, events.views, discount)
    mask[rows, events.chosen] = 1.0
    target /= options.unit
    if options.teach_illegal:
        illegal = abstraction.same_kind(events.legal) & ~events.legal
        target[illegal] = -OFFSET
        mask[illegal] = 1.0
    return target, mask


def discounted(values: npt.NDArray[Any], views: Views, discount: float) -> npt.NDArray[Any]:
    """Return values (n,) with what lies beyond the pot, or beyond the bet to call, counted ``discount``."""
    if discount == 1.0:
        return values
    pot = views["pot"].astype(np.float64)
    bet = views["to_call"].astype(np.float64)
    above = np.where(values > pot, pot + discount * (values - pot), values)
    return np.where(values < -bet, -bet + discount * (values + bet), above)


def losses(raw: Tensor, heads: Heads, batch: Batch, options: LearningOptions) -> tuple[Tensor, Tensor]:
    """Return the losses of values and of the policy, for the network's outputs ``raw`` (B, heads.outputs).

    Values: the mean square error of those that are taught; with the published outputs and ``teach_illegal`` also of the two
    betting actions that are impossible (bet or raise, check or call).
    """
    count = heads.actions
    picked = raw.gather(1, batch.columns)
    values, said = picked[:, :count] - heads.offset, picked[:, count : 2 * count]
    wrong = ((values - batch.aim).square() * batch.known).sum()
    total = batch.known.sum()
    if heads.published and options.teach_illegal:
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
