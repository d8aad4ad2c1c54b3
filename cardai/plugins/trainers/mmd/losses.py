"""What the networks learn of one iteration: examples, their minibatches, and the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
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


@frozen(eq=False)
class Minibatch:
    """m examples as :func:`losses` takes them: tensors on the networks' device, of u different inputs of the actor.

    ``weight`` (u,) are the inputs' shares, ``table`` (u, A) is what is linear in the policy. Where ratios are clipped,
    ``sampled`` has of each example its input, action, log probability when it was played, and advantage (m,). ``critic``
    is of :func:`asked_of_critic`.
    """

    codes: Tensor
    illegal: Tensor
    played: Tensor
    magnet: Tensor
    weight: Tensor
    table: Tensor | None
    sampled: tuple[Tensor, Tensor, Tensor, Tensor] | None
    critic: tuple[Tensor, Tensor, Tensor, Tensor, Tensor] | None

    @classmethod
    def of(cls, o: MMD, examples: Examples, rows: Int64s, on: torch.device) -> Minibatch:
        """Lay out the examples ``rows`` (m,). What is linear in the policy is summed over equal inputs, so that the
        network is asked of each once."""
        inputs = examples.inputs
        seen, where = np.unique(examples.inverse[rows], return_inverse=True)
        share, played = examples.weights[rows] / examples.weights[rows].sum(), inputs.played[seen]
        table = np.zeros(played.shape)
        sampled: Any = None
        if examples.gains is not None:
            np.add.at(table, where, share[:, None] * examples.gains[rows])
        if examples.residuals is not None and examples.chosen is not None:
            chosen, residual = examples.chosen[rows], examples.residuals[rows]
            if o.normalize:
                residual = (residual - residual.mean()) / (residual.std() + 1e-8)
            if o.clip:
                each = where, chosen, played[where, chosen], (share * residual).astype(np.float32)
                sampled = tuple(given(part, on) for part in each)
            else:
                np.add.at(table, (where, chosen), share * residual / np.exp(played[where, chosen], dtype=np.float64))
        weight = np.bincount(where, share, len(seen)).astype(np.float32)
        linear = given(table.astype(np.float32), on) if table.any() else None
        codes, illegal, magnet = inputs.codes[seen], ~inputs.legal[seen], inputs.magnet[seen]
        actor = (given(codes, on), given(illegal, on), given(played, on), given(magnet, on), given(weight, on))
        return cls(*actor, linear, sampled, asked_of_critic(examples.critic, rows, on))


def asked_of_critic(critic: CriticExamples | None, rows: Int64s, on: torch.device) -> Any:
    """Return what the critic is asked in the examples ``rows`` (m,), as tensors: different codes (v, K), which of them
    each example saw (m, 1), columns, targets and earlier answers (m, k); None where there is nothing."""
    if critic is None:
        return None
    seen, where = np.unique(critic.inverse[rows], return_inverse=True)
    parts = critic.codes[seen], where[:, None], critic.columns[rows], critic.targets[rows], critic.before[rows]
    return tuple(given(part, on) for part in parts)


def losses(
    options: MMD, pulls: tuple[float, float], actor: nn.Module, critic: nn.Module | None, batch: Minibatch
) -> tuple[Tensor, Tensor]:
    """Return (loss, the five :data:`TERMS`) of a minibatch; ``pulls`` weigh the magnet and the last policy.

    With pi the actor's policy, pi_t that which played, m the magnet and A the advantages, the policy's part is
    -E[min(r A, clip(r) A)] + magnet KL(pi || m) + last KL(pi || pi_t) - entropy H(pi): PPO's clipped surrogate (Schulman
    et al. 2017, eq. 7) with the two pulls of magnetic mirror descent (Sokota et al. 2023, eq. 7). Without a clip range it
    is the linear -E[r A], which the pulls alone hold back.
    """
    o, (magnet, last), illegal, weight = options, pulls, batch.illegal, batch.weight
    logs = actor(batch.codes).masked_fill(illegal, ILLEGAL).log_softmax(1)  # (u, A)
    pi = logs.exp()
    gain, clipped = _surrogate(o.clip, batch, logs)
    entropy = -(weight * (pi * logs.masked_fill(illegal, 0.0)).sum(1)).sum()
    kl = (weight * (pi * (logs - batch.played).masked_fill(illegal, 0.0)).sum(1)).sum()
    loss = -gain
    if o.entropy:
        loss = loss - o.entropy * entropy
    if last:
        loss = loss + last * kl
    if magnet:
        apart = logs - batch.magnet
        loss = loss + magnet * (weight * (pi * apart.masked_fill(illegal, 0.0)).sum(1)).sum()
    value = torch.zeros((), device=logs.device)
    if critic is not None and batch.critic is not None:
        value = value_loss(o, critic, batch.critic)
    return loss + o.value_weight * value, torch.stack([loss, value, entropy, kl, clipped]).detach()


def _surrogate(clip: float, batch: Minibatch, logs: Tensor) -> tuple[Tensor, Tensor]:
    """Return what the policy gains by its advantages, and the share of decisions at which the ratio is clipped."""
    gain, clipped = torch.zeros((), device=logs.device), torch.zeros((), device=logs.device)
    if batch.sampled is not None:
        where, chosen, before, advantage = batch.sampled
        ratio = (logs[where, chosen] - before).exp()
        held = ratio.clamp(1 - clip, 1 + clip)
        gain = torch.min(ratio * advantage, held * advantage).sum()
        clipped = (ratio.detach() != held.detach()).float().mean()
    if batch.table is not None:
        gain = gain + (logs.exp() * batch.table).sum()
    return gain, clipped


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


def value_loss(o: MMD, critic: nn.Module, asked: tuple[Tensor, Tensor, Tensor, Tensor, Tensor]) -> Tensor:
    """Return half the mean square error of the critic; with ``value_clip`` moves beyond the clip range count no less.

    ``asked`` is of :func:`asked_of_critic`.
    """
    codes, where, columns, target, before = asked
    found = critic(codes)[where, columns]  # (m, k)
    error = (found - target).square()
    if o.value_clip and o.clip:
        held = before + (found - before).clamp(-o.clip, o.clip)
        error = torch.max(error, (held - target).square())
    loss: Tensor = 0.5 * error.mean()
    return loss
