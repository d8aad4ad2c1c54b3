"""NFSP on a compiled game: native networks, memories of numbers, and the whole loop in one kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardai.core.arrays import Float64s, Int64s, Records
from cardai.core.encoder import Layout
from cardai.core.game import Game
from cardai.core.npz import read_npz, write_npz
from cardai.core.rng import derive
from cardai.learn import native
from cardai.learn.networks import load_networks, save_networks
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.plugins.trainers.nfsp.checkpoints import check_play, pack_memory, unpack_memory
from cardai.plugins.trainers.nfsp.compiled import CompiledGame
from cardai.plugins.trainers.nfsp.measures import empirical_policy
from cardai.plugins.trainers.nfsp.networks import make_networks, pick
from cardai.plugins.trainers.nfsp.options import settings_row
from cardai.plugins.trainers.nfsp.training import NFSPTraining

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

CHUNK = 250
"""Iterations between yields."""
RECENT = 256
"""Transitions of each input row among which stratified minibatches draw."""


class NativeTraining(NFSPTraining):
    """Everything is arrays; the networks' weights are the torch modules' own memory."""

    compiled: CompiledGame

    def __init__(self, options: NFSP, game: Game, layout: Layout, compiled: CompiledGame, seed: int) -> None:
        super().__init__(options, game, layout, compiled)
        self.networks = make_networks(options, game, layout, seed)
        self.memory = empty_memory(options, len(compiled.legal))
        self.play = kernels.Play(
            node=np.zeros(options.tables, np.int32),
            greedy=np.zeros((options.tables, 2), np.bool_),
            last_row=np.full((options.tables, 2), -1, np.int32),
            last_action=np.zeros((options.tables, 2), np.int8),
            random=np.array([derive(seed, "play"), 0], np.uint64),
            counts=np.zeros(3, np.int64),
        )
        rows, actions = compiled.legal.shape
        self.inputs = native.sparse_inputs(compiled.codes, compiled.legal)
        self.asked = kernels.Answers(
            np.zeros((rows, actions), np.float32), np.zeros((rows, actions), np.float32), np.full((rows, 2), -1)
        )
        self.learners = tuple(self._learner(seat, rows) for seat in range(2))
        self.settings = settings_row(options, options.reward_scale or compiled.reward_scale)[0]
        kernels.deal_all(compiled.env, self.play, options.eta)

    def _learner(self, seat: int, rows: int) -> kernels.Learner:
        roles = ("q", "acting", "target", "policy")
        q, acting, target, policy = (native.net_of(pick(self.networks, role)[seat]) for role in roles)
        return kernels.Learner(
            q=q,
            acting=acting,
            target=target,
            policy=policy,
            q_adam=native.adam_of(q),
            policy_adam=native.adam_of(policy),
            work=native.work_for(q, self.options.batch, rows),
            losses=np.zeros(4),
        )

    def iterate(self, most: int) -> None:
        count = min(most, CHUNK)
        kernels.iterate(
            self.compiled.env, self.play, self.memory, self.learners, self.inputs, self.asked, self.settings, count
        )
        self.step += count

    # -- measuring -------------------------------------------------------------------------------------------------

    @property
    def played(self) -> tuple[int, int]:
        return int(self.play.counts[1]), int(self.play.counts[2])

    @property
    def sizes(self) -> tuple[int, int]:
        rl, sl = self._sizes().sum(axis=0)
        return int(rl), int(sl)

    def _sizes(self) -> Int64s:
        """Return (2, 2): for each seat, the entries in M_RL and M_SL."""
        capacities = (self.options.rl_capacity, self.options.sl_capacity)
        return np.asarray(np.minimum(self.memory.seen, capacities))

    @property
    def epsilon(self) -> float:
        return float(kernels.epsilon_at(self.settings, self.play.counts[0]))

    def answers(self, compiled: CompiledGame) -> tuple[Float64s, Float64s, Float64s | None]:
        legal = compiled.legal
        policy, q = np.zeros(legal.shape), np.zeros(legal.shape)
        for seat, learner in enumerate(self.learners):
            rows = np.flatnonzero(compiled.owner == seat)
            q[rows] = native.answer(learner.acting, self.inputs, rows)
            outputs = np.where(legal[rows], native.answer(learner.policy, self.inputs, rows), -np.inf)
            powers = np.exp(outputs.astype(np.float64) - outputs.max(axis=1, keepdims=True))
            policy[rows] = powers / powers.sum(axis=1, keepdims=True)
        sizes = self._sizes()
        if not sizes[:, 1].any():
            return policy, q, None
        held = (
            np.concatenate([a[seat, : sizes[seat, 1]] for seat in range(2)])
            for a in (self.memory.sl_row, self.memory.sl_action)
        )
        return policy, q, empirical_policy(compiled, *held)

    def take_losses(self) -> Float64s:
        losses = np.sum([learner.losses for learner in self.learners], axis=0)
        for learner in self.learners:
            learner.losses[:] = 0
        return np.asarray(losses)

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        save_networks(directory / "networks.safetensors", self.networks)
        write_npz(directory / "optimiser.npz", self._optimiser())
        write_npz(directory / "play.npz", {**self.play._asdict(), "step": self.step})
        write_npz(directory / "memory.npz", pack_memory(self.memory, self._sizes(), len(self.compiled.legal)))

    def load(self, directory: Path) -> None:
        play = read_npz(
            directory / "play.npz",
            {**{name: (a.dtype, a.shape) for name, a in self.play._asdict().items()}, "step": (np.int64, ())},
        )
        check_play(directory / "play.npz", play, self.compiled)
        optimiser = self._optimiser()
        stored = read_npz(directory / "optimiser.npz", {name: (a.dtype, a.shape) for name, a in optimiser.items()})
        unpack_memory(directory / "memory.npz", self.memory, self.compiled)
        load_networks(directory / "networks.safetensors", self.networks)
        for name, array in optimiser.items():
            array[...] = stored[name]
        for name, array in self.play._asdict().items():
            array[...] = play[name]
        self.step = int(play["step"])
        self.asked.fresh[:] = -1

    def _optimiser(self) -> dict[str, Records]:
        """Return the optimisers' own arrays by name."""
        named: dict[str, Any] = {}
        for seat, learner in enumerate(self.learners):
            named[f"losses_{seat}"] = learner.losses
            for role, kind, adam in (
                ("q", self.options.q_optimizer, learner.q_adam),
                ("policy", self.options.policy_optimizer, learner.policy_adam),
            ):
                if kind == "adam":
                    named[f"{role}_{seat}.updates"] = adam.updates
                    for moment, arrays in (("first", adam.first), ("second", adam.second)):
                        named |= {f"{role}_{seat}.{moment}.{n}": a for n, a in arrays._asdict().items()}
        return named


def empty_memory(options: NFSP, rows: int) -> kernels.Memory:
    """Return memories of the options' capacities with nothing in them."""
    rl, sl = (2, options.rl_capacity), (2, options.sl_capacity)
    return kernels.Memory(
        rl_row=np.zeros(rl, np.int32),
        rl_action=np.zeros(rl, np.int8),
        rl_reward=np.zeros(rl, np.float32),
        rl_next=np.zeros(rl, np.int32),
        sl_row=np.zeros(sl, np.int32),
        sl_action=np.zeros(sl, np.int8),
        seen=np.zeros((2, 2), np.int64),
        recent=np.zeros((rows, RECENT), np.int32),
        visits=np.zeros(rows, np.int64),
    )
