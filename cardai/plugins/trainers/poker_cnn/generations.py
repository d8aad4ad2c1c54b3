"""A betting training under way: the generations, their events, and where in a generation it stands."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cardai import make
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Game
from cardai.core.rng import derive, derive_many, hash_rows
from cardai.core.trainer import Metrics, Training
from cardai.learn import tensors
from cardai.learn.choices import Choices
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.networks import choose_device
from cardai.learn.selfplay import Cast, Events, collect, fields_digest, joined
from cardai.plugins.trainers.poker_cnn.acting import SWITCHES, BettingAgent, Habits, changed
from cardai.plugins.trainers.poker_cnn.draws import choices_of
from cardai.plugins.trainers.poker_cnn.heads import OFFSET, Brain, Heads
from cardai.plugins.trainers.poker_cnn.learning import Lessons, PolicyLesson, card_features, losses, outputs
from cardai.plugins.trainers.poker_cnn.player_options import PLAYER_OPTIONS
from cardai.plugins.trainers.poker_cnn.store import read_events, write_events
from cardai.plugins.trainers.poker_cnn.targets import Teaching, last_round, thinned
from cardai.plugins.trainers.poker_cnn.values import make_network, refuse_unknown

_CHUNKS = 10  # parts in which a generation is played; the training can be saved between two of them
_LOSSES = 500  # minibatches whose mean losses are reported
_STATE = "state.json"

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.betting import PokerCnnBetting


class BettingTraining(Training):
    """Generations, the events of the last few, and where in a generation we are; randomness follows from the seed.

    The last hand of a generation counts as a step only when the generation has been learned.
    """

    def __init__(self, options: PokerCnnBetting, game: Game, encoder: Encoder, seed: int) -> None:
        self.options, self.game, self.seed = options, game, seed
        self.layout = encoder.for_game(game)
        self.choices: Choices = choices_of(game, options.draws_by)
        if self.choices.count > 64:
            raise UsageError(
                f"poker_cnn_betting learns games of at most 64 actions. This one has {self.choices.count}."
            )
        if options.heads == "published" and self.choices.count not in (3, 9):
            raise UsageError(
                "heads=published is for limit games (fold, call, raise) and draw games with draws_by other than actions. "
                f"This game has {self.choices.count} choices: take heads=choices."
            )
        self.heads = Heads(
            self.choices.count, options.heads == "published", options.relu_output, options.policy == "weights"
        )
        self.device = choose_device(options.device)
        self.step = self.played = 0
        self.generations: list[dict[str, torch.Tensor]] = []
        self.memory: list[Events] = []
        self.parts: list[Events] = []  # of the generation being played
        self.minibatch = 0  # done of the generation being learned
        self._features: dict[int, Any] = {}  # of each generation's events, where card layers are frozen
        self.losses: list[list[float]] = []  # of values and policy, of its last minibatches
        self.network = self._fresh(warm=True)
        self.optimizer = self._new_optimizer()
        self._league = [make.agent(spec).for_game(game) for spec in options.league]
        teachers = options.teachers or ("random",)
        self._teachers = [make.agent(spec).for_game(game) for spec in teachers]
        self._rates = _Rates()

    @property
    def generation(self) -> int:
        """The generation being played or learned (0 is the teachers')."""
        return len(self.generations)

    def _fresh(self, warm: bool = False) -> nn.Module:
        o = self.options
        with tensors.seeded(self.seed, torch.device("cpu")):
            count = self.choices.count if o.network == "suits" and not self.heads.published else self.heads.outputs
            network = make_network(o.network, self.layout, count, o.same_padding, o.whole_suits)
        if warm and o.warm_start:
            _take_warm_start(network, o.warm_start)
        return network.to(self.device)

    def _new_optimizer(self) -> torch.optim.Optimizer:
        o = self.options
        if isinstance(self.network, SuitNetwork) and o.freeze_trunk:
            self.network.trunk.requires_grad_(False)
        weights = [p for p in self.network.parameters() if p.requires_grad]
        if o.optimizer == "sgd":
            return torch.optim.SGD(weights, o.learning_rate, momentum=0.9, nesterov=True)
        return torch.optim.Adam(weights, o.learning_rate)

    # -- playing ---------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            learn_at = (self.generation + 1) * self.options.hands
            if self.played >= learn_at:
                yield from self._learn()
                continue
            chunk = max(100, self.options.hands // _CHUNKS)
            count = min(chunk, learn_at - self.played, end - self.played)
            with self._rates.of("hands", count):
                events = self._play(self.played, count)
                self.parts.append(
                    thinned(events, self.options.keep_share, derive(self.seed, "thin"), last_round(self.game))
                )
            self.played += count
            self.step = min(self.played, learn_at - 1)
            if self.step < end:
                yield {}

    def _play(self, first: int, count: int) -> Events:
        """Play the hands first, ..., first + count - 1: who sits where depends on the hand's number alone."""
        seats = self.game.num_players
        players, learn = self._players()
        drawn = derive_many(self.seed, "cast", count=count, start=first)
        by_seat = np.stack([hash_rows(drawn, seat) for seat in range(seats)], axis=1)
        if self.generation == 0:
            cast = (by_seat % np.uint64(len(players))).astype(np.int64)
        else:
            cast = self._opponents(by_seat, len(players))
            cast[np.arange(count), (first + np.arange(count)) // seats % seats] = 0
        seed = derive(self.seed, "generation", self.generation)
        return collect(self.game, Cast(players, cast, learn, self.choices, self.options.branches), seed, first)

    def _players(self) -> tuple[list[Agent], tuple[int, ...]]:
        """Return the players of this generation (the newest network first) and which of them give events."""
        if self.generation == 0:
            return self._teachers, tuple(range(len(self._teachers)))
        newest = self.generation - 1
        habits = self._habits()
        learner = self._agent_of((newest,), self._habits(explore=self.options.explore))
        older = [self._agent_of((g,), habits) for g in range(max(0, newest - self.options.earlier), newest)]
        return [learner, *older, *self._league], (0,)

    def _opponents(self, drawn: npt.NDArray[np.uint64], count: int) -> npt.NDArray[np.int64]:
        """Draw players' numbers below ``count``: the league by its share, else the newest network or an earlier one."""
        league = len(self._league)
        own = (drawn % np.uint64(count - league)).astype(np.int64)
        if not league:
            return own
        other = count - league + (drawn % np.uint64(league)).astype(np.int64)
        return np.where((drawn >> np.uint64(32)) / 2**32 < self.options.league_share, other, own)

    # -- learning --------------------------------------------------------------------------------------------------

    def _learn(self) -> Iterator[Metrics]:
        """Learn from the last generations' events; the network is then the next generation."""
        o = self.options
        if self.parts:
            most = o.memory if o.keep_teachers or not self.generation else min(o.memory, self.generation)
            self.memory = [joined(self.parts), *self.memory][:most]
            self.parts = []
        lessons = self._lessons()
        total = int(o.epochs * len(lessons)) // o.batch
        while self.minibatch < total:
            with self._rates.of("samples", o.batch):
                seen = self._update(lessons, self._rows(len(lessons)), self.minibatch / total)
            self.losses = [*self.losses[1 - _LOSSES :], list(seen)]
            self.minibatch += 1
            if self.minibatch % 10 == 0:
                yield {}
        value_loss, policy_loss = (float(np.mean([loss[k] for loss in self.losses] or [0.0])) for k in (0, 1))
        self.generations.append({k: v.clone() for k, v in tensors.module_tensors(self.network, "network").items()})
        self.minibatch, self.losses = 0, []
        self.optimizer = self._new_optimizer()
        self.step = self.played
        done = {"generation": float(self.generation - 1), "events": float(len(lessons))}
        yield {**done, "value_loss": value_loss, "policy_loss": policy_loss, **self._rates.taken()}

    def _lessons(self) -> Lessons:
        o = self.options
        events = joined(self.memory).take(slice(0, o.max_events))
        teaching = Teaching(o.unit, o.discount, o.counterfactuals, -OFFSET if o.teach_illegal else None)
        made = teaching.targets(events, self.choices)
        lessons = Lessons(events, made, self.layout, self.heads, o.canonical, self.device)
        if isinstance(self.network, SuitNetwork) and o.freeze_trunk and not self.heads.published:
            with self._rates.of("samples", 0):
                lessons.freeze(*self._card_features(self.network, len(events)))
        return lessons

    def _card_features(
        self, network: SuitNetwork, count: int
    ) -> tuple[npt.NDArray[np.float16], npt.NDArray[np.float32]]:
        """Return the frozen card layers' features of the first ``count`` events; those of older generations are kept."""
        known = self._features
        self._features = {}
        for age, events in enumerate(self.memory):
            made = known.get(self.generation - age)
            if made is None:
                made = card_features(network, self.layout, events, self.options.canonical, self.device)
            self._features[self.generation - age] = made
        kept = [self._features[self.generation - age] for age in range(len(self.memory))]
        return np.concatenate([f for f, _ in kept])[:count], np.concatenate([c for _, c in kept])[:count]

    def _rows(self, count: int) -> npt.NDArray[np.int64]:
        """Return the events of the minibatch: epochs run one after another through permutations of their own."""
        places = self.minibatch * self.options.batch + np.arange(self.options.batch)
        out = np.empty(len(places), np.int64)
        for epoch in np.unique(places // count):
            inside = places // count == epoch
            out[inside] = self._order(int(epoch), count)[places[inside] % count]
        return np.sort(out)

    def _order(self, epoch: int, count: int) -> npt.NDArray[np.int64]:
        key = (self.generation, epoch, count)
        if getattr(self, "_order_of", None) != key:
            self._order_of = key
            self._permutation = np.random.default_rng([self.seed, 3, self.generation, epoch]).permutation(count)
        return self._permutation

    def _update(self, lessons: Lessons, rows: npt.NDArray[np.int64], done: float) -> tuple[float, float]:
        o = self.options
        for group in self.optimizer.param_groups:
            group["lr"] = o.learning_rate * (1.0 if o.optimizer == "sgd" else 1.0 - 0.95 * done)
        self.network.train()
        lesson = PolicyLesson(o.policy, o.step_size, o.shrink)
        drop = derive(self.seed, "dropout", self.generation, self.minibatch)
        with tensors.threads(o.threads), tensors.seeded(drop, self.device):
            batch = lessons.batch(rows)
            raw = outputs(self.network, self.heads, batch)
            value_loss, policy_loss = losses(raw, self.heads, batch, lesson, -OFFSET if o.teach_illegal else None)
            self.optimizer.zero_grad()
            (value_loss + policy_loss).backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
        return float(value_loss.detach()), float(policy_loss.detach())

    # -- players ---------------------------------------------------------------------------------------------------

    def _habits(self, **changes: Any) -> Habits:
        o = self.options
        given = {name: getattr(o, name) for name in SWITCHES}
        return Habits(**{**given, **changes})

    def _agent_of(self, generations: tuple[int, ...], habits: Habits) -> BettingAgent:
        brains = []
        for generation in generations:
            network = self._fresh()
            tensors.restore_module(network, self.generations[generation], "network", Path(f"generation {generation}"))
            o = self.options
            brains.append(Brain(network.eval(), self.layout, self.heads, o.canonical, self.device))
        return BettingAgent(tuple(brains), self.choices, habits, self.game, self.options.unit)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        refuse_unknown(options, PLAYER_OPTIONS)
        if not self.generations:
            return self._beginner(options)
        newest = len(self.generations) - 1
        try:
            chosen, mix = int(options.get("generation", newest)), int(options.get("mix", 1))
        except (ValueError, TypeError) as error:
            raise OptionError(f"generation and mix must be whole numbers. Got {dict(options)}.") from error
        if not 0 <= chosen <= newest or mix < 1:
            raise OptionError(f"generation must be 0 to {newest} and mix at least 1. Got {dict(options)}.")
        return self._agent_of(tuple(range(max(0, chosen - mix + 1), chosen + 1)), changed(self._habits(), options))

    def _beginner(self, options: Mapping[str, Any]) -> Agent:
        """Return the network as it stands before the first generation is finished."""
        if "generation" in options:
            raise OptionError(f"No generation is finished yet: there is no generation {options['generation']}.")
        network = self._fresh()
        network.load_state_dict(self.network.state_dict())
        brain = Brain(network.eval(), self.layout, self.heads, self.options.canonical, self.device)
        return BettingAgent((brain,), self.choices, changed(self._habits(), options), self.game, self.options.unit)

    # -- keeping ---------------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        parts = tensors.module_tensors(self.network, "network") | tensors.optimizer_tensors(self.optimizer, "optimizer")
        tensors.write(directory / "weights.safetensors", parts)
        for k, weights in enumerate(self.generations):
            tensors.write(directory / f"generation-{k:03d}.safetensors", weights)
        for k, events in enumerate([*self.memory, *self.parts]):
            write_events(directory / f"events-{k:03d}.npz", events)
        state = {"step": self.step, "played": self.played, "generations": len(self.generations)}
        state |= {"memory": len(self.memory), "parts": len(self.parts), "minibatch": self.minibatch}
        more = {"fields": fields_digest(self.game), "losses": self.losses}
        (directory / _STATE).write_text(json.dumps({**state, **more}))

    def load_generations(self, directory: Path) -> dict[str, int]:
        """Take up the finished generations alone (all that players need); return the numbers of the state."""
        names = ("step", "played", "generations", "memory", "parts", "minibatch")
        try:
            state = json.loads((directory / _STATE).read_text())
            counts = {name: int(state[name]) for name in names}
            self.losses = [[float(value), float(policy)] for value, policy in state["losses"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedFileError(f"The file {directory / _STATE} cannot be read: {error}.") from error
        if state.get("fields") != fields_digest(self.game):
            raise DamagedFileError(f"The events in {directory} were made with other view fields: start a new run.")
        files = (directory / f"generation-{k:03d}.safetensors" for k in range(counts["generations"]))
        self.generations = [tensors.read(file) for file in files]
        return counts

    def load(self, directory: Path) -> None:
        counts = self.load_generations(directory)
        path = directory / "weights.safetensors"
        parts = tensors.read(path)
        tensors.restore_module(self.network, parts, "network", path)
        tensors.restore_optimizer(self.optimizer, parts, "optimizer", path)
        files = (directory / f"events-{k:03d}.npz" for k in range(counts["memory"] + counts["parts"]))
        events = [read_events(file, self.game) for file in files]
        self.memory, self.parts = events[: counts["memory"]], events[counts["memory"] :]
        self.step, self.played, self.minibatch = counts["step"], counts["played"], counts["minibatch"]


class _Rates:
    """Hands played and samples learned, with the wall and CPU seconds they took (since the generation or a resume)."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}

    def of(self, name: str, count: int) -> _Timed:
        """Return a context that adds ``count`` and the time spent inside."""
        return _Timed(self._sums.setdefault(name, [0.0, 0.0, 0.0]), count)

    def taken(self) -> Metrics:
        """Return the rates and begin anew."""
        out: Metrics = {}
        for name, (count, wall, cpu) in self._sums.items():
            out[f"{name}_per_second"] = count / max(wall, 1e-9)
            out[f"cpu_{name}_per_second"] = count / max(cpu, 1e-9)
        self._sums = {}
        return out


class _Timed:
    def __init__(self, sums: list[float], count: int) -> None:
        self._sums, self._count = sums, count

    def __enter__(self) -> None:
        self._start = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self._sums[0] += self._count
        self._sums[1] += time.perf_counter() - self._start[0]
        self._sums[2] += time.process_time() - self._start[1]


def _take_warm_start(network: nn.Module, run_path: str) -> None:
    """Take over every tensor of a value network that fits (all but heads of other sizes)."""
    from cardai.training.runs import Run

    checkpoint, _ = Run.open(Path(run_path)).latest()
    if checkpoint is None:
        raise UsageError(f"The run {run_path} has no checkpoint to begin with. Train it first.")
    saved = tensors.read(checkpoint.path / "weights.safetensors")
    own = network.state_dict()
    named = {name.removeprefix("network."): t for name, t in saved.items() if name.startswith("network.")}
    fitting = {name: t for name, t in named.items() if name in own and own[name].shape == t.shape}
    if not fitting:
        raise UsageError(f"The network of {run_path} shares no layer with this one: use the same network and encoder.")
    network.load_state_dict({**own, **fitting})
