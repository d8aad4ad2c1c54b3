"""How well a value network does: exactly over all hands, or on situations that no run learns from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from attrs import frozen

from cardai.core.arrays import Float64s
from cardai.core.fields import Views
from cardai.core.progress import tell
from cardai.core.trainer import Metrics
from cardai.draw.video_poker import SMALL, TINY
from cardai.plugins.trainers.poker_cnn.values.dataset import label
from cardai.plugins.trainers.poker_cnn.values.players import HoldPlayer, ValueNetwork
from cardai.plugins.trainers.poker_cnn.values.problems import Problem

_SEED = 20_151_115  # of every run's held-out situations, whatever its own seed
_DEALS = 2000  # deals behind a label of hold'em, as in Poker-CNN's training data
_AT_ONCE = 8192


def exact_metrics(problem: Problem, player: HoldPlayer) -> Metrics:
    """Return the exact return, and the shares of holds by what they cost, of a player that treats suits and order alike."""
    lost = best = 0.0
    shares = np.zeros(4)
    total = 0.0
    for start in range(0, problem.size, _AT_ONCE):
        views, values, weights = problem.situations(np.arange(start, min(start + _AT_ONCE, problem.size)))
        chosen = values[np.arange(len(views)), player.hold_values(views).argmax(axis=1)]
        loss = values.max(axis=1) - chosen
        shares += np.array([(weights * (loss < bar)).sum() for bar in (1e-9, TINY, SMALL, np.inf)])
        lost += float((weights * loss).sum())
        best += float((weights * values.max(axis=1)).sum())
        total += float(weights.sum())
    shares = np.diff(shares, prepend=0.0) / total
    names = ("optimal", "tiny_mistakes", "small_mistakes", "big_mistakes")
    return {"return": (best - lost) / total, **dict(zip(names, map(float, shares), strict=True))}


@frozen(eq=False)
class HeldOut:
    """Random situations (n) that no seed of a run gives: ``views`` (n,) and their ``values`` (n, K), in natural units.

    ``targets`` (n, K) are the values in the scale that is learned; ``holds``: the values are those of the 32 holds.
    """

    views: Views
    values: Float64s
    targets: Float64s
    holds: bool

    def metrics(self, network: ValueNetwork, relu: bool) -> Metrics:
        """Return the measures of a network; ``relu`` is applied to its outputs.

        ``validation_loss`` is the mean square error of all outputs. Holds: the share of situations in which the acting
        head takes an optimal one, and the mean value lost. Hold'em: the mean absolute error of the chance to win, and
        how often the likeliest final category is the label's likeliest.
        """
        predicted = network.outputs(self.views)
        if relu:
            predicted = np.maximum(predicted, 0.0)
        wrong = predicted - self.targets
        out = {"validation_loss": float(np.square(wrong).mean())}
        if self.holds:
            acting = network.outputs(self.views, by_policy=True) if network.by_policy else predicted
            lost = self.values.max(axis=1) - self.values[np.arange(len(acting)), acting.argmax(axis=1)]
            return {**out, "validation_optimal": float((lost < 1e-9).mean()), "validation_lost": float(lost.mean())}
        same = predicted[:, 1:].argmax(axis=1) == self.values[:, 1:].argmax(axis=1)
        return {**out, "win_error": float(np.abs(wrong[:, 0]).mean()), "category_accuracy": float(same.mean())}


def held_out(problem: Problem, count: int, scale: Callable[[torch.Tensor], torch.Tensor]) -> HeldOut:
    """Draw ``count`` situations of a problem: always the same ones, every hand equally likely (never thinned).

    ``scale`` turns values into what is learned.
    """
    rng = np.random.default_rng([_SEED, count])
    views = problem.random(count, rng)
    values = np.empty((count, problem.outputs))
    for done in label(problem, views, 0 if problem.holds else _DEALS, rng, values):
        tell("held-out labels", done, count)
    return HeldOut(views, values, scale(torch.from_numpy(values)).numpy(), problem.holds)
