"""Policy gradients under way: self-play, advantages, a few epochs of minibatches; metrics, checkpoints, the player."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from cardai import make
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.errors import CardaiError, DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.npz import check_counts, read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.trainer import Metrics, Training, shares
from cardai.learn import tensors
from cardai.learn.distinct import distinct
from cardai.learn.networks import choose_device, device_of
from cardai.plugins.trainers.mmd.actors import Ground, played, together
from cardai.plugins.trainers.mmd.advantages import ExactGame, corrected_targets, generalised_advantages
from cardai.plugins.trainers.mmd.average import Average
from cardai.plugins.trainers.mmd.losses import (
    TERMS,
    CriticExamples,
    Examples,
    Inputs,
    Minibatch,
    asked_of_critic,
    losses,
    mean_gains,
    value_loss,
)
from cardai.plugins.trainers.mmd.natural import mirror_step, natural_step
from cardai.plugins.trainers.mmd.networks import make_networks
from cardai.plugins.trainers.mmd.player import MMDAgent, asked
from cardai.plugins.trainers.mmd.rollouts import Batch, Rollouts
from cardai.solve.measures import Measured

if TYPE_CHECKING:
    from cardai.plugins.trainers.mmd import MMD

NETWORKS, PROGRESS, OPTIMISER = "networks.safetensors", "progress.npz", "optimiser.safetensors"


class MMDTraining(Training):
    """A training under way. Hands, minibatches and weights follow from the seed and the iteration's number alone."""

    def __init__(self, options: MMD, game: Game, layout: Layout, seed: int) -> None:
        self.options, self.game, self.layout, self.seed = options, game, layout, seed
        self.step = 0
        self.exact = _exact(options, game, layout)
        self.networks = make_networks(options, game, layout, seed)
        where = choose_device(options.device)
        for network in self.networks.values():
            network.to(where)
        self.actor, self.critic = self.networks["actor"], self.networks.get("critic")
        learned = [p for network in (self.actor, self.critic) if network is not None for p in network.parameters()]
        betas, fused = (options.momentum, 0.999), True if where.type == "cuda" else None  # fewer calls of a GPU
        self.optimizer = torch.optim.Adam(learned, lr=options.rate, betas=betas, eps=1e-5, fused=fused)
        self.rollouts = _rollouts(options, game, layout, seed)
        self.scale = options.reward_scale or (1 / game.max_utility if game.max_utility else 1.0)
        self.average = self._average()
        self.counts = np.zeros(3, np.int64)  # decisions and hands so far, minibatches since the last row
        self.sums = np.zeros(len(TERMS))

    def train(self, steps: int) -> Iterator[Metrics]:
        goal, every = self.step + steps, self.options.eval_every
        cpu, played = time.process_time(), int(self.counts[0])
        while self.step < goal:
            self.iterate()
            if self.step % every:
                yield {}
                continue
            speed = (int(self.counts[0]) - played) / max(1e-9, time.process_time() - cpu)
            yield {**self.measure(), "steps_per_second": speed}
            cpu, played = time.process_time(), int(self.counts[0])

    def iterate(self) -> None:
        """Do one iteration: play, estimate advantages, and learn ``epochs`` times from what was played."""
        o = self.options
        with tensors.threads(o.threads):
            examples = self._tree_examples() if o.advantages == "exact" else self._played_examples()
            for group in self.optimizer.param_groups:
                group["lr"] = self.rate
            if o.optimizer == "natural":
                self._move(examples)
            else:
                terms = [self._learn(batch) for batch in self._minibatches(examples)]
                for one in torch.stack(terms).double().cpu().numpy():  # all at once: a GPU is not waited for in between
                    self.sums += one
                self.counts[2] += len(terms)
            if self.average is not None:
                self.average.learn(self.step, o.average_batch)
            self.step += 1
            if o.magnet_every and self.step % o.magnet_every == 0:
                self.networks["magnet"].load_state_dict(self.actor.state_dict())

    def _average(self) -> Average | None:
        o, network = self.options, self.networks.get("average")
        if network is None:
            return None
        inputs = int(np.prod(self.layout.shape))
        seed = derive(self.seed, "average")
        return Average(network, inputs, self.game.num_distinct_actions, o.average, o.average_updates, seed)

    @property
    def rate(self) -> float:
        """The learning rate of this iteration."""
        return self._falling(self.options.rate, self.options.rate_end)

    @property
    def magnet(self) -> float:
        """The weight of the pull to the magnet in this iteration."""
        return self._falling(self.options.magnet, self.options.magnet_end)

    def _falling(self, first: float, end: float | None) -> float:
        """Return where a weight is between ``first`` and its ``end``: linearly towards 0, else geometrically."""
        passed = min(1.0, self.step / self.options.anneal) if self.options.anneal else 0.0
        if end is None or not first:
            return first
        return first * (end / first) ** passed if end else first * (1 - passed)

    @property
    def last(self) -> float:
        """The weight of the pull to the policy that played in this iteration."""
        return self._falling(self.options.last, self.options.last_end)

    def _minibatches(self, examples: Examples) -> Iterator[Minibatch]:
        """Yield the minibatches of all epochs; where each has but one, it is laid out once."""
        o, on = self.options, device_of(self.actor)
        count = min(o.minibatches, len(examples))
        if count == 1:
            yield from [Minibatch.of(o, examples, np.arange(len(examples)), on)] * o.epochs
            return
        for epoch in range(o.epochs):
            order = np.random.default_rng(derive(self.seed, "order", self.step, epoch)).permutation(len(examples))
            for rows in np.array_split(order, count):
                yield Minibatch.of(o, examples, np.sort(rows), on)

    def _learn(self, batch: Minibatch) -> Tensor:
        """Take a step down a minibatch's loss; return its terms."""
        loss, terms = losses(self.options, (self.magnet, self.last), self.actor, self.critic, batch)
        self._descend(loss)
        return terms

    def _descend(self, loss: Any) -> None:
        """Take one step of Adam down ``loss``, its gradient's norm bounded."""
        self.optimizer.zero_grad()
        loss.backward()
        if self.options.norm:
            torch.nn.utils.clip_grad_norm_(self.optimizer.param_groups[0]["params"], self.options.norm)
        self.optimizer.step()

    def _move(self, examples: Examples) -> None:
        """Move the actor by a natural step at all inputs alike, and the critic by its gradient."""
        o, inputs = self.options, examples.inputs
        policy = np.exp(inputs.played, dtype=np.float64)
        gains = mean_gains(examples, np.arange(len(examples)))
        magnet = np.exp(inputs.magnet, dtype=np.float64)
        wanted = mirror_step(gains, policy, inputs.legal, magnet, self.magnet, self.last, o.floor)
        natural_step(self.actor, torch.from_numpy(inputs.codes), inputs.legal, wanted, o.damping)
        if self.critic is not None and examples.critic is not None:
            rows = np.arange(len(examples))
            loss = value_loss(o, self.critic, asked_of_critic(examples.critic, rows, device_of(self.critic)))
            self._descend(o.value_weight * loss)
            self.sums[TERMS.index("value_loss")] += float(loss.detach())
        share = np.bincount(examples.inverse, examples.weights, len(policy))
        self.sums[TERMS.index("entropy")] -= float(share @ (policy * inputs.played).sum(axis=1) / share.sum())
        self.counts[2] += 1

    # -- what is learned from --------------------------------------------------------------------------------------

    def _tree_examples(self) -> Examples:
        assert self.exact is not None
        game, policy = self.exact, self._policy(self.exact.codes, self.exact.legal)
        weights, gains = game.advantages(policy)
        inputs = self._inputs(game.codes, game.legal, policy)
        return Examples(inputs, np.arange(len(policy)), weights, gains=gains * self.scale)

    def _played_examples(self) -> Examples:
        batch = self._played()
        self.counts[:2] += len(batch), len(batch.returns)
        if self.average is not None:
            self.average.remember(batch)
        first, inverse = distinct(np.concatenate([batch.codes, batch.legal], axis=1, dtype=np.float32))
        inputs = self._inputs(batch.codes[first], batch.legal[first], batch.policies[first])
        weights, returns = np.full(len(batch), 1 / len(batch)), batch.returns * self.scale
        if self.options.advantages == "gae":
            critic, advantages = self._generalised(batch, first, inverse, returns)
            return Examples(inputs, inverse, weights, batch.chosen, None, advantages, critic)
        critic, gains, residuals = self._all_actions(batch, returns)
        return Examples(inputs, inverse, weights, batch.chosen, gains, residuals, critic)

    def _played(self) -> Batch:
        """Play an iteration's decisions, as so many pieces as there are actors."""
        o, begun = self.options, int(self.counts[1])
        if o.actors == 1:
            return self.rollouts.play(self._policy, o.batch, begun)
        parts = enumerate(shares(o.batch, o.actors))
        pieces = [(derive(self.seed, "actor", k), len(part), begun) for k, part in parts]
        return together(self.crew.do(played, self.ground, deepcopy(self.actor).cpu(), pieces))

    @cached_property
    def ground(self) -> Ground:
        """What actors keep; an actor has its share of the tables."""
        o = self.options
        tables, whole = -(-o.tables // o.actors), o.advantages == "all_actions"
        return Ground(self.game, self.layout, tables, whole, self.rollouts.rival, o.threads)

    def _generalised(self, batch: Batch, first: Int64s, inverse: Int64s, returns: Float64s) -> Any:
        """Return what the critic of own views learns, and the advantages (N,) of the chosen actions."""
        o, codes = self.options, batch.codes[first]
        values = self._values(codes)[inverse].astype(np.float64)  # (N, 1)
        advantages = generalised_advantages(batch, values[:, 0], returns, o.discount, o.decay)
        targets = (advantages[:, None] + values).astype(np.float32)
        columns = np.zeros((len(batch), 1), np.int64)
        return CriticExamples(codes, inverse, columns, targets, values.astype(np.float32)), advantages

    def _all_actions(self, batch: Batch, returns: Float64s) -> Any:
        """Return what the critic of all seats' views learns, the advantages (N, A) that it says, and by how much what
        came of the chosen actions (N,) differs from what it said."""
        players, actions = self.game.num_players, self.game.num_distinct_actions
        first, inverse = distinct(batch.whole)
        codes = batch.whole[first]
        q = self._values(codes).reshape(-1, actions, players)[inverse].astype(np.float64)
        targets = corrected_targets(batch, q, returns, self.options.decay)
        own, at = q[:, :, 0], np.arange(len(batch))
        gains = np.where(batch.legal, own - (batch.policies * own).sum(axis=1, keepdims=True), 0.0)
        columns = batch.chosen[:, None] * players + np.arange(players)
        before = q[at, batch.chosen].astype(np.float32)
        critic = CriticExamples(codes, inverse, columns, targets.astype(np.float32), before)
        return critic, gains, targets[:, 0] - own[at, batch.chosen]

    def _inputs(self, codes: Float32s, legal: Bools, policy: Float64s) -> Inputs:
        """Return inputs with what was played there, and the magnet: an earlier actor, or all legal actions alike."""
        magnet = legal / legal.sum(axis=1, keepdims=True)
        if "magnet" in self.networks:
            magnet = asked(self.networks["magnet"], codes, legal)
        return Inputs(codes, legal, _logs(policy), _logs(magnet))

    def _policy(self, codes: Float32s, legal: Bools) -> Float64s:
        return asked(self.actor, codes, legal)

    def _values(self, codes: Float32s) -> Float32s:
        assert self.critic is not None
        with torch.inference_mode():
            out: Float32s = self.critic(tensors.given(codes, device_of(self.critic))).cpu().numpy()
        return out

    # -- measuring and playing -------------------------------------------------------------------------------------

    def measure(self) -> Metrics:
        """Return the metrics as things stand; terms of the loss are means since the last time.

        Raises:
            CardaiError: one is not a number, since the networks have run away.
        """
        metrics: Metrics = {}
        if self.exact is not None:
            measured = self._measured("last")
            metrics = {"exploitability": measured.exploitability, "value": measured.expected[0]}
            if self.average is not None:
                metrics["average_exploitability"] = self._measured("average").exploitability
        metrics |= dict(zip(TERMS, (self.sums / max(1, self.counts[2])).tolist(), strict=True))
        metrics |= {
            "rate": self.rate,
            "magnet": self.magnet,
            "last": self.last,
            "env_steps": float(self.counts[0]),
            "hands": float(self.counts[1]),
        }
        self.sums[:], self.counts[2] = 0, 0
        lost = [name for name, value in metrics.items() if not np.isfinite(value)]
        if lost:
            raise CardaiError(
                f"The {lost[0]} of this policy gradient is no longer a number. Start a new run with a smaller rate."
            )
        return metrics

    def _measured(self, policy: str) -> Measured:
        assert self.exact is not None
        return self.exact.measure(self.agent({"policy": policy}).on_codes(self.exact.codes, self.exact.legal))

    def agent(self, options: Mapping[str, Any]) -> MMDAgent:
        return MMDAgent(self.networks, self.game, self.layout, options)

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        tensors.write_modules(directory / NETWORKS, self.networks)
        tensors.write(directory / OPTIMISER, tensors.optimizer_tensors(self.optimizer, "optimizer"))
        if self.average is not None:
            self.average.save(directory)
        write_npz(directory / PROGRESS, {"step": np.int64(self.step), "counts": self.counts, "sums": self.sums})

    def load(self, directory: Path) -> None:
        expected = {"step": (np.int64, ()), "counts": (np.int64, (3,)), "sums": (np.float64, self.sums.shape)}
        found = read_npz(directory / PROGRESS, expected)
        check_counts(directory / PROGRESS, found, "step", "counts")
        if not np.isfinite(found["sums"]).all():
            raise DamagedFileError(f"The file {directory / PROGRESS} holds numbers that no training writes.")
        if self.average is not None:
            self.average.load(directory)
        state = tensors.read(directory / OPTIMISER)
        tensors.read_modules(directory / NETWORKS, self.networks)
        tensors.restore_optimizer(self.optimizer, state, "optimizer", directory / OPTIMISER)
        self.step = int(found["step"])
        self.counts[:], self.sums[:] = found["counts"], found["sums"]


def _rollouts(options: MMD, game: Game, layout: Layout, seed: int) -> Rollouts:
    """Return what plays: the actor in all seats, or in one against the rival. Raises UsageError for one that cannot play."""
    rival = None
    if options.against:
        rival = make.agent(options.against).for_game(game)
        if rival.stateful or rival.sequential or rival.interactive:
            raise UsageError(
                f"The player {options.against} plays hand after hand, and here many hands are under way at once. Take one "
                "that goes by what it sees alone."
            )
    return Rollouts(game, layout, options.tables, seed, options.advantages == "all_actions", rival)


def _exact(options: MMD, game: Game, layout: Layout) -> ExactGame | None:
    """Return the game's tree where it can be enumerated within the limit; exact advantages need it.

    Raises:
        UsageError: they are asked for, and it cannot.
    """
    if options.against:  # what is learned then is no policy of all seats
        return None
    try:
        return ExactGame.of(game, layout, options.measure_limit)
    except UsageError:
        if options.advantages == "exact":
            raise
        return None


def _logs(policy: Float64s) -> Float32s:
    return np.log(np.maximum(policy, 1e-30)).astype(np.float32)
