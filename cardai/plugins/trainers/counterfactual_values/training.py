"""Learning counterfactual values under way.

network.json, best.safetensors    the network of the best epoch: what cardai.subgames.value_network loads
current.safetensors               the network of the last epoch and Adam's moments
state.json                        epochs done, the best one and its loss
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import field, frozen

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.arrays import Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.files import read_json, write_json
from cardai.core.schema import structure, whole
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.counterfactual_values.learners import BucketLearner, HandLearner
from cardai.subgames.prepared import Prepared, load_prepared
from cardai.subgames.range_codes import RangeEncoder
from cardai.subgames.situation_set import SituationSet, check_fingerprint, load
from cardai.subgames.splits import TEST, TRAIN, VALIDATION, load_enough, parts
from cardai.subgames.value_measures import network_losses
from cardai.subgames.value_network import WEIGHTS, Description, ValueNetwork

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues

CURRENT, STATE = "current.safetensors", "state.json"
_MEASURED = {"training": 50, "validation": 300}
"""Situations of each part that an epoch is judged by at most."""


@frozen
class _State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=whole())
    best_step: int = field(validator=whole())
    best_loss: float
    fingerprint: str
    shards: tuple[int, ...]
    """Those that are learned from: a set may grow under way."""


class ValueTraining(Training):
    """The network, its optimiser and the number of epochs done: all randomness follows from (seed, epoch)."""

    def __init__(self, options: CounterfactualValues, encoder: Encoder | None, seed: int) -> None:
        self.options, self.seed, self.step = options, seed, 0
        self._encoder = _checked(options, encoder)
        self.best_step, self.best_loss = 0, float("inf")
        self.best: dict[str, torch.Tensor] = {}
        self.found: SituationSet | None = None
        self.wants_checkpoint = False

    def begin(self, shards: Sequence[int] = ()) -> None:
        """Read the situations now, so that what is wrong with them is said before the first epoch.

        ``shards`` are those to learn from; none given: all that there are.
        """
        o = self.options
        if not o.situations:
            raise UsageError("counterfactual_values learns from solved situations: --set situations=DIR.")
        found = load(o.situations)
        check_fingerprint(found)
        if not found.numbers:
            raise UsageError(
                f"{o.situations} has no solved situation yet. Go on with: cardai situations {o.situations}"
            )
        self.found = found
        self.device = choose_device(o.device)
        self.network = self._network()
        self.optimizer = torch.optim.Adam(self.network.module.parameters(), o.rate)
        self.shards = tuple(shards or found.numbers)
        needed = {TRAIN: o.solves, VALIDATION: _MEASURED["validation"], TEST: 1}
        data = load_enough(found, self.shards, needed) if o.solves else load_prepared(found, self.shards)
        split = parts(data.boards)
        train = np.flatnonzero(split == TRAIN)
        train = train[: o.solves] if o.solves else train
        self.rows = {TRAIN: train, VALIDATION: np.flatnonzero(split == VALIDATION), TEST: np.flatnonzero(split == TEST)}
        if min(len(rows) for rows in self.rows.values()) == 0:
            raise UsageError(f"{o.situations} has too few situations to learn, choose and test: {len(data)}.")
        self.learner: BucketLearner | HandLearner = (
            BucketLearner(o, self.network, data) if o.shape == "buckets" else HandLearner(o, self.network, data)
        )
        self.data: Prepared = data

    def _network(self) -> ValueNetwork:
        o = self.options
        assert self.found is not None
        description = Description(
            kind=o.shape,
            street=self.found.recipe.street,
            bets=self.found.recipe.bets,
            encoder=self._encoder,
            **{name: getattr(o, name) for name in ("hidden", "layers", "width", "context", "blocks")},
            **{name: getattr(o, name) for name in ("equity_input", "match_up", "check_down", "zero_sum")},
        )
        with tensors.seeded(self.seed, torch.device("cpu")):
            network = ValueNetwork(description)
        network.module.to(self.device)
        return network

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        with tensors.threads(self.options.threads):
            while self.step < end:
                loss = self._epoch()
                self.step += 1
                yield {"loss": loss, "solves": float(len(self.rows[TRAIN])), **self._judged()}

    def _epoch(self) -> float:
        """Go once through the training part in random order; return the mean loss."""
        rng = np.random.default_rng([self.seed, 1, self.step])
        order, batch = rng.permutation(self.rows[TRAIN]), self.options.batch
        self.network.module.train()
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
            metrics |= self._losses(name, self.rows[part][: _MEASURED[name]])
        if metrics["validation_huber"] < self.best_loss:
            self.best_step, self.best_loss = self.step, metrics["validation_huber"]
            self.best = {name: tensor.detach().clone() for name, tensor in self.network.module.state_dict().items()}
        return metrics | {"best_epoch": float(self.best_step)}

    def _losses(self, name: str, rows: Int64s) -> Metrics:
        known = self.learner.buckets[rows].astype(np.int64) if isinstance(self.learner, BucketLearner) else None
        found = network_losses(self.network, self.data.take(rows), known)
        shown = {"huber": "huber_player", "huber_pot": "huber_pot", "abstracted": "abstracted_player"}
        return {f"{name}_{k}": float(found.by_name[v].mean()) for k, v in shown.items() if v in found.by_name}

    # -- keeping ---------------------------------------------------------------------------------------------------

    def agent(self, options: Mapping[str, Any]) -> Agent:
        raise UsageError(
            "A network of counterfactual values is no player: it values the ends of subgames that are solved."
        )

    def save(self, directory: Path) -> None:
        assert self.found is not None
        parts_ = tensors.module_tensors(self.network.module, "network")
        parts_ |= tensors.optimizer_tensors(self.optimizer, "optimizer")
        tensors.write(directory / CURRENT, parts_)
        best = self._network()
        if self.best:
            best.module.load_state_dict(self.best)
        best.save(directory)
        loss = self.best_loss if np.isfinite(self.best_loss) else -1.0
        state = {
            "step": self.step,
            "best_step": self.best_step,
            "best_loss": loss,
            "fingerprint": self.found.fingerprint,
            "shards": self.shards,
        }
        write_json(directory / STATE, state)

    def load(self, directory: Path) -> None:
        file = directory / STATE
        state = structure(read_json(file), _State, f"The file {file}")
        if self.found is None or self.shards != state.shards:
            self.begin(state.shards)
        assert self.found is not None
        if state.fingerprint != self.found.fingerprint:
            raise DamagedFileError(
                f"The situations {self.options.situations!r} are not those that this run has learned from."
            )
        path = directory / CURRENT
        known = tensors.read(path)
        tensors.restore_module(self.network.module, known, "network", path)
        tensors.restore_optimizer(self.optimizer, known, "optimizer", path)
        weights = tensors.read(directory / WEIGHTS)
        probe = self._network()
        tensors.restore_module(probe.module, weights, "network", directory / WEIGHTS)
        self.best = {name: tensor.detach().clone() for name, tensor in probe.module.state_dict().items()}
        self.step, self.best_step = state.step, state.best_step
        self.best_loss = state.best_loss if state.best_loss >= 0 else float("inf")


def _checked(options: CounterfactualValues, encoder: Encoder | None) -> str:
    """Return the encoder's whole spec. Raises UsageError where shape and encoder do not go together."""
    if options.shape == "hands":
        if encoder is not None:
            raise UsageError("The shape hands sees hands by themselves and takes no --encoder. Leave it out.")
        return ""
    if not isinstance(encoder, RangeEncoder):
        raise UsageError(
            "The shape buckets needs an encoder of ranges: --encoder e_hs2, public_nested, potential_aware or range_1326."
        )
    if options.images and not encoder.shows_board:
        raise UsageError("Suits are renamed for range_1326 alone: bucketed encodings do not tell the images apart.")
    return str(registry.spec_of(encoder))
