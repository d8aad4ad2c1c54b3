"""What the networks learn of one iteration: examples, their minibatches, and the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.learn.networks import device_of
from cardai.learn.tensors import given

if TYPE_CHECKING:
    from cardai.plugins.trainers.mmd import MMD

ILLEGAL = -1e9
"""The logit of an illegal action."""
TERMS = ("policy_loss", "value_loss", "entropy", "kl", "clipped")
"""What :func:`losses` says of a minibatch beside the loss."""


@frozen(eq=False)
class CriticExamples:
    """What the critic learns of N decisions: ``codes`` (V, K) of which decision n saw ``inverse[n]``.

    Outputs ``columns`` (N, k) are to become ``targets`` (N, k); they were ``before`` (N, k).
    """

    codes: Float32s
    inverse: Int64s
    columns: Int64s
    targets: Float32s
    before: Float32s


@frozen(eq=False)
class Examples:
    """N decisions to learn from, over U different inputs (see :class:`Inputs`); decision n saw ``inverse[n]``.

    ``weights`` (N,) are their shares of the loss. ``gains`` (N, A) is what is known of every action's advantage, and
    ``residuals`` (N,) what the action that was ``chosen`` (N,) brought beyond that; either may be missing (None).
    """

    inputs: Inputs
    inverse: Int64s
    weights: Float64s
    chosen: Int64s | None = None
    gains: Float64s | None = None
    residuals: Float64s | None = None
    critic: CriticExamples | None = None

    def __len__(self) -> int:
        return len(self.inverse)


@frozen(eq=False)
class Inputs:
    """U different inputs of the actor: codes (U, C), legal actions (U, A), log probabilities (U, A) that the policy had
    there when it played, and that the magnet has."""

    codes: Float32s
    legal: Bools
    played: Float32s
    magnet: Float32s


def losses(
    options: MMD,
    pulls: tuple[float, float],
    actor: nn.Module,
    critic: nn.Module | None,
    examples: Examples,
    rows: Int64s,
) -> Any:
    """Return (loss, the five :data:`TERMS`) of the examples ``rows`` (m,); ``pulls`` weigh the magnet and the last policy.

    With pi the actor's policy, pi_t that which played, m the magnet and A the advantages, the policy's part is
    -E[min(r A, clip(r) A)] + magnet KL(pi || m) + last KL(pi || pi_t) - entropy H(pi): PPO's clipped surrogate (Schulman
    et al. 2017, eq. 7) with the two pulls of magnetic mirror descent (Sokota et al. 2023, eq. 7). Without a clip range it
    is the linear -E[r A], which the pulls alone hold back.
    """
    o, inputs, (magnet, last), on = options, examples.inputs, pulls, device_of(actor)
    seen, where = np.unique(examples.inverse[rows], return_inverse=True)
    share = examples.weights[rows] / examples.weights[rows].sum()
    legal = given(inputs.legal[seen], on)
    logs = actor(given(inputs.codes[seen], on)).masked_fill(~legal, ILLEGAL).log_softmax(1)  # (u, A)
    pi, played = logs.exp(), given(inputs.played[seen], on)
    weight = given(np.bincount(where, share, len(seen)).astype(np.float32), on)
    gain, clipped = _surrogate(o, examples, rows, where, share, inputs.played[seen], logs)
    entropy = -(weight * (pi * logs.masked_fill(~legal, 0.0)).sum(1)).sum()
    kl = (weight * (pi * (logs - played).masked_fill(~legal, 0.0)).sum(1)).sum()
    loss = last * kl - o.entropy * entropy - gain
    if magnet:
        apart = logs - given(inputs.magnet[seen], on)
        loss = loss + magnet * (weight * (pi * apart.masked_fill(~legal, 0.0)).sum(1)).sum()
    value = torch.zeros((), device=on)
    if critic is not None and examples.critic is not None:
        value = value_loss(o, critic, examples.critic, rows)
    return loss + o.value_weight * value, torch.stack([loss, value, entropy, kl, clipped]).detach()


def _surrogate(
    o: MMD, examples: Examples, rows: Int64s, where: Int64s, share: Float64s, played: Float32s, logs: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what the policy gains by its advantages, and the share of decisions at which the ratio is clipped.

    What is linear in the policy is summed over equal inputs before the network is asked.
    """
    table, on = np.zeros(logs.shape), logs.device
    if examples.gains is not None:
        np.add.at(table, where, share[:, None] * examples.gains[rows])
    sampled, clipped = torch.zeros((), device=on), torch.zeros((), device=on)
    if examples.residuals is not None and examples.chosen is not None:
        chosen, residual = examples.chosen[rows], examples.residuals[rows]
        if o.normalize:
            residual = (residual - residual.mean()) / (residual.std() + 1e-8)
        if not o.clip:
            np.add.at(table, (where, chosen), share * residual / np.exp(played[where, chosen], dtype=np.float64))
        else:
            before = given(played[where, chosen], on)
            ratio = (logs[given(where, on), given(chosen, on)] - before).exp()
            advantage = given((share * residual).astype(np.float32), on)
            held = ratio.clamp(1 - o.clip, 1 + o.clip)
            sampled = torch.min(ratio * advantage, held * advantage).sum()
            clipped = (ratio.detach() != held.detach()).float().mean()
    return sampled + (logs.exp() * given(table.astype(np.float32), on)).sum(), clipped


def mean_gains(examples: Examples, rows: Int64s) -> Float64s:
    """Return (U, A): the mean advantage of each action at each input over the examples ``rows`` (m,), the means of the
    residuals by importance among them; 0 where an input is not among them."""
    inputs, where, weight = examples.inputs, examples.inverse[rows], examples.weights[rows]
    total, share = np.zeros(inputs.played.shape), np.bincount(where, weight, len(inputs.played))
    if examples.gains is not None:
        np.add.at(total, where, weight[:, None] * examples.gains[rows])
    if examples.residuals is not None and examples.chosen is not None:
        chosen = examples.chosen[rows]
        odds = np.exp(inputs.played[where, chosen], dtype=np.float64)
        np.add.at(total, (where, chosen), weight * examples.residuals[rows] / odds)
    return total / np.maximum(share, 1e-300)[:, None]


def value_loss(o: MMD, critic: nn.Module, examples: CriticExamples, rows: Int64s) -> Tensor:
    """Return half the mean square error of the critic; with ``value_clip`` moves beyond the clip range count no less."""
    seen, where = np.unique(examples.inverse[rows], return_inverse=True)
    on = device_of(critic)
    out = critic(given(examples.codes[seen], on))
    found = out[given(where, on)[:, None], given(examples.columns[rows], on)]  # (m, k)
    target = given(examples.targets[rows], on)
    error = (found - target).square()
    if o.value_clip and o.clip:
        before = given(examples.before[rows], on)
        held = before + (found - before).clamp(-o.clip, o.clip)
        error = torch.max(error, (held - target).square())
    loss: Tensor = 0.5 * error.mean()
    return loss
