"""NFSP under way on any game: many tables in lock step, packed experience, networks by torch."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from cardai.core.agent import Agent
from cardai.core.arrays import Bools, Float32s, Float64s, Int64s, Records
from cardai.core.encoder import Layout
from cardai.core.errors import CardaiError, DamagedFileError
from cardai.core.files import read_json, write_json
from cardai.core.game import Amounts, Game
from cardai.core.npz import check_arrays, read_npz, write_npz
from cardai.core.rng import derive, derive_many
from cardai.learn import tensors
from cardai.learn.buffers import Circular, Codec, Reservoir
from cardai.learn.networks import evaluate, load_networks, save_networks
from cardai.plugins.trainers.nfsp._kernels import epsilon_at, rate_at
from cardai.plugins.trainers.nfsp.compiled import CompiledGame
from cardai.plugins.trainers.nfsp.learner import TorchLearner, action_dtype, experience_dtype, pack_legal
from cardai.plugins.trainers.nfsp.networks import make_networks, return_range
from cardai.plugins.trainers.nfsp.options import settings_row
from cardai.plugins.trainers.nfsp.player import NFSPAgent
from cardai.plugins.trainers.nfsp.training import YIELD_SECONDS, NFSPTraining

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP


class TablesTraining(NFSPTraining):
    """The general way: views are encoded, networks asked in batches, actions applied, experience kept bit-packed."""

    def __init__(
        self,
        options: NFSP,
        game: Game,
        layout: Layout,
        compiled: CompiledGame | None,
        device: torch.device,
        seed: int,
    ) -> None:
        super().__init__(options, game, layout, compiled)
        self.device, self.seed, self.hands = device, seed, 0
        self.actions = game.num_distinct_actions
        self.codec = Codec(layout)
        self.networks = make_networks(options, game, layout, seed)
        self.learners = [
            TorchLearner(
                options,
                {role: self.networks[f"{role}_{seat}"] for role in ("q", "target", "policy")},
                self.codec,
                self.actions,
                device,
            )
            for seat in range(2)
        ]
        whole, acted = (make(self.codec.width, self.actions) for make in (experience_dtype, action_dtype))
        self.rl = [Circular(options.rl_capacity, whole) for _ in range(2)]
        self.sl = [Reservoir(options.sl_capacity, acted) for _ in range(2)]
        self.rng = np.random.Generator(np.random.PCG64(derive(seed, "play")))
        self.scale = options.reward_scale or (
            1 / return_range(game, seed) if compiled is None else compiled.reward_scale
        )
        self.settings = settings_row(options, self.scale)[0]
        self.tables = game.tables(options.tables)
        self.seeds = np.zeros(options.tables, np.uint64)
        self.moves: list[list[int]] = [[] for _ in range(options.tables)]
        self.greedy = np.zeros((options.tables, 2), np.bool_)
        self.pending = np.zeros((options.tables, 2), whole)
        self.decided = np.zeros((options.tables, 2), np.bool_)
        self._deal(np.arange(options.tables))

    # -- the loop --------------------------------------------------------------------------------------------------

    def iterate(self, most: int) -> None:
        o = self.options
        due = time.monotonic() + YIELD_SECONDS
        for _ in range(most):
            self.play_step()
            with tensors.threads(o.threads):
                for _ in range(o.updates):
                    for seat in range(2):
                        self.learn_q(seat)
                        self.learn_policy(seat)
            self.step += 1
            if o.target_every and self.step % max(1, o.target_every // o.updates) == 0:
                for learner in self.learners:
                    learner.refit_target()
            if time.monotonic() > due:
                return

    def learn_q(self, seat: int) -> None:
        """Learn Q from a minibatch of transitions, if there are enough."""
        o = self.options
        if self.rl[seat].seen >= o.min_data:
            rate = float(rate_at(o.q_rate, o.rate_floors[0], self.settings, self.step))
            self.learners[seat].learn_q(self.rl[seat].sample(o.batch, self.rng), rate)

    def learn_policy(self, seat: int) -> None:
        """Learn the average policy from a minibatch of the best response's actions, if there are enough."""
        o = self.options
        if self.sl[seat].seen >= o.min_data:
            rate = float(rate_at(o.policy_rate, o.rate_floors[1], self.settings, self.step))
            self.learners[seat].learn_policy(self.sl[seat].sample(o.batch, self.rng), rate)

    # -- play ------------------------------------------------------------------------------------------------------

    def _deal(self, rows: Int64s) -> None:
        """Begin new hands at ``rows``; each seat draws whether it plays its best response (probability eta)."""
        self.seeds[rows] = derive_many(self.seed, "deal", count=len(rows), start=self.hands)
        self.hands += len(rows)
        self.tables.reset(self.seeds[rows], rows=rows)
        for row in rows:
            self.moves[row] = []
        self.greedy[rows] = self.rng.random((len(rows), 2)) < self.options.eta
        self.decided[rows] = False

    def play_step(self) -> None:
        """Play one action at each table and fill the memories."""
        current = self.tables.current_players()
        actions = np.zeros(len(current), np.int64)
        for seat in range(2):
            rows = np.flatnonzero(current == seat)
            if len(rows):
                actions[rows] = self._decide(seat, rows)
        everything = np.arange(len(current))
        self.tables.apply(everything, actions)
        for row, action in enumerate(actions):
            self.moves[row].append(int(action))
        finished = np.flatnonzero(self.tables.current_players() < 0)
        if len(finished):
            returns = self.tables.returns(finished)
            for seat in range(2):
                ended = self.decided[finished, seat]
                entries = self.pending[finished[ended], seat]
                entries["reward"] = returns[ended, seat] * self.scale
                entries["last"] = True
                self.rl[seat].add(entries)
            self._deal(finished)

    def _decide(self, seat: int, rows: Int64s) -> Int64s:
        """Return a seat's actions at ``rows``, and remember its transitions and best-response actions."""
        legal = self.tables.legal(rows)
        assert not isinstance(legal, Amounts)  # refused at the start: more than MASK_LIMIT actions
        codes = self.layout.encode(self.tables.views(seat, rows)).reshape(len(rows), -1)
        packed, mask = self.codec.pack(codes), pack_legal(legal)
        before = self.decided[rows, seat]
        entries = self.pending[rows[before], seat]
        entries["next_code"], entries["next_legal"] = packed[before], mask[before]
        self.rl[seat].add(entries)
        greedy = self.greedy[rows, seat]
        explore = greedy & (self.rng.random(len(rows)) < self.epsilon)
        actions = self._actions(seat, codes, legal, greedy, explore)
        held: Records = np.zeros(len(rows), self.pending.dtype)
        held["code"], held["legal"], held["action"] = packed, mask, actions
        self.pending[rows, seat], self.decided[rows, seat] = held, True
        stored = greedy if self.options.store_exploration else greedy & ~explore
        self.sl[seat].offer(
            held[["code", "legal", "action"]][stored].astype(self.sl[seat].data.dtype), self.rng, self.options.recency
        )
        return actions

    def _actions(self, seat: int, codes: Float32s, legal: Bools, greedy: Bools, explore: Bools) -> Int64s:
        weights = legal.astype(np.float64)  # exploring: all legal actions alike
        best = np.flatnonzero(greedy & ~explore)
        if len(best):
            values = np.where(legal[best], self._ask(self.learners[seat].q, codes[best]), -np.inf)
            weights[best] = np.arange(self.actions) == values.argmax(axis=1)[:, None]
        average = np.flatnonzero(~greedy)
        if len(average):
            weights[average] = _softmax(self._ask(self.learners[seat].policy, codes[average]), legal[average])
        total = np.cumsum(weights, axis=1)
        return np.asarray(np.argmax(total > self.rng.random((len(codes), 1)) * total[:, -1:], axis=1))

    def _ask(self, network: torch.nn.Module, codes: Float32s) -> Float32s:
        return evaluate(network, codes, self.device)

    # -- measuring -------------------------------------------------------------------------------------------------

    @property
    def played(self) -> tuple[int, int]:
        return self.step * self.options.tables, self.hands

    @property
    def sizes(self) -> tuple[int, int]:
        return sum(map(len, self.rl)), sum(map(len, self.sl))

    @property
    def epsilon(self) -> float:
        return float(epsilon_at(self.settings, self.step))

    def answers(self, compiled: CompiledGame) -> tuple[Float64s, Float64s, Float64s | None]:
        shape = compiled.legal.shape
        policy, q = np.zeros(shape), np.zeros(shape)
        for seat, learner in enumerate(self.learners):
            rows = np.flatnonzero(compiled.owner == seat)
            codes, legal = compiled.codes[rows], compiled.legal[rows]
            q[rows] = self._ask(learner.q, codes)
            policy[rows] = _softmax(self._ask(learner.policy, codes), legal)
        return policy, q, None

    def take_losses(self) -> Float64s:
        losses = np.sum([learner.losses for learner in self.learners], axis=0)
        for learner in self.learners:
            learner.losses[:] = 0
        return np.asarray(losses)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        networks = {name: _on_cpu(network) for name, network in self.networks.items()}
        return NFSPAgent(networks, self.game, self.layout, self.options, options)

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def _fixed(self) -> dict[str, Records]:
        """Return the arrays that always have the same shape."""
        arrays: dict[str, Records] = {
            "seeds": self.seeds,
            "greedy": self.greedy,
            "decided": self.decided,
            "pending": self.pending.view(np.uint8).reshape(len(self.seeds), -1),
        }
        for seat, learner in enumerate(self.learners):
            arrays |= learner.state(seat)
        return arrays

    def save(self, directory: Path) -> None:
        save_networks(directory / "networks.safetensors", self.networks)
        lengths = np.array([len(moves) for moves in self.moves], np.int64)
        moves = np.array([a for moves in self.moves for a in moves], np.int64)
        write_npz(directory / "state.npz", {**self._fixed(), "moves": moves, "moves_each": lengths})
        memory = {}
        for kind, buffers in (("rl", self.rl), ("sl", self.sl)):
            for seat, buffer in enumerate(buffers):
                held = buffer.data[: len(buffer)]
                memory[f"{kind}_{seat}"] = held.view(np.uint8).reshape(len(held), held.itemsize)
        write_npz(directory / "memory.npz", memory)
        state: dict[str, Any] = {"step": self.step, "hands": self.hands, "random": self.rng.bit_generator.state}
        state["seen"] = {f"{k}_{s}": b.seen for k, bs in (("rl", self.rl), ("sl", self.sl)) for s, b in enumerate(bs)}
        write_json(directory / "state.json", state)

    def load(self, directory: Path) -> None:
        try:
            self._load(directory)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            raise DamagedFileError(f"The checkpoint {directory} does not fit this run: {error!r}.") from error

    def _load(self, directory: Path) -> None:
        state = read_json(directory / "state.json")
        fixed = self._fixed()
        stored = read_npz(directory / "state.npz")
        expected = {name: (a.dtype, a.shape) for name, a in fixed.items()}
        sizes: dict[str, tuple[Any, tuple[int | None, ...]]] = {"moves": (np.int64, (None,))}
        check_arrays(
            directory / "state.npz", stored, {**expected, **sizes, "moves_each": (np.int64, (len(self.seeds),))}
        )
        memory = read_npz(directory / "memory.npz")
        load_networks(directory / "networks.safetensors", self.networks)
        self.step, self.hands = int(state["step"]), int(state["hands"])
        self.rng.bit_generator.state = state["random"]
        for kind, buffers in (("rl", self.rl), ("sl", self.sl)):
            for seat, buffer in enumerate(buffers):
                buffer.seen = int(state["seen"][f"{kind}_{seat}"])
                entries = np.ascontiguousarray(memory[f"{kind}_{seat}"]).reshape(-1).view(buffer.data.dtype)
                buffer.data[: len(buffer)] = entries
        for seat, learner in enumerate(self.learners):
            learner.set_state(seat, stored)
        self.seeds[:], self.greedy[:], self.decided[:] = stored["seeds"], stored["greedy"], stored["decided"]
        self.pending[:] = stored["pending"].reshape(-1).view(self.pending.dtype).reshape(self.pending.shape)
        self._replay(np.split(stored["moves"], np.cumsum(stored["moves_each"])[:-1]), directory)

    def _replay(self, moves: list[Int64s], directory: Path) -> None:
        """Bring the tables to where they were: the same deals, the same actions."""
        self.moves = [[int(a) for a in one] for one in moves]
        self.tables.reset(self.seeds)
        try:
            for k in range(max(map(len, self.moves), default=0)):
                rows = np.array([row for row, one in enumerate(self.moves) if len(one) > k], np.int64)
                self.tables.apply(rows, np.array([self.moves[row][k] for row in rows], np.int64))
        except CardaiError as error:
            raise DamagedFileError(f"The hands in {directory / 'state.npz'} cannot be replayed: {error}") from error


def _softmax(outputs: Float32s, legal: Bools) -> Float64s:
    masked = np.where(legal, outputs, -np.inf).astype(np.float64)
    powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _on_cpu(network: torch.nn.Sequential) -> torch.nn.Sequential:
    import copy

    return copy.deepcopy(network).cpu()
