"""Learning counterfactual values under way: epochs over solved situations, the best one on held-out situations kept.

current.safetensors    the network of the last epoch and Adam's moments
best.safetensors       the network of the best epoch
state.json             epochs done, the best one and its loss, and what is learned from
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from attrs import asdict, field, frozen
from torch import nn

from cardai.core.files import read_json, write_json
from cardai.core.schema import structure, whole
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.plugins.trainers.counterfactual_values.learners import Learner
from cardai.poker.values.network import WEIGHTS
from cardai.poker.values.splits import TRAIN, VALIDATION
from cardai.poker.values.torch_networks import write_network

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues

CURRENT, STATE = "current.safetensors", "state.json"


@frozen
class State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=whole())
    best_step: int = field(validator=whole())
    best_loss: float
    fingerprint: str = ""
    """Of the situations, where they are in a directory."""
    shards: tuple[int, ...] = ()
    """Those that are learned from: a set may grow under way."""


class ValueTraining(Training):
    """A network, its optimiser and the number of epochs done: all randomness follows from (seed, epoch)."""

    learner: Learner

    def __init__(self, options: CounterfactualValues, seed: int) -> None:
        self.options, self.seed, self.step = options, seed, 0
        self.best_step, self.best_loss = 0, float("inf")
        self.best: dict[str, torch.Tensor] = {}

    def learn_by(self, learner: Learner) -> None:
        """Take the learner, with a new optimiser."""
        self.learner = learner
        self.optimizer = torch.optim.Adam(learner.module.parameters(), self.options.rate)

    def begin(self) -> None:
        """Read what is learned from, so that what is wrong with it is said before the first epoch. Unless told: nothing."""
        return

    def get_ready(self) -> Iterator[Metrics]:
        """Yield empty rows while what the first epoch needs is made. Unless told: nothing is."""
        yield from ()

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        if steps:
            yield from self.get_ready()
        with tensors.threads(self.options.threads):
            while self.step < end:
                loss = self._epoch()
                self.step += 1
                yield {"loss": loss, "solves": float(len(self.learner.rows[TRAIN])), **self._judged()}

    def _epoch(self) -> float:
        """Go once through the training part in random order; return the mean loss."""
        rng = np.random.default_rng([self.seed, 1, self.step])
        order, batch = rng.permutation(self.learner.rows[TRAIN]), self.options.batch
        self.learner.begin_epoch(rng)
        self.learner.module.train()
        losses, count = [], max(1, len(order) // batch)
        for k in range(count):
            for group in self.optimizer.param_groups:
                group["lr"] = self._rate(self.step + k / count)
            loss = self.learner.loss(np.sort(order[k * batch : (k + 1) * batch]), rng)
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            losses.append(float(loss.detach()))
        return float(np.mean(losses))

    def _rate(self, epoch: float) -> float:
        o = self.options
        rate = o.rate * (0.1 if o.drop and epoch >= o.drop else 1.0)
        if o.anneal:
            rate *= 0.01 + 0.99 * 0.5 * (1 + float(np.cos(np.pi * min(1.0, epoch / o.anneal))))
        return rate

    def _judged(self) -> Metrics:
        """Return the losses of this epoch's network, and keep it if it is the best so far."""
        metrics: Metrics = {}
        for name, part in (("training", TRAIN), ("validation", VALIDATION)):
            found = self.learner.losses(self.learner.rows[part][: self.learner.judged_by[part]])
            metrics |= {f"{name}_{kind}": loss for kind, loss in found.items()}
        if metrics["validation_huber"] < self.best_loss:
            self.best_step, self.best_loss = self.step, metrics["validation_huber"]
            self.best = {name: tensor.detach().clone() for name, tensor in self.learner.module.state_dict().items()}
        return metrics | {"best_epoch": float(self.best_step)}

    # -- keeping ---------------------------------------------------------------------------------------------------

    def best_network(self) -> nn.Module:
        """Return the network of the best epoch; before the first epoch the one that it begins with."""
        found = deepcopy(self.learner.module)
        if self.best:
            found.load_state_dict(self.best)
        return found

    def state(self) -> State:
        """Return what state.json holds."""
        return State(self.step, self.best_step, self.best_loss if np.isfinite(self.best_loss) else -1.0)

    @abstractmethod
    def take_up(self, state: State, directory: Path) -> None:
        """Have the learner that a checkpoint was made with."""

    def save(self, directory: Path) -> None:
        parts = tensors.module_tensors(self.learner.module, "network")
        parts |= tensors.optimizer_tensors(self.optimizer, "optimizer")
        tensors.write(directory / CURRENT, parts)
        write_network(self.best_network(), directory / WEIGHTS)
        write_json(directory / STATE, asdict(self.state()))

    def load(self, directory: Path) -> None:
        file = directory / STATE
        state = structure(read_json(file), State, f"The file {file}")
        self.take_up(state, directory)
        path = directory / CURRENT
        known = tensors.read(path)
        tensors.restore_module(self.learner.module, known, "network", path)
        tensors.restore_optimizer(self.optimizer, known, "optimizer", path)
        probe = deepcopy(self.learner.module)
        tensors.restore_module(probe, tensors.read(directory / WEIGHTS), "network", directory / WEIGHTS)
        self.best = {name: tensor.detach().clone() for name, tensor in probe.state_dict().items()}
        self.step, self.best_step = state.step, state.best_step
        self.best_loss = state.best_loss if state.best_loss >= 0 else float("inf")
