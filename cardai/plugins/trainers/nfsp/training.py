"""NFSP under way on a compiled game: the loop, its metrics and its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from cardai.core.agent import Agent
from cardai.core.encoder import Encoder, Layout
from cardai.core.errors import DamagedFileError, UsageError
from cardai.core.game import Game
from cardai.core.npz import check_arrays, read_npz, write_npz
from cardai.core.rng import derive
from cardai.core.trainer import Metrics, Training
from cardai.learn import native
from cardai.learn.networks import choose_device, load_networks, save_networks
from cardai.plugins.trainers.nfsp import _kernels as kernels
from cardai.plugins.trainers.nfsp.agent import NFSPAgent
from cardai.plugins.trainers.nfsp.compiled import Compiled, compile_game
from cardai.plugins.trainers.nfsp.measures import average_policy_metrics, empirical_policy
from cardai.plugins.trainers.nfsp.networks import finite, layout_of, make_networks, pick
from cardai.plugins.trainers.nfsp.settings import scale_of, settings_row

if TYPE_CHECKING:
    from cardai.plugins.trainers.nfsp import NFSP

CHUNK = 250
"""Iterations between yields."""
RECENT = 256
"""Transitions of each input row among which stratified minibatches draw."""


def start(options: NFSP, game: Game, encoder: Encoder | None, seed: int) -> Training:
    """Begin training. Raises UsageError for a game, an encoder or an engine that cannot be had."""
    layout = layout_of(game, encoder)
    device = torch.device("cpu") if options.engine == "native" else choose_device(options.device)
    compiled = _compiled(options, game, layout)
    can_be_native = compiled is not None and options.play != "tables" and native.suits(options.hidden)
    if (options.stratified or options.q_average) and (not can_be_native or options.engine == "torch"):
        raise UsageError("stratified and q_average need the native engine: a compiled game, one hidden layer.")
    if options.engine == "native" and not can_be_native:
        raise UsageError("The native engine needs one hidden layer and a compiled game. Use engine=torch.")
    if compiled is not None and can_be_native and (options.engine == "native" or _prefers_native(options, device)):
        return CompiledTraining(options, game, layout, compiled, seed)
    from cardai.plugins.trainers.nfsp.tables import TablesTraining

    return TablesTraining(options, game, layout, compiled, device, seed)


def _prefers_native(options: NFSP, device: torch.device) -> bool:
    return options.engine == "auto" and (device.type == "cpu" or options.device == "auto")


def _compiled(options: NFSP, game: Game, layout: Layout) -> Compiled | None:
    """Return the game as arrays: to play on, or at least to measure on; None if it is too large."""
    try:
        return compile_game(game, layout, options.compile_limit)
    except UsageError:
        if options.play == "compiled":
            raise
        return None


class CompiledTraining(Training):
    """Native networks on a compiled game: everything is arrays, and the loop is one kernel."""

    def __init__(self, options: NFSP, game: Game, layout: Layout, compiled: Compiled, seed: int) -> None:
        self.options, self.game, self.layout, self.compiled = options, game, layout, compiled
        self.step = 0
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
        self.answers = kernels.Answers(
            np.zeros((rows, actions), np.float32), np.zeros((rows, actions), np.float32), np.full((rows, 2), -1)
        )
        self.learners = tuple(self._learner(seat, rows) for seat in range(2))
        self.settings = settings_row(options, scale_of(options, compiled))[0]
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

    def train(self, steps: int) -> Iterator[Metrics]:
        goal, every = self.step + steps, self.options.eval_every
        cpu, played = time.process_time(), int(self.play.counts[1])
        while self.step < goal:
            count = min(goal - self.step, CHUNK, every - self.step % every)
            kernels.iterate(
                self.compiled.env,
                self.play,
                self.memory,
                self.learners,
                self.inputs,
                self.answers,
                self.settings,
                count,
            )
            self.step += count
            if self.step % every:
                yield {}
                continue
            speed = (int(self.play.counts[1]) - played) / max(1e-9, time.process_time() - cpu)
            yield {**self.measure(), "steps_per_second": speed}
            cpu, played = time.process_time(), int(self.play.counts[1])

    def measure(self) -> Metrics:
        """Return the metrics as things stand; the losses are means since the last time."""
        policy, q = self.answer_all()
        sizes = self.sizes()
        empirical = None
        if sizes[:, 1].any():
            rows, actions = (
                np.concatenate([a[seat, : sizes[seat, 1]] for seat in range(2)])
                for a in (self.memory.sl_row, self.memory.sl_action)
            )
            empirical = empirical_policy(self.compiled, rows, actions)
        metrics = average_policy_metrics(self.compiled, policy, q, empirical)
        losses = np.sum([learner.losses for learner in self.learners], axis=0)
        for learner in self.learners:
            learner.losses[:] = 0
        metrics["q_loss"], metrics["policy_loss"] = losses[[0, 2]] / np.maximum(losses[[1, 3]], 1)
        metrics["rl_size"], metrics["sl_size"] = (float(x) for x in sizes.sum(axis=0))
        metrics["epsilon"] = float(kernels.epsilon_at(self.settings, self.play.counts[0]))
        metrics["env_steps"], metrics["hands"] = float(self.play.counts[1]), float(self.play.counts[2])
        return finite({name: float(value) for name, value in metrics.items()})

    def sizes(self) -> npt.NDArray[np.int64]:
        """Return (2, 2): for each seat, the entries in M_RL and M_SL."""
        capacities = (self.options.rl_capacity, self.options.sl_capacity)
        return np.asarray(np.minimum(self.memory.seen, capacities))

    def answer_all(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the average policy and Q (as it acts) of every input row, each (R, A)."""
        legal = self.compiled.legal
        policy, q = np.zeros(legal.shape), np.zeros(legal.shape)
        for seat, learner in enumerate(self.learners):
            rows = np.flatnonzero(self.compiled.owner == seat)
            q[rows] = native.answer(learner.acting, self.inputs, rows)
            outputs = np.where(legal[rows], native.answer(learner.policy, self.inputs, rows), -np.inf)
            powers = np.exp(outputs.astype(np.float64) - outputs.max(axis=1, keepdims=True))
            policy[rows] = powers / powers.sum(axis=1, keepdims=True)
        return policy, q

    def agent(self, options: Mapping[str, Any]) -> Agent:
        return NFSPAgent(self.networks, self.game, self.layout, self.options, options)

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        save_networks(directory / "networks.safetensors", self.networks)
        write_npz(directory / "optimiser.npz", self._optimiser())
        write_npz(directory / "play.npz", {**self.play._asdict(), "step": self.step})
        write_npz(directory / "memory.npz", pack_memory(self.memory, self.sizes(), len(self.compiled.legal)))

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
        self.answers.fresh[:] = -1

    def _optimiser(self) -> dict[str, npt.NDArray[Any]]:
        """Return the optimisers' own arrays by name."""
        named: dict[str, npt.NDArray[Any]] = {}
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


