"""How well a value network does on situations that it never learned from: fixed ones, from a seed of their own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from attrs import frozen

from cardai.core.fields import Views
from cardai.core.trainer import Metrics
from cardai.plugins.trainers.poker_cnn.players import Floats, ValueBrain
from cardai.plugins.trainers.poker_cnn.problems import Problem

_SEED = 20_151_115  # of every run's situations, whatever its own seed
_DEALS = 2000  # deals behind a label of hold'em, as in Poker-CNN's training data


@frozen(eq=False)
class HeldOut:
    """Random situations (n) that no seed of a run gives: ``views`` (n,) and their ``values`` (n, K), in natural units.

    ``targets`` (n, K) are the values in the scale that is learned; ``holds``: the values are those of the 32 holds.
    """

    views: Views
    values: Floats
    targets: Floats
    holds: bool

    def metrics(self, brain: ValueBrain, relu: bool) -> Metrics:
        """Return the measures of a network; ``relu`` is applied to its outputs.

        ``validation_loss`` is the mean square error of all outputs. Holds: the
        share of situations in which the acting head takes an optimal one, and the mean value lost. Hold'em: the mean
        absolute error of the chance to win, and how often the likeliest final category is the label's likeliest.
        """
        predicted = brain.outputs(self.views)
        if relu:
            predicted = np.maximum(predicted, 0.0)
        wrong = predicted - self.targets
        out = {"validation_loss": float(np.square(wrong).mean())}
        if self.holds:
            acting = brain.outputs(self.views, by_policy=True) if brain.by_policy else predicted
            lost = self.values.max(axis=1) - self.values[np.arange(len(acting)), acting.argmax(axis=1)]
            return {**out, "validation_optimal": float((lost < 1e-9).mean()), "validation_lost": float(lost.mean())}
        same = predicted[:, 1:].argmax(axis=1) == self.values[:, 1:].argmax(axis=1)
        return {**out, "win_error": float(np.abs(wrong[:, 0]).mean()), "category_accuracy": float(same.mean())}


def held_out(problem: Problem, count: int, scale: Callable[[torch.Tensor], torch.Tensor]) -> HeldOut:
    """Draw ``count`` situations of a problem: always the same ones, every hand equally likely (never thinned).

    ``scale`` turns values into what is learned.
    """
    rng = np.random.default_rng([_SEED, count])
    views, values = problem.sampled(count, rng, 0 if problem.holds else _DEALS)
    return HeldOut(views, values, scale(torch.from_numpy(values)).numpy(), problem.holds)
