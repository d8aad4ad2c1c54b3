"""Single deep CFR under way: traversals, reservoirs, a fresh network an iteration, the average of all; checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from cardai.core.arrays import Bools, Float32s, Float64s, Int64s
from cardai.core.encoder import Layout
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.npz import check_counts, read_npz, write_npz
from cardai.core.rng import Rows, derive, derive_many
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.distinct import distinct
from cardai.learn.minibatches import sound
from cardai.learn.networks import mlp
from cardai.plugins.trainers.sd_cfr.player import DrawnAgent, matched, policy_of
from cardai.plugins.trainers.sd_cfr.walkers import StateWalker, TreeWalker, Walker, traverse
from cardai.solve.measures import measure_behaviour
from cardai.solve.sequence_form import behaviour_of, behaviour_of_plan, game_form, plan_of
from cardai.solve.tabular import tabular_agent

if TYPE_CHECKING:
    from cardai.core.agent import Agent
    from cardai.plugins.trainers.sd_cfr import SDCFR

NETWORKS, PROGRESS, MEMORY = "networks.safetensors", "progress.npz", "memory-{}.npz"
PLAYERS = (0, 1)
TOGETHER = 2_000_000
"""Decisions drawn at a time, whose different inputs are found at once."""


class Memory:
    """A reservoir of ``capacity`` decisions: codes (m, C), legal actions (m, A), advantages (m, A), iterations (m,)."""

    NAMES = ("codes", "legal", "advantages", "iterations")

    def __init__(self, capacity: int, inputs: int, actions: int, seed: int) -> None:
        self.capacity, self.seed, self.seen = capacity, seed, 0
        self.codes: Float32s = np.zeros((0, inputs), np.float32)
        self.legal: Bools = np.zeros((0, actions), np.bool_)
        self.advantages: Float32s = np.zeros((0, actions), np.float32)
        self.iterations: Int64s = np.zeros(0, np.int64)

    def remember(self, codes: Float32s, legal: Bools, advantages: Float64s, iteration: int) -> None:
        """Offer decisions (n): each so far is in it with the same probability (Vitter 1985)."""
        count = len(codes)
        number = self.seen + np.arange(count)
        drawn = Rows(derive_many(self.seed, "reservoir", count=count, start=self.seen)).random()
        place = np.where(number < self.capacity, number, (drawn * (number + 1)).astype(np.int64))
        self.seen += count
        missing = min(self.seen, self.capacity) - len(self.codes)
        offered = (codes, legal, advantages.astype(np.float32), np.full(count, iteration))
        kept = np.flatnonzero(place < self.capacity)
        for name, new in zip(self.NAMES, offered, strict=True):
            held = getattr(self, name)
            held = np.concatenate([held, np.zeros((missing, *held.shape[1:]), held.dtype)])
            held[place[kept]] = new[kept]  # of several at one place the last stays
            setattr(self, name, held)

    def minibatches(self, rng: Any, count: int, size: int) -> Iterator[tuple[Int64s, Float32s, Bools, Int64s]]:
        """Yield ``count`` times ``size`` decisions drawn (size,), the inputs (u, C) and legal actions (u, A) that differ among
        many such draws, and which of those each of the decisions (size,) saw. Nothing where nothing is held."""
        left, which = count if len(self.codes) else 0, np.empty(len(self.codes), np.int64)
        while left:
            drawn = rng.integers(0, len(self.codes), (min(left, max(1, TOGETHER // size)), size))
            held = np.unique(drawn)
            first, which[held] = distinct(np.concatenate([self.codes[held], self.legal[held]], axis=1))
            codes, legal = self.codes[held[first]], self.legal[held[first]]
            yield from ((rows, codes, legal, which[rows]) for rows in drawn)
            left -= len(drawn)

    def save(self, path: Path) -> None:
        """Write it all."""
        write_npz(path, {name: getattr(self, name) for name in self.NAMES} | {"seen": np.int64(self.seen)})

    def load(self, path: Path) -> None:
        """Take up what :meth:`save` wrote. Raises DamagedFileError."""
        own = {name: getattr(self, name) for name in self.NAMES}
        expected: dict[str, Any] = {name: (held.dtype, (None, *held.shape[1:])) for name, held in own.items()}
        found = read_npz(path, expected | {"seen": (np.int64, ())})
        check_counts(path, found, "seen")
        held, seen = {len(found[name]) for name in self.NAMES}, int(found["seen"])
        sound = np.isfinite(found["codes"]).all() and np.isfinite(found["advantages"]).all()
        if held != {min(seen, self.capacity)} or not sound or (found["iterations"] < 1).any():
            raise DamagedFileError(f"The file {path} holds no reservoir of {self.capacity} decisions: it is damaged.")
        self.seen = seen
        for name in self.NAMES:
            setattr(self, name, found[name])


class SingleDeepCFR(Training):
    """A training under way. Hands, minibatches and weights follow from the seed and the iteration's number alone."""

    def __init__(self, options: SDCFR, game: Game, layout: Layout, seed: int) -> None:
        self.options, self.game, self.layout, self.seed = options, game, layout, seed
        self.step, self.decisions = 0, 0
        self.inputs, self.actions = int(np.prod(layout.shape)), game.num_distinct_actions
        self.tree: Any = None  # the game's, where it is small enough
        self.walker = self._walker()
        self.networks: tuple[list[nn.Sequential], list[nn.Sequential]] = ([], [])
        self.memories = [
            Memory(options.capacity, self.inputs, self.actions, derive(seed, "memory", player)) for player in PLAYERS
        ]
        self.scale = 1 / game.max_utility if game.max_utility else 1.0
        self.losses = np.zeros(2)

    def _walker(self) -> Walker:
        """Return what walks hands: the tree of a game that is small enough, which is then measured too, else States."""
        try:
            self.tree, self.form = game_form(self.game, self.options.measure_limit)
        except UsageError:
            return StateWalker(self.game, self.layout)
        sets = self.tree.infosets
        self.codes = self.layout.encode(sets.views).reshape(len(sets), self.inputs)
        self.average: Float64s = np.zeros(sets.num_sequences)
        return TreeWalker(self.tree, self.codes)

    def probe(self) -> None:
        """Raise UsageError for a game whose hands have too many nodes, found by walking a few."""
        if self.tree is None:
            for player in PLAYERS:
                traverse(self.walker, self._policy, player, derive_many(self.seed, "probe", player, count=2))

    def train(self, steps: int) -> Iterator[Metrics]:
        goal, every = self.step + steps, self.options.eval_every
        while self.step < goal:
            for player in PLAYERS:
                self._iterate(player)
            self.step += 1
            self._add_to_average()
            yield self.measure() if self.step % every == 0 else {}

    def _iterate(self, player: int) -> None:
        """Walk hands in which ``player`` tries all actions, and learn its advantages in a fresh network."""
        o, number = self.options, self.step + 1
        with tensors.threads(o.threads):
            streams = derive_many(self.seed, "hands", number, player, count=o.traversals)
            codes, legal, advantages = traverse(self.walker, self._policy, player, streams)
            self.decisions += len(codes)
            self.memories[player].remember(codes, legal, advantages * self.scale, number)
            self.networks[player].append(self._learned(player, number))

    def _policy(self, seat: int, codes: Float32s, legal: Bools) -> Float64s:
        """Return the strategy (n, A) of this iteration: the newest network's, before the first all actions alike."""
        if not self.networks[seat]:
            return np.asarray(legal / np.maximum(1, legal.sum(axis=1, keepdims=True)))
        return policy_of(self.networks[seat][-1], codes, legal)

    def _learned(self, player: int, number: int) -> nn.Sequential:
        """Return a fresh network that has learned the memory, a decision weighted by its iteration (2019, section 3.2)."""
        o, memory = self.options, self.memories[player]
        network = self._fresh(player, number)
        optimizer = torch.optim.Adam(network.parameters(), lr=o.rate, fused=True)
        rng = np.random.default_rng(derive(self.seed, "order", number, player))
        for rows, codes, legal, at in memory.minibatches(rng, o.updates, o.batch):
            weight = memory.iterations[rows] / number / o.batch
            share = np.bincount(at, weight, len(codes))
            seen = np.flatnonzero(share)
            total = [
                np.bincount(at, weight * memory.advantages[rows, a], len(codes))[seen] for a in range(self.actions)
            ]
            share = share[seen]
            target = torch.from_numpy((np.stack(total, axis=1) / share[:, None]).astype(np.float32))
            out = network(torch.from_numpy(codes[seen]))
            # to the mean target: how its examples differ among themselves moves no weight
            error = ((out - target).square() * torch.from_numpy(legal[seen])).sum(1)
            loss: Any = (torch.from_numpy(share.astype(np.float32)) * error).sum()
            optimizer.zero_grad()
            loss.backward()
            if o.norm:
                torch.nn.utils.clip_grad_norm_(network.parameters(), o.norm)
            optimizer.step()
            (self.losses[player],) = sound([float(loss.detach())])
        return network.requires_grad_(False)

    def _fresh(self, player: int, number: int) -> nn.Sequential:
        o = self.options
        return mlp(self.inputs, (o.hidden,) * o.layers, self.actions, derive(self.seed, "network", number, player))

    # -- measuring and playing -------------------------------------------------------------------------------------

    def _add_to_average(self) -> None:
        """Add the newest strategies to the average of realisation plans, by the iteration's number (2019, eq. 6)."""
        if self.tree is not None:
            self.average += self.step * plan_of(self.form, behaviour_of(self.tree, self._table()))

    def _table(self) -> Float64s:
        """Return the newest strategies at all information sets (I, A)."""
        sets = self.tree.infosets
        out = np.zeros(sets.legal.shape)
        for seat in PLAYERS:
            own = slice(sets.start[seat], sets.start[seat + 1])
            out[own] = self._policy(seat, self.codes[own], sets.legal[own])
        return out

    def measure(self) -> Metrics:
        """Return the metrics as things stand."""
        metrics: Metrics = {}
        if self.tree is not None:
            average = measure_behaviour(self.form, behaviour_of_plan(self.form, self.average))
            current = measure_behaviour(self.form, behaviour_of(self.tree, self._table()))
            metrics = {"exploitability": average.exploitability, "value": average.expected[0]}
            metrics["current_exploitability"] = current.exploitability
        held = {f"memory_{player}": float(len(self.memories[player].codes)) for player in PLAYERS}
        losses = {f"loss_{player}": float(self.losses[player]) for player in PLAYERS}
        return {**metrics, "env_steps": float(self.decisions), **held, **losses}

    def agent(self, options: Mapping[str, Any]) -> Agent:
        chosen = matched(options, self.tree is not None)
        if chosen == "average":
            behaviour = behaviour_of_plan(self.form, self.average)
            return tabular_agent(self.tree, behaviour, f"The average policy after {self.step:,} iterations")
        return DrawnAgent(self.networks, self.game, self.layout, chosen == "current")

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        modules = {f"{player}.{i}": network for player in PLAYERS for i, network in enumerate(self.networks[player])}
        tensors.write_modules(directory / NETWORKS, modules)
        counts = {"step": np.int64(self.step), "decisions": np.int64(self.decisions), "losses": self.losses}
        write_npz(directory / PROGRESS, counts | ({} if self.tree is None else {"average": self.average}))
        for player in PLAYERS:
            self.memories[player].save(directory / MEMORY.format(player))

    def load_player(self, directory: Path) -> None:
        """Take up what players need: the networks and the average. Raises DamagedFileError."""
        file = directory / PROGRESS
        expected: dict[str, Any] = {"step": (np.int64, ()), "decisions": (np.int64, ()), "losses": (np.float64, (2,))}
        expected |= {} if self.tree is None else {"average": (np.float64, self.average.shape)}
        found = read_npz(file, expected)
        check_counts(file, found, "step", "decisions")
        step, decisions = int(found["step"]), int(found["decisions"])
        numbers = [found["losses"], *([] if self.tree is None else [found["average"]])]
        if not all(np.isfinite(n).all() and (n >= 0).all() for n in numbers):
            raise DamagedFileError(f"The file {file} holds numbers that no training writes: it is damaged.")
        held = tensors.read(directory / NETWORKS)
        if step * 2 * 2 * (self.options.layers + 1) != len(held):
            raise DamagedFileError(
                f"The file {directory / NETWORKS} does not hold the networks of {step:,} iterations."
            )
        made: tuple[list[nn.Sequential], list[nn.Sequential]] = ([], [])
        for player in PLAYERS:
            for i in range(step):
                network = self._fresh(player, i + 1)
                tensors.restore_module(network, held, f"{player}.{i}", directory / NETWORKS)
                made[player].append(network.requires_grad_(False))
        self.step, self.decisions, self.networks = step, decisions, made
        self.losses[:] = found["losses"]
        if self.tree is not None:
            self.average[:] = found["average"]

    def load(self, directory: Path) -> None:
        for player in PLAYERS:
            self.memories[player].load(directory / MEMORY.format(player))
        self.load_player(directory)