WHOLE = ("seen", "recent", "visits")
"""The memories' arrays that are stored as they are."""


def pack_memory(memory: kernels.Memory, sizes: npt.NDArray[np.int64], rows: int) -> dict[str, Any]:
    """Return what the memories hold, rows in as few bytes as they need."""
    small = np.int16 if rows < 2**15 else np.int32
    packed: dict[str, Any] = {name: getattr(memory, name) for name in WHOLE}
    for seat in range(2):
        for name, array in memory._asdict().items():
            if name not in WHOLE:
                held = array[seat, : sizes[seat, int(name.startswith("sl"))]]
                packed[f"{name}_{seat}"] = held.astype(small) if array.dtype == np.int32 else held
    return packed


def unpack_memory(path: Path, memory: kernels.Memory, compiled: Compiled) -> None:
    """Fill ``memory`` from what :func:`pack_memory` gave. Raises DamagedFileError for anything else."""
    arrays = read_npz(path)
    seen = arrays.get("seen")
    if seen is None or seen.shape != (2, 2) or seen.dtype != np.int64 or seen.min() < 0:
        raise DamagedFileError(f"The file {path} must hold 'seen', (2, 2) int64 without negative numbers.")
    capacities = (memory.rl_row.shape[1], memory.sl_row.shape[1])
    expected = pack_memory(memory, np.minimum(seen, capacities), len(compiled.legal))
    check_arrays(path, arrays, {name: (a.dtype, a.shape) for name, a in expected.items()})
    for seat in range(2):
        for kind in ("rl", "sl"):
            row, action = arrays[f"{kind}_row_{seat}"], arrays[f"{kind}_action_{seat}"]
            check_decisions(path, compiled, seat, row, action)
        following = arrays[f"rl_next_{seat}"]
        check_decisions(path, compiled, seat, following[following != -1])
        if not np.isfinite(arrays[f"rl_reward_{seat}"]).all():
            raise DamagedFileError(f"The file {path} holds rewards that are no numbers.")
    recent = arrays["recent"]
    if recent.min() < 0 or recent.max() >= capacities[0] or arrays["visits"].min() < 0:
        raise DamagedFileError(f"The file {path} points at transitions that it does not hold.")
    for seat in range(2):
        for name, array in memory._asdict().items():
            if name not in WHOLE:
                stored = arrays[f"{name}_{seat}"]
                array[seat, : len(stored)] = stored
    for name in WHOLE:
        getattr(memory, name)[:] = arrays[name]


def check_decisions(path: Path, compiled: Compiled, seat: int, rows: Any, actions: Any = None) -> None:
    """Raise DamagedFileError unless ``rows`` are the seat's input rows and ``actions`` (if given) legal there."""
    inside = (rows >= 0) & (rows < len(compiled.owner))
    good = bool(inside.all()) and bool((compiled.owner[rows] == seat).all())
    if good and actions is not None:
        good = bool(((actions >= 0) & (actions < compiled.legal.shape[1])).all())
        good = good and bool(compiled.legal[rows, actions].all())
    if not good:
        raise DamagedFileError(f"The file {path} holds decisions that this game does not have: it is of another run.")


def check_play(path: Path, play: Mapping[str, Any], compiled: Compiled) -> None:
    """Raise DamagedFileError unless the tables in flight are possible."""
    nodes = play["node"]
    if nodes.min() < 0 or nodes.max() >= len(compiled.env.player) or (compiled.env.player[nodes] < 0).any():
        raise DamagedFileError(f"The file {path} holds tables that this game does not have: it is of another run.")
    for seat in range(2):
        decided = play["last_row"][:, seat] != -1
        check_decisions(path, compiled, seat, play["last_row"][decided, seat], play["last_action"][decided, seat])
    if play["counts"].min() < 0 or play["step"] != play["counts"][0]:
        raise DamagedFileError(f"The file {path} counts {play['counts'].tolist()} iterations, steps and hands.")
