"""NFSP under way: iterations by :func:`_kernels.iterate`, exact metrics, checkpoints, the player."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.agent import Agent
from cardai.core.arrays import Int64s, Records
from cardai.core.encoder import Layout
from cardai.core.errors import CardaiError
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.policies import legal_softmax
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.plugins.trainers.nfsp._actor_kernels import learn_round
from cardai.plugins.trainers.nfsp.actors import ROUND, Actors, played
from cardai.plugins.trainers.nfsp.checkpoints import check_play, pack_memory, unpack_memory
from cardai.plugins.trainers.nfsp.empty import RECENT, empty_memory, empty_play
from cardai.plugins.trainers.nfsp.game import CompiledGame, exact_metrics, frequencies
from cardai.plugins.trainers.nfsp.networks import (
    adam_of,
    answers_by_seat,
    make_networks,
    net_of,
    sparse_inputs,
    work_for,
)
from cardai.plugins.trainers.nfsp.player import NFSPAgent

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

CHUNK = 250
"""Iterations between yields, so that the training can be stopped and saved."""


class NFSPTraining(Training):
    """Algorithm 1 under way: the networks, memories and tables that :func:`_kernels.iterate` changes."""

    def __init__(self, options: NFSP, game: Game, layout: Layout, compiled: CompiledGame, seed: int) -> None:
        self.options, self.game, self.layout, self.compiled = options, game, layout, compiled
        rows, actions = compiled.legal.shape
        self.step = 0
        self.networks = make_networks(compiled.codes.shape[1], options.hidden, actions, seed)
        self.nets = {name: net_of(network) for name, network in self.networks.items()}
        self.learners = tuple(self._learner(seat, rows) for seat in range(2))
        self.inputs = sparse_inputs(compiled.codes, compiled.legal)
        self.answers = kernels.Answers(
            np.zeros((rows, actions), np.float32), np.zeros((rows, actions), np.float32), np.full((rows, 2), -1)
        )
        self.settings = settings_of(options, options.reward_scale or compiled.reward_scale)
        self.memory = empty_memory(options.rl_capacity, options.sl_capacity, rows, RECENT)
        self.play = empty_play(options.tables, derive(seed, "play"))
        kernels.deal_all(compiled.env, self.play, options.eta)
        self.actors: Actors | None = None
        """Those who play in the place of this process, where there are several."""
        if options.actors > 1:
            self.actors = Actors(compiled, self.settings, options.actors, options.tables, seed)

    def _learner(self, seat: int, rows: int) -> kernels.Learner:
        q, target, policy = (self.nets[f"{role}_{seat}"] for role in ("q", "target", "policy"))
        return kernels.Learner(
            q=q,
            target=target,
            policy=policy,
            adam=adam_of(policy),
            work=work_for(q, self.options.batch, rows),
            losses=np.zeros(4),
        )

    def train(self, steps: int) -> Iterator[Metrics]:
        goal, every = self.step + steps, self.options.eval_every
        cpu, played = time.process_time(), int(self.play.counts[1])
        while self.step < goal:
            self.iterate(min(goal - self.step, every - self.step % every, CHUNK))
            if self.step % every:
                yield {}
                continue
            speed = (int(self.play.counts[1]) - played) / max(1e-9, time.process_time() - cpu)
            yield {**self.measure(), "steps_per_second": speed}
            cpu, played = time.process_time(), int(self.play.counts[1])

    def iterate(self, count: int) -> None:
        """Do ``count`` iterations."""
        if self.actors is not None:
            self._iterate_by_actors(self.actors, count)
            return
        env, play, memory = self.compiled.env, self.play, self.memory
        kernels.iterate(env, play, memory, self.learners, self.inputs, self.answers, self.settings, count)
        self.step += count

    def _iterate_by_actors(self, actors: Actors, count: int) -> None:
        env, play, memory, end = self.compiled.env, self.play, self.memory, self.step + count
        while self.step < end:
            if self.step % ROUND == 0:
                actors.ask(self.nets, self.inputs)
            some = min(end - self.step, ROUND - self.step % ROUND)
            pieces = [(tables,) for tables in actors.plays]
            log = actors.take(self.crew.do(played, actors.ground, actors.said(some), pieces))
            learn_round(env, play, memory, self.learners, self.inputs, self.settings, log)
            play.counts[1:] = actors.counts()
            self.step += some

    # -- measuring and playing -------------------------------------------------------------------------------------

    def measure(self) -> Metrics:
        """Return the metrics as things stand; losses are means since the last time.

        Raises:
            CardaiError: one is not a number, since the networks have run away.
        """
        game, sizes = self.compiled, self._sizes()
        q, policy = (answers_by_seat(self.nets, role, self.inputs, game.owner) for role in ("q", "policy"))
        metrics = exact_metrics(game, legal_softmax(policy, game.legal), q, self._reservoirs())
        losses = np.sum([learner.losses for learner in self.learners], axis=0)
        for learner in self.learners:
            learner.losses[:] = 0
        metrics["q_loss"], metrics["policy_loss"] = losses[[0, 2]] / np.maximum(losses[[1, 3]], 1)
        metrics["rl_size"], metrics["sl_size"] = sizes.sum(axis=0)
        metrics["epsilon"] = kernels.epsilon_at(self.settings, self.play.counts[0])
        metrics["env_steps"], metrics["hands"] = self.play.counts[1:]
        lost = [name for name, value in metrics.items() if not np.isfinite(value)]
        if lost:
            raise CardaiError(
                f"NFSP's {lost[0]} is no longer a number: the learning rates are too high for these rewards. "
                "Start a new run with a smaller q_rate, policy_rate or reward_scale."
            )
        return {name: float(value) for name, value in metrics.items()}

    def _reservoirs(self) -> Any:
        """Return the frequencies (R, A) in M_SL; None while there is nothing."""
        filled = self._sizes()[:, 1]
        if not filled.any():
            return None
        parts = (self.memory.sl_row, self.memory.sl_action)
        rows, actions = (np.concatenate([a[seat, : filled[seat]] for seat in range(2)]) for a in parts)
        return frequencies(self.compiled, rows, actions)

    def _sizes(self) -> Int64s:
        """Return (2, 2): for each seat, the entries in M_RL and M_SL."""
        capacities = (self.options.rl_capacity, self.options.sl_capacity)
        return np.asarray(np.minimum(self.memory.seen, capacities))

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return NFSPAgent(self.nets, self.game, self.layout, self.options.eta, self.options.reward_scale, options)

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        tensors.write_modules(directory / "networks.safetensors", self.networks)
        write_npz(directory / "optimiser.npz", self._optimiser())
        write_npz(directory / "play.npz", {**self.play._asdict(), "step": self.step})
        if self.actors is not None:
            self.actors.save(directory)
        write_npz(directory / "memory.npz", pack_memory(self.memory, self._sizes(), len(self.compiled.legal)))

    def load(self, directory: Path) -> None:
        tables, optimiser = self.play._asdict(), self._optimiser()
        expected = {name: (a.dtype, a.shape) for name, a in tables.items()}
        play = read_npz(directory / "play.npz", {**expected, "step": (np.int64, ())})
        check_play(directory / "play.npz", play, self.compiled)
        stored = read_npz(directory / "optimiser.npz", {name: (a.dtype, a.shape) for name, a in optimiser.items()})
        unpack_memory(directory / "memory.npz", self.memory, self.compiled)
        if self.actors is not None:
            self.actors.load(directory, int(play["step"]))
        tensors.read_modules(directory / "networks.safetensors", self.networks)
        for name, array in optimiser.items():
            array[...] = stored[name]
        for name, array in tables.items():
            array[...] = play[name]
        self.step = int(play["step"])
        self.answers.fresh[:] = -1

    def _optimiser(self) -> dict[str, Records]:
        """Return the losses and the optimisers' own arrays by name."""
        named: dict[str, Any] = {}
        for seat, learner in enumerate(self.learners):
            named[f"losses_{seat}"] = learner.losses
            if self.options.policy_optimizer == "adam":
                named[f"policy_{seat}.updates"] = learner.adam.updates
                for moment in ("first", "second"):
                    parts = getattr(learner.adam, moment)._asdict()
                    named |= {f"policy_{seat}.{moment}.{n}": a for n, a in parts.items() if n != "flat"}
        return named


def settings_of(options: NFSP, scale: float) -> kernels.Settings:
    """Return the options that the kernels read; rewards are multiplied by ``scale``."""
    q_end, policy_end = options.q_rate_end, options.policy_rate_end
    return kernels.Settings(
        eta=float(options.eta),
        epsilon=float(options.epsilon),
        epsilon_decay=float(options.epsilon_decay),
        reward_scale=float(scale),
        stratified=float(options.stratified),
        min_data=options.min_data,
        updates=options.updates,
        target_every=options.target_every,
        q_rate=float(options.q_rate),
        q_rate_end=float(options.q_rate if q_end is None else q_end),
        policy_adam=options.policy_optimizer == "adam",
        policy_rate=float(options.policy_rate),
        policy_rate_end=float(options.policy_rate if policy_end is None else policy_end),
        rate_steps=options.rate_steps,
    )
