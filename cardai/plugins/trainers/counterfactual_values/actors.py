"""Several actors for one network: each works out the gradient of a share of every minibatch, and their mean is the step."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn

from cardai.core.arrays import Float32s, Int64s
from cardai.core.trainer import Crew, shares
from cardai.learn import tensors
from cardai.plugins.trainers.counterfactual_values.learners import BucketLearner, HandLearner, Learner
from cardai.poker.values.network import ValueNetwork
from cardai.poker.values.prepared import Prepared

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues


class Gradient(NamedTuple):
    """The loss of a share of a minibatch, and its gradient (W,)."""

    loss: float
    numbers: Float32s


def learner_of(options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> Learner:
    """Return what learns a network of the options' shape from situations."""
    return (BucketLearner if options.shape == "buckets" else HandLearner)(options, network, data)


def ground_of(options: CounterfactualValues, network: ValueNetwork, data: Prepared) -> Learner:
    """Return what actors keep: the situations, and a network of their own, on the CPU, for the weights that they are given."""
    own = deepcopy(network)
    own.module.to("cpu")
    return learner_of(options, own, data)


def gradient(learner: Learner, weights: Float32s, rows: Int64s, seed: tuple[int, ...]) -> Gradient:
    """Return the gradient at ``weights`` (W,) of the loss of some situations: the piece of work."""
    parameters = list(learner.module.parameters())
    with tensors.threads(1):
        nn.utils.vector_to_parameters(torch.from_numpy(weights.copy()), parameters)
        learner.module.train()
        loss = learner.loss(rows, np.random.default_rng(seed))
        found = torch.autograd.grad(loss, parameters)
    return Gradient(float(loss.detach()), nn.utils.parameters_to_vector(found).numpy())


def take_gradient(
    module: nn.Module, crew: Crew, ground: Learner, rows: Int64s, actors: int, seed: tuple[int, ...]
) -> float:
    """Give a network's weights the gradient of a minibatch, by so many actors; return its loss."""
    parameters = list(module.parameters())
    weights = nn.utils.parameters_to_vector(parameters).detach().cpu().numpy().copy()
    pieces = [(rows[part.start : part.stop], (*seed, k)) for k, part in enumerate(shares(len(rows), actors))]
    found = crew.do(gradient, ground, weights, pieces)
    parts = [len(piece[0]) / len(rows) for piece in pieces]
    total = np.sum([np.float32(part) * one.numbers for part, one in zip(parts, found, strict=True)], axis=0)
    whole = torch.from_numpy(total)
    at = 0
    for parameter in parameters:
        part = whole[at : at + parameter.numel()].view_as(parameter)
        parameter.grad = part.to(parameter.device, parameter.dtype)
        at += parameter.numel()
    return float(sum(part * one.loss for part, one in zip(parts, found, strict=True)))
