"""The natural step: the actor moves so that its policy moves as magnetic mirror descent's closed form says.

Ordinary gradients move what a network finds easy first, and mirror descent then is not what is done: on Leduc poker Adam
stays at a multiple of what the same advantages reach in a table. Natural gradients (Kakade 2002; Martens, "New insights and
perspectives on the natural gradient method", 2020, sections 9 and 10) undo that, by least squares over the inputs there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from cardai.core.arrays import Bools, Float64s
from cardai.core.errors import CardaiError, UsageError

LIMIT = 6_000
"""Legal actions beyond the first, over all different inputs of an iteration: the square of so many is held in memory."""


def mirror_step(
    gains: Float64s, policy: Float64s, legal: Bools, magnet: Float64s, pull: float, last: float, floor: float
) -> Float64s:
    """Return by how much the log probabilities (U, A) of ``legal`` actions move; 0 elsewhere.

    The policy that maximises E[A] - pull KL(. || magnet) - last KL(. || policy) has log probabilities
    (last log policy + A + pull log magnet) / (last + pull) + const (Sokota et al. 2023, eq. 7 with last = 1 / eta).
    No action is moved below the probability ``floor``: an action that is worth 13 chips less than another ends at a log
    probability of -13 / pull, and a network that has to show -600 at one input cannot hold 0.01 at the next.
    """
    before = np.log(np.maximum(policy, 1e-30))
    apart = np.log(np.maximum(magnet, 1e-30)) - before
    after = np.where(legal, before + (gains + pull * apart) / (last + pull), -np.inf)
    after -= after.max(axis=1, keepdims=True)
    after -= np.log(np.exp(after).sum(axis=1, keepdims=True))
    moved: Float64s = np.where(legal, np.maximum(after, np.log(max(floor, 1e-30))) - before, 0.0)
    return moved


def natural_step(network: nn.Sequential, codes: Tensor, legal: Bools, wanted: Float64s, damping: float) -> None:
    """Move the weights w of ``network``, full layers, so that its outputs at ``codes`` (U, C) move by ``wanted`` (U, A).

    What counts are the M differences d between the outputs of a row's ``legal`` actions (U, A) and of its first. With J their
    Jacobian, w moves by J' (J J' + damping mean(diag J J') I)^-1 d: to first order the smallest move that does it, as nearly
    as the damping lets it. J J' is a sum over layers of elementwise products of two small matrices, so J is never made.

    Raises:
        UsageError: M is above :data:`LIMIT`. CardaiError: the network has run away.
    """
    first = legal.argmax(axis=1)
    row, action = np.nonzero(legal)
    differs = action != first[row]
    row, action = row[differs], action[differs]
    if len(row) > LIMIT:
        raise UsageError(
            f"Natural steps solve for all different inputs at once, and this iteration has {len(row):,} legal actions at "
            f"{len(legal):,} inputs, above {LIMIT:,}. Take optimizer=adam, or a smaller batch."
        )
    change = wanted[row, action] - wanted[row, first[row]]
    with torch.no_grad():
        layers, inputs, back = _layers(network, codes, torch.from_numpy(row), _differences(row, action, first, legal))
        where = torch.from_numpy(row)
        gram = torch.zeros(len(row), len(row))
        for into, out in zip(inputs, back, strict=True):
            gram += (into @ into.T + 1)[where][:, where] * (out @ out.T)  # 1: the bias
        gram.diagonal().add_(damping * gram.diagonal().mean())
        factor, failed = torch.linalg.cholesky_ex(gram)
        if failed:
            raise CardaiError(
                "The actor of this policy gradient has run away. Start a new run with a larger last or damping."
            )
        solved = torch.cholesky_solve(torch.from_numpy(change.astype(np.float32))[:, None], factor)
        for layer, into, out in zip(layers, inputs, back, strict=True):
            layer.weight += (solved * out).T @ into[where]
            layer.bias += (solved * out).sum(0)


def _differences(row: Any, action: Any, first: Any, legal: Bools) -> Tensor:
    """Return (M, A): 1 at the action of each difference, -1 at the first of its row."""
    out, at = np.zeros((len(row), legal.shape[1]), np.float32), np.arange(len(row))
    out[at, action] = 1
    out[at, first[row]] = -1
    return torch.from_numpy(out)


def _layers(
    network: nn.Sequential, codes: Tensor, row: Tensor, out: Tensor
) -> tuple[list[nn.Linear], list[Tensor], list[Tensor]]:
    """Return the layers, what goes into each (U, d), and the slopes (M, e) of the M differences by what comes out of each."""
    layers, inputs, slopes = [], [], []
    x = codes
    for module in network:
        if isinstance(module, nn.Linear):
            layers.append(module)
            inputs.append(x)
        x = module(x)
        if isinstance(module, nn.ReLU):
            slopes.append((x > 0).float())
        elif isinstance(module, nn.Tanh):
            slopes.append(1 - x.square())
    back = [out]
    for layer, slope in zip(layers[:0:-1], slopes[::-1], strict=True):
        back.insert(0, (back[0] @ layer.weight) * slope[row])
    return layers, inputs, back
