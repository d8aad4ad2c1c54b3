"""Learning counterfactual values under way: epochs over solved situations, the best one on held-out situations kept.

current.safetensors    the network of the last epoch and Adam's moments
best.safetensors       the network of the best epoch
network.json           what the network is: with best.safetensors what cardai.poker.values.network loads
state.json             epochs done, the best one and its loss, and what is learned from
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from attrs import asdict, field, frozen

from cardai.core.agent import Agent
from cardai.core.arrays import Int64s
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.files import digest_of, read_json, write_json
from cardai.core.game import Game
from cardai.core.schema import counted, structure
from cardai.core.spec import convert
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.minibatches import sound
from cardai.learn.networks import choose_device
from cardai.plugins.trainers.counterfactual_values.actors import ground_of, learner_of, take_gradient
from cardai.plugins.trainers.counterfactual_values.learners import Learner
from cardai.poker.ranges.cfr import SolverSettings
from cardai.poker.ranges.hands import Hands
from cardai.poker.ranges.range_game import is_leduc
from cardai.poker.resolving.depth_limit import DepthLimit
from cardai.poker.resolving.games import LEDUC_ITERATIONS, resolved_game, resolving_player
from cardai.poker.values.network import DESCRIPTION, WEIGHTS, Description, ValueNetwork
from cardai.poker.values.prepared import load_prepared
from cardai.poker.values.range_codes import CODES, range_code
from cardai.poker.values.situation_set import SHARD, SituationSet, check_fingerprint, load
from cardai.poker.values.situations import INTERVALS, SECOND, situation_game
from cardai.poker.values.splits import TEST, TRAIN, VALIDATION, load_enough, parts, shard_numbers
from cardai.poker.values.torch_networks import read_network, write_network

if TYPE_CHECKING:
    from cardai.plugins.trainers.counterfactual_values import CounterfactualValues

CURRENT, STATE = "current.safetensors", "state.json"
JUDGED_BY = {TRAIN: 50, VALIDATION: 300}
"""Situations of each part that an epoch is judged by at most."""


@frozen
class State:
    """What a checkpoint's state.json must hold."""

    step: int = field(validator=counted())
    best_step: int = field(validator=counted())
    best_loss: float
    fingerprint: str
    """Of the situations."""
    shards: tuple[int, ...] = field(validator=shard_numbers)
    """Those that are learned from: a set may grow under way."""
    labels: str = ""
    """Of what the situations in them are worth ("": an earlier version does not say)."""


