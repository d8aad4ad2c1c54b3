"""Betting under way: a generation plays, its events are learned from, and the network is the next generation."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from cardai import make
from cardai.core.agent import Agent
from cardai.core.arrays import Int64s
from cardai.core.encoder import Encoder
from cardai.core.errors import OptionError, UsageError
from cardai.core.fields import as_dealt
from cardai.core.game import Game
from cardai.core.rng import derive, derive_many, hash_rows
from cardai.core.spec import brief, build, options_of
from cardai.core.trainer import Metrics, Training, shares
from cardai.learn import tensors
from cardai.learn.abstraction import ActionAbstraction
from cardai.learn.grid_networks import SuitNetwork
from cardai.learn.minibatches import Epochs, take_step
from cardai.learn.networks import choose_device
from cardai.learn.selfplay import Events, begin_anywhere, joined
from cardai.plugins.trainers.poker_cnn.betting import checkpoints
from cardai.plugins.trainers.poker_cnn.betting.acting import BettingAgent
from cardai.plugins.trainers.poker_cnn.betting.dataset import Dataset, Features, card_features, outputs
from cardai.plugins.trainers.poker_cnn.betting.draws import NetworkDraws
from cardai.plugins.trainers.poker_cnn.betting.heads import BettingNetwork, Heads
from cardai.plugins.trainers.poker_cnn.betting.learning import losses, make_targets
from cardai.plugins.trainers.poker_cnn.betting.options import ActingOptions
from cardai.plugins.trainers.poker_cnn.betting.player_options import PlayerOptions
from cardai.plugins.trainers.poker_cnn.betting.playing import Cast, collected
from cardai.plugins.trainers.poker_cnn.betting.published import thinned
from cardai.plugins.trainers.poker_cnn.betting.ranges import for_ranges
from cardai.plugins.trainers.poker_cnn.betting.warm_start import warm_start
from cardai.plugins.trainers.poker_cnn.networks import make_network, make_optimizer
from cardai.poker.fields import POKER

if TYPE_CHECKING:
    from cardai.plugins.trainers.poker_cnn.betting import PokerCnnBetting

_PARTS, _MOST_AT_ONCE = 10, 2_000  # a generation is played in so many parts or more, and can be saved between them
_LOSSES = 500  # minibatches whose mean losses are reported


class BettingTraining(Training):
    """Generations, the events of the last few, and where in a generation we are; randomness follows from the seed.

    The last hand of a generation counts as a step only when the generation has been learned.
    """

    def __init__(
        self, options: PokerCnnBetting, game: Game, encoder: Encoder, seed: int, abstraction: ActionAbstraction
    ) -> None:
        self.options, self.game, self.seed, self.abstraction = options, game, seed, abstraction
        self.layout = encoder.for_game(game)
        self.form = game.canonical_form() if options.canonical else as_dealt
        self.heads = _heads(options, game, abstraction)
        self.device = choose_device(options.device)
        self.step = self.played = 0
        self.generations: list[dict[str, torch.Tensor]] = []
        self.memory: list[Events] = []  # of the last generations, newest first
        self.parts: list[Events] = []  # of the generation being played
        self.minibatch = 0  # done of the generation being learned
        self.losses: list[list[float]] = []  # of values and policy, of its last minibatches
        self.network = self._fresh()
        self.optimizer = self._new_optimizer()
        self._features: dict[int, Features] = {}  # of each generation's events, where card layers are frozen
        self._epochs: tuple[int, Epochs] | None = None

    def begin(self) -> None:
        """Make all that only a training from nothing needs: the players of generation 0, the league, the warm start.

        Raises UsageError where one of them cannot be had.
        """
        cast = self.cast  # what is refused is refused now
        first = "All hands begin as a match's first does: a player of the league or a teacher knows no others."
        self.notes = [*([] if cast.anywhere else [first]), *warm_start(self.network, self.options)]

    @property
    def generation(self) -> int:
        """The generation being played or learned (0 is the teachers')."""
        return len(self.generations)

    def _fresh(self) -> nn.Module:
        o = self.options  # network=suits has a value and a policy head of its own
        count = self.abstraction.count if o.network == "suits" and not self.heads.published else self.heads.outputs
        with tensors.seeded(self.seed, torch.device("cpu")):
            network = make_network(o, self.layout, count)
        return network.to(self.device)

    def _new_optimizer(self) -> torch.optim.Optimizer:
        o = self.options
        if isinstance(self.network, SuitNetwork) and o.freeze_trunk:
            self.network.trunk.requires_grad_(False)
        weights = [p for p in self.network.parameters() if p.requires_grad]
        return make_optimizer(o.optimizer, weights, o.learning_rate)

    # -- the loop --------------------------------------------------------------------------------------------------

    def train(self, steps: int) -> Iterator[Metrics]:
        end = self.step + steps
        while self.step < end:
            whole = (self.generation + 1) * self.options.hands
            if self.played < whole:
                self._play(min(whole, end) - self.played, whole)
                if self.step < end:
                    yield {}
            else:
                yield from self._learn()

    def _play(self, wanted: int, whole: int) -> None:
        """Play the next hands, of ``wanted`` (and ``whole`` in all at the generation's end), and keep their events."""
        o = self.options
        count = min(wanted, o.actors * min(_MOST_AT_ONCE, max(100, o.hands // _PARTS)))
        hands = range(self.played, self.played + count)
        seed = derive(self.seed, "generation", self.generation)
        networks, seats = self._networks(), self._seats(hands)
        parts = shares(count, o.actors)
        pieces = [(seed, hands[part.start], seats[part.start : part.stop]) for part in parts]
        events = joined(self.crew.do(collected, self.cast, networks, pieces))
        self.parts.append(thinned(events, o.keep_share, derive(self.seed, "thin"), self.game))
        self.played += count
        self.step = min(self.played, whole - 1)

    def _learn(self) -> Iterator[Metrics]:
        """Learn from the last generations' events; the network is then the next generation."""
        o = self.options
        if self.parts:
            most = o.memory if o.keep_teachers or not self.generation else min(o.memory, self.generation)
            self.memory = [joined(self.parts), *self.memory][:most]
            self.parts = []
        dataset = yield from self._dataset()
        total = int(o.epochs * len(dataset)) // o.batch
        while self.minibatch < total:
            self.losses = [*self.losses[1 - _LOSSES :], self._update(dataset, self.minibatch / total)]
            self.minibatch += 1
            if self.minibatch % 10 == 0:
                yield {}
        value_loss, policy_loss = (float(np.mean([loss[k] for loss in self.losses] or [0.0])) for k in (0, 1))
        self.generations.append({k: v.clone() for k, v in tensors.module_tensors(self.network, "network").items()})
        self.minibatch, self.losses = 0, []
        self.optimizer = self._new_optimizer()
        self.step = self.played
        done = {"generation": float(self.generation - 1), "events": float(len(dataset))}
        self.wants_checkpoint = True  # so that the generation can be played from now on
        yield {**done, "value_loss": value_loss, "policy_loss": policy_loss}
        self.wants_checkpoint = False

    def _update(self, dataset: Dataset, done: float) -> list[float]:
        """Take one step on a minibatch and return the losses of values and policy.

        ``done`` is the part of the generation's learning that is behind.
        """
        o = self.options
        batch = dataset.batch(self._rows(len(dataset)))
        rate = o.learning_rate * (1.0 if o.optimizer == "sgd" else 1.0 - 0.95 * done)
        dropout = derive(self.seed, "dropout", self.generation, self.minibatch)

        def found() -> tuple[Tensor, Tensor]:
            return losses(outputs(self.network, self.heads, batch), self.heads, batch, o)

        return take_step(self.network, self.optimizer, rate, o.threads, dropout, found)

    # -- hands -----------------------------------------------------------------------------------------------------

    @cached_property
    def teachers(self) -> list[Agent]:
        """The players of generation 0."""
        return [make.agent(spec).for_game(self.game) for spec in self.options.teachers or ("random",)]

    @cached_property
    def league(self) -> list[Agent]:
        """The other opponents of every generation."""
        return [make.agent(spec).for_game(self.game) for spec in self.options.league]

    @cached_property
    def cast(self) -> Cast:
        """What actors keep."""
        o = self.options
        anywhere = begin_anywhere(self.game, [*self.teachers, *self.league])
        return Cast(self.game, self.abstraction, self.teachers, self.league, o.branches, o.actors == 1, anywhere)

    def _networks(self) -> list[BettingAgent]:
        """Return the newest network's player and those of earlier ones; none while the teachers play."""
        o = self.options
        if self.generation == 0:
            return []
        device = self.device if o.actors == 1 else torch.device("cpu")
        newest = self.generation - 1
        older = [self._player((g,), device=device) for g in range(max(0, newest - o.earlier), newest)]
        return [self._player((newest,), explore=o.explore, device=device), *older]

    def _seats(self, hands: range) -> Int64s:
        """Return who plays ``hands`` in which seat: the networks' players and the league's, or the teachers."""
        o, count = self.options, self.game.num_players
        if self.generation == 0:
            return drawn_seats(hands, count, self.seed, len(self.teachers))
        networks = 1 + min(o.earlier, self.generation - 1)
        seats = drawn_seats(hands, count, self.seed, networks, len(self.league), o.league_share)
        seats[np.arange(len(hands)), np.array(hands) // count % count] = 0  # one of each hand, and another one in turn
        return seats

    # -- minibatches -----------------------------------------------------------------------------------------------

    def _dataset(self) -> Generator[Metrics, None, Dataset]:
        """Return the remembered events with their targets, yielding empty metrics where that takes long."""
        o = self.options
        events = joined(self.memory).take(slice(0, o.max_events))
        targets = make_targets(events, self.game, self.abstraction, o)
        network, features = self._asked(self.network), None
        if isinstance(self.network, SuitNetwork) and o.freeze_trunk and not self.heads.published:
            features = yield from self._card_features(network, len(events))
        return Dataset(events, targets, network, features)

    def _card_features(self, network: BettingNetwork, count: int) -> Generator[Metrics, None, Features]:
        """Return the frozen card layers' features of the first ``count`` events; those of older generations are kept."""
        made: dict[int, Features] = {}
        for age, events in enumerate(self.memory):
            generation = self.generation - age
            if generation in self._features:
                made[generation] = self._features[generation]
                continue
            pieces = []
            for piece in card_features(network, events):
                pieces.append(piece)
                yield {}
            made[generation] = _concatenated(pieces)
        self._features = made
        features, context = _concatenated([made[self.generation - age] for age in range(len(self.memory))])
        return features[:count], context[:count]

    def _rows(self, count: int) -> Int64s:
        """Return the events of the minibatch: epochs run one after another through permutations of their own."""
        if self._epochs is None or self._epochs[0] != self.generation or self._epochs[1].count != count:
            self._epochs = self.generation, Epochs(count, self.seed, 3, self.generation)
        places = self.minibatch * self.options.batch + np.arange(self.options.batch)
        return np.sort(self._epochs[1].at(places))

    # -- players ---------------------------------------------------------------------------------------------------

    def _player(
        self,
        generations: tuple[int, ...],
        acting: ActingOptions | None = None,
        explore: float = 0.0,
        device: torch.device | None = None,
    ) -> BettingAgent:
        """Return the player of some generations' networks (on another ``device``); of none: of the network as it stands."""
        o = self.options
        modules = [self._fresh() for _ in generations] or [self._fresh()]
        for module, g in zip(modules, generations, strict=False):
            tensors.restore_module(module, self.generations[g], "network", Path(f"generation {g}"))
        if not generations:
            modules[0].load_state_dict(self.network.state_dict())
        networks = tuple(self._asked(module.eval().to(device or self.device), device) for module in modules)
        acting = acting or ActingOptions(**self._acting())
        return BettingAgent(networks, self.abstraction, acting, self.game, o.unit, explore)

    def _acting(self) -> dict[str, Any]:
        """Return the options of acting as trained."""
        return {name: getattr(self.options, name) for name in options_of(ActingOptions)}

    def _asked(self, module: nn.Module, device: torch.device | None = None) -> BettingNetwork:
        return BettingNetwork(module, self.layout, self.heads, self.form, device or self.device)

    def agent(self, options: Mapping[str, Any]) -> Agent:
        wanted = build(PlayerOptions, self._acting() | dict(options), "The trained player")
        count = len(self.generations)
        newest = count - 1 if wanted.generation is None else wanted.generation
        if wanted.generation is not None and not 0 <= newest < count:
            raise OptionError(f"There is no generation {newest} yet: {count} are finished, the first is 0.")
        return for_ranges(self._player(tuple(range(max(0, newest - wanted.mix + 1), newest + 1)), wanted))

    # -- keeping ---------------------------------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        tensors.write_training(directory / "weights.safetensors", self.network, self.optimizer)
        for k, weights in enumerate(self.generations):
            tensors.write(checkpoints.generation_file(directory, k), weights)
        checkpoints.write_events(directory, [*self.memory, *self.parts])
        counts = (self.step, self.played, len(self.generations), len(self.memory), len(self.parts), self.minibatch)
        checkpoints.write_state(directory, checkpoints.State(*counts, tuple(map(tuple, self.losses))), self.game)
        if isinstance(self.abstraction, NetworkDraws):
            self.abstraction.save(directory)

    def load_generations(self, directory: Path) -> checkpoints.State:
        """Take up the finished generations alone (all that players need); return the state."""
        state = checkpoints.read_state(directory, self.game)
        self.generations = [tensors.read(checkpoints.generation_file(directory, k)) for k in range(state.generations)]
        return state

    def load(self, directory: Path) -> None:
        state = self.load_generations(directory)
        tensors.read_training(directory / "weights.safetensors", self.network, self.optimizer)
        events = checkpoints.read_events(directory, state.memory + state.parts, self.game, self.abstraction.count)
        self.memory, self.parts = events[: state.memory], events[state.memory :]
        self.step, self.played, self.minibatch = state.step, state.played, state.minibatch
        self.losses = [list(pair) for pair in state.losses]


def drawn_seats(
    hands: range, seats: int, seed: int, players: int, league: int = 0, league_share: float = 0.0
) -> Int64s:
    """Return who sits where, (hands, seats): of ``players``, or with a chance of ``league_share`` of the league after them.

    That depends on the hand's number alone.
    """
    streams = derive_many(seed, "cast", count=len(hands), start=hands.start)
    drawn = np.stack([hash_rows(streams, seat) for seat in range(seats)], axis=1)
    seated = (drawn % np.uint64(players)).astype(np.int64)
    if league:
        met = players + (drawn % np.uint64(league)).astype(np.int64)
        seated = np.where((drawn >> np.uint64(32)) / 2**32 < league_share, met, seated)
    return seated


def _concatenated(pieces: list[Features]) -> Features:
    return np.concatenate([features for features, _ in pieces]), np.concatenate([context for _, context in pieces])


def _heads(options: PokerCnnBetting, game: Game, abstraction: ActionAbstraction) -> Heads:
    """Return what the outputs mean. Raises UsageError where the game has not the actions for that."""
    count = abstraction.count
    if options.heads == "published" and (count not in (3, 9) or not game.speaks(POKER)):
        raise UsageError(
            "heads=published is for limit games (fold, call, raise) and draw games. "
            f"{brief(game)} has {count} choices: take heads=choices."
        )
    return Heads(count, options.heads == "published", options.relu_output, options.policy == "weights")
