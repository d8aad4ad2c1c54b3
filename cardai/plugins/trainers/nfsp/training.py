"""NFSP under way: the paper's algorithm, its metrics and its player, for both ways of playing and learning."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from cardai.core.agent import Agent
from cardai.core.arrays import Float64s
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.trainer import Metrics, Training
from cardai.plugins.trainers.nfsp.measures import average_policy_metrics, finite
from cardai.plugins.trainers.nfsp.player import NFSPAgent

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP
    from cardai.plugins.trainers.nfsp.compiled import CompiledGame

YIELD_SECONDS = 0.25
"""About how long iterations go on between two yields, so that the training can be stopped and saved."""


class NFSPTraining(Training):
    """Algorithm 1 of the paper, for hands at many tables in lock step.

    A subclass plays and learns: :mod:`tables` with torch on any game, :mod:`native` with kernels on small ones. Both
    keep, for each seat, Q(s, a), its target network, the average policy p(a | s), and the memories M_RL (transitions,
    circular) and M_SL (the best response's actions, a reservoir).
    """

    def __init__(self, options: NFSP, game: Game, layout: Layout, compiled: CompiledGame | None) -> None:
        self.options, self.game, self.layout, self.compiled = options, game, layout, compiled
        self.step = 0
        self.networks: dict[str, nn.Sequential] = {}

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        goal, every = self.step + steps, self.options.eval_every
        cpu, played = time.process_time(), self.played[0]
        while self.step < goal:
            self.iterate(min(goal - self.step, every - self.step % every))
            if self.step % every:
                yield {}
                continue
            speed = (self.played[0] - played) / max(1e-9, time.process_time() - cpu)
            yield {**self.measure(), "steps_per_second": speed}
            cpu, played = time.process_time(), self.played[0]

    @abstractmethod
    def iterate(self, most: int) -> None:
        """Do up to ``most`` iterations, and no more than take about YIELD_SECONDS. An iteration is

        1. at each table one action: a hand's seats play their best response (epsilon-greedy in Q) with probability eta,
           else their average policy; transitions go to M_RL, and the best response's actions to M_SL;
        2. ``updates`` times for each seat: a step on mean((r + max_a' Q_target(s', a') - Q(s, a))^2) over a minibatch
           from M_RL, and one on mean(-log p(a | s)) over a minibatch from M_SL;
        3. every ``target_every`` of Q's steps: Q_target becomes Q.
        """

    # -- measuring -------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def played(self) -> tuple[int, int]:
        """Actions and hands played so far."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """Entries in M_RL and in M_SL, of both seats together."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The exploration rate now."""

    @abstractmethod
    def answers(self, compiled: CompiledGame) -> tuple[Float64s, Float64s, Float64s | None]:
        """Return the average policy, Q as it acts, and M_SL's frequencies (None: not counted), each (R, A)."""

    @abstractmethod
    def take_losses(self) -> Float64s:
        """Return (4,): the sum and number of Q's losses, then of the policies', since they were last taken."""

    def measure(self) -> Metrics:
        """Return the metrics as things stand; exact ones where the game's tree is at hand, losses since the last time."""
        metrics: Metrics = {}
        if self.compiled is not None:
            metrics |= average_policy_metrics(self.compiled, *self.answers(self.compiled))
        losses = self.take_losses()
        metrics["q_loss"], metrics["policy_loss"] = losses[[0, 2]] / np.maximum(losses[[1, 3]], 1)
        metrics["rl_size"], metrics["sl_size"] = self.sizes
        metrics["epsilon"] = self.epsilon
        metrics["env_steps"], metrics["hands"] = self.played
        return finite({name: float(value) for name, value in metrics.items()})

    # -- playing ---------------------------------------------------------------------------------------------------

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return NFSPAgent(self.networks, self.game, self.layout, self.options, options)