class ValueTraining(Training):
    """A network, its optimiser and the number of epochs done: all randomness follows from (seed, epoch).

    A tenth of all boards (in Leduc of all situations) chooses the epoch, a tenth is left for tests.
    """

    learner: Learner

    def __init__(self, options: CounterfactualValues, game: Game, seed: int) -> None:
        self.options, self.game, self.seed, self.step = options, game, seed, 0
        self.best_step, self.best_loss = 0, float("inf")
        _check_code(options, situation_game(game).hands)
        self.shards: tuple[int, ...] = ()

    def begin(self, shards: Sequence[int] = ()) -> None:
        """Read the situations now, so that what is wrong with them is said before the first epoch.

        ``shards`` are those to learn from; none given: all that there are.
        """
        o = self.options
        if not o.situations:
            raise UsageError("counterfactual_values learns from solved situations: --set situations=DIR.")
        found = load(o.situations)
        if found.recipe.drawn_in != situation_game(self.game):
            raise UsageError(f"The situations of {o.situations} are those of another game.")
        check_fingerprint(found)
        if not found.numbers:
            raise UsageError(
                f"{o.situations} has no solved situation yet. Go on with: cardai situations {o.situations}"
            )
        self.fingerprint, self.network, self.shards = (
            found.fingerprint,
            self._network(found),
            tuple(shards or found.numbers),
        )
        self.labels = digest_of([found.shards.get(SHARD.format(k), "") for k in self.shards])
        self.network.module.to(choose_device(o.device))
        self.best = deepcopy(self.network)
        needed = {TRAIN: o.solves, VALIDATION: JUDGED_BY[VALIDATION], TEST: 1}
        data = load_enough(found, self.shards, needed) if o.solves else load_prepared(found, self.shards)
        split = parts(data, found.recipe.rows)
        train = np.flatnonzero(split == TRAIN)
        train = train[: o.solves] if o.solves else train
        self.rows = {TRAIN: train, VALIDATION: np.flatnonzero(split == VALIDATION), TEST: np.flatnonzero(split == TEST)}
        if min(len(some) for some in self.rows.values()) == 0:
            raise UsageError(f"{o.situations} has too few situations to learn, choose and test: {len(data)}.")
        self.learner = learner_of(o, self.network, data)
        self.optimizer = torch.optim.Adam(self.network.module.parameters(), o.rate)

    def _network(self, found: SituationSet) -> ValueNetwork:
        o, recipe = self.options, found.recipe
        names = ("code", "hidden", "layers", "width", "context", "blocks")
        description = Description(
            kind=o.shape, street=recipe.street, bets=recipe.bets, stack=recipe.drawn_in.stacks[0],
            least=min(INTERVALS[k][0] for k in recipe.intervals) if recipe.street != SECOND else 1,
            **{name: getattr(o, name) for name in names},
            **{name: getattr(o, name) for name in ("equity_input", "match_up", "check_down", "zero_sum")},
        )  # fmt: skip
        with tensors.seeded(self.seed, torch.device("cpu")):
            return ValueNetwork(description)

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
            rows = np.sort(order[k * batch : (k + 1) * batch])
            losses += sound([self._gradient(rows, rng) if self.options.actors == 1 else self._gradients(rows, k)])
            self.optimizer.step()
        return float(np.mean(losses))

    def _gradient(self, rows: Int64s, rng: np.random.Generator) -> float:
        """Work out the gradient of a minibatch; return its loss."""
        loss = self.learner.loss(rows, rng)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    def _gradients(self, rows: Int64s, number: int) -> float:
        """Let actors work out the gradient of a minibatch; return its loss."""
        seed = (self.seed, 4, self.step, number)
        return take_gradient(self.network.module, self.crew, self.ground, rows, self.options.actors, seed)

    @cached_property
    def ground(self) -> Learner:
        """What actors keep."""
        return ground_of(self.options, self.network, self.learner.data)

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
            found = self.learner.losses(self.rows[part][: JUDGED_BY[part]])
            metrics |= {f"{name}_{kind}": loss for kind, loss in found.items()}
        if metrics["validation_huber"] < self.best_loss:
            self.best_step, self.best_loss = self.step, metrics["validation_huber"]
            self.best = deepcopy(self.network)
        return metrics | {"best_epoch": float(self.best_step)}

    # -- keeping ---------------------------------------------------------------------------------------------------

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return values_player(self.game, self.best, options)

    def save(self, directory: Path) -> None:
        parts = tensors.module_tensors(self.network.module, "network")
        parts |= tensors.optimizer_tensors(self.optimizer, "optimizer")
        tensors.write(directory / CURRENT, parts)
        write_network(self.best.module, directory / WEIGHTS)
        write_json(directory / DESCRIPTION, asdict(self.network.description))
        loss = self.best_loss if np.isfinite(self.best_loss) else -1.0
        learned = self.fingerprint, self.shards, self.labels
        write_json(directory / STATE, asdict(State(self.step, self.best_step, loss, *learned)))

    def load(self, directory: Path) -> None:
        file = directory / STATE
        state = structure(read_json(file), State, f"The file {file}")
        if not state.shards:
            raise DamagedFileError(f"The file {file} is damaged: it says of no situations that they were learned from.")
        if self.shards != state.shards:
            self.begin(state.shards)
        if state.fingerprint != self.fingerprint or state.labels not in ("", self.labels):
            raise DamagedFileError(
                f"The situations {self.options.situations!r} are not those that this run has learned from."
            )
        path = directory / CURRENT
        known = tensors.read(path)
        tensors.restore_module(self.network.module, known, "network", path)
        tensors.restore_optimizer(self.optimizer, known, "optimizer", path)
        read_network(self.best.module, directory / WEIGHTS)
        self.step, self.best_step = state.step, state.best_step
        self.best_loss = state.best_loss if state.best_loss >= 0 else float("inf")


def _check_code(options: CounterfactualValues, hands: Hands) -> None:
    """Raise UsageError where the shape, the code of ranges and the game's hands do not go together."""
    if options.shape == "hands":
        if options.code:
            raise UsageError("The shape hands sees hands by themselves and takes no code of ranges. Leave out code.")
        return
    if not options.code:
        raise UsageError(f"The shape buckets needs a code of ranges: --set code=e_hs2. Codes: {', '.join(CODES)}.")
    code = range_code(options.code)
    if code.hands != hands:
        raise UsageError(f"The code {options.code} is of another game's hands.")
    if options.images and not code.shows_board:
        raise UsageError("Suits are renamed for range_1326 alone: bucketed codes do not tell the images apart.")


def values_player(game: Game, network: ValueNetwork, options: Mapping[str, Any]) -> Agent:
    """Return who re-solves Leduc with a network of its second round. Raises UsageError: another game. OptionError."""
    if not is_leduc(game):
        raise UsageError(
            "A network of counterfactual values is no player: it values the ends of subgames that are solved."
        )
    if unknown := sorted(options.keys() - {"iterations"}):
        raise OptionError(f"A player by Leduc's values has no option {unknown[0]!r}. Its options: iterations.")
    what = "The option 'iterations' of a player by values"
    iterations = convert(options.get("iterations", LEDUC_ITERATIONS), int, what)
    if iterations < 1:
        raise OptionError(f"{what} must be at least 1. Got {iterations}.")
    return resolving_player(game, resolved_game(game), SolverSettings(iterations), DepthLimit(1, network))
