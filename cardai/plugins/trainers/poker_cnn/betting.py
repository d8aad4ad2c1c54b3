"""Betting by self-play in generations: play, learn the values of actions, improve the policy, play again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from attrs import frozen, validators
from torch import nn

from cardai.core import registry
from cardai.core.agent import Agent
from cardai.core.encoder import Encoder
from cardai.core.errors import DamagedFileError, OptionError, UsageError
from cardai.core.game import Game
from cardai.core.rng import derive
from cardai.core.spec import option
from cardai.core.trainer import Metrics, Trainer, Training
from cardai.learn import tensors
from cardai.learn.grid_networks import NetworkName, SuitNetwork
from cardai.learn.selfplay import EVENT_PARTS, Cast, Events, collect, fields_digest, joined
from cardai.plugins.trainers.poker_cnn.acting import BettingAgent, Habits, two_heads
from cardai.plugins.trainers.poker_cnn.targets import targets
from cardai.plugins.trainers.poker_cnn.values import make_network

_CHUNK_HANDS = 10_000  # hands played between two moments at which the training can be saved
_STATE = "state.json"


@frozen
class PokerCnnBetting(Trainer):
    """Poker-CNN's betting networks, for any game of at most 64 actions. A step is a hand of self-play.

    Generation 0 learns from hands between ``teachers`` (none: random players); each later one from hands of the newest
    network against a mix of itself, up to ``earlier`` earlier ones, and ``league`` players.
    """

    network: NetworkName = option("suits", help="cnn, cnn_16, fat and dense are the publication's; suits is ours")
    same_padding: bool = option(False, help="convolutions of cnn, cnn_16, fat keep the planes' size")
    hands: int = option(100_000, help="hands of a generation", validator=validators.gt(0))
    teachers: tuple[str, ...] = option((), help="who plays generation 0, joined with +; none: random players")
    earlier: int = option(2, help="how many earlier generations are among the opponents", validator=validators.ge(0))
    league: tuple[str, ...] = option((), help="other opponents of every generation, joined with +")
    league_share: float = option(
        0.5, help="share of hands against the league", validator=[validators.ge(0), validators.le(1)]
    )
    unit: float = option(100.0, help="chips that count 1 in values", validator=validators.gt(0))
    discount: float = option(1.0, help="weight of what is won or lost beyond pot and bet (the paper: 0.9)")
    counterfactuals: bool = option(True, help="actions that end the hand at once teach their exact worth, taken or not")
    teach_illegal: bool = option(False, help="illegal actions are taught to be worse than any loss (the paper)")
    keep_share: float = option(1.0, help="share of events kept (the paper: 0.3; large pots are always kept)")
    memory: int = option(3, help="generations whose events are learned from, newest first", validator=validators.gt(0))
    max_events: int = option(1_500_000, help="events learned from at most, newest first", validator=validators.gt(0))
    epochs: float = option(1.5, help="passes over the events of a generation", validator=validators.gt(0))
    policy: Literal["mirror", "weights"] = option(
        "mirror", help="mirror: old policy moved along the advantages; weights: the publication's normalised weights"
    )
    step_size: float = option(2.0, help="mirror: how far the policy moves a generation, per unit of value")
    shrink: float = option(0.05, help="mirror: how much the old policy's log-probabilities shrink towards uniform")
    explore: float = option(
        0.05, help="chance of a random action while learning", validator=[validators.ge(0), validators.lt(1)]
    )
    noise: float = option(0.0, help="scale of the Gumbel noise on values (the paper: 0.2 bets)")
    policy_mix: float = option(1.0, help="chance to act by the policy head, else by the best value (the paper: 0.5)")
    repair: bool = option(False, help="clip values of impossible size when acting (the paper)")
    optimizer: Literal["sgd", "adam"] = option("adam", help="sgd: Nesterov momentum 0.9 (the paper)")
    learning_rate: float = option(0.001, help="learning rate", validator=validators.gt(0))
    batch: int = option(512, help="events in a minibatch", validator=validators.gt(0))
    warm_start: str = option("", help="a poker_cnn run whose network the first generation begins with")
    freeze_trunk: bool = option(False, help="network=suits: keep the warm-started card layers as they are")
    threads: int = option(2, help="CPU threads", validator=validators.gt(0))

    step_unit: ClassVar[str] = "hands"
    needs_encoder: ClassVar[bool] = True
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "poker_cnn_betting_paper": {
            "network": "cnn",
            "league_share": 0.0,
            "unit": 1000.0,
            "discount": 0.9,
            "teach_illegal": True,
            "keep_share": 0.3,
            "max_events": 740_000,
            "epochs": 20.0,
            "policy": "weights",
            "explore": 0.0,
            "noise": 0.02,
            "policy_mix": 0.5,
            "repair": True,
            "optimizer": "sgd",
            "learning_rate": 0.02,
            "batch": 100,
        },
        "poker_cnn_betting_ours": {},
    }

    def start(self, game: Game, encoder: Encoder | None, seed: int) -> BettingTraining:
        if encoder is None:
            raise UsageError(
                "poker_cnn_betting needs an encoder: give --encoder (poker_cnn_limit:size=4x13, grid_4x13, ...)."
            )
        return BettingTraining(self, game, encoder, seed)

    def agent_options(self) -> Mapping[str, str]:
        return {
            "generation": "the generation to play (default: the newest)",
            "policy_mix": "chance to act by the policy head (default: as trained)",
            "noise": "noise on values (default: as trained)",
            "repair": "clip impossible values (default: as trained)",
            "mix": "how many of the newest generations play, one drawn for each decision (default 1)",
        }


class BettingTraining(Training):
    """Generations, the events of the last few, and where in a generation we are; randomness follows from the seed."""

    def __init__(self, options: PokerCnnBetting, game: Game, encoder: Encoder, seed: int) -> None:
        if game.num_distinct_actions > 64:
            raise UsageError(
                f"poker_cnn_betting learns games of at most 64 actions. This one has {game.num_distinct_actions}."
            )
        self.options, self.game, self.seed = options, game, seed
        self.layout = encoder.for_game(game)
        self.device = tensors.device()
        self.step = 0
        self.generations: list[dict[str, torch.Tensor]] = []
        self.memory: list[Events] = []
        self.parts: list[Events] = []  # of the generation being played
        self.minibatch = 0  # done of the generation being learned
        self.metrics: Metrics = {}
        self.network = self._fresh(warm=True)
        self.optimizer = self._new_optimizer()
        self._league = [registry.create("agent", spec).for_game(game) for spec in options.league]
        teachers = options.teachers or ("random",)
        self._teachers = [registry.create("agent", spec).for_game(game) for spec in teachers]

    @property
    def generation(self) -> int:
        """The generation being played or learned (0 is the teachers')."""
        return len(self.generations)

    def _fresh(self, warm: bool = False) -> nn.Module:
        torch.set_num_threads(self.options.threads)
        outputs = self.game.num_distinct_actions
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            doubled = outputs if self.options.network == "suits" else 2 * outputs
            network = make_network(self.options.network, self.layout, doubled, self.options.same_padding)
        if warm and self.options.warm_start:
            self._take_warm_start(network)
        return network.to(self.device)

    def _take_warm_start(self, network: nn.Module) -> None:
        """Take over every tensor of a value network that fits (all but the heads)."""
        from cardai.core.runs import Run

        run = Run.open(Path(self.options.warm_start))
        checkpoint, _ = run.latest()
        if checkpoint is None:
            raise UsageError(f"The run {self.options.warm_start} has no checkpoint to begin with. Train it first.")
        saved = tensors.read(checkpoint.path / "weights.safetensors")
        own = network.state_dict()
        fitting = {
            k[8:]: v
            for k, v in saved.items()
            if k.startswith("network.") and k[8:] in own and own[k[8:]].shape == v.shape
        }
        if not fitting:
            raise UsageError(
                f"The network of {self.options.warm_start} shares no layer with this one: use the same network and encoder."
            )
        network.load_state_dict({**own, **fitting})

    def _new_optimizer(self) -> torch.optim.Optimizer:
        o = self.options
        if isinstance(self.network, SuitNetwork) and o.freeze_trunk:
            self.network.trunk.requires_grad_(False)
        weights = [p for p in self.network.parameters() if p.requires_grad]
        if o.optimizer == "sgd":
            return torch.optim.SGD(weights, o.learning_rate, momentum=0.9, nesterov=True)
        return torch.optim.Adam(weights, o.learning_rate)

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        torch.set_num_threads(self.options.threads)
        end = self.step + steps
        while True:
            learn_at = (self.generation + 1) * self.options.hands
            if self.step >= learn_at:
                yield from self._learn()
                continue
            if self.step >= end:
                return
            count = min(_CHUNK_HANDS, learn_at - self.step, end - self.step)
            self.parts.append(self._thinned(self._play(self.step, count)))
            self.step += count
            yield {}

    def _play(self, first: int, count: int) -> Events:
        """Play the hands first, ..., first + count - 1: who sits where depends on the hand's number alone."""
        seats = self.game.num_players
        players, learn = self._players()
        cast = np.zeros((count, seats), np.int64)
        for i in range(count):
            drawn = derive(self.seed, "cast", first + i)
            hero = (first + i) % seats
            cast[i] = [self._opponent(derive(drawn, s), len(players)) for s in range(seats)]
            cast[i, hero] = 0
        if self.generation == 0:
            cast = np.array(
                [[derive(self.seed, "cast", first + i, s) % len(players) for s in range(seats)] for i in range(count)]
            )
        return collect(self.game, Cast(players, cast, learn), derive(self.seed, "generation", self.generation), first)

    def _players(self) -> tuple[list[Agent], tuple[int, ...]]:
        """Return the players of this generation (the newest network first) and which of them give events."""
        if self.generation == 0:
            return self._teachers, tuple(range(len(self._teachers)))
        o = self.options
        newest = self.generation - 1
        learner = self._agent_of((newest,), Habits(o.noise, o.policy_mix, o.repair, o.explore))
        older = [
            self._agent_of((g,), Habits(o.noise, o.policy_mix, o.repair))
            for g in range(max(0, newest - o.earlier), newest)
        ]
        return [learner, *older, *self._league], (0,)

    def _opponent(self, drawn: int, count: int) -> int:
        """Draw an opponent's number among ``count`` players: the league by its share, else self or an earlier one."""
        league = len(self._league)
        share = self.options.league_share if league else 0.0
        if (drawn >> 32) / 2**32 < share:
            return count - league + drawn % league
        return drawn % (count - league)

    def _thinned(self, events: Events) -> Events:
        o = self.options
        if o.keep_share >= 1.0:
            return events
        rng = np.random.default_rng([self.seed, 2, self.step])
        important = np.abs(events.values) >= np.quantile(np.abs(events.values), 0.9)
        return events.take(np.flatnonzero(important | (rng.random(len(events)) < o.keep_share)))

    # -- learning --------------------------------------------------------------------------------------------------

    def _learn(self) -> Iterator[Metrics]:
        """Learn from the last generations' events; the network is then the next generation."""
        o = self.options
        if self.parts:
            self.memory = [joined(self.parts), *self.memory][: o.memory]
            self.parts = []
        events = joined(self.memory)
        events = events.take(slice(0, o.max_events))
        target, mask = targets(events, o.unit, o.discount, o.counterfactuals, -2.0 if o.teach_illegal else None)
        total = int(o.epochs * len(events)) // o.batch
        order = np.concatenate(
            [
                np.random.default_rng([self.seed, 3, self.generation, e]).permutation(len(events))
                for e in range(int(np.ceil(o.epochs)) + 1)
            ]
        )
        losses: list[tuple[float, float]] = []
        while self.minibatch < total:
            rows = np.sort(order[self.minibatch * o.batch : (self.minibatch + 1) * o.batch])
            losses.append(self._update(events.take(rows), target[rows], mask[rows], self.minibatch / total))
            self.minibatch += 1
            if self.minibatch % 200 == 0:
                yield {}
        values, policies = (float(np.mean([loss[k] for loss in losses[-1000:]] or [0.0])) for k in (0, 1))
        self.generations.append({k: v.clone() for k, v in tensors.module_tensors(self.network, "network").items()})
        self.minibatch = 0
        self.optimizer = self._new_optimizer()
        yield {
            "generation": float(self.generation - 1),
            "events": float(len(events)),
            "value_loss": values,
            "policy_loss": policies,
        }

    def _update(
        self, events: Events, target: npt.NDArray[Any], mask: npt.NDArray[Any], done: float
    ) -> tuple[float, float]:
        o = self.options
        rate = o.learning_rate * (1.0 if o.optimizer == "sgd" else 1.0 - 0.95 * done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.network.train()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(derive(self.seed, "dropout", self.generation, self.minibatch) & 0x7FFFFFFF)
            parts = (self.layout.encode(events.views), target, mask, events.legal, events.probabilities)
            codes, aim, known, legal, old = (torch.from_numpy(np.ascontiguousarray(p)).to(self.device) for p in parts)
            values, logits = two_heads(self.network, codes)
            value_loss = ((values - aim).square() * known).sum(dim=1).mean()
            policy_loss = self._policy_loss(values.detach(), logits, legal, old)
            self.optimizer.zero_grad()
            (value_loss + policy_loss).backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
        return float(value_loss.detach()), float(policy_loss.detach())

    def _policy_loss(
        self, values: torch.Tensor, logits: torch.Tensor, legal: torch.Tensor, old: torch.Tensor
    ) -> torch.Tensor:
        o = self.options
        if o.policy == "weights":  # maximise sum(w v) / sum(w) by 1 / (1 + it); pull sum(w) to 1
            weights = torch.nn.functional.softplus(logits) * legal
            total = weights.sum(dim=1)
            worth = (weights * (values + 2.0).clamp(min=0)).sum(dim=1) / total.clamp(min=1e-6)
            return (1 / (1 + worth) + 0.01 * (total - 1).square()).mean()
        floor = torch.where(legal, old.clamp(min=1e-3), torch.ones_like(old))
        asked = old.sum(dim=1, keepdim=True) > 0  # teachers give no probabilities: begin from uniform
        before = torch.where(asked, torch.log(floor), torch.zeros_like(floor))
        moved = (1 - o.shrink) * before + o.step_size * values
        aim = torch.softmax(moved.masked_fill(~legal, -torch.inf), dim=1)
        said = torch.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)
        return -(aim * said.masked_fill(~legal, 0.0)).sum(dim=1).mean()

    # -- playing and keeping ---------------------------------------------------------------------------------------

    def _agent_of(self, generations: tuple[int, ...], habits: Habits) -> BettingAgent:
        networks = []
        for generation in generations:
            network = self._fresh()
            tensors.restore_module(network, self.generations[generation], "network", Path(f"generation {generation}"))
            networks.append(network.eval())
        return BettingAgent(tuple(networks), self.layout, self.options.unit, habits, self.device)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        o = self.options
        if not self.generations:
            raise UsageError("This run has not finished a generation yet: train it further, then play it.")
        newest = len(self.generations) - 1
        try:
            chosen = int(options.get("generation", newest))
            mix = int(options.get("mix", 1))
            noise = float(options.get("noise", o.noise))
            policy_mix = float(options.get("policy_mix", o.policy_mix))
            repair = str(options.get("repair", o.repair)).lower() in ("true", "1", "yes")
        except ValueError as error:
            raise OptionError(f"An option of the trained player is no number: {dict(options)}.") from error
        if not 0 <= chosen <= newest or mix < 1:
            raise OptionError(f"generation must be 0 to {newest} and mix at least 1. Got {dict(options)}.")
        return self._agent_of(tuple(range(max(0, chosen - mix + 1), chosen + 1)), Habits(noise, policy_mix, repair))

    def save(self, directory: Path) -> None:
        parts = tensors.module_tensors(self.network, "network") | tensors.optimizer_tensors(self.optimizer, "optimizer")
        tensors.write(directory / "weights.safetensors", parts)
        for k, weights in enumerate(self.generations):
            tensors.write(directory / f"generation-{k:03d}.safetensors", weights)
        for k, events in enumerate([*self.memory, *self.parts]):
            with (directory / f"events-{k:03d}.npz").open("wb") as file:
                np.savez_compressed(file, **{name: getattr(events, name) for name in EVENT_PARTS})
        state = {
            "step": self.step,
            "generations": len(self.generations),
            "memory": len(self.memory),
            "parts": len(self.parts),
            "minibatch": self.minibatch,
            "fields": fields_digest(self.game),
        }
        (directory / _STATE).write_text(json.dumps(state))

    def load(self, directory: Path) -> None:
        try:
            state = json.loads((directory / _STATE).read_text())
            counts = [int(state[k]) for k in ("step", "generations", "memory", "parts", "minibatch")]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedFileError(f"The file {directory / _STATE} cannot be read: {error}.") from error
        if state.get("fields") != fields_digest(self.game):
            raise DamagedFileError(f"The events in {directory} were made with other view fields: start a new run.")
        path = directory / "weights.safetensors"
        parts = tensors.read(path)
        tensors.restore_module(self.network, parts, "network", path)
        tensors.restore_optimizer(self.optimizer, parts, "optimizer", path)
        self.generations = [tensors.read(directory / f"generation-{k:03d}.safetensors") for k in range(counts[1])]
        events = [_read_events(directory / f"events-{k:03d}.npz") for k in range(counts[2] + counts[3])]
        self.memory, self.parts = events[: counts[2]], events[counts[2] :]
        self.step, self.minibatch = counts[0], counts[4]


def _read_events(path: Path) -> Events:
    try:
        with np.load(path, allow_pickle=False) as data:
            return Events(*(data[name] for name in EVENT_PARTS))
    except Exception as error:
        raise DamagedFileError(f"The events {path} cannot be read: {error}. Take another checkpoint.") from error
