"""Value learning under way: examples once, then minibatch after minibatch."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import asdict, field, frozen
from torch import Tensor

from cardai.core.agent import Agent
from cardai.core.arrays import Float32s, Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError
from cardai.core.files import read_json, write_json
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.schema import counted, structure
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.grid_networks import SuitNetwork, parameters
from cardai.learn.minibatches import Epochs, LossSum, annealed, take_step
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.poker_cnn.networks import make_network, make_optimizer
from cardai.plugins.trainers.poker_cnn.values.dataset import Dataset, make_dataset
from cardai.plugins.trainers.poker_cnn.values.measures import HeldOut, exact_metrics, held_out
from cardai.plugins.trainers.poker_cnn.values.players import HoldPlayer, ValueNetwork, player_of
from cardai.plugins.trainers.poker_cnn.values.problems import problem_of
from cardai.plugins.trainers.poker_cnn.values.published import compressed
from cardai.plugins.trainers.poker_cnn.values.replay import Replay, excess_regret

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.values import PokerCnn


@frozen
class _State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=counted())
    losses: LossSum = field(factory=LossSum)


class ValueTraining(Training):
    """The network, its optimiser and the number of minibatches done: all randomness follows from (seed, step)."""

    def __init__(self, options: PokerCnn, game: Game, encoder: Encoder, seed: int) -> None:
        self.options, self.game, self.seed = options, game, seed
        self.step = 0
        self.losses = LossSum()
        self.layout = encoder.for_game(game)
        self.problem = problem_of(game)
        self.form = game.canonical_form() if options.canonical else None
        if options.redraws and not self.problem.is_sampled(options.redraws):
            self.notes = [f"The labels of this game are exact: redraws={options.redraws} is left aside."]
        self.device = choose_device(options.device)
        with tensors.seeded(seed, torch.device("cpu")):
            self.network = make_network(options, self.layout, self.problem.outputs)
        self.network.to(self.device)
        self.optimizer = make_optimizer(options.optimizer, self.network.parameters(), options.learning_rate)
        self.replay: Replay | None = None
        self._regrets: Float32s | None = None  # of a checkpoint, until the training goes on
        self._dataset: Dataset | None = None
        self._epochs: Epochs | None = None
        self._held_out: HeldOut | None = None

    @property
    def policy_weight(self) -> float:
        """The weight of the policy head's loss: 0 where there is no such head, or the values are not those of holds."""
        learned = self.problem.holds and isinstance(self.network, SuitNetwork)
        return self.options.policy_weight if learned else 0.0

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        o = self.options
        dataset = yield from self._examples()
        if self.policy_weight and o.replay and self.replay is None:
            if self._regrets is not None and len(self._regrets) != len(dataset):
                raise DamagedFileError(
                    f"The checkpoint knows what {len(self._regrets):,} examples cost, of {len(dataset):,}."
                )
            self.replay = Replay(dataset.weights, self._regrets)
        end = self.step + steps
        while self.step < end:
            index, weights = self.minibatch(dataset)
            self.losses = self.losses.plus(self._update(dataset, index, weights))
            self.step += 1
            if self.step % o.every == 0 or self.step == end:
                loss, self.losses = self.losses.mean, LossSum()
                yield {"loss": loss, "learning_rate": self._rate(), **self._measured()}
            elif self.step % 10 == 0:
                yield {}

    def _examples(self) -> Generator[Metrics, None, Dataset]:
        """Return the examples, made from the seed when they are first asked for."""
        if self._dataset is None:
            self._dataset = yield from make_dataset(self.problem, self.layout, self.form, self.options, self.seed)
        return self._dataset

    def minibatch(self, dataset: Dataset) -> tuple[Int64s, Float32s]:
        """Return the examples of minibatch ``step`` and their weights in it.

        Epochs run through a permutation of their own; replayed examples follow, with weight 1: their chance has theirs.
        """
        o = self.options
        again = min(round(o.replay * o.batch), o.batch - 1) if self.replay is not None else 0
        fresh = o.batch - again
        if self._epochs is None or self._epochs.count != len(dataset):
            self._epochs = Epochs(len(dataset), self.seed, 1)
        index = self._epochs.minibatch(self.step, fresh)
        if self.replay is None:
            return index, dataset.weights[index]
        more = self.replay.draw(again, np.random.default_rng([self.seed, 2, self.step]))
        weights = np.concatenate([dataset.weights[index], np.ones(again, np.float32)])
        return np.concatenate([index, more]), weights

    def _update(self, dataset: Dataset, index: Int64s, weights: Float32s) -> float:
        """Take one step on the mean square error of compressed values, and the policy head's cross-entropy."""
        parts = (dataset.codes(index), dataset.values[index], weights)
        x, v, w = (torch.from_numpy(part).to(self.device) for part in parts)

        def losses() -> tuple[Tensor]:
            predicted, wrong = self._predicted(index, x, v)
            if self.options.relu_output:
                predicted = torch.relu(predicted)
            error = (predicted - compressed(v)).square().mean(dim=1)
            return ((w * (error + self.policy_weight * wrong)).sum() / w.sum(),)

        dropout = derive(self.seed, "dropout", self.step)
        (loss,) = take_step(self.network, self.optimizer, self._rate(), self.options.threads, dropout, losses)
        return loss

    def _predicted(self, index: Int64s, x: Tensor, v: Tensor) -> tuple[Tensor, Tensor | float]:
        """Return predicted values (B, K) and the policy head's cross-entropy (B,), noting what is misplayed."""
        if not self.policy_weight:
            return self.network(x), 0.0
        assert isinstance(self.network, SuitNetwork)
        predicted, logits = self.network.both(x)
        aim = torch.softmax(v / self.options.temperature, dim=1)
        if self.replay is not None:
            self.replay.note(index, excess_regret(v, aim, logits.detach()))
        return predicted, -(aim * torch.log_softmax(logits, dim=1)).sum(dim=1)

    def _rate(self) -> float:
        return annealed(self.options.learning_rate, self.step, self.options.anneal)

    def _measured(self) -> Metrics:
        """Return exact measures over every hand up to suits' names (canonical only), else those on held-out situations."""
        o = self.options
        if o.canonical and o.measure and self.problem.size:
            player = self.agent({})
            assert isinstance(player, HoldPlayer)
            return exact_metrics(self.problem, player)
        if not o.validation:
            return {}
        if self._held_out is None:
            self._held_out = held_out(self.problem, o.validation, compressed)
        return self._held_out.metrics(self._asked(by_policy=self.policy_weight > 0), o.relu_output)

    # -- playing and keeping ---------------------------------------------------------------------------------------

    def _asked(self, by_policy: bool) -> ValueNetwork:
        """Return the network as it stands, ready to be asked."""
        network = self.network.eval()
        return ValueNetwork(network, self.layout, self.form, by_policy, self.device, self.problem.plain)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        by_policy = self.policy_weight > 0
        act = options.get("act", "policy" if by_policy else "value")
        if act not in ("value", "policy") or (act == "policy" and not by_policy):
            raise OptionError(f"act must be value{' or policy' if by_policy else ''} for this run. Got {act!r}.")
        return player_of(self.game, self._asked(act == "policy"))

    def save(self, directory: Path) -> None:
        regrets = self._regrets if self.replay is None else self.replay.regrets
        more = {} if regrets is None else {"replay.regrets": torch.from_numpy(regrets)}
        tensors.write_training(directory / "weights.safetensors", self.network, self.optimizer, more)
        state = asdict(_State(self.step, self.losses))
        write_json(directory / "state.json", {**state, "parameters": parameters(self.network)})

    def load(self, directory: Path) -> None:
        file = directory / "state.json"
        state = structure(read_json(file), _State, f"The file {file}")
        parts = tensors.read_training(directory / "weights.safetensors", self.network, self.optimizer)
        regrets = parts.get("replay.regrets")
        if regrets is not None and not (
            regrets.dtype == torch.float32
            and regrets.ndim == 1
            and bool((regrets >= 0).all() & regrets.isfinite().all())
        ):
            raise DamagedFileError(
                f"The weights in {directory} hold regrets that no training writes: they are damaged."
            )
        self.replay, self._regrets = None, None if regrets is None else regrets.numpy()
        self.step, self.losses = state.step, state.losses
